"""A chain of entries: whatever is done to one of them shows."""

from collections.abc import Callable
from typing import Any

import pytest

from audits.chain import START, Break, canonical, first_break, link

Entries = list[tuple[dict[str, Any], str]]


def chain(*kinds: str) -> Entries:
    found, before = [], START
    for sequence, kind in enumerate(kinds, start=1):
        entry = {"sequence": sequence, "kind": kind, "data": {"n": sequence}}
        before = link(before, entry)
        found.append((entry, before))
    return found


def test_an_untouched_chain_holds() -> None:
    assert first_break(chain("upload", "start", "label")) is None
    assert first_break([]) is None


def change(entries: Entries) -> None:
    entries[1][0]["data"]["n"] = 9


def remove(entries: Entries) -> None:
    del entries[1]


def swap(entries: Entries) -> None:
    entries[1], entries[2] = entries[2], entries[1]


def forge(entries: Entries) -> None:
    entry = dict(entries[1][0], kind="forged")
    entries[1] = (entry, link(entries[0][1], entry))  # its own hash is right, the next one's is not


@pytest.mark.parametrize(
    ("act", "found"),
    [
        (change, Break(2, "changed")),
        (remove, Break(2, "missing")),
        (swap, Break(2, "missing")),
        (forge, Break(3, "changed")),
    ],
)
def test_whatever_is_done_shows(act: Callable[[Entries], None], found: Break) -> None:
    entries = chain("upload", "start", "label")
    act(entries)
    assert first_break(entries) == found


def test_the_form_is_one_whatever_a_database_makes_of_it() -> None:
    assert canonical({"b": 1.0, "a": "费率"}) == '{"a":"费率","b":1}'.encode()
    assert canonical({"a": [1, {"c": 2.0}]}) == canonical({"a": [1.0, {"c": 2}]})
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical({"a": float("nan")})


def test_the_first_link_can_be_made_by_hand() -> None:
    import hashlib

    assert link(START, {"a": 1}) == hashlib.sha256(b"0" * 64 + b'{"a":1}').hexdigest()
