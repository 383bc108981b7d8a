"""How much one audit's hallucination rate differs from another's, when both may hold the same answers."""

import math
from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from audits.stats.clustered import clustered_share
from audits.stats.estimate import MIN_ANSWERS, Estimate, undefined

Rows = Sequence[tuple[Hashable, bool]]
"""(answer, whether the claim is hallucinated) of each decided claim. An answer has the same key in both audits."""


@dataclass(frozen=True)
class RateDifference:
    """before, after: each rate with its own interval. difference: after - before; below 0 is better.

    answers: those with decided claims in both audits. correlation: of the two rates, from those answers; 0 where
    there are too few to tell (MIN_ANSWERS), which makes the interval wider.
    """

    before: Estimate
    after: Estimate
    difference: Estimate
    answers: int
    correlation: float


def rate_difference(before: Rows, after: Rows, *, confidence: float = 0.95) -> RateDifference:
    """The difference of two hallucination rates with a two-sided interval.

    Both rates have Korn-Graubard limits that respect answers; the limits are joined by MOVER with the correlation of
    the two rates (Zou & Donner 2008, Statistics in Medicine 27:1693, formulas 8 and 9), which exists because the
    answers to one question are judged in both audits. Undefined ("no_claims") when one audit has no decided claim;
    without limits ("one_answer") when one rests on a single answer.
    """
    old, new = (_share(rows, confidence) for rows in (before, after))
    answers = {answer for answer, _ in before} & {answer for answer, _ in after}
    correlation = _correlation(before, after) if len(answers) >= MIN_ANSWERS else 0.0
    return RateDifference(old, new, _joined(old, new, correlation, confidence), len(answers), correlation)


def mover(first: Estimate, second: Estimate, correlation: float = 0.0) -> tuple[float, float]:
    """Limits of second - first from the limits of each. ValueError where one has none. Zou & Donner 2008."""
    parts = (first.value, first.low, first.high, second.value, second.low, second.high)
    if any(part is None for part in parts):
        raise ValueError("both estimates need limits")
    a, low_a, high_a, b, low_b, high_b = (float(part or 0.0) for part in parts)

    def reach(one: float, other: float) -> float:
        return math.sqrt(max(0.0, one**2 + other**2 - 2 * correlation * one * other))

    return b - a - reach(b - low_b, high_a - a), b - a + reach(high_b - b, a - low_a)


def _share(rows: Rows, confidence: float) -> Estimate:
    return clustered_share([float(wrong) for _, wrong in rows], [answer for answer, _ in rows], confidence)


def _joined(old: Estimate, new: Estimate, correlation: float, confidence: float) -> Estimate:
    if old.value is None or new.value is None:
        return undefined("no_claims", 0, confidence)
    value, n = new.value - old.value, old.n + new.n
    if old.low is None or new.low is None:
        return Estimate(value, None, None, n, confidence, old.reason or new.reason)
    low, high = mover(old, new, correlation)
    return Estimate(value, max(-1.0, low), min(1.0, high), n, confidence)


def _correlation(before: Rows, after: Rows) -> float:
    """Of the two rates: of the sums of deviations that each answer brings to them. 0 where one rate has no spread."""
    old, new = _deviations(before), _deviations(after)
    spread = math.fsum(value**2 for value in old.values()) * math.fsum(value**2 for value in new.values())
    together = math.fsum(value * new.get(answer, 0.0) for answer, value in old.items())
    return max(0.0, together / math.sqrt(spread)) if spread else 0.0


def _deviations(rows: Rows) -> dict[Hashable, float]:
    rate = math.fsum(wrong for _, wrong in rows) / len(rows)
    sums: dict[Hashable, float] = defaultdict(float)
    for answer, wrong in rows:
        sums[answer] += wrong - rate
    return sums
