"""Rows about which nothing is odd, mapped many at a time: column by column, which is several times as fast.

Whatever is not plain (a value that is no text, a hidden character, a cell that may say "nothing", a list that is not
quite JSON, …) sends the whole batch back to RowMapper, row by row. What comes out is the same either way.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, repeat
from json import JSONDecoder
from typing import Any

from audits.formats.base import Row, RowProblem, SourceRow
from audits.formats.cells import MAX_CONTEXTS, MAX_TEXT, NO_CONTEXT, CellError, is_missing, parts_of, storable
from audits.formats.child.frames import SEPARATOR
from audits.formats.child.rows import COLUMNS, MAX_ROW, as_json, language_told, texts_as_json
from audits.formats.columns import MAX_NAME, ROLES, context_columns
from audits.formats.oddities import CELL_LIMIT, LONGEST_NOTHING, NOTHING, SPREADSHEET_ERRORS, is_plain
from audits.formats.written import MAX_WRITTEN

_SAYS_NOTHING = NOTHING | SPREADSHEET_ERRORS | NO_CONTEXT
_scan: Any = JSONDecoder().scan_once  # type: ignore[attr-defined]  # without looking for spaces around
Texts = Sequence[str]


class _Odd(Exception):
    """Not plain after all."""


@dataclass(frozen=True)
class Mapped:
    """Rows of one batch, in their order."""

    ids: Texts
    questions: Texts
    answers: Texts
    contexts: Sequence[list[str]]
    told: list[bytes]  # as Gathering takes them


class PlainMapper:
    """A mapping, for batches of plain rows."""

    def __init__(self, mapping: Mapping[str, Any]) -> None:
        """Of use only if `can`: the mapping names question, answer, contexts, and nothing else but an identifier."""
        known = {role: mapping.get(role) for role in ROLES}
        self._question, self._answer, self._id = (str(known[role] or "") for role in ("question", "answer", "id"))
        self._contexts = context_columns(mapping)
        self._used = frozenset(filter(None, (self._question, self._answer, self._id, *self._contexts)))
        others = set(known) - {"question", "answer", "contexts", "id"}
        simple = not mapping.get("split") and not any(known[role] for role in others)
        self.can = bool(simple and self._question and self._answer and self._contexts)

    def batch(self, position: int, rows: Sequence[SourceRow | RowProblem]) -> Mapped | None:
        """The rows mapped; None when any of them is odd. position: of the first one."""
        if not rows or {type(row) for row in rows} != {SourceRow}:
            return None
        try:
            return self._mapped(position, rows)  # type: ignore[arg-type]  # all are SourceRow
        except (_Odd, CellError, KeyError, ValueError, RecursionError, StopIteration):
            return None

    def _mapped(self, position: int, rows: Sequence[SourceRow]) -> Mapped:
        values = [row.values for row in rows]
        questions, answers = (_plain([row[name] for row in values]) for name in (self._question, self._answer))
        contexts, written = self._listed(values)
        flat = [*chain.from_iterable(contexts)]
        if not all(contexts) or max(map(len, contexts)) > MAX_CONTEXTS:
            raise _Odd
        _plain(flat)
        ids = [text.strip() for text in self._ids(values)] if self._id else [""] * len(values)
        columns: dict[str, Iterable[str]] = dict.fromkeys(COLUMNS, repeat("")) | {
            "position": map(str, range(position, position + len(rows))),
            "line": [str(row.line) for row in rows],
            "external_id": [text[:200] or str(number) for number, text in enumerate(ids, start=position + 1)],
            "question": questions,
            "answer": answers,
            "contexts": written,
            "metadata": map(self._metadata, values),
            "flags": repeat("[]"),
            "language": map(language_told, answers),
            "tags": repeat("[]"),
        }
        told = [text.encode() for text in map(SEPARATOR.join, zip(*columns.values(), strict=False))]
        if max(map(len, told)) > MAX_ROW:
            raise _Odd
        return Mapped(ids, questions, answers, contexts, told)

    def _ids(self, values: Sequence[Row]) -> Texts:
        found = [row[self._id] for row in values]
        return _plain([str(value) if type(value) is int else value for value in found])

    def _listed(self, values: Sequence[Row]) -> tuple[list[list[Any]], Texts]:
        """The contexts of each row, and the same as JSON."""
        columns = [[row[name] for row in values] for name in self._contexts]
        if len(columns) == 1:
            if {*map(type, columns[0])} == {list} and {*map(type, chain.from_iterable(columns[0]))} == {str}:
                return columns[0], [*map(texts_as_json, columns[0])]
            if (found := _as_json_lists(columns[0])) is not None:
                return found
        contexts = [[*chain.from_iterable(map(_parts, cells))] for cells in zip(*columns, strict=True)]
        if not all(type(text) is str for texts in contexts for text in texts):
            raise _Odd
        return contexts, [*map(texts_as_json, contexts)]

    def _metadata(self, values: Row) -> str:
        used = self._used
        told = [
            f"{_name(name) if len(name) <= MAX_NAME else as_json(name)}: {as_json(storable(value))}"
            for name, value in values.items()
            if name not in used and not is_missing(value)
        ]
        return f"{{{', '.join(told)}}}" if told else "{}"


@lru_cache(1024)
def _name(name: str) -> str:
    """As JSON; rows share their names."""
    return as_json(name)


def _parts(value: Any) -> list[Any]:
    parts = parts_of(value)
    return [value] if parts is None else parts


def _as_json_lists(cells: Sequence[Any]) -> tuple[list[list[Any]], Texts] | None:
    """Cells that are lists of texts written as JSON: what each holds, and itself; None when one is something else."""
    if {*map(type, cells)} != {str} or not all(cell[:2] == '["' and cell[-2:] == '"]' for cell in cells):
        return None
    found = [_scan(cell, 0) for cell in cells]
    if any(end != len(cell) or end > MAX_WRITTEN for (_texts, end), cell in zip(found, cells, strict=True)):
        raise _Odd
    contexts = [texts for texts, _end in found]
    if {*map(type, chain.from_iterable(contexts))} != {str}:
        raise _Odd
    if any("\\" in cell for cell in cells):  # an escape may stand for what no database takes
        return contexts, [*map(texts_as_json, contexts)]
    return contexts, cells


def _plain(values: list[Any]) -> list[str]:
    """The values, which are texts that say something and hold nothing odd. Raises _Odd."""
    if set(map(type, values)) != {str}:
        raise _Odd
    lengths = set(map(len, values))
    if CELL_LIMIT in lengths or max(lengths) > MAX_TEXT or any(map(str.isspace, values)):
        raise _Odd
    if min(lengths) <= LONGEST_NOTHING:
        short = (text.strip().lower() for text in values if len(text) <= LONGEST_NOTHING)
        if not _SAYS_NOTHING.isdisjoint(short):
            raise _Odd
    wide = [text for text in values if not text.isascii()]  # apart, for they are searched and the others are not
    narrow = [text for text in values if text.isascii()] if wide else values
    if not (is_plain("\n".join(narrow)) and is_plain("\n".join(wide))):
        raise _Odd
    return values
