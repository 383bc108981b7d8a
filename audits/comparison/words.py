"""The words in which two texts differ: word by word in English, character by character in Chinese."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, zip_longest

from rapidfuzz.distance import Indel

from audits.text.language import HAN
from audits.text.surroundings import surroundings

LONGEST = 20_000  # code points; beyond that the words are not compared
LONG = 1500  # code points; of a longer text what is far from any difference is folded
REACH, LEAST = 200, 300  # code points shown on each side of a difference, and of a fold
Span = tuple[int, int]
"""[start, end) in code points."""

_SINGLE = HAN + "\u3040-\u30ff"
_TOKEN = re.compile(rf"\d+(?:[.,:]\d+)+|[{_SINGLE}]|[^\W{_SINGLE}]+|\s+|.", re.DOTALL)


def differing(old: str, new: str) -> tuple[list[Span], list[Span]] | None:
    """Spans of each text that the other one lacks, in order; None when a text is longer than LONGEST.

    An empty span is a place where only the other text has something. By the longest common subsequence of words,
    whose time is bounded for any text; difflib's is not: 20,000 Chinese characters would take it 18 seconds.
    """
    if max(len(old), len(new)) > LONGEST:
        return None
    words, others = _TOKEN.findall(old), _TOKEN.findall(new)
    places, other_places = _places(words), _places(others)
    steps = [
        (step.tag == "equal", step.src_start, step.src_end, step.dest_start, step.dest_end)
        for step in Indel.opcodes(words, others)
    ]
    changed = [
        step[1:]
        for number, step in enumerate(steps)
        if not step[0] or (0 < number < len(steps) - 1 and _is_island(words[step[1] : step[2]]))
    ]
    return (
        _joined((places[start], places[end]) for start, end, _, _ in changed),
        _joined((other_places[start], other_places[end]) for _, _, start, end in changed),
    )


def aligned(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int | None, int | None]]:
    """Where two lists of texts differ, as (number in old, number in new), from 0; None where one has none.

    Between two texts that are in both lists, what was taken away and what was put in stand side by side, in order.
    """
    gone: list[int] = []
    come: list[int] = []
    for step in Indel.opcodes(old, new):
        if step.tag == "equal":
            yield from zip_longest(gone, come)
            gone, come = [], []
        else:
            gone += range(step.src_start, step.src_end)
            come += range(step.dest_start, step.dest_end)
    yield from zip_longest(gone, come)


@dataclass(frozen=True)
class Stretch:
    """A part of a text with the spans in it, counted from its beginning. folded: nothing differs anywhere near."""

    text: str
    spans: tuple[Span, ...]
    folded: bool


def stretches(text: str, spans: Sequence[Span]) -> list[Stretch]:
    """The text in parts that, joined, are the text; of a long one what is far from the spans is folded."""
    shown = [(0, len(text))] if len(text) <= LONG else surroundings(text, spans, REACH, LEAST)
    found, at = [], 0
    for start, end in shown:
        if start > at:
            found.append(Stretch(text[at:start], (), folded=True))
        inside = tuple((max(s, start) - start, min(e, end) - start) for s, e in spans if s < end and e > start)
        found.append(Stretch(text[start:end], inside, folded=False))
        at = end
    return found if at == len(text) else [*found, Stretch(text[at:], (), folded=True)]


def _is_island(words: Sequence[str]) -> bool:
    """A blank, a sign or one letter between two changes is marked with them: a phrase reads better as one."""
    return len("".join(words).strip()) <= 1


def _places(words: Iterable[str]) -> list[int]:
    return [0, *accumulate(map(len, words))]


def _joined(spans: Iterable[Span]) -> list[Span]:
    found: list[Span] = []
    for start, end in spans:
        if found and found[-1][1] == start:
            start = found.pop()[0]
        found.append((start, end))
    return found
