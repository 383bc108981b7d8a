"""Which parts of the contexts speak of a claim: plain overlap of words and characters, the judges not asked.

An expert who is led to the passage that a judge quoted would read with that judge's eyes.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress, count
from operator import add
from typing import Any

from audits.text.language import HAN

SHORT = 700  # characters; a context up to this long is shown whole
PASSAGE = 400  # characters; about the length of one passage
WORTH = 0.5  # of the best passage's score; what shares less is not worth the reading
SHOWN = 3  # passages of a long context that are shown before it is unfolded
MARKS = 3000  # in all the folded texts of a claim; more of them point to nothing, and a page with them is slow
BLOCK = 4000  # characters of a folded text that a browser lays out at a time
_WORD = re.compile(rf"[^\W_{HAN}]+(?:[.,'][^\W_{HAN}]+)*")
_HAN_RUN = re.compile(f"[{HAN}]+")
_BREAK = re.compile(r"(?<=[。！？；!?])|(?<=[.]\s)|(?<=\n)")
_COMMON = frozenset(
    re.findall(
        r"\S+",
        "a an the of in on at to for and or but is are was were be been by with from as that this it its into than "
        "then has have had not no do does did will would can could may might shall should which who whom whose what "
        "when where 的 了 是 在 和 与 及 或 而 于 为 以 等 其 该 这 那 并 也 都 就 从 对 由 被 把 将",
    )
)
MATCH = "mark-match"

Marks = tuple[tuple[int, int, str], ...]
"""(start, end, css class) of each mark in a text, in code points and in order."""


@dataclass(frozen=True)
class Passage:
    """A part of a context with the claim's words in it; spans lie within text. partial: not all words are marked."""

    text: str
    spans: Marks
    partial: bool = False


@dataclass(frozen=True)
class Evidence:
    """One context. number: its place in the dataset, from 1. folded: only the best passages stand outside."""

    number: int
    passages: tuple[Passage, ...]
    whole: Passage | None
    length: int

    @property
    def folded(self) -> bool:
        """True when the whole text is longer than what is shown at first."""
        return self.whole is not None

    @property
    def blocks(self) -> list[Passage]:
        """The whole text in blocks of about BLOCK characters, cut after lines or sentences and within no mark."""
        return list(_blocks(self.whole)) if self.whole else []


def evidence(claim: str, contexts: Sequence[Any]) -> list[Evidence]:
    """The contexts, the one that shares most with the claim first; in their own order where they share as much.

    Texts of any length are read once. Folded texts have MARKS marks at most, those in the best passages first.
    """
    wanted = Wanted(claim)
    read = [_Context(number, str(context), wanted) for number, context in enumerate(contexts, start=1)]
    left, found = MARKS, []
    for context in sorted(read, key=lambda one: (-one.score, one.number)):
        found.append(context.shown(left))
        left -= len(found[-1].whole.spans) if found[-1].whole else 0
    return found


class _Context:
    """One context, cut in passages that are scored for the claim."""

    def __init__(self, number: int, text: str, wanted: "Wanted") -> None:
        self.number, self._text, self._wanted = number, text, wanted
        self._folded = fold(text)
        self._parts: list[tuple[int, int]] = []
        at = 0
        for part in split(text):
            self._parts.append((at, at + len(part)))
            at += len(part)
        self._scores = [wanted.score(self._folded[start:end]) for start, end in self._parts]
        self.score = max(self._scores, default=0.0)

    def shown(self, marks: int) -> Evidence:
        """The whole of a short text, the best passages of a long one; marks: how many its whole may still have."""
        length = len(self._text)
        if length <= SHORT:
            return Evidence(self.number, (self._passage(0, length),), None, length)
        ranked = sorted(range(len(self._parts)), key=lambda i: (-self._scores[i], i))
        best = ranked[:SHOWN]
        kept = [i for i in best if self._scores[i] > self.score * WORTH] or best[:1]
        shown = tuple(self._passage(*self._trimmed(i)) for i in kept)
        return Evidence(self.number, shown, self._whole(ranked, marks), length)

    def _trimmed(self, part: int) -> tuple[int, int]:
        start, end = self._parts[part]
        text = self._text[start:end]
        return end - len(text.lstrip()), start + len(text.rstrip())

    def _passage(self, start: int, end: int) -> Passage:
        return Passage(self._text[start:end], _marks(self._wanted.places(self._folded[start:end])))

    def _whole(self, ranked: list[int], marks: int) -> Passage:
        if not marks:
            return Passage(self._text, (), partial=self.score > 0)
        places = self._wanted.places(self._folded)
        if len(places) <= marks:
            return Passage(self._text, _marks(places))
        by_part: list[list[tuple[int, int]]] = [[] for _ in self._parts]
        part = 0
        for place in places:
            while place[0] >= self._parts[part][1]:
                part += 1
            by_part[part].append(place)
        best = [place for i in ranked for place in by_part[i]]
        return Passage(self._text, _marks(sorted(best[:marks])), partial=True)


def fold(text: str) -> str:
    """Width and case made equal, character for character: every offset stays what it was."""
    if text.isascii():
        return text.lower()
    return text.translate({ord(char): _folded(char) for char in set(text)})


def _folded(char: str) -> str:
    folded = unicodedata.normalize("NFKC", char).casefold()
    return folded if len(folded) == 1 else char


def terms(text: str) -> frozenset[str]:
    """What is looked for: words, and pairs of neighbouring Han characters (a text without blanks has no words)."""
    folded = fold(text)
    found = set(_WORD.findall(folded))
    for run in _HAN_RUN.findall(folded):
        found.update([run] if len(run) == 1 else map(add, run, run[1:]))
    return frozenset(found - _COMMON)


class Wanted:
    """The terms of a claim, found in folded texts (see `fold`) in time that grows with the text alone."""

    def __init__(self, claim: str) -> None:
        self.terms = terms(claim)
        self._words = frozenset(term for term in self.terms if not _HAN_RUN.match(term))
        self._pairs = frozenset(term for term in self.terms - self._words if len(term) == 2)
        lone = "".join(self.terms - self._words - self._pairs)  # Han characters that stand alone, as in 第5条
        self._lone = re.compile(f"[{lone}](?<![{HAN}].)(?![{HAN}])", re.DOTALL) if lone else None

    def score(self, part: str) -> float:
        """The share of the terms that a part of a folded text holds, 0 to 1."""
        found = 0
        if self._words:
            found += len(self._words.intersection(_WORD.findall(part)))
        if self._pairs:
            found += len(self._pairs.intersection(map(add, part, part[1:])))
        if self._lone:
            found += len(set(self._lone.findall(part)))
        return found / len(self.terms) if found else 0.0

    def places(self, text: str) -> list[tuple[int, int]]:
        """Where the terms stand in a folded text, in code points and in order; neighbours are joined."""
        hits: list[tuple[int, int]] = []
        if self._words:
            words = self._words
            hits += [match.span() for match in _WORD.finditer(text) if match[0] in words]
        if self._pairs:
            held = map(self._pairs.__contains__, map(add, text, text[1:]))
            hits += [(at, at + 2) for at in compress(count(), held)]
        if self._lone:
            hits += [match.span() for match in self._lone.finditer(text)]
        return _joined(hits)


def _joined(hits: list[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    begin = end = 0
    for start, stop in sorted(hits):
        if start <= end and end:
            end = max(end, stop)
            continue
        if end:
            joined.append((begin, end))
        begin, end = start, stop
    return [*joined, (begin, end)] if end else joined


def _blocks(whole: Passage) -> Iterator[Passage]:
    start, upcoming = 0, 0
    while start < len(whole.text):
        end = _block_end(whole.text, start)
        first = upcoming
        while upcoming < len(whole.spans) and whole.spans[upcoming][0] < end:
            end = max(end, whole.spans[upcoming][1])
            upcoming += 1
        spans = tuple((begin - start, stop - start, css) for begin, stop, css in whole.spans[first:upcoming])
        yield Passage(whole.text[start:end], spans)
        start = end


def _block_end(text: str, start: int) -> int:
    if len(text) - start <= BLOCK * 1.5:
        return len(text)
    for ends in ("\n", "。！？.!?", " ，,"):
        end = max(text.rfind(char, start + BLOCK // 2, start + BLOCK) for char in ends)
        if end > 0:
            return end + 2 if text[end + 1] == " " else end + 1
    return start + BLOCK


def _marks(places: list[tuple[int, int]]) -> Marks:
    return tuple((begin, end, MATCH) for begin, end in places)


def split(text: str) -> list[str]:
    """The text in passages of about PASSAGE characters, cut after sentences; joined they give the text again."""
    parts: list[str] = []
    for sentence in _BREAK.split(text):
        for start in range(0, len(sentence), PASSAGE):
            piece = sentence[start : start + PASSAGE]
            if parts and len(parts[-1]) + len(piece) <= PASSAGE:
                parts[-1] += piece
            elif piece:
                parts.append(piece)
    return parts
