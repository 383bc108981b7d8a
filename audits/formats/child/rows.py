"""Rows as a database takes them, gathered into frames: by whoever reads the file, for whoever stores its rows."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from json.encoder import encode_basestring
from typing import Any

from audits.formats.base import Record, RowProblem
from audits.formats.cells import storable
from audits.formats.child.frames import SEPARATOR, BrokenFrame, Frame
from audits.formats.messages import row_problem
from audits.text.language import language_of

COLUMNS = (
    *("position", "line", "external_id", "question", "answer", "contexts", "metadata", "flags", "language"),
    *("reference", "generator", "timestamp", "tags"),
)
"""Of one row in a frame's body, all as text: JSON as JSON, the moment in UTC or "" for none."""

MAX_ROWS = 500  # of one frame, and so of one transaction
MAX_BYTES = 3 << 18  # less than a pipe holds, so that the child may be one frame ahead
MAX_ROW = 1 << 24  # code points of a row; every text of it is shorter, all together may not be
BETWEEN = len(COLUMNS) - 1  # separators in a row
as_json = json.JSONEncoder(ensure_ascii=False, check_circular=False, allow_nan=False).encode


@dataclass(frozen=True)
class Rows:
    """Some rows of a file, one after the other."""

    done: int  # rows of the file read with these, good and bad ones
    fraction: float | None  # of the file, 0 to 1
    count: int
    values: list[str]  # COLUMNS of each row, row after row
    labels: list[tuple[int, int, str, str, str]]  # position of a row, number of the label; claim, word, label
    problems: list[dict[str, Any]]  # rows that do not fit: line, column, code, reason, value, values


def rows_of(frame: Frame) -> Rows:
    """The rows of a frame. Raises BrokenFrame."""
    head, body = frame
    try:
        count, done = _number(head["rows"]), _number(head["done"])
        labels = [(_number(at), _number(number), *map(str, said)) for at, number, *said in head["labels"]]
        problems = [_problem(problem) for problem in head["problems"]]
        fraction = None if head["fraction"] is None else min(1.0, max(0.0, float(head["fraction"])))
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise BrokenFrame from error
    values = body.split(SEPARATOR) if count else []
    if len(values) != count * len(COLUMNS) or any(len(label) != 5 for label in labels):
        raise BrokenFrame
    if not all(map(str.isdecimal, [*values[:: len(COLUMNS)], *values[1 :: len(COLUMNS)]])):  # positions and lines
        raise BrokenFrame
    return Rows(done, fraction, count, values, labels, problems)  # type: ignore[arg-type]  # of five each


def _problem(told: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {name: str(told[name]) for name in ("column", "code", "reason", "value")}
    line, values = _number(told["line"]), told["values"]
    if not (values is None or isinstance(values, dict)):
        raise BrokenFrame
    return {**found, "line": line, "values": values}


def _number(told: Any) -> int:
    """A number as every database takes it."""
    found = int(told)
    if not 0 <= found < 1 << 31:
        raise BrokenFrame
    return found


_PROBLEM = ("line", "column", "code", "reason", "value", "values")  # what is told of one


class Gathering:
    """Rows and problems until there are enough for a frame."""

    def __init__(self) -> None:
        self._start()

    def _start(self) -> None:
        self._rows: list[bytes] = []
        self._size = 0  # bytes
        self._labels: list[tuple[int, int, str, str, str]] = []
        self._problems: list[dict[str, Any]] = []

    def __bool__(self) -> bool:
        return bool(self._rows or self._problems)

    @property
    def full(self) -> bool:
        """Whether it is time for a frame."""
        return len(self._rows) >= MAX_ROWS or self._size >= MAX_BYTES or len(self._problems) >= MAX_ROWS

    def add(self, position: int, row: Record | RowProblem) -> None:
        """Take a row. position: among all rows of the file, from 0."""
        if isinstance(row, RowProblem):
            self._refuse(row)
            return
        values = _values(position, row)
        text = SEPARATOR.join(values)
        if text.count(SEPARATOR) != BETWEEN:  # a reader let one through
            text = SEPARATOR.join([value.replace(SEPARATOR, "") for value in values])
        if len(text) > MAX_ROW:
            self._refuse(row_problem(row.line, "row_too_long", limit=MAX_ROW))
            return
        told = text.encode()
        self._rows.append(told)
        self._size += len(told)
        for number, label in enumerate(row.labels):
            self._labels.append((position, number, label.claim, label.word, label.label))

    def add_told(self, rows: list[bytes]) -> None:
        """Take rows that are ready."""
        self._rows += rows
        self._size += sum(map(len, rows))

    def _refuse(self, problem: RowProblem) -> None:
        told = {name: getattr(problem, name) for name in _PROBLEM}
        told = {
            name: value if name == "values" and value is None else storable(value) for name, value in told.items()
        }
        size = len(as_json(told))
        if size > MAX_ROW:
            told["values"] = None
        self._size += min(size, MAX_ROW)
        self._problems.append(told)

    def frame(self, done: int, fraction: float | None) -> tuple[dict[str, Any], bytes]:
        """What was gathered, as a frame; then anew."""
        body = SEPARATOR.encode().join(self._rows)
        head = {
            "rows": len(self._rows),
            "done": done,
            "fraction": fraction,
            "labels": self._labels,
            "problems": self._problems,
        }
        self._start()
        return head, body


def texts_as_json(texts: Sequence[str]) -> str:
    """A list of texts, as JSON."""
    return f"[{', '.join([encode_basestring(text) for text in texts])}]"


def language_told(text: str) -> str:
    """As text.language.language_of, which need not look at every text."""
    return "en" if text.isascii() else language_of(text)


def _values(position: int, row: Record) -> tuple[str, ...]:
    return (
        str(position),
        str(row.line),
        row.external_id[:200] or str(position + 1),
        row.question,
        row.answer,
        texts_as_json(row.contexts),
        as_json(row.metadata) if row.metadata else "{}",
        as_json(row.flags) if row.flags else "[]",
        language_told(row.answer or row.question),
        row.reference,
        row.generator[:200],
        str(row.timestamp.replace(tzinfo=None)) if row.timestamp else "",
        as_json(row.tags) if row.tags else "[]",
    )
