"""Which passages the last call over long contexts shows: what the windows quoted on either side, then the best."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, zip_longest

from audits.judges.base import Judgement
from audits.labels import Label
from audits.text.excerpts import PER_PASSAGE, PER_TEXT, Passage, cut_again, cut_passages
from audits.text.ranking import Ranking

PASSAGE = 250  # tokens of a passage, about: some sentences
DECISIVE = (Label.CONTRADICTED, Label.SUPPORTED)

_Span = tuple[int, int]


@dataclass(frozen=True)
class Window:
    """A part of the contexts that was asked about by itself. Its judgement's quotes carry indices as shown."""

    passages: Sequence[Passage]
    judgement: Judgement


@dataclass(frozen=True)
class Choice:
    """What the last call shows, and how many passages with decisive quotes it has no room for."""

    passages: list[Passage]
    left_out: int


class Cut:
    """Contexts in passages for calls of `room` tokens, ranked for any claim."""

    def __init__(self, contexts: Sequence[str], room: int) -> None:
        self.contexts = contexts
        self.room = room
        self.passages = cut_passages(contexts, target(room), room)
        self.ranking = Ranking([contexts[p.text][p.start : p.end] for p in self.passages])
        self._starts = [(passage.text, passage.start) for passage in self.passages]

    def over(self, text: int, start: int, end: int) -> range:
        """The numbers of the passages that a span touches."""
        first = max(0, bisect_right(self._starts, (text, start)) - 1)
        return range(first, bisect_left(self._starts, (text, end)))


def target(room: int) -> int:
    """Tokens of a passage where a call has room for so many."""
    return min(PASSAGE, room // 4)


@lru_cache(maxsize=4)  # the claims of a sample share its contexts
def cut_of(contexts: tuple[str, ...], room: int) -> Cut:
    """The passages of some contexts for a room in tokens."""
    return Cut(contexts, room)


def choose(claim: str, cut: Cut, windows: Sequence[Window]) -> Choice:
    """The passages around the quotes of all windows, both sides in turn, then the best for the claim, as room allows.

    Where not all decisive ones fit, they shrink to the sentences quoted. Parts that could not be read stay out: what
    a vendor refused or could not take would spoil the last call as well.
    """
    unread = {n for w in windows if w.judgement.label is None for n in _numbers(cut, w)}
    best = [number for number in cut.ranking.best(claim) if number not in unread]
    rank = {number: place for place, number in enumerate(best)}
    quoted = [_quoted(label, cut, windows) for label in (*DECISIVE, Label.UNVERIFIED)]
    sides = [sorted(side, key=lambda number: rank.get(number, len(rank))) for side in quoted]
    decisive = [[cut.passages[number] for number in numbers] for numbers in sides[:-1]]
    if sum(map(_cost, set(chain(*decisive)))) > cut.room:
        decisive = [
            [s for number in numbers for s in _sentences(cut, cut.passages[number], spans[number])]
            for numbers, spans in zip(sides[:-1], quoted, strict=False)
        ]
    wanted = list(dict.fromkeys(_in_turn(decisive)))
    more = chain(_likely(claim, cut, windows), sides[-1], best)
    taken = _taken(chain(wanted, (cut.passages[number] for number in more)), cut.room)
    return Choice(sorted(taken), sum(passage not in taken for passage in wanted))


def _quoted(label: Label, cut: Cut, windows: Sequence[Window]) -> dict[int, list[_Span]]:
    """The passages that windows of this label quote, with the spans quoted."""
    found: dict[int, list[_Span]] = {}
    for window in windows:
        for quote in window.judgement.quotes if window.judgement.label is label else ():
            if quote.start is not None and quote.end is not None:
                for number in cut.over(quote.context, quote.start, quote.end):
                    found.setdefault(number, []).append((quote.start, quote.end))
    return found


def _likely(claim: str, cut: Cut, windows: Sequence[Window]) -> Iterator[int]:
    """Of each window that decided without a real quote the passage that is most like what it said."""
    for window in windows:
        if window.judgement.label in DECISIVE and not window.judgement.grounded:
            scores = cut.ranking.scores(" ".join(quote.text for quote in window.judgement.quotes) or claim)
            yield max(_numbers(cut, window), key=lambda number: scores[number])


def _numbers(cut: Cut, window: Window) -> list[int]:
    """The passages of a window, as they are numbered where contexts were cut again."""
    return sorted({number for p in window.passages for number in cut.over(p.text, p.start, p.end)})


def _sentences(cut: Cut, passage: Passage, spans: Sequence[_Span]) -> list[Passage]:
    """The sentences of a passage that a quote touches; the whole passage where none does."""
    sentences = cut_again([passage], cut.contexts, 1, cut.room)
    return [s for s in sentences if any(s.start < end and start < s.end for start, end in spans)] or [passage]


def _in_turn(sides: Sequence[Sequence[Passage]]) -> Iterator[Passage]:
    return (passage for pair in zip_longest(*sides) for passage in pair if passage is not None)


def _cost(passage: Passage) -> int:
    return passage.tokens + PER_PASSAGE + PER_TEXT


def _taken(passages: Iterable[Passage], room: int) -> set[Passage]:
    """As many as fit, each where there is still room for it."""
    taken: set[Passage] = set()
    left = room
    for passage in passages:
        if passage not in taken and _cost(passage) <= left:
            taken.add(passage)
            left -= _cost(passage)
    return taken
