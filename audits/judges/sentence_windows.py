"""Parts of a long answer: sentences that are asked together, and those around them that are shown beside."""

import math
import re
from collections.abc import Sequence
from dataclasses import replace

from audits.judges.base import Sentence
from audits.text.language import HAN

ROOM = 3000  # characters of sentences in one call, whose claims then fit well into a reply of 4,000 tokens
SENTENCES = 30  # in one call; so a sentence takes at least a 30th of the room
HAN_WEIGHT = 3  # a Han character says, and costs, about as much as three letters
BEFORE, AFTER = 3, 1  # sentences shown around a part, and the first of the answer, which names its subject
LONGEST_NEIGHBOUR = 800  # characters; the middle of a longer one is left out

_HAN = re.compile(f"[{HAN}]")

Window = tuple[Sentence, ...]


def windows(sentences: Sequence[Sentence], room: int = ROOM) -> list[Window]:
    """The sentences in parts of about the same size, in order, none cut; one part where they fit into `room`.

    A part may exceed the room by half a sentence; a sentence longer than the room is a part of its own, or nearly.
    """
    weights = [max(_weight(sentence.text), room / SENTENCES) for sentence in sentences]
    count = math.ceil(sum(weights) / room - 1e-9)
    share = sum(weights) / max(1, count)
    parts: dict[int, list[Sentence]] = {}
    before = 0.0
    for sentence, weight in zip(sentences, weights, strict=True):
        parts.setdefault(min(count - 1, int((before + weight / 2) / share)), []).append(sentence)
        before += weight
    return [tuple(part) for part in parts.values()]


def halves(window: Window) -> list[Window]:
    """Two parts of a window, the second never larger; a single sentence stays what it is."""
    middle = (len(window) + 1) // 2
    return [part for part in (window[:middle], window[middle:]) if part]


def neighbours(window: Window, sentences: Sequence[Sentence]) -> Window:
    """The sentences of the answer around those of the window, in order. sentences: all, numbered from 1 on."""
    own = {sentence.number for sentence in window}
    near = {number + step for number in own for step in range(-BEFORE, AFTER + 1)} | {1}
    return tuple(
        _shortened(sentence) for sentence in sentences if sentence.number in near and sentence.number not in own
    )


def _weight(text: str) -> int:
    return len(text) + (HAN_WEIGHT - 1) * len(_HAN.findall(text))


def _shortened(sentence: Sentence) -> Sentence:
    text, half = sentence.text, LONGEST_NEIGHBOUR // 2
    return sentence if len(text) <= LONGEST_NEIGHBOUR else replace(sentence, text=f"{text[:half]} … {text[-half:]}")
