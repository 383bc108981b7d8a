"""What every reader of a file gives back, and the one error it raises."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

Row = dict[str, Any]
"""One record as the file has it: column name -> value (text, or list/dict from JSON)."""


class FormatError(Exception):
    """The file cannot be read. The message says what is wrong and what to do, in plain words.

    `code` names the kind (for translation and tests); `params` fill the message's gaps.
    """

    def __init__(self, code: str, message: str, **params: object) -> None:
        super().__init__(message % params if params else message)
        self.code = code
        self.template = message
        self.params = params


@dataclass(frozen=True)
class RowProblem:
    """A row that does not fit. It is not imported; the good rows are."""

    line: int  # 1-based line of the file (row for a workbook, element for a JSON array)
    column: str  # "" when the whole row is meant
    code: str
    reason: str  # English; the interface translates by code


@dataclass(frozen=True)
class SourceRow:
    """One raw row with its place in the file."""

    line: int
    values: Row


@dataclass(frozen=True)
class Understanding:
    """What was understood of a file from its head: shown for correction before anything is imported."""

    format: str  # "csv" | "xlsx" | "jsonl" | "json"
    encoding: str | None
    delimiter: str | None
    sheet: str | None
    columns: tuple[str, ...]
    mapping: Mapping[str, str | None]  # "id" | "question" | "answer" | "contexts" -> column, None when not found
    preview: tuple[SourceRow, ...]  # the first rows
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Record:
    """One row mapped to what an audit needs. `flags` name what is empty: no_question, no_answer, no_context."""

    line: int
    external_id: str
    question: str
    answer: str
    contexts: tuple[str, ...]
    metadata: Row = field(default_factory=dict)
    flags: tuple[str, ...] = ()


class Reader(Protocol):
    """One format. Reads in bounded memory; never opens the file with the machine's locale."""

    name: str

    def rows(self) -> Iterator[SourceRow | RowProblem]:
        """All rows from the start, in file order; raises FormatError where the file itself is broken."""
        ...
