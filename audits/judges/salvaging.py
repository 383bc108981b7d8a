"""What can be trusted of an extraction that was cut at the token limit: whole entries of sentences that are done.

A cut reply is hostile text that no longer parses, so nothing is guessed: it has to begin with the asked object, and
the first thing out of place ends the reading. Where the entries are not in the order of the sentences nothing shows
that a sentence is done, and nothing is taken.
"""

import re
from collections.abc import Collection
from typing import Any

from audits.judges.cleaning import clean
from audits.judges.parsing import DECODER

_FENCE = re.compile(r"\A```[A-Za-z]*[ \t]*\n\s*")
_CLAIMS = re.compile(r'\{\s*"claims"\s*:\s*\[')
_NO_CLAIMS = re.compile(r'\s*,\s*"no_claims"\s*:\s*\[')
_BLANK = re.compile(r"\s*")


def salvage(text: str, numbers: Collection[int]) -> tuple[dict[str, list[dict[str, Any]]], frozenset[int]]:
    """The whole entries of a cut reply, as an object of the asked form, and the sentences that these settle.

    numbers: the sentences that were asked. A sentence is settled when it has claims and entries of a later sentence
    follow (or the list of claims is closed), or when it has a reason for none. Both are empty when nothing is sure.
    """
    text = _FENCE.sub("", _after_thinking(clean(text).strip()))
    opening = _CLAIMS.match(text)
    if not opening:
        return {"claims": [], "no_claims": []}, frozenset()
    claims, end = _entries(text, opening.end())
    order = [_sentence(entry) for entry in claims]
    if order != sorted(order) or not set(order) <= set(numbers):
        return {"claims": [], "no_claims": []}, frozenset()
    closed = end is not None
    settled = {number for number in order if closed or number < order[-1]}
    reasons: list[dict[str, Any]] = []
    if end is not None and (following := _NO_CLAIMS.match(text, end)):
        reasons = [entry for entry in _entries(text, following.end())[0] if _sentence(entry) in numbers]
        settled |= {_sentence(entry) for entry in reasons}
    claims = [entry for entry in claims if _sentence(entry) in settled]
    return {"claims": claims, "no_claims": reasons}, frozenset(settled)


def _after_thinking(text: str) -> str:
    """The text behind one block of reasoning; "" when the reasoning never ends or there are several."""
    if not text.startswith("<think>") and "</think>" not in text:
        return text
    head, _, tail = text.partition("</think>")
    return "" if "</think>" in tail or "<think>" in head[1:] else tail.strip()


def _entries(text: str, at: int) -> tuple[list[dict[str, Any]], int | None]:
    """The objects of a list that has been opened, and where it closes; None when the text ends or errs before."""
    entries: list[dict[str, Any]] = []
    while True:
        at = _past_blanks(text, at)
        if text.startswith("]", at) and not entries:
            return entries, at + 1
        try:
            entry, at = DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            return entries, None
        at = _past_blanks(text, at)
        if not isinstance(entry, dict) or text[at : at + 1] not in (",", "]", ""):
            return entries, None
        entries.append(entry)
        at += 1
        if text[at - 1 : at] != ",":
            return entries, at if at <= len(text) else None


def _past_blanks(text: str, at: int) -> int:
    blanks = _BLANK.match(text, at)
    return blanks.end() if blanks else at


def _sentence(entry: dict[str, Any]) -> int:
    """The number of an entry's sentence, -1 when it is none."""
    number = entry.get("sentence")
    return number if isinstance(number, int) and not isinstance(number, bool) else -1
