"""Names of members, whatever a tool's style of writing them: userInput, user_input and "User Input" are one name."""

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from audits.formats.base import Row
from audits.formats.cells import is_missing
from audits.formats.nested import decoded

_NEARLY_ALL = 0.8
_MANY = 100  # names of a row that are kept in mind
_LONGEST = 200  # code points of a name


def plain(name: str) -> str:
    """A name without case, width and signs: "Trace_ID" -> "traceid". Of one that is data, the beginning."""
    return _plain(name[:_LONGEST])


@lru_cache(maxsize=4096)
def _plain(name: str) -> str:
    folded = unicodedata.normalize("NFKC", name).casefold()
    return "".join(char for char in folded if char.isalnum()) or folded


def plain_names(words: str) -> tuple[str, ...]:
    """The plain names in a text of words."""
    return tuple(plain(word) for word in words.split())


def names_of(rows: Iterable[Row]) -> frozenset[str]:
    """The plain names of all columns of these rows."""
    return frozenset(plain(name) for row in rows for name in row)


def mostly(rows: Sequence[Row], holds: Callable[[Row], object]) -> bool:
    """Whether something holds of nearly all rows: exports have a few that broke off, or say nothing."""
    return bool(rows) and sum(bool(holds(row)) for row in rows) >= _NEARLY_ALL * len(rows)


def column(columns: Iterable[str], *names: str) -> str | None:
    """The first column with one of these names, whatever its style; earlier names win; None when there is none."""
    by_name = {plain(one): one for one in reversed([*columns])}
    return next((by_name[plain(name)] for name in names if plain(name) in by_name), None)


def found(columns: Iterable[str], **names: Sequence[str]) -> dict[str, str]:
    """Role -> the first column with one of its names, for the roles that have one."""
    columns = list(columns)
    return {role: one for role, some in names.items() if (one := column(columns, *some))}


def member(values: Mapping[str, Any], *names: str) -> Any:
    """The first member with one of these plain names that says something; earlier names win; None when there is none.

    A dot steps into an object, which may also be spread into dotted names already: "context.span_id".
    """
    known = len(values) <= _MANY and all(len(name) <= _LONGEST for name in values)
    places = _places(tuple(values)) if known else _places.__wrapped__(tuple(values))
    for name in names:
        one = _step(values, places, name)
        if not _says_nothing(one):
            return one
    return None


def gathered(values: Mapping[str, Any], names: Sequence[str]) -> Row:
    """The object that was spread over dotted columns, "inputs.input.question", beginning with one of these names."""
    whole: Row = {}
    for name, value in values.items():
        first, *path = name.split(".")
        if path and plain(first) in names and not _says_nothing(value):
            inner = whole
            for step in path[:-1]:
                below = inner.setdefault(step, {})
                inner = below if isinstance(below, dict) else {}
            inner[path[-1]] = value
    return whole


@lru_cache(maxsize=1024)
def _places(names: tuple[str, ...]) -> dict[str, str]:
    """Plain name -> the first name that is written so. Rows of one file share few sets of names."""
    return {plain(name): name for name in reversed(names)}


def _step(values: Mapping[str, Any], places: Mapping[str, str], name: str) -> Any:
    whole = places.get(plain(name))
    if whole is not None:
        return values[whole]
    first, dot, rest = name.partition(".")
    if not dot or (place := places.get(plain(first))) is None:
        return None
    inner = decoded(values[place])
    return member(inner, rest) if isinstance(inner, dict) else None


def _says_nothing(value: Any) -> bool:
    return is_missing(value) or value == [] or value == {}


def text_member(values: Mapping[str, Any], *names: str) -> str:
    """The same as text: "" when there is none, or when it is a list or an object."""
    found = member(values, *names)
    return "" if found is None or isinstance(found, dict | list) else str(found)
