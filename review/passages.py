"""What an expert reads of the contexts: the parts that speak of a claim, and the sentences worth reading in them.

Which parts are shown, and in which order, follows from plain overlap of words and characters: the judges are not
asked. Their quotes are only offered among the highlights, and nobody may learn from those what a judge said, before
an own label. What could tell, and why it does not:

- Who quoted: highlights carry no name and all look alike; a sentence that both judges quoted counts once. A quote
  stands for the whole sentences that it touches, so that its length tells nothing either.
- Whether anybody quoted: a judge who finds nothing quotes nothing, so a claim without highlights would read as
  UNVERIFIED. The best sentences by overlap are therefore always among them, and fill up to HIGHLIGHTS where judges
  quoted fewer: with or without quotes there are as many. Long quotes are cut down to MOST, best overlap first.
- Order: contexts and passages are in the order of their overlap, highlights in that of the text. A passage that is
  shown because of a highlight stands where its own overlap puts it.
- Copies: of a sentence that stands in several contexts the same copy is highlighted whichever of them was quoted.

So the page is a function of the texts and of one set of sentences. Highlights that share few words with the claim
remain likelier to be quotes: that is what offering quotes means; they do not tell for which label.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from heapq import nsmallest
from typing import Any

from audits.text.sentences import split_sentences
from review.wanted import Wanted, fold

SHORT = 700  # characters; a context up to this long is shown whole
PASSAGE = 400  # characters; about the length of one passage
WORTH = 0.5  # of the best passage's score; what shares less is not worth the reading
SHOWN = 3  # passages of a long context that are shown before it is unfolded, more only where more are highlighted
HIGHLIGHTS = 3  # sentences of a claim, where there are enough: never more than half of them by our own choice
MOST = 6  # highlights, however much the judges quoted
LOOKED_AT = 12  # passages in which the best sentences are looked for
MARKS = 3000  # words marked in one whole text; more of them point to nothing, and a page with them is slow
BLOCK = 4000  # characters of a whole text that a browser lays out at a time
MATCH = "mark-match"
HIGHLIGHT = "mark-worth"
_ENDS = "。！？；!?\n"

Span = tuple[int, int]
Marks = tuple[tuple[int, int, str], ...]
"""(start, end, css class) of each mark in a text, in code points and in order."""
Quoted = tuple[int, int, int]
"""(context, start, end): context from 0, span in code points of the context."""


@dataclass(frozen=True)
class Passage:
    """A part of a context. start: its place there; spans: marks within text; worth: highlights, in the context."""

    text: str
    start: int
    spans: Marks
    worth: tuple[Span, ...] = ()

    @property
    def highlights(self) -> list[tuple[Span, str]]:
        """The highlighted sentences with their text."""
        return [(span, self.text[span[0] - self.start : span[1] - self.start]) for span in self.worth]


@dataclass(frozen=True)
class Evidence:
    """One context. number: its place in the dataset, from 1. folded: only the best passages stand outside."""

    number: int
    passages: tuple[Passage, ...]
    length: int
    folded: bool

    @property
    def index(self) -> int:
        """Its place from 0, as marks name it."""
        return self.number - 1


@dataclass(frozen=True)
class Whole:
    """All of a context, in blocks cut within no mark. partial: not all words of the claim are marked."""

    number: int
    blocks: tuple[Passage, ...]
    partial: bool

    @property
    def index(self) -> int:
        """Its place from 0, as marks name it."""
        return self.number - 1


@dataclass(frozen=True, order=True)
class _Sentence:
    """A sentence of a context, ordered by how much it shares with the claim, then by its place."""

    rank: float  # the score, negative
    context: int
    start: int
    end: int
    text: str = field(compare=False)  # folded


def evidence(claim: str, contexts: Sequence[Any], quoted: Iterable[Quoted] = ()) -> list[Evidence]:
    """The contexts, the one that shares most with the claim first; in their own order where they share as much.

    quoted: what judges quoted, in any order; spans outside the contexts are passed over.
    """
    reading = _Reading(claim, contexts, quoted)
    ranked = sorted(reading.contexts, key=lambda one: (-one.score, one.index))
    return [context.shown(reading.worth[context.index]) for context in ranked]


def whole(claim: str, contexts: Sequence[Any], index: int, quoted: Iterable[Quoted] = ()) -> Whole:
    """All of one context (index from 0), marked as in `evidence`. IndexError when there is no such context."""
    if not 0 <= index < len(contexts):
        raise IndexError(index)
    reading = _Reading(claim, contexts, quoted)
    return reading.contexts[index].whole(reading.worth[index])


class _Reading:
    """All contexts of a claim, and which sentences of them are highlighted."""

    def __init__(self, claim: str, contexts: Sequence[Any], quoted: Iterable[Quoted]) -> None:
        wanted = Wanted(claim)
        self.contexts = [_Context(index, str(text), wanted) for index, text in enumerate(contexts)]
        self.worth: list[list[Span]] = [[] for _ in self.contexts]
        for sentence in sorted(self._chosen(quoted), key=lambda one: (one.context, one.start)):
            self.worth[sentence.context].append((sentence.start, sentence.end))

    def _chosen(self, quoted: Iterable[Quoted]) -> set[_Sentence]:
        best, wanted = self._best()
        copies = {sentence.text: sentence for sentence in reversed(best)}
        touched = [
            sentence
            for index, start, end in quoted
            if 0 <= index < len(self.contexts)
            for sentence in self.contexts[index].sentences_at(start, end)
        ]
        said = sorted({copies.get(sentence.text, sentence) for sentence in touched})
        chosen = {*best[:1], *said[: MOST - 1]}
        for sentence in best:
            if len(chosen) >= wanted:
                break
            chosen.add(sentence)
        return chosen

    def _best(self) -> tuple[list[_Sentence], int]:
        """The sentences that share most with the claim, no two alike, and how many a claim shows at least."""
        parts = [(-score, one.index, part) for one in self.contexts for part, score in enumerate(one.scores)]
        looked_at = nsmallest(LOOKED_AT, parts)
        found = sorted(
            sentence for _, index, part in looked_at for sentence in self.contexts[index].sentences_in(part)
        )
        unlike = list({sentence.text: sentence for sentence in reversed(found)}.values())[::-1]
        return sorted(unlike)[:HIGHLIGHTS], min(HIGHLIGHTS, (len(unlike) + 1) // 2)


class _Context:
    """One context, cut in passages that are scored for the claim."""

    def __init__(self, index: int, text: str, wanted: Wanted) -> None:
        self.index, self._text, self._wanted = index, text, wanted
        self._folded = fold(text)
        self._starts = [0]
        for part in split(text):
            self._starts.append(self._starts[-1] + len(part))
        self.scores = [wanted.score(self._folded[slice(*self._part(i))]) for i in range(len(self._starts) - 1)]
        self.score = max(self.scores, default=0.0)

    def _part(self, number: int) -> Span:
        return self._starts[number], self._starts[number + 1]

    @cached_property
    def _ranked(self) -> list[int]:
        return sorted(range(len(self.scores)), key=lambda i: (-self.scores[i], i))

    def sentences_in(self, part: int) -> list[_Sentence]:
        """The sentences of a passage. They never depend on what was quoted."""
        begin, end = self._part(part)
        spans = [(begin + one.start, begin + one.end) for one in split_sentences(self._text[begin:end])]
        texts = [self._folded[slice(*span)] for span in spans]
        return [
            _Sentence(-self._wanted.score(text), self.index, *span, text)
            for text, span in zip(texts, spans, strict=True)
        ]

    def sentences_at(self, start: int, end: int) -> list[_Sentence]:
        """The sentences that a span touches; of a very long one those in its best passages."""
        if not 0 <= start < end <= len(self._text):
            return []
        parts = range(self._part_at(start), self._part_at(end - 1) + 1)
        best = nsmallest(LOOKED_AT, parts, key=lambda i: (-self.scores[i], i))
        found = (sentence for part in best for sentence in self.sentences_in(part))
        return [sentence for sentence in found if sentence.start < end and sentence.end > start]

    def _part_at(self, place: int) -> int:
        return bisect_right(self._starts, place) - 1

    def shown(self, worth: list[Span]) -> Evidence:
        """The whole of a short text, the best and the highlighted passages of a long one."""
        length = len(self._text)
        if length <= SHORT:
            return Evidence(self.index + 1, (self._passage(0, length, worth),), length, folded=False)
        kept = {self._part_at(start) for start, _ in worth}
        for part in self._ranked[:SHOWN]:
            if len(kept) < SHOWN and self.scores[part] > self.score * WORTH:
                kept.add(part)
        stretches = [self._trimmed(*stretch) for stretch in self._stretches(kept or set(self._ranked[:1]))]
        return Evidence(
            self.index + 1, tuple(self._passage(*stretch, worth) for stretch in stretches), length, folded=True
        )

    def _stretches(self, parts: set[int]) -> list[Span]:
        """The parts with neighbours joined; the stretch with the best part first."""
        runs: list[list[int]] = []
        for part in sorted(parts):
            if runs and runs[-1][-1] == part - 1:
                runs[-1].append(part)
            else:
                runs.append([part])
        runs.sort(key=lambda run: min((-self.scores[part], part) for part in run))
        return [(self._starts[run[0]], self._starts[run[-1] + 1]) for run in runs]

    def _trimmed(self, start: int, end: int) -> Span:
        text = self._text[start:end]
        return end - len(text.lstrip()), start + len(text.rstrip())

    def _passage(self, start: int, end: int, worth: list[Span]) -> Passage:
        inside = tuple(span for span in worth if start <= span[0] and span[1] <= end)
        marks = [(begin, stop, MATCH) for begin, stop in self._wanted.places(self._folded[start:end])]
        marks += [(begin - start, stop - start, HIGHLIGHT) for begin, stop in inside]
        return Passage(self._text[start:end], start, tuple(sorted(marks)), inside)

    def whole(self, worth: list[Span]) -> Whole:
        """The text in blocks of about BLOCK characters; MARKS words are marked at most, in the best passages."""
        places = self._wanted.places(self._folded)
        partial = len(places) > MARKS
        if partial:
            ranks = {part: rank for rank, part in enumerate(self._ranked)}
            places = nsmallest(MARKS, places, key=lambda place: (ranks[self._part_at(place[0])], place))
        marks = [(*place, MATCH) for place in places] + [(*span, HIGHLIGHT) for span in worth]
        blocks = tuple(_blocks(self._text, sorted(marks), worth))
        return Whole(self.index + 1, blocks, partial)


def _blocks(text: str, marks: list[tuple[int, int, str]], worth: list[Span]) -> Iterator[Passage]:
    start, upcoming = 0, 0
    while start < len(text):
        end = _block_end(text, start)
        first = upcoming
        while upcoming < len(marks) and marks[upcoming][0] < end:
            end = max(end, marks[upcoming][1])
            upcoming += 1
        spans = tuple((begin - start, stop - start, css) for begin, stop, css in marks[first:upcoming])
        inside = tuple(span for span in worth if start <= span[0] < end)
        yield Passage(text[start:end], start, spans, inside)
        start = end


def _block_end(text: str, start: int) -> int:
    if len(text) - start <= BLOCK * 1.5:
        return len(text)
    for ends in ("\n", "。！？.!?", " ，,"):
        end = max(text.rfind(char, start + BLOCK // 2, start + BLOCK) for char in ends)
        if end > 0:
            return end + 2 if text[end + 1] == " " else end + 1
    return start + BLOCK


def split(text: str) -> list[str]:
    """The text in passages of at most PASSAGE characters, cut after sentences; joined they give the text again."""
    parts = []
    start = 0
    while start < len(text):
        end = _passage_end(text, start)
        parts.append(text[start:end])
        start = end
    return parts


def _passage_end(text: str, start: int) -> int:
    """After the last sentence that ends within PASSAGE characters."""
    limit = start + PASSAGE
    if limit >= len(text):
        return len(text)
    end = 1 + max(text.rfind(char, start, limit) for char in _ENDS)
    dot = text.rfind(".", start, limit - 1)
    while dot >= end and not text[dot + 1].isspace():
        dot = text.rfind(".", start, dot)
    end = max(end, dot + 2 if dot >= start else 0)
    return end if end > start else limit
