"""Tables with one row per claim: the rows of one answer become one row, which holds its claims and their labels."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from audits.formats.base import Row, RowProblem, SourceRow
from audits.formats.cells import CellError, is_missing, parts_of
from audits.formats.columns import context_columns
from audits.formats.given import cell
from audits.formats.grouping import grouped

_LOOKED_AT = 200  # rows that tell whether the file is such a table
Rows = Iterator[SourceRow | RowProblem]


def one_per_answer(rows: Rows, mapping: Mapping[str, Any]) -> Rows:
    """The rows, one per answer. They pass through as they are, unless each holds one claim as a text, and its label.

    Rows of one answer have the same identifier, or where identifiers are the claims' own, the same question and
    answer, wherever in the file they stand. A row with none of these belongs to the one before it, as below merged
    cells. The order is that of the first rows; problems come before. Bounded memory, see grouping.py.
    """
    if not (isinstance(mapping.get("claims"), str) and mapping["claims"] and mapping.get("claim_label")):
        yield from rows
        return
    head = list(islice(rows, _LOOKED_AT))
    table = _Table(mapping, [row.values for row in head if isinstance(row, SourceRow)])
    rows = chain(head, rows)
    if not table.has_one_claim_per_row:
        yield from rows
        return
    for group in grouped(rows, table.key(), named=table.named):
        if isinstance(group, RowProblem):
            yield group
        else:
            for alike in table.answers(group):
                yield table.joined(alike)


class _Table:
    """What is known of a table with one row per claim."""

    def __init__(self, mapping: Mapping[str, Any], head: Sequence[Row]) -> None:
        self._id = mapping.get("id") or ""
        self._texts = tuple(mapping.get(role) or "" for role in ("question", "answer"))
        self._contexts = context_columns(mapping)
        self._claims, self._label = str(mapping["claims"]), str(mapping["claim_label"])
        plain = [row for row in head if not is_missing(cell(row, self._claims))]
        self.has_one_claim_per_row = bool(plain) and all(_is_one(cell(row, self._claims)) for row in plain)
        self._by_id = bool(self._id) and self._ids_repeat(head)
        self.named = self._id if self._by_id else self._texts[1]

    def _ids_repeat(self, head: Sequence[Row]) -> bool:
        """Whether identifiers are those of answers: they repeat, or nothing does."""
        ids = [_said(row, (self._id,)) for row in head]
        answers = [_said(row, self._texts) for row in head]
        ids, answers = [name for name in ids if name], [text for text in answers if text]
        return len(set(ids)) < len(ids) or len(set(answers)) == len(answers)

    def key(self) -> Callable[[Row], str]:
        """What names the answer of a row; to be called with the rows in file order."""
        latest = ""

        def key(row: Row) -> str:
            nonlocal latest
            by_text = _said(row, self._texts)
            latest = (self._by_id and _said(row, (self._id,))) or by_text or latest
            return latest

        return key

    def answers(self, group: Sequence[SourceRow]) -> list[list[SourceRow]]:
        """The rows of a group by answer: one identifier may by mistake stand at two of them."""
        found: dict[str, list[SourceRow]] = {}
        latest = ""
        for row in group:
            latest = _said(row.values, self._texts) or latest
            found.setdefault(latest, []).append(row)
        return list(found.values())

    def joined(self, rows: Sequence[SourceRow]) -> SourceRow:
        """One row with a list of claims. Of columns that differ, all values are kept, as a list."""
        values = dict(rows[0].values)
        own = {self._claims, self._label, *self._contexts, self._id}
        for name in {name: None for row in rows for name in row.values}:
            if name not in own:
                values[name] = _together([row.values.get(name) for row in rows])
        for name in self._contexts:
            values[name] = _union([cell(row.values, name) for row in rows])
        claims = [(cell(row.values, self._claims), cell(row.values, self._label)) for row in rows]
        values[self._claims] = [
            {"claim": str(claim), "label": label} for claim, label in claims if not is_missing(claim)
        ]
        values[self._label] = None
        return SourceRow(rows[0].line, values)


def _is_one(value: Any) -> bool:
    try:
        return not isinstance(value, dict) and parts_of(value) is None
    except CellError:
        return False


def _said(row: Row, columns: Sequence[str]) -> str:
    """The cells of these columns as one text, "" when all are empty."""
    values = [cell(row, column) if column else None for column in columns]
    if all(is_missing(value) for value in values):
        return ""
    return json.dumps(values, ensure_ascii=False, default=str)


def _together(values: Sequence[Any]) -> Any:
    said = [value for value in values if not is_missing(value)]
    if all(value == said[0] for value in said):
        return said[0] if said else None
    return list(values)


def _union(values: Sequence[Any]) -> Any:
    """The contexts of several rows, none twice; the cell as it is where all are the same."""
    together = _together(values)
    if not isinstance(together, list) or together in values:
        return together
    found: list[Any] = []
    for value in values:
        try:
            parts = parts_of(value)
        except CellError:
            return value  # the mapper says what is wrong with it
        found += [part for part in ([value] if parts is None else parts) if not (part in found or is_missing(part))]
    return found
