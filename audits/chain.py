"""A log that cannot be changed without a trace: each entry's hash covers the entry and the hash before it.

Linked time-stamping after Haber & Stornetta 1991. Whoever holds the newest hash, printed on a certificate for
instance, can tell whether any entry up to it was changed, removed, added or moved.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

START = "0" * 64  # the hash before the first entry


@dataclass(frozen=True)
class Break:
    """Where a chain does not hold. sequence: of the first entry that is wrong. problem: "changed" or "missing"."""

    sequence: int
    problem: str


def canonical(entry: Mapping[str, Any]) -> bytes:
    """The one byte form of an entry: JSON with sorted names, no blanks, UTF-8. A whole float is written as integer,
    since databases do not keep the difference. ValueError for infinity and NaN."""
    text = json.dumps(_plain(entry), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "surrogatepass")


def _plain(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, list | tuple) else value


def link(before: str, entry: Mapping[str, Any]) -> str:
    """SHA-256, in hexadecimal, over the 64 hexadecimal digits of the hash before and the entry's canonical form."""
    return hashlib.sha256(before.encode("ascii") + canonical(entry)).hexdigest()


def first_break(entries: Iterable[tuple[Mapping[str, Any], str]], before: str = START) -> Break | None:
    """Walk (entry, its stored hash) in order; None when the chain holds. An entry carries its `sequence`, from 1."""
    for expected, (entry, stored) in enumerate(entries, start=1):
        if entry["sequence"] != expected:
            return Break(expected, "missing")
        before = link(before, entry)
        if before != stored:
            return Break(expected, "changed")
    return None
