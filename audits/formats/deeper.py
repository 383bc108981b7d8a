"""A mapping guessed by names, corrected by what the first rows hold."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from audits.formats.base import Row, RowProblem, SourceRow
from audits.formats.cells import CellError, contexts_of
from audits.formats.columns import ROLES, RowMapper
from audits.formats.nested import decoded
from audits.formats.paths import lookup
from audits.formats.roles import CORE

_LOOKED_AT = 30  # rows
_HALF = 0.5


def deeper(mapping: Mapping[str, Any], guessed: Mapping[str, str], rows: Sequence[Row]) -> dict[str, str]:
    """Paths into a column that has the right name, but can be read in hardly any row: {"answer": {"text": "…"}}."""
    found: dict[str, str] = {}
    for role in ("question", "contexts", "answer"):
        column, path = mapping.get(role), guessed.get(role, "")
        if isinstance(column, str) and path.startswith((f"{column}.", f"{column}[")):
            share = (
                _plain_share(column, rows[:_LOOKED_AT])
                if role != "contexts"
                else _contexts_share(column, rows[:_LOOKED_AT])
            )
            if share < _HALF:
                found[role] = path
    return found


def _plain_share(column: str, rows: Sequence[Row]) -> float:
    """In how many of these rows a column is a text that writes out no object."""
    values = [lookup(row, column) for row in rows]
    plain = [isinstance(value, str) and bool(value.strip()) and decoded(value) is value for value in values]
    return sum(plain) / len(rows)


def _contexts_share(column: str, rows: Sequence[Row]) -> float:
    return sum(_are_contexts(lookup(row, column)) for row in rows) / len(rows)


def _are_contexts(value: Any) -> bool:
    try:
        return bool(contexts_of(value))
    except CellError:
        return False


def usable(mapping: Mapping[str, Any], rows: Sequence[SourceRow]) -> dict[str, Any]:
    """The mapping without optional roles whose column has the right name, but spoils most rows by what it holds."""
    rows, kept = rows[:_LOOKED_AT], dict(mapping)
    for _ in set(ROLES) - set(CORE):
        read = RowMapper(kept)
        spoilt = Counter(found.column for row in rows if isinstance(found := read(row), RowProblem))
        column, count = next(iter(spoilt.most_common(1)), ("", 0))
        roles = [role for role in ROLES if role not in CORE and kept.get(role) == column]
        if not column or count < _HALF * len(rows) or not roles:
            break
        kept = {role: name for role, name in kept.items() if role not in roles}
    return kept
