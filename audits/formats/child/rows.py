"""Rows as a database takes them, gathered into frames: by whoever reads the file, for whoever stores its rows."""

import json
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
MAX_CHARS = 1 << 19
MAX_ROW = 1 << 24  # code points of a row; every text of it is shorter, all together may not be
_TIMES = COLUMNS.index("timestamp")
_json = json.JSONEncoder(ensure_ascii=False, check_circular=False, allow_nan=False).encode


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
        count, done = int(head["rows"]), int(head["done"])
        labels = [(int(at), int(number), *map(str, said)) for at, number, *said in head["labels"]]
        problems = [{**_NO_PROBLEM, **problem} for problem in head["problems"]]
        fraction = None if head["fraction"] is None else min(1.0, max(0.0, float(head["fraction"])))
    except (KeyError, TypeError, ValueError) as error:
        raise BrokenFrame from error
    values = body.split(SEPARATOR) if count else []
    if len(values) != count * len(COLUMNS) or any(len(label) != 5 for label in labels):
        raise BrokenFrame
    return Rows(done, fraction, count, values, labels, problems)  # type: ignore[arg-type]


_NO_PROBLEM: dict[str, Any] = {"line": 0, "column": "", "code": "", "reason": "", "value": "", "values": None}


class Gathering:
    """Rows and problems until there are enough for a frame."""

    def __init__(self) -> None:
        self._start()

    def _start(self) -> None:
        self._values: list[str] = []
        self._rows = self._chars = 0
        self._labels: list[tuple[int, int, str, str, str]] = []
        self._problems: list[dict[str, Any]] = []

    def __bool__(self) -> bool:
        return bool(self._rows or self._problems)

    @property
    def full(self) -> bool:
        """Whether it is time for a frame."""
        return self._rows >= MAX_ROWS or self._chars >= MAX_CHARS or len(self._problems) >= MAX_ROWS

    def add(self, position: int, row: Record | RowProblem, flags: tuple[str, ...] = ()) -> None:
        """Take a row. position: among all rows of the file, from 0; flags: besides its own."""
        if isinstance(row, RowProblem):
            self._refuse(row)
            return
        values = _values(position, row, flags)
        size = sum(map(len, values))
        if size > MAX_ROW:
            self._refuse(row_problem(row.line, "row_too_long", limit=MAX_ROW))
            return
        self._values += values
        self._rows += 1
        self._chars += size
        for number, label in enumerate(row.labels):
            self._labels.append((position, number, label.claim, label.word, label.label))

    def _refuse(self, problem: RowProblem) -> None:
        told = {name: getattr(problem, name) for name in _NO_PROBLEM}
        told = {
            name: value if name == "values" and value is None else storable(value) for name, value in told.items()
        }
        size = len(_json(told))
        if size > MAX_ROW:
            told["values"] = None
        self._chars += min(size, MAX_ROW)
        self._problems.append(told)

    def frame(self, done: int, fraction: float | None) -> Frame:
        """What was gathered, as a frame; then anew."""
        body = SEPARATOR.join(self._values)
        if self._rows and body.count(SEPARATOR) != self._rows * len(COLUMNS) - 1:  # a reader let one through
            body = SEPARATOR.join([value.replace(SEPARATOR, "") for value in self._values])
        head = {
            "rows": self._rows,
            "done": done,
            "fraction": fraction,
            "labels": self._labels,
            "problems": self._problems,
        }
        self._start()
        return head, body


def _values(position: int, row: Record, flags: tuple[str, ...]) -> tuple[str, ...]:
    all_flags = row.flags + flags
    return (
        str(position),
        str(row.line),
        row.external_id[:200] or str(position + 1),
        row.question,
        row.answer,
        f"[{', '.join([encode_basestring(text) for text in row.contexts])}]",
        _json(row.metadata) if row.metadata else "{}",
        _json(all_flags) if all_flags else "[]",
        language_of(row.answer or row.question),
        row.reference,
        row.generator[:200],
        str(row.timestamp.replace(tzinfo=None)) if row.timestamp else "",
        _json(row.tags) if row.tags else "[]",
    )
