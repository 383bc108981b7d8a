"""The keys of the desk: one per act, and where a person has put them. Pure."""

import json
import unicodedata
from collections.abc import Mapping
from enum import StrEnum

DEFAULTS: dict[str, str] = {
    "supported": "1",
    "contradicted": "2",
    "unverified": "3",
    "skip": "4",
    "next": "n",
    "undo": "u",
    "verdicts": "v",
    "keep": "k",
    "change": "c",
    "evidence": "e",
    "search": "f",
    "highlights": "h",
    "mark": "m",
    "guidelines": "g",
    "help": "?",
}
"""act -> key. Letters and digits only, so that they lie in the same place whatever the language of the page is."""

CHORDS = {"supported": "1", "contradicted": "2", "unverified": "3", "skip": "4"}
"""act -> digit with Ctrl or Alt, for who wants no single keys; js/desk-keys.js has the same."""

TAKEN_BY_BROWSERS = frozenset("/'`")  # open a search in some browsers


class Problem(StrEnum):
    """Why a key cannot be had."""

    MISSING = "missing"
    NOT_ONE = "not_one"  # not one letter, digit or sign
    RESERVED = "reserved"  # of the browser, or of an input method
    TWICE = "twice"  # two acts have it


def normal(key: str) -> str:
    """A key as it is compared: small letters, full-width characters of an input method as narrow ones."""
    return unicodedata.normalize("NFKC", key.strip()).lower()


def problems(keys: Mapping[str, str]) -> dict[str, Problem]:
    """act -> why its key cannot be had; empty when all can. keys: act -> key, already normal; every act has one."""
    found: dict[str, Problem] = {}
    for act, key in keys.items():
        if not key:
            found[act] = Problem.MISSING
        elif len(key) != 1 or not key.isascii() or not key.isprintable():
            found[act] = Problem.NOT_ONE
        elif key in TAKEN_BY_BROWSERS or key == " ":
            found[act] = Problem.RESERVED
        elif list(keys.values()).count(key) > 1:
            found[act] = Problem.TWICE
    return found


def moved(keys: Mapping[str, str]) -> dict[str, str]:
    """Only the keys that lie elsewhere than by default: what is stored."""
    return {act: key for act, key in keys.items() if key != DEFAULTS.get(act)}


def merged(stored: Mapping[str, object]) -> dict[str, str]:
    """All keys of a person. What was stored and is no longer possible counts as not stored."""
    keys = DEFAULTS | {act: normal(str(key)) for act, key in stored.items() if act in DEFAULTS}
    return dict(DEFAULTS) if problems(keys) else keys


def for_scripts(keys: Mapping[str, str]) -> str:
    """key -> act as JSON, for an attribute of the page."""
    return json.dumps({key: act for act, key in keys.items()})
