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
    reason: str  # English; the interface translates by code: messages.ROW_PROBLEMS[code] % params
    params: Mapping[str, Any] = field(default_factory=dict, compare=False)


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
    # "id" | "question" | "answer" | "contexts" -> column, None when not found. "contexts" may be a list of columns,
    # whose texts follow each other; "question" may be "": the file has no questions. JSON-serialisable.
    mapping: Mapping[str, str | list[str] | None]
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


@dataclass(frozen=True)
class Options:
    """What a person chose instead of what would be guessed; None: guess."""

    filename: str = ""
    encoding: str | None = None
    delimiter: str | None = None
    sheet: str | None = None


class Reader(Protocol):
    """One format. Reads in bounded memory; never opens the file with the machine's locale.

    Built as Reader(path, options); raises FormatError then, when the file is of no use.
    """

    name: str
    encoding: str | None  # as found or chosen; None where the format fixes it
    delimiter: str | None
    sheet: str | None
    sheets: tuple[str, ...]  # what can be chosen
    columns: tuple[str, ...]  # of the header; () where every row names its own
    warnings: tuple[str, ...]

    def rows(self) -> Iterator[SourceRow | RowProblem]:
        """All rows from the start, in file order; raises FormatError where the file itself is broken."""
        ...
