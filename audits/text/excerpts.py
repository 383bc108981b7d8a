"""Long texts cut into passages at paragraphs and sentences, and put together again as excerpts with a way back."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from audits.text.length import tokens_at_most
from audits.text.sentences import split_sentences

GAP = "[...]"
"""Stands where text was left out."""

PER_TEXT = 5  # tokens of the number before a text
PER_PASSAGE = 8  # tokens of the marks where text is left out around a passage

_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_SOFT = re.compile(r"[\s,，、;；:：|]")
_SHORTEST = 60  # tokens of a piece of a sentence
_NEAR = 64  # characters before a cut in which a blank or comma is looked for


@dataclass(frozen=True, order=True)
class Passage:
    """A part of a text: its number among the texts (0-based), its place there (code points), its tokens at most."""

    text: int
    start: int
    end: int
    tokens: int


def cut_passages(texts: Sequence[str], target: int, room: int) -> list[Passage]:
    """All of the texts in passages of about `target` tokens, in order; blank texts have none.

    Cut at paragraphs and sentences, within a sentence only where that alone has more than `room` tokens.
    """
    return [passage for at, text in enumerate(texts) for passage in _passages(text, at, 0, len(text), target, room)]


def cut_again(passages: Iterable[Passage], texts: Sequence[str], target: int, room: int) -> list[Passage]:
    """The same parts of the texts in smaller passages."""
    return [
        smaller
        for passage in passages
        for smaller in _passages(texts[passage.text], passage.text, passage.start, passage.end, target, room)
    ]


def pack(passages: Iterable[Passage], room: int) -> list[list[Passage]]:
    """The passages in their order in as few groups as follow each other, each of `room` tokens at most."""
    groups: list[list[Passage]] = []
    left = -1
    for passage in passages:
        new_text = not groups or groups[-1][-1].text != passage.text
        cost = passage.tokens + PER_PASSAGE + PER_TEXT * new_text
        if cost > left:
            groups.append([])
            left = room
            cost = passage.tokens + PER_PASSAGE + PER_TEXT
        groups[-1].append(passage)
        left -= cost
    return groups


def size(passages: Sequence[Passage]) -> int:
    """Tokens at most of the passages when they are shown together."""
    return sum(p.tokens + PER_PASSAGE for p in passages) + PER_TEXT * len({p.text for p in passages})


def _passages(text: str, at: int, begin: int, end: int, target: int, room: int) -> Iterator[Passage]:
    """Sentences joined up to the target; a paragraph that begins when half of it is reached begins a new one."""
    start, tokens = begin, 0
    for first, last, opens in _sentences(text, begin, end):
        own = tokens_at_most(text[first:last])
        if tokens and (tokens + own > target or (opens and tokens * 2 >= target)):
            yield from _fitting(text, Passage(at, start, first, tokens), target, room)
            start, tokens = first, 0
        tokens += own
    yield from _fitting(text, Passage(at, start, end, tokens), target, room)


def _sentences(text: str, begin: int, end: int) -> Iterator[tuple[int, int, bool]]:
    """(start, end, begins a paragraph) of pieces that hold one sentence each and leave nothing out.

    A list marker or a heading's sign belongs to the sentence after it.
    """
    part = text[begin:end]
    start, opens, before = 0, True, 0
    for sentence in split_sentences(part):
        gap = part[before : sentence.start]
        border = before + gap.rfind("\n") + 1 if "\n" in gap else sentence.start
        if before:
            yield begin + start, begin + border, opens
            start, opens = border, _BLANK_LINE.search(gap) is not None
        before = sentence.end
    yield begin + start, end, opens


def _fitting(text: str, passage: Passage, target: int, room: int) -> Iterator[Passage]:
    """The passage, or its halves as often as needed where it does not fit; none where it is blank."""
    if passage.tokens <= room - PER_PASSAGE - PER_TEXT:
        if not text[passage.start : passage.end].isspace() and passage.start < passage.end:
            yield passage
    elif passage.end - passage.start < 2:
        yield passage
    else:
        cut = _cut(text, passage.start, passage.end)
        for start, end in ((passage.start, cut), (cut, passage.end)):
            half = Passage(passage.text, start, end, tokens_at_most(text[start:end]))
            yield from _fitting(text, half, target, min(room, max(target, _SHORTEST)))


def _cut(text: str, start: int, end: int) -> int:
    """Where to cut a sentence in two: about its middle, after a blank or a comma if one is near."""
    middle = (start + end) // 2
    for back in range(min(_NEAR, middle - start)):
        if _SOFT.match(text[middle - back - 1]):
            return middle - back
    return middle


@dataclass(frozen=True)
class Excerpt:
    """What is shown of one text: its number, the words, and where each piece of them begins and comes from."""

    text: int
    words: str
    at: tuple[int, ...]  # place in the words of each piece
    spans: tuple[tuple[int, int], ...]  # place in the text of each piece

    def sources(self, start: int, end: int) -> list[tuple[int, int]]:
        """The places in the text of words[start:end], one for each piece that is touched; a mark has none."""
        found = []
        for number in range(max(0, bisect_right(self.at, start) - 1), len(self.at)):
            if self.at[number] >= end:
                break
            shift = self.spans[number][0] - self.at[number]
            piece = max(start + shift, self.spans[number][0]), min(end + shift, self.spans[number][1])
            if piece[0] < piece[1]:
                found.append(piece)
        return found


def excerpts(passages: Iterable[Passage], texts: Sequence[str]) -> list[Excerpt]:
    """One excerpt for each text that the passages are of, in the texts' order, with marks where text is left out."""
    return [
        _excerpt(number, texts[number], _joined(group, texts[number]))
        for number, group in groupby(sorted(passages), key=lambda passage: passage.text)
    ]


def _joined(passages: Iterable[Passage], text: str) -> list[tuple[int, int]]:
    """The spans of the passages without blanks at their ends; one where only blanks lie between two."""
    spans: list[tuple[int, int]] = []
    for passage in passages:
        part = text[passage.start : passage.end]
        start = passage.start + len(part) - len(part.lstrip())
        end = passage.start + len(part.rstrip())
        if spans and not text[spans[-1][1] : start].strip():
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
        else:
            spans.append((start, end))
    return spans


def _excerpt(number: int, text: str, spans: list[tuple[int, int]]) -> Excerpt:
    words = GAP + "\n" if text[: spans[0][0]].strip() else ""
    at = []
    for count, (start, end) in enumerate(spans):
        words += f"\n{GAP}\n" if count else ""
        at.append(len(words))
        words += text[start:end]
    words += "\n" + GAP if text[spans[-1][1] :].strip() else ""
    return Excerpt(number, words, tuple(at), tuple(spans))
