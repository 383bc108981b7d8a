"""Passages ranked for a claim by BM25, on stems of English words and pairs of Chinese characters.

Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009), with the inverse document
frequency that cannot become negative, ln(1 + (n - df + 0.5) / (df + 0.5)).
"""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from audits.text.language import HAN
from audits.text.tokens import stem
from audits.text.wordlists import FUNCTION_WORDS

K1 = 1.2  # how soon a repeated term stops counting
B = 0.75  # how much a long passage is discounted

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")  # would cut words in two and hide them
_UNIT = re.compile(rf"[{HAN}]+|\d+(?:[.,]\d+)*|[^\W\d_{HAN}]+(?:['’][^\W\d_{HAN}]+)?")
_IS_HAN = re.compile(f"[{HAN}]")


def terms(text: str) -> list[str]:
    """What is counted of a text: stems without function words, numbers, overlapping pairs of Chinese characters.

    Unlike `audits.text.tokens` it knows no places and drops no particles, and is several times as fast.
    """
    found: list[str] = []
    for run in _UNIT.findall(unicodedata.normalize("NFKC", _INVISIBLE.sub("", text)).lower()):
        if _IS_HAN.match(run):
            found.extend([run] if len(run) == 1 else map("".join, pairwise(run)))
        elif run[0].isdigit():
            found.append(run.replace(",", ""))
        elif run not in FUNCTION_WORDS:
            found.append(stem(run))
    return found


class Ranking:
    """Passages, and how well each fits a claim.

    Holds their terms as plain text, which is searched for the few terms of a claim: an index of all terms would take
    twenty times the memory for 200,000 characters of Chinese, and is seldom asked for more than a few claims.
    """

    def __init__(self, passages: Sequence[str]) -> None:
        counted = [terms(passage) for passage in passages]
        mean = sum(map(len, counted)) / len(counted) if counted else 0.0
        self._discounts = [K1 * (1 - B + B * len(held) / mean) if mean else K1 for held in counted]
        self._held = ["\n" + "\n\n".join(held) + "\n" for held in counted]

    def scores(self, claim: str) -> list[float]:
        """The BM25 score of every passage for a claim, in the passages' order; 0 where they share nothing."""
        scores = [0.0] * len(self._held)
        for term, weight in Counter(terms(claim)).items():
            wanted = f"\n{term}\n"
            counts = [held.count(wanted) for held in self._held]
            holders = len(counts) - counts.count(0)
            rarity = weight * math.log(1 + (len(counts) - holders + 0.5) / (holders + 0.5))
            for number, count in enumerate(counts):
                if count:
                    scores[number] += rarity * count * (K1 + 1) / (count + self._discounts[number])
        return scores

    def best(self, claim: str) -> list[int]:
        """The numbers of all passages, the best for the claim first, ties in their own order."""
        scores = self.scores(claim)
        return sorted(range(len(scores)), key=lambda number: -scores[number])
