"""Objects inside a row: spread into columns with dotted names, and kept from being too deep."""

import ast
import json
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from audits.formats.base import Row
from audits.formats.cells import storable

SPREAD = 3  # parts of a dotted name: inputs.input.question
MAX_DEPTH = 32
MAX_LITERAL = 200_000  # code points of what Python wrote; its parser takes 500 times as much memory
_LONGEST_NAME = 200  # code points
_NO_VALUES = frozenset({"null", "None", "nan"})


def depth(value: Any) -> int:
    """How many lists and objects lie within each other; counting stops at MAX_DEPTH + 1. No recursion."""
    level, found = [value], 0
    while found <= MAX_DEPTH:
        level = [holder for holder in level if isinstance(holder, dict | list)]
        if not level:
            break
        found += 1
        level = [part for holder in level for part in (holder.values() if isinstance(holder, dict) else holder)]
    return found


def decode(values: Row, texts: frozenset[str]) -> Row:
    """The row with the texts of these columns, which are objects written as JSON (see object_columns), as objects."""
    if not texts:
        return values
    return {name: _as_object(value) if name in texts else value for name, value in values.items()}


def spread(values: Row) -> Row:
    """The row with objects spread into dotted columns: {"inputs": {"question": "…"}} -> {"inputs.question": "…"}.

    Lists stay as they are.
    """
    if dict not in map(type, values.values()) and all(_stored(name) == name for name in values):
        return values
    row: Row = {}
    for name, value in values.items():
        _spread_into(row, name, value, 1)
    return row


def _stored(name: str) -> str:
    """The name as it can be stored. Rows share their names; long ones are data, and not kept in mind."""
    return _stored_before(name) if len(name) <= _LONGEST_NAME else str(storable(name))


@lru_cache(maxsize=4096)
def _stored_before(name: str) -> str:
    return str(storable(name))


def _spread_into(row: Row, name: str, value: Any, part: int) -> None:
    if isinstance(value, dict) and value and part < SPREAD:
        for key, inner in value.items():
            _spread_into(row, f"{name}.{key}", inner, part + 1)
    else:
        row.setdefault(_stored(name), value)


def object_columns(rows: Iterable[Row]) -> frozenset[str]:
    """The columns whose every text is an object written as JSON or as Python writes it, as exports of traces have."""
    yes: set[str] = set()
    no: set[str] = set()
    for row in rows:
        for name, value in row.items():
            if name not in no and isinstance(value, str) and value.strip() and value.strip() not in _NO_VALUES:
                (yes if isinstance(_as_object(value), dict) else no).add(name)
    return frozenset(yes - no)


def _as_object(value: Any) -> Any:
    """The object that a text writes out, else the value itself."""
    if not isinstance(value, str) or not value.lstrip().startswith("{"):
        return value
    found = decoded(value)
    return found if isinstance(found, dict) else value


def decoded(value: Any) -> Any:
    """The object or list that a text writes out as JSON or as Python does (only literals), else the value itself."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    if text[:1] + text[-1:] not in {"{}", "[]"}:
        return value
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = _python_literal(text)
    return found if isinstance(found, dict | list) and depth(found) <= MAX_DEPTH else value


def _python_literal(text: str) -> Any:
    """What Python's str() of objects and lists wrote, None for anything else."""
    if len(text) > MAX_LITERAL or text[1:].lstrip()[:1] not in {"'", '"', "{", "[", "}", "]"}:
        return None
    try:
        found = ast.literal_eval(text)
        return json.loads(json.dumps(found))  # only what JSON knows: no tuples, bytes or sets
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
