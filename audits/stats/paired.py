"""The same claims under two conditions: does one of the two make a judge say something more often?"""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from audits.stats.clustered import design_effect
from audits.stats.estimate import Estimate, tail, undefined

Pair = tuple[Hashable, bool, bool]
"""(answer, whether it was so under the first condition, whether under the second) of one claim."""


@dataclass(frozen=True)
class Shift:
    """estimate: share under the second condition minus share under the first; p: two-sided, None without pairs.

    first_only, second_only: claims that are so under one condition only. discordant: their share, with half a claim
    added to each, so that it is never 0. inflation: how many times larger answers make the variance.
    """

    first_only: int
    second_only: int
    n: int
    estimate: Estimate
    p: float | None
    discordant: float
    inflation: float


def paired_shift(pairs: Sequence[Pair], *, confidence: float = 0.95, empty: str = "nothing_paired") -> Shift:
    """The net shift of a share between two conditions on the same claims.

    Interval: Agresti & Min 2005 (half a claim added to each cell of the discordant pairs) at n / design effect, since
    claims of one answer shift together. p: exact, see `swapped`. Undefined (reason `empty`) without pairs, without
    limits ("one_answer") when all come from one answer.
    """
    n = len(pairs)
    if not n:
        return Shift(0, 0, 0, undefined(empty, 0, confidence), None, 0.0, 1.0)
    steps = [second - first for _, first, second in pairs]
    answers = [answer for answer, _, _ in pairs]
    lost, won = steps.count(-1), steps.count(1)
    inflation = design_effect([float(step) for step in steps], answers)
    value, sums = (won - lost) / n, _by_answer(answers, steps)
    estimate = Estimate(value, None, None, n, confidence, "one_answer")
    if len(sums) > 1:
        low, high = agresti_min(lost / inflation, won / inflation, n / inflation, tail(confidence))
        estimate = Estimate(value, max(-1.0, min(low, value)), min(1.0, max(high, value)), n, confidence)
    p = swapped(list(sums.values())) if len(sums) > 1 else None
    return Shift(lost, won, n, estimate, p, (lost + won + 1) / (n + 2), inflation)


def _by_answer(answers: Sequence[Hashable], steps: Sequence[int]) -> dict[Hashable, int]:
    sums: dict[Hashable, int] = defaultdict(int)
    for answer, step in zip(answers, steps, strict=True):
        sums[answer] += step
    return sums


def agresti_min(first_only: float, second_only: float, n: float, tail: float) -> tuple[float, float]:
    """(low, high) of (second_only - first_only) / n, `tail` beyond each. Agresti & Min 2005, Stat. Med. 24:729."""
    import math

    from scipy.special import ndtri

    lost, won, size = first_only + 0.5, second_only + 0.5, n + 2.0
    middle = (won - lost) / size
    reach = -float(ndtri(tail)) * math.sqrt(max(0.0, lost + won - (won - lost) ** 2 / size)) / size
    return middle - reach, middle + reach


def swapped(sums: Sequence[int]) -> float:
    """Two-sided p of the net shift if neither condition mattered: then each answer's sum was as likely its negative.

    Exact, by the distribution of the total over all signs. Where no answer has two claims that shift it is McNemar's
    exact test (1947). sums: second minus first, over the claims of each answer. 1.0 when nothing shifts.
    """
    import numpy as np

    sizes = [abs(value) for value in sums if value]
    reach = sum(sizes)
    chances = np.zeros(2 * reach + 1)
    chances[reach] = 1.0
    for size in sizes:
        up, down = np.zeros_like(chances), np.zeros_like(chances)
        up[size:], down[:-size] = chances[:-size], chances[size:]
        chances = (up + down) / 2
    seen = abs(sum(sums))
    totals = np.abs(np.arange(-reach, reach + 1))
    return min(1.0, float(chances[totals >= seen].sum()))
