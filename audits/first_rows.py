"""The first rows of a file, as a mapping would import them: what a person looks at before saying yes.

The file is read in a process of its own (formats.child), like everything that somebody uploads.
"""

import json
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from audits.format_messages import row_reason, row_todo
from audits.formats import child
from audits.formats.base import Options, Understanding
from audits.formats.columns import context_columns
from audits.formats.given import LABEL_ROLES, cell
from audits.formats.joined import suggested_split
from audits.formats.wording import Meanings, folded
from audits.models import Dataset

SHOWN = 5  # rows
CHECKED = 200  # rows that are mapped to say how many fit
COUNTED = 5_000  # the same where words of labels are counted; one that comes later is flagged when it is imported
PATIENCE = 10.0  # seconds, after which what has been read must do
EXAMPLE = 60  # characters of a value beside the name of its column
JSON = ("contexts", "flags", "tags")  # of child.COLUMNS, those that are lists


@dataclass(frozen=True)
class Shown:
    """One row: record (by child.COLUMNS, with labels), or why it would not be imported and what to do about it."""

    line: int
    record: dict[str, Any] | None
    reason: str = ""
    todo: str = ""
    column: str = ""


@dataclass
class Checked:
    """rows: the first ones. fitting, bad: counts of the rows read; whole: these are all rows of the file."""

    rows: list[Shown] = field(default_factory=list)
    fitting: int = 0
    bad: int = 0
    whole: bool = False
    words: Counter[str] = field(default_factory=Counter)  # of human labels, in their first spelling

    @property
    def total(self) -> int:
        """Rows read."""
        return self.fitting + self.bad

    @property
    def contexts(self) -> list[int]:
        """How many there are in each shown row that fits."""
        return [len(row.record["contexts"]) for row in self.rows if row.record]

    def give_meaning(self, words: object) -> None:
        """Say of the labels in the rows what their words mean: words as in mapping["words"]."""
        meanings = Meanings(words)
        for record in (row.record for row in self.rows if row.record):
            labels = [(claim, word, meanings.label(word) if word else "") for claim, word, _ in record["labels"]]
            unknown = ["unknown_label"] if any(label is None for _claim, _word, label in labels) else []
            record["labels"] = labels
            record["flags"] = [flag for flag in record["flags"] if flag != "unknown_label"] + unknown


class Examples:
    """What the first rows hold, whatever is chosen."""

    def __init__(self, understanding: Understanding) -> None:
        self._columns = understanding.columns
        self._rows = understanding.preview

    @property
    def first(self) -> list[tuple[str, str]]:
        """(column, text) of the first row as it is."""
        return [(name, _text(value)) for row in self._rows[:1] for name, value in row.values.items()]

    @cached_property
    def by_name(self) -> dict[str, str]:
        """Column or path -> the first value that says something, shortened."""
        found = {}
        for name in self._columns:
            texts = (_text(cell(row.values, name)) for row in self._rows)
            found[name] = _shortened(next((text for text in texts if text.strip()), ""))
        return found

    @cached_property
    def inside(self) -> frozenset[str]:
        """Those of the names that are paths into lists and objects, and no columns."""
        return frozenset(self._columns) - {name for row in self._rows for name in row.values}

    def suggestion(self, mapping: Mapping[str, Any]) -> str:
        """How the cells of the contexts may be split: a word of splitting.METHODS, a separator, "" for not at all."""
        return suggested_split(self._rows, mapping)


def check(dataset: Dataset, options: Options, mapping: Mapping[str, Any]) -> Checked | None:
    """The first rows under a mapping; None while too little is chosen. Raises FormatError."""
    if not mapping.get("answer") or not context_columns(mapping):
        return None
    most = COUNTED if any(mapping.get(role) for role in LABEL_ROLES) else CHECKED
    checked, spelt = Checked(), dict[str, str]()
    for part in _parts(dataset, options, mapping, most):
        if isinstance(part, child.End):
            checked.whole = True
            break
        _add(checked, part, spelt)
    checked.rows = sorted(checked.rows, key=lambda row: row.line)[:SHOWN]
    return checked


def _parts(
    dataset: Dataset, options: Options, mapping: Mapping[str, Any], most: int
) -> Iterator[child.Rows | child.End]:
    """What the child gives, until it is enough or has taken too long."""
    end, wanted = time.monotonic() + PATIENCE, dict(mapping)
    reading = child.read_rows(dataset.path, options, wanted, patience=1.0)
    try:
        for part in reading:
            if part is not None:
                yield part
            if time.monotonic() > end or (isinstance(part, child.Rows) and part.done >= most):
                return
    finally:
        reading.close()  # this ends the child


def _add(checked: Checked, part: child.Rows, spelt: dict[str, str]) -> None:
    labels: dict[int, list[tuple[str, str, str]]] = {}
    for position, _number, claim, word, label in part.labels:
        labels.setdefault(position, []).append((claim, word, label))
        if word:
            checked.words[spelt.setdefault(folded(word), word)] += 1
    width = len(child.COLUMNS)
    for at in range(0, min(part.count, SHOWN) * width, width):
        record = _record(part.values[at : at + width])
        record["labels"] = labels.get(int(record["position"]), [])
        checked.rows.append(Shown(int(record["line"]), record))
    for problem in part.problems[:SHOWN]:
        reason = row_reason(problem["code"], problem["reason"])
        checked.rows.append(Shown(problem["line"], None, reason, row_todo(problem["code"]), problem["column"]))
    checked.fitting += part.count
    checked.bad += len(part.problems)


def _record(values: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = dict(zip(child.COLUMNS, values, strict=True))
    return found | {name: json.loads(found[name]) for name in JSON}


def _text(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False, default=str)


def _shortened(text: str) -> str:
    line = " ".join(text[: 4 * EXAMPLE].split())
    return line if len(line) <= EXAMPLE else line[: EXAMPLE - 1].rstrip() + "…"
