"""What of a row is not mapped: the metadata that travels along. Human labels never do."""

import json
from collections.abc import Iterable
from typing import Any

from audits.formats.base import Row
from audits.formats.cells import is_missing, storable
from audits.formats.nested import decoded
from audits.formats.paths import lookup


class Leftover:
    """What a mapping leaves of each row, compiled once."""

    def __init__(self, used: Iterable[str], labels: Iterable[str]) -> None:
        """used: mapped columns and paths; labels: those of them that hold human labels."""
        self._used = frozenset(used)
        self._labels = frozenset(labels)
        self._paths = tuple(name for name in self._used if "." in name or "[" in name)

    def __call__(self, values: Row) -> Row:
        """Columns that are not mapped and say something, as any database's JSON takes them.

        Of a column into which a path leads, what the path names is left out; all of it, when that is a human label.
        """
        used = self._used
        rest = {name: value for name, value in values.items() if name not in used and not is_missing(value)}
        for path in self._paths:
            if path not in values and (column := column_of(path, rest)):
                if path in self._labels:
                    del rest[column]
                else:
                    rest[column] = _without(column, decoded(rest[column]), path)
        return {name: storable(value) for name, value in rest.items() if value is not _GONE}


_GONE = object()


def column_of(path: str, values: Row) -> str:
    """The column into which a path leads, "" when it is not there."""
    found = [name for name in values if _leads_into(path, name)]
    return max(found, key=len, default="")


def _leads_into(path: str, column: str) -> bool:
    for start in (column, f"[{json.dumps(column, ensure_ascii=False)}]"):
        if path.startswith(start) and path[len(start) : len(start) + 1] in {"", ".", "["}:
            return True
    return False


def _without(column: str, value: Any, path: str) -> Any:
    named: set[int] = set()
    _collect(lookup({column: value}, path), named)
    return _pruned(value, named) if named else value


def _collect(found: Any, named: set[int]) -> None:
    """The identities of what a path found; equal texts elsewhere in the row are other objects, and stay."""
    if isinstance(found, list | dict) or (isinstance(found, str) and len(found) > 1):
        named.add(id(found))
    for part in found if isinstance(found, list) else ():
        _collect(part, named)


def _pruned(value: Any, named: set[int]) -> Any:
    if id(value) in named:
        return _GONE
    if isinstance(value, dict):
        members = {key: _pruned(inner, named) for key, inner in value.items()}
        kept = {key: inner for key, inner in members.items() if inner is not _GONE}
        return kept if kept or not value else _GONE
    if isinstance(value, list):
        elements = [inner for part in value if (inner := _pruned(part, named)) is not _GONE]
        return elements if elements or not value else _GONE
    return value
