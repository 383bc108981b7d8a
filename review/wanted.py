"""The words of a claim, looked for in other texts: whole words, and pairs of neighbouring Han characters."""

import re
import unicodedata
from itertools import compress, count
from operator import add

from audits.text.language import HAN

_WORD = re.compile(rf"[^\W_{HAN}]+(?:[.,'][^\W_{HAN}]+)*")
_HAN_RUN = re.compile(f"[{HAN}]+")
_COMMON = frozenset(
    re.findall(
        r"\S+",
        "a an the of in on at to for and or but is are was were be been by with from as that this it its into than "
        "then has have had not no do does did will would can could may might shall should which who whom whose what "
        "when where 的 了 是 在 和 与 及 或 而 于 为 以 等 其 该 这 那 并 也 都 就 从 对 由 被 把 将",
    )
)
_INNER = ".,'"  # between two letters or figures they belong to the word: 1,200, don't


def fold(text: str) -> str:
    """Width and case made equal, character for character: every offset stays what it was."""
    if text.isascii():
        return text.lower()
    changed = {char: folded for char in set(text) if (folded := _folded(char)) != char}
    if len(changed) > 100 or not changed.keys().isdisjoint(changed.values()):
        return text.translate({ord(char): folded for char, folded in changed.items()})
    for char, folded in changed.items():  # a few times as fast as translate
        text = text.replace(char, folded)
    return text


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
        found = sum(pair in part for pair in self._pairs) + sum(_holds(part, word) for word in self._words)
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


def _holds(part: str, word: str) -> bool:
    """Whether the word stands in the text as a whole one."""
    at = part.find(word)
    while at >= 0:
        if not _goes_on(part[max(0, at - 2) : at][::-1]) and not _goes_on(part[at + len(word) : at + len(word) + 2]):
            return True
        at = part.find(word, at + 1)
    return False


def _goes_on(beyond: str) -> bool:
    """beyond: the two characters outside a word, nearest first. Whether they belong to it."""
    if beyond[:1] and beyond[0] in _INNER:
        beyond = beyond[1:]
    return beyond[:1].isalnum() and not _HAN_RUN.match(beyond[0])


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
