"""Where two statements differ, value by value. Pure."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from review.statement import StatementError, canonical

ABSENT = "(absent)"  # stands where one side lacks a value


@dataclass(frozen=True)
class Difference:
    """A value that is not the same. path: names joined by dots, places in lists in brackets from 0, such as
    result.one_sided.high or judges[0].model. signed, found: canonical JSON, or ABSENT."""

    path: str
    signed: str
    found: str


def differences(signed: Any, found: Any, path: str = "") -> Iterator[Difference]:
    """Every value that differs, in the order of names. Numbers are equal when their canonical forms are."""
    if isinstance(signed, Mapping) and isinstance(found, Mapping):
        for name in sorted(signed.keys() | found.keys()):
            inner = f"{path}.{name}" if path else str(name)
            yield from _one(signed, found, name, inner, name in signed, name in found)
    elif isinstance(signed, list) and isinstance(found, list):
        for place in range(max(len(signed), len(found))):
            yield from _one(signed, found, place, f"{path}[{place}]", place < len(signed), place < len(found))
    elif _text(signed) != _text(found):
        yield Difference(path, _text(signed), _text(found))


def _one(signed: Any, found: Any, at: Any, path: str, here: bool, there: bool) -> Iterator[Difference]:
    if here and there:
        yield from differences(signed[at], found[at], path)
    else:
        yield Difference(path, _text(signed[at]) if here else ABSENT, _text(found[at]) if there else ABSENT)


def _text(value: Any) -> str:
    try:
        return canonical({"value": value})[len('{"value":') : -1].decode("utf-8")
    except StatementError:  # of an altered file: half a surrogate pair, a number too large, lists in lists
        try:
            return json.dumps(value)
        except RecursionError:
            return "[…]"
