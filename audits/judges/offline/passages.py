"""The contexts of one task cut into passages and indexed by content units: what both offline judges read."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

from audits.text.language import HAN
from audits.text.normalise import normalise
from audits.text.quantities import Quantity, quantities
from audits.text.sentences import split_sentences
from audits.text.tokens import units

_WORD = re.compile(rf"[^\W{HAN}]+(?:-[^\W{HAN}]+)*")
LARGE = 40_000  # characters of contexts; an index of more is not kept in memory
LONGEST = 400  # characters of a passage: text without marks and table rows are cut there


class Passage:
    """A sentence of a context: context is its 0-based index, text is verbatim."""

    def __init__(self, context: int, text: str) -> None:
        self.context = context
        self.text = text
        self.normalised = normalise(text).text
        self.sequence = [unit.key for unit in units(self.normalised)]
        self.units = frozenset(self.sequence)

    @cached_property
    def couples(self) -> frozenset[tuple[str, str]]:
        """Neighbouring content units."""
        return frozenset(pairwise(self.sequence))

    @cached_property
    def quantities(self) -> list[Quantity]:
        """The numbers of the passage, read only when a claim comes close to it."""
        return quantities(self.text)


@dataclass(frozen=True)
class Match:
    """A passage with the weight of the claim's units it holds."""

    passage: Passage
    weight: float


class Passages:
    """An index of all passages: which hold a unit, and how rare it is."""

    def __init__(self, contexts: Sequence[str]) -> None:
        self.passages = [
            Passage(number, context[start:end])
            for number, context in enumerate(contexts)
            for sentence in split_sentences(context)
            for start, end in _pieces(context, sentence.start, sentence.end)
        ]
        self.length = sum(map(len, contexts))
        self.holders: dict[str, list[int]] = {}
        for at, passage in enumerate(self.passages):
            for unit in passage.units:
                self.holders.setdefault(unit, []).append(at)

    @cached_property
    def texts(self) -> list[str]:
        """Each context's passages as one normalised text without blanks, for character n-grams."""
        joined: dict[int, list[str]] = {}
        for passage in self.passages:
            joined.setdefault(passage.context, []).append(passage.normalised)
        return ["".join(char for char in "".join(parts) if char.isalnum()) for parts in joined.values()]

    @cached_property
    def units_by_context(self) -> list[set[str]]:
        """The content units of each context that has any."""
        held: dict[int, set[str]] = {}
        for passage in self.passages:
            held.setdefault(passage.context, set()).update(passage.units)
        return list(held.values())

    @cached_property
    def words(self) -> frozenset[str]:
        """All words of the contexts but Chinese ones, as they are written, in lower case."""
        return frozenset(word for passage in self.passages for word in _WORD.findall(passage.normalised))

    def weight(self, unit: str) -> float:
        """Rarity of a unit among the passages, ln(1 + (n - df + 0.5) / (df + 0.5)) as in BM25, at least 0.2."""
        count = len(self.passages)
        held = len(self.holders.get(unit, ()))
        return max(0.2, math.log(1 + (count - held + 0.5) / (held + 0.5)))

    def ranked(self, weights: dict[str, float], limit: int) -> list[Match]:
        """The passages that hold most of the weighted units, best first, ties in the order of the text."""
        scores: dict[int, float] = {}
        for unit, weight in weights.items():
            for at in self.holders.get(unit, ()):
                scores[at] = scores.get(at, 0.0) + weight
        best = sorted(scores, key=lambda at: (-scores[at], at))[:limit]
        return [Match(self.passages[at], scores[at]) for at in best]


def passages_of(contexts: tuple[str, ...]) -> Passages:
    """The index of some contexts. The last few of ordinary size are kept: groups of claims share their contexts."""
    return _kept(contexts) if sum(map(len, contexts)) <= LARGE else Passages(contexts)


@lru_cache(maxsize=16)
def _kept(contexts: tuple[str, ...]) -> Passages:
    return Passages(contexts)


def _pieces(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """A span cut at blanks or commas into pieces of at most LONGEST characters."""
    pieces: list[tuple[int, int]] = []
    while end - start > LONGEST:
        cut = max(text.rfind(mark, start + LONGEST // 2, start + LONGEST) for mark in " ，,；、|")
        cut = cut + 1 if cut > 0 else start + LONGEST
        pieces.append((start, cut))
        start = cut
    return [*pieces, (start, end)]
