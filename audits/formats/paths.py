"""Paths into nested values: how a mapping names a text that lies inside an object or a list.

`metadata.retrieved[].content`: a dot steps into an object, `[]` into every element of a list, `[0]` or `[-1]` into
one, `[role=user]` into those with such a member. `["a.b"]` is a key that holds dots or brackets.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from audits.formats.base import Row
from audits.formats.cells import storable
from audits.formats.nested import decoded

MAX_STEPS = 32
_LEVELS = 6  # how deep paths are looked for
_ELEMENTS = 20  # of a list that are looked into
_LOOKS = 5_000  # values of a row that are looked at
_ROWS = 50
_MARKS = ("role", "obj", "type", "from")  # members that tell the elements of a list apart
_STEP = re.compile(
    r"""(?P<dot>\.)?(?P<key>[^.\[\]"]+)
      | (?P<each>\[\])
      | \[(?P<at>-?\d{1,6})\]
      | \[(?P<quoted>"(?:[^"\\]|\\.)*")\]
      | \[(?P<where>[^.\[\]"=]+)=(?:(?P<exactly>"(?:[^"\\]|\\.)*")|(?P<is>[^\[\]"]*))\]""",
    re.X | re.S,
)
_SAFE_KEY = re.compile(r'[^.\[\]"]+')
_SAFE_VALUE = re.compile(r"[\w-]{1,40}")


class _Step(NamedTuple):
    kind: str  # key | each | at | where
    name: str = ""
    value: str = ""
    at: int = 0


def lookup(values: Row, name: str) -> Any:
    """What a column or a path names in a row; None when there is nothing.

    A column of exactly that name comes first. Texts that are JSON objects or lists are decoded on the way. `[]` gives
    one flat list; a `[member=value]` that fits one element gives that element's value, otherwise a list.
    """
    if name in values:
        return values[name]
    steps = _parse(name)
    for length in range(_leading(steps), 0, -1):
        column = ".".join(step.name for step in steps[:length])
        if column in values:
            found = _walk(values[column], steps[length:])
            if found is not None:
                return found
    return None


def keys_of(name: str) -> tuple[str, ...]:
    """The names that a column or path steps through, without what stands in brackets; () for what is no path."""
    return tuple(step.name for step in _parse(name) if step.kind == "key")


@lru_cache(maxsize=1024)
def _parse(name: str) -> tuple[_Step, ...]:
    """The steps of a path, () for what is none."""
    steps: list[_Step] = []
    at = 0
    while at < len(name) and len(steps) <= MAX_STEPS:
        found = _STEP.match(name, at)
        if not found or (found["key"] and bool(found["dot"]) != bool(steps)):
            return ()
        step = _step(found)
        if step is None:
            return ()
        steps.append(step)
        at = found.end()
    return tuple(steps) if len(steps) <= MAX_STEPS and steps[:1] and steps[0].kind == "key" else ()


def _step(found: re.Match[str]) -> _Step | None:
    try:
        if found["key"]:
            return _Step("key", found["key"])
        if found["each"]:
            return _Step("each")
        if found["at"]:
            return _Step("at", at=int(found["at"]))
        if found["quoted"]:
            return _Step("key", json.loads(found["quoted"]))
        value = json.loads(found["exactly"]) if found["exactly"] else found["is"]
        return _Step("where", found["where"], value)
    except ValueError:  # no such escape
        return None


def _leading(steps: Sequence[_Step]) -> int:
    return next((number for number, step in enumerate(steps) if step.kind != "key"), len(steps))


def _walk(value: Any, steps: Sequence[_Step]) -> Any:
    for number, step in enumerate(steps):
        value, rest = decoded(value), steps[number + 1 :]
        if step.kind == "key":
            if isinstance(value, list):
                return _each(value, steps[number:])
            if not isinstance(value, dict):
                return None
            if step.name not in value:
                return _joined(value, steps[number:])
            value = value[step.name]
        elif step.kind == "each":
            return _each(_elements(value), rest)
        elif step.kind == "at":
            if not isinstance(value, list) or not -len(value) <= step.at < len(value):
                return None
            value = value[step.at]
        else:
            fitting = _fitting(value, step)
            if not rest or rest[0].kind != "at":
                found = _each(fitting, rest)
                return found[0] if found and len(fitting) == 1 and len(found) == 1 else found
            value = fitting
    return value


def _joined(value: dict[str, Any], steps: Sequence[_Step]) -> Any:
    """A member whose name holds dots, such as "document.content"."""
    for length in range(_leading(steps), 1, -1):
        name = ".".join(step.name for step in steps[:length])
        if name in value:
            return _walk(value[name], steps[length:])
    return None


def _elements(value: Any) -> list[Any]:
    """The elements of a list; of an object that stands where others have a list, or that numbers its elements."""
    if isinstance(value, dict):
        return list(value.values()) if value and all(key.isdecimal() for key in value) else [value]
    return value if isinstance(value, list) else [] if value is None else [value]


def _each(elements: list[Any], steps: Sequence[_Step]) -> list[Any] | None:
    many = any(step.kind in {"each", "where"} for step in steps)
    found: list[Any] = []
    for element in elements:
        inner = _walk(element, steps)
        if many and isinstance(inner, list):
            found += inner
        elif inner is not None:
            found.append(inner)
    return found or None


def _fitting(value: Any, step: _Step) -> list[Any]:
    parts = (decoded(part) for part in _elements(value))
    return [part for part in parts if isinstance(part, dict) and str(part.get(step.name)) == step.value]


def paths_in(rows: Iterable[Row], limit: int = 200) -> tuple[str, ...]:
    """Paths to texts and lists of texts inside the values of these rows, the most frequent first, then the shortest.

    Columns themselves are not among them. Each one works with `lookup`.
    """
    seen: Counter[str] = Counter()
    columns: set[str] = set()
    for number, row in enumerate(rows):
        columns.update(row)
        if number < _ROWS:
            search = _Search()
            for name, value in row.items():
                inner = decoded(value)
                if isinstance(inner, dict | list) and not _is_texts(inner):
                    search.collect(inner, _start(name), 1)
            seen.update(search.found)
    ranked = sorted(seen, key=lambda path: (-seen[path], len(path), path))
    return tuple(path for path in ranked if path not in columns)[:limit]


def _start(column: str) -> str:
    steps = _parse(column)
    plain = steps and all(step.kind == "key" for step in steps) and ".".join(step.name for step in steps) == column
    return column if plain else quoted(column)


def quoted(key: str) -> str:
    """A key as a step of a path that may hold any character."""
    return f"[{json.dumps(key, ensure_ascii=False)}]"


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(part, str) for part in value)


class _Search:
    """The paths below the values of one row; gives up where there is too much."""

    def __init__(self) -> None:
        self.found: set[str] = set()
        self._left = _LOOKS

    def collect(self, value: Any, path: str, level: int) -> None:
        """Add the paths below a value."""
        if level > _LEVELS:
            return
        if isinstance(value, dict):
            for key, member in islice(value.items(), _LOOKS):
                if key and storable(key) == key:
                    self._leaf(member, f"{path}.{key}" if _SAFE_KEY.fullmatch(key) else path + quoted(key), level)
        elif isinstance(value, list):
            for suffix, part in _branches(value):
                self._leaf(part, path + suffix, level)

    def _leaf(self, value: Any, path: str, level: int) -> None:
        """A text that may be JSON is both: a text, and what lies in it."""
        self._left -= 1
        if self._left < 0:
            return
        if isinstance(value, str) and value.strip():
            self.found.add(path)
        inner = decoded(value)
        if _is_texts(inner):
            self.found.add(f"{path}[]")
        elif isinstance(inner, dict | list):
            self.collect(inner, path, level + 1)


def _branches(elements: list[Any]) -> Iterator[tuple[str, Any]]:
    """Ways into a list: into each element, and into those that a member like "role" tells apart."""
    parts = [decoded(part) for part in elements[:_ELEMENTS]]
    for part in parts:
        yield "[]", part
    for mark in _MARKS:
        kinds = Counter(str(part[mark]) for part in parts if isinstance(part, dict) and part.get(mark))
        if not 1 < len(kinds) <= 6 or not all(_SAFE_VALUE.fullmatch(kind) for kind in kinds):
            continue
        for part in parts:
            if isinstance(part, dict) and part.get(mark):
                kind = str(part[mark])
                yield f"[{mark}={kind}]", part
                if kinds[kind] > 1:
                    yield f"[{mark}={kind}][-1]", part
