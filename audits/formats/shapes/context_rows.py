"""Tables with one row per context: the same question and answer again and again, or left out below the first row."""

import re
from collections.abc import Sequence
from typing import Any

from audits.formats.base import Row, RowProblem, SourceRow
from audits.formats.cells import MAX_CONTEXTS, CellError, is_missing, parts_of
from audits.formats.roles import guess_mapping
from audits.formats.shapes.base import Rows, gettext_noop

_PART = re.compile(r"(?<=\w)[-_./#:]\d{1,4}$")  # of an identifier: which context of an answer it is
_FEW = 3  # answers of which one with several contexts is enough
_SHARE = 0.25  # of the answers of a longer file


class ContextRows:
    """Rows that follow each other, joined by question and answer."""

    name = "context_rows"
    label = gettext_noop("a table with one row per context")

    def fits(self, rows: Sequence[Row]) -> bool:
        """See Shape."""
        table = _table_of(rows)
        if table is None or not all(table.has_one_context(row) for row in rows):
            return False
        groups: list[list[Row]] = []
        for row in rows:
            if groups and table.belongs(row, groups[-1][0]):
                groups[-1].append(row)
            else:
                groups.append([row])
        several = [group for group in groups if len(group) > 1 and table.differ(group)]
        if any(table.continues(row) for group in several for row in group):
            return True
        return len(several) >= (1 if len(groups) <= _FEW else max(2, _SHARE * len(groups)))

    def mapping(self, columns: Sequence[str], rows: Sequence[Row]) -> dict[str, Any]:
        """See Shape."""
        return {}

    def rows(self, rows: Rows) -> Rows:
        """See Shape."""
        table: _Table | None = None
        group: list[SourceRow] = []
        for row in rows:
            if isinstance(row, SourceRow):
                table = table or _table_of([row.values])
                if table and group and len(group) < MAX_CONTEXTS and table.belongs(row.values, group[0].values):
                    group.append(row)
                    continue
            yield from _joined(group, table)
            group = []
            if isinstance(row, RowProblem):  # what it says is not known, so nothing is joined across it
                yield row
            else:
                group = [row]
        yield from _joined(group, table)


class _Table:
    """Which columns hold question, answer, contexts and identifier."""

    def __init__(self, question: str, answer: str, contexts: str, identifier: str) -> None:
        self._texts, self.id, self.contexts = (question, answer), identifier, contexts

    def has_one_context(self, row: Row) -> bool:
        """Whether a row holds one context as a text, or none, and question and answer as texts."""
        plain = not any(isinstance(row.get(name), dict | list) for name in self._texts)
        return plain and len(_parts(row.get(self.contexts))) < 2

    def belongs(self, row: Row, first: Row) -> bool:
        """Whether a row is about the answer of the first row of a group."""
        same = all(row.get(name) == first.get(name) and not is_missing(row.get(name)) for name in self._texts)
        return (same and self._names_no_other(row, first)) or self.continues(row)

    def _names_no_other(self, row: Row, first: Row) -> bool:
        """Whether the identifiers are one, or parts of one (7-1, 7-2): rows with their own stand for themselves."""
        if not self.id or is_missing(row.get(self.id)):
            return True
        one, other = (str(each.get(self.id)).strip() for each in (row, first))
        return one == other or (_PART.sub("", one) == _PART.sub("", other) and bool(_PART.search(one)))

    def continues(self, row: Row) -> bool:
        """Whether a row says nothing but a context: the rest stands above and was left out."""
        return not is_missing(row.get(self.contexts)) and all(
            is_missing(row.get(name)) for name in (*self._texts, self.id)
        )

    def differ(self, rows: Sequence[Row]) -> bool:
        """Whether no context stands twice: otherwise rows are there twice, or differ in something else."""
        texts = [str(part) for row in rows for part in _parts(row.get(self.contexts))]
        return len(texts) > 1 and len(set(texts)) == len(texts)


def _table_of(rows: Sequence[Row]) -> _Table | None:
    mapping = guess_mapping([*dict.fromkeys(name for row in rows for name in row)])
    names = {role: name for role, name in mapping.items() if isinstance(name, str)}
    if "claims" in mapping or not {"question", "answer", "contexts"} <= set(names):
        return None
    return _Table(names["question"], names["answer"], names["contexts"], names.get("id", ""))


def _parts(value: Any) -> list[Any]:
    """The contexts of a cell; two of something for a cell that cannot be read as one text."""
    if is_missing(value):
        return []
    try:
        parts = parts_of(value)
    except CellError:
        return [value, value]
    return [value] if parts is None else [part if isinstance(part, str) else str(part) for part in parts]


def _joined(group: Sequence[SourceRow], table: _Table | None) -> Sequence[SourceRow]:
    """The rows of one answer as one row. Of columns that differ, all values are kept, as a list."""
    if len(group) < 2 or table is None:
        return group
    values: Row = {}
    for name in {name: None for row in group for name in row.values}:
        said = [value for row in group if not is_missing(value := row.values.get(name))]
        values[name] = said[0] if said and all(value == said[0] for value in said) else said or None
    if table.id:
        values[table.id] = group[0].values.get(table.id)
    values[table.contexts] = [part for row in group for part in _parts(row.values.get(table.contexts))]
    return [SourceRow(group[0].line, values)]
