"""Where a claim stands in the answer: the piece of its own sentence that says it, or else the whole sentence."""

import re
from collections import Counter

from audits.judges.base import Sentence
from audits.text.language import HAN
from audits.text.normalise import Normalised, normalise

_TAIL = " .。;；,，!！"  # what a claim may end with and its place in the sentence need not
_UNSPACED = re.compile(f"[{HAN}\u3040-\u30ff]")  # scripts in which a word may end anywhere


class Places:
    """Gives claims their spans within one answer; a claim given several times gets one occurrence after another."""

    def __init__(self, answer: str) -> None:
        self._answer = answer
        self._read: dict[int, Normalised] = {}  # by number of the sentence
        self._given: Counter[tuple[int, str]] = Counter()

    def next(self, text: str, sentence: Sentence) -> tuple[int, int]:
        """The span (code points of the answer) of a claim of this sentence.

        Its next occurrence in the sentence, up to width, case, quotes and blanks; the last one once all are given;
        the whole sentence where the claim is reworded. Never a part of a word or of a number.
        """
        if sentence.number not in self._read:
            self._read[sentence.number] = normalise(self._answer[sentence.start : sentence.end])
        core = text.rstrip(_TAIL)
        wanted = normalise(core).text.strip()
        nth = self._given[sentence.number, wanted]
        self._given[sentence.number, wanted] += 1
        spans = _occurrences(wanted, self._read[sentence.number])
        if not spans:
            return sentence.start, sentence.end
        start, end = spans[min(nth, len(spans) - 1)]
        end += sentence.start
        tail = text[len(core) :]
        if tail and self._answer[: sentence.end].startswith(tail, end):
            end += len(tail)
        return sentence.start + start, end


def _occurrences(wanted: str, within: Normalised) -> list[tuple[int, int]]:
    """Spans of all occurrences, in the source of the normalised sentence."""
    spans: list[tuple[int, int]] = []
    at = within.text.find(wanted) if wanted else -1
    while at >= 0:
        end = at + len(wanted)
        if not _cuts(within.text, at) and not _cuts(within.text, end):
            spans.append(within.span(at, end))
        at = within.text.find(wanted, at + 1)
    return spans


def _cuts(text: str, at: int) -> bool:
    """Whether a word or a number goes on across this place."""
    if not 0 < at < len(text):
        return False
    left, right = text[at - 1], text[at]
    if left in ".,":
        left = text[at - 2 : at - 1]
        return left.isdigit() and right.isdigit()
    if right in ".,":
        return left.isdigit() and text[at + 1 : at + 2].isdigit()
    return left.isalnum() and right.isalnum() and not (_UNSPACED.match(left) or _UNSPACED.match(right))
