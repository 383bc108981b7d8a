"""Which parts of the contexts speak of a claim: plain overlap of words and characters, the judges not asked.

An expert who is led to the passage that a judge quoted would read with that judge's eyes.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from audits.text.language import HAN

SHORT = 700  # characters; a context up to this long is shown whole
PASSAGE = 400  # characters; about the length of one passage
WORTH = 0.5  # of the best passage's score; what shares less is not worth the reading
SHOWN = 3  # passages of a long context that are shown before it is unfolded
_WORD = re.compile(rf"[{HAN}]+|[^\W_{HAN}]+(?:[.,'][^\W_{HAN}]+)*")
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


@dataclass(frozen=True)
class Passage:
    """A part of a context with the claim's words in it; spans are (start, end, css class) within text."""

    text: str
    spans: tuple[tuple[int, int, str], ...]


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


def evidence(claim: str, contexts: Sequence[Any]) -> list[Evidence]:
    """The contexts, the one that shares most with the claim first; in their own order where they share as much."""
    wanted = terms(claim)
    scored = []
    for number, context in enumerate(contexts, start=1):
        text = str(context)
        parts = split(text)
        scores = [score(part, wanted) for part in parts]
        scored.append((-max(scores, default=0.0), number, _show(number, text, parts, scores, wanted)))
    return [shown for _, _, shown in sorted(scored, key=lambda row: row[:2])]


def _show(number: int, text: str, parts: list[str], scores: list[float], wanted: frozenset[str]) -> Evidence:
    if len(text) <= SHORT:
        return Evidence(number, (Passage(text, spans(text, wanted)),), None, len(text))
    best = sorted(range(len(parts)), key=lambda i: (-scores[i], i))[:SHOWN]
    kept = [i for i in best if scores[i] > max(scores) * WORTH] or best[:1]
    shown = tuple(Passage(parts[i].strip(), spans(parts[i].strip(), wanted)) for i in kept)
    return Evidence(number, shown, Passage(text, spans(text, wanted)), len(text))


def fold(text: str) -> str:
    """Width and case made equal, character for character: every offset stays what it was."""
    if text.isascii():
        return text.lower()
    return "".join(
        folded if len(folded := unicodedata.normalize("NFKC", char).casefold()) == 1 else char for char in text
    )


def terms(text: str) -> frozenset[str]:
    """What is looked for: words, and pairs of neighbouring Han characters (a text without blanks has no words)."""
    found: set[str] = set()
    for match in _WORD.finditer(fold(text)):
        word = match.group()
        if _HAN_RUN.fullmatch(word):
            found.update(word[i : i + 2] for i in range(max(1, len(word) - 1)))
        else:
            found.add(word)
    return frozenset(found - _COMMON)


def score(part: str, wanted: frozenset[str]) -> float:
    """The share of the wanted terms that the part holds, 0 to 1."""
    return len(terms(part) & wanted) / len(wanted) if wanted else 0.0


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


def spans(text: str, wanted: frozenset[str]) -> tuple[tuple[int, int, str], ...]:
    """Where the wanted terms stand in the text, as (start, end, css class) in code points; neighbours are joined."""
    hits: list[tuple[int, int]] = []
    for match in _WORD.finditer(fold(text)):
        word, start = match.group(), match.start()
        if not _HAN_RUN.fullmatch(word):
            hits += [match.span()] if word in wanted else []
            continue
        for i in range(max(1, len(word) - 1)):
            if word[i : i + 2] in wanted:
                hits.append((start + i, start + i + len(word[i : i + 2])))
    joined: list[list[int]] = []
    for begin, end in sorted(hits):
        if joined and begin <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], end)
        else:
            joined.append([begin, end])
    return tuple((begin, end, MATCH) for begin, end in joined)
