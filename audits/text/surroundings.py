"""The part of a long text around some places in it, from one border of a sentence or paragraph to another."""

import re
from collections.abc import Iterable
from itertools import pairwise

from audits.text.sentences import split_sentences

_SOFT = re.compile(r"[\s,，、;；:：|]")
_NEAR = 64  # characters around a cut in which a blank or comma is looked for where no sentence ends
_OFF = 0.75  # of the reach; how far a border may be from where it is wanted
_PARAGRAPH = 0.5  # of the reach; by so much a paragraph's border may be farther away than a sentence's and still win

Part = tuple[int, int]
"""[start, end) in a text, in code points."""


def surroundings(text: str, places: Iterable[Part], reach: int, least: int) -> list[Part]:
    """What stands around places, in order: about `reach` characters on each side, at most twice as many.

    What is left out between two parts, or at an end of the text, has at least `least` characters.
    Without places: the beginning of the text, about twice `reach` characters.
    """
    found: list[list[int]] = []
    for start, end in sorted(places):
        if found and start - found[-1][1] < 2 * reach + least:
            found[-1][1] = max(end, found[-1][1])
        else:
            found.append([start, end])
    parts = [(_back(text, start, reach), _ahead(text, end, reach)) for start, end in found]
    return _without_short_gaps(len(text), parts or [(0, _ahead(text, 0, 2 * reach))], least)


def _without_short_gaps(length: int, parts: list[Part], least: int) -> list[Part]:
    """The parts with what lies between them where that is too short to be left out."""
    start, end = parts[0]
    kept = [(0 if start < least else start, end)]
    for start, end in parts[1:]:
        if start - kept[-1][1] < least:
            kept[-1] = (kept[-1][0], end)
        else:
            kept.append((start, end))
    if length - kept[-1][1] < least:
        kept[-1] = (kept[-1][0], length)
    return kept


def _back(text: str, at: int, reach: int) -> int:
    """Where a sentence or paragraph begins, about `reach` characters before `at`; 0 where the text begins first."""
    first = max(0, at - 2 * reach)
    sentences = split_sentences(text[first:at])
    borders = [
        (first + one.start, "\n" in text[first + before.end : first + one.start])
        for before, one in pairwise(sentences)
    ]
    return 0 if at <= reach else _nearest(text, borders, at - reach, reach)


def _ahead(text: str, at: int, reach: int) -> int:
    """Where a sentence or paragraph ends, about `reach` characters after `at`, or the text does."""
    sentences = split_sentences(text[at : at + 2 * reach])
    borders = [(at + one.end, "\n" in text[at + one.end : at + after.start]) for one, after in pairwise(sentences)]
    return len(text) if at + reach >= len(text) else _nearest(text, borders, at + reach, reach)


def _nearest(text: str, borders: list[tuple[int, bool]], wanted: int, reach: int) -> int:
    """The border nearest to the wanted place; where none is near a blank or comma, or that very place."""
    fit = [one for one in borders if abs(one[0] - wanted) <= reach * _OFF]
    if fit:
        return min(fit, key=lambda one: abs(one[0] - wanted) - reach * _PARAGRAPH * one[1])[0]
    soft = (match.end() for match in _SOFT.finditer(text, max(0, wanted - _NEAR), wanted + _NEAR))
    return min(soft, key=lambda at: abs(at - wanted), default=wanted)
