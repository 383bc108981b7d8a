"""What every reader of a file gives back, and the one error it raises."""

import datetime
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
    value: str = field(default="", compare=False)  # what stands in the cell, shortened
    values: Row | None = field(default=None, compare=False)  # the row as far as it was read, for mending it


@dataclass(frozen=True)
class Notice:
    """Something about the file that a person should know; nothing is refused. code as in messages.WARNINGS."""

    code: str
    template: str  # English; the interface translates by code
    params: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.template % self.params if self.params else self.template


@dataclass(frozen=True)
class SourceRow:
    """One raw row with its place in the file."""

    line: int
    values: Row


@dataclass(frozen=True)
class Understanding:
    """What was understood of a file from its head: shown for correction before anything is imported."""

    format: str  # a key of READERS
    encoding: str | None
    confidence: float | None  # of the encoding, 0 to 1; 1 for one that a person chose; None where the format fixes it
    delimiter: str | None
    sheet: str | None
    shape: str  # a key of shapes.SHAPES, "" for a plain table
    header_line: int | None  # 1-based line (row of a workbook) of the header; None where there is none
    member: str  # the file read out of an archive, "" otherwise
    columns: tuple[str, ...]  # names and paths that a mapping can use, see paths.py
    # Role (columns.ROLES) -> column, None or absent when not found. "contexts" may be a list of columns, whose texts
    # follow each other; "question" may be "": the file has no questions. Besides the roles: "split" (how a cell that
    # holds several contexts is split, see splitting.py) and "words" (what a label in the file means, see wording.py).
    # JSON-serialisable.
    mapping: Mapping[str, Any]
    preview: tuple[SourceRow, ...]  # the first rows
    warnings: tuple[Notice, ...] = ()


@dataclass(frozen=True)
class GivenLabel:
    """What a human said of a claim before the file came here: for calibrating judges, never shown to one."""

    claim: str  # "" for the answer as a whole
    word: str  # as the file has it; "" when the label is missing
    label: str  # SUPPORTED | CONTRADICTED | UNVERIFIED | NOT_SUPPORTED (either of the two) | UNCERTAIN | "" (unknown)


@dataclass(frozen=True)
class Record:
    """One row mapped to what an audit needs. `flags` name what is empty or odd, see columns.FLAGS."""

    line: int
    external_id: str
    question: str
    answer: str
    contexts: tuple[str, ...]
    metadata: Row = field(default_factory=dict)  # columns that are not mapped
    flags: tuple[str, ...] = ()
    reference: str = ""  # the right answer, as somebody wrote it
    generator: str = ""  # the model that wrote the answer
    timestamp: datetime.datetime | None = None  # when it was written; aware, UTC
    tags: tuple[str, ...] = ()
    labels: tuple[GivenLabel, ...] = ()


@dataclass(frozen=True)
class Options:
    """What a person chose instead of what would be guessed; None: guess."""

    filename: str = ""
    encoding: str | None = None
    delimiter: str | None = None
    sheet: str | None = None
    shape: str | None = None  # "" reads a plain table whatever it looks like
    header: bool | None = None  # False: the first row is data
    escapes: bool | None = None  # True: \\n in a text stands for a line break, \\t for a tab
    member: str | None = None  # which file of an archive


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
    header_line: int | None
    warnings: tuple[Notice, ...]

    @property
    def fraction(self) -> float | None:
        """How much of the file the newest iteration of rows() has read, 0 to 1; None where that is not known."""
        ...

    def rows(self) -> Iterator[SourceRow | RowProblem]:
        """All rows from the start, in file order; raises FormatError where the file itself is broken."""
        ...
