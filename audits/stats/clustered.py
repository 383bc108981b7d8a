"""Claims of one answer are not independent: variance, design effect and limits that respect it."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from audits.stats.estimate import ICC_FLOOR, Estimate, Groups, group_numbers, tail, undefined
from audits.stats.proportions import clopper_pearson

if TYPE_CHECKING:
    import numpy as np


def cluster_variance(values: "Sequence[float] | np.ndarray", answers: Groups) -> float | None:
    """Variance of the mean of `values` over claims, linearised over answers; None with fewer than two answers.

    A/(A-1) * sum over answers of (sum of deviations in the answer)^2 / N^2: the sandwich of a regression on a
    constant, clustered, times A/(A-1).
    """
    import numpy as np

    number = np.asarray(group_numbers(answers), dtype=int)
    count = int(number.max()) + 1 if len(number) else 0
    if count < 2:
        return None
    deviations = np.asarray(values, dtype=float)
    deviations = deviations - deviations.mean()
    sums = np.bincount(number, weights=deviations, minlength=count)
    return float(count / (count - 1) * (sums**2).sum() / len(deviations) ** 2)


def mean_length(answers: Groups) -> float:
    """Size-weighted mean number of claims per answer: sum m^2 / sum m. 0 without claims."""
    import numpy as np

    sizes = np.bincount(np.asarray(group_numbers(answers), dtype=int)) if len(answers) else np.zeros(0)
    return float((sizes**2).sum() / sizes.sum()) if len(answers) else 0.0


def design_effect(values: "Sequence[float] | np.ndarray", answers: Groups, icc_floor: float = ICC_FLOOR) -> float:
    """How many times larger the variance is than that of independent claims; at least 1 + icc_floor * (m - 1).

    The floor is there because rare events show little clustering exactly when it matters: estimated from a
    handful of events the effect comes out too small (Franco, Little, Louis & Slud 2019).
    """
    import numpy as np

    floor = 1 + icc_floor * (mean_length(answers) - 1)
    if len(values) < 2:
        return max(1.0, floor)
    independent = float(np.var(np.asarray(values, dtype=float), ddof=1)) / len(values)
    clustered = cluster_variance(values, answers)
    seen = clustered / independent if clustered is not None and independent > 0 else 1.0
    return max(1.0, seen, floor)


def korn_graubard(rate: float, claims: float, deff: float, answers: int, tail: float) -> tuple[float, float]:
    """(low, high), each one-sided at `tail`: Clopper-Pearson at the effective sample size. Korn & Graubard 1998.

    The effective size is claims / deff, shrunk by (z / t)^2 for the answers that the variance rests on.
    ValueError with fewer than two answers.
    """
    from scipy.special import ndtri, stdtrit

    if answers < 2:
        raise ValueError("limits need two answers or more")
    shrink = float(ndtri(1 - tail) / stdtrit(answers - 1, 1 - tail)) ** 2
    effective = claims / deff * shrink
    return clopper_pearson(rate * effective, effective, tail)


def clustered_share(
    values: "Sequence[float] | np.ndarray", answers: Groups, confidence: float = 0.95, empty: str = "no_claims"
) -> Estimate:
    """The mean of 0/1 `values`, one per claim, with a two-sided interval that respects answers.

    Undefined (reason `empty`) without values; without limits (reason "one_answer") when all lie in one answer.
    """
    each = tail(confidence)
    if not len(values):
        return undefined(empty, 0, confidence)
    rate, count = math.fsum(values) / len(values), len(set(answers))
    if count < 2:
        return Estimate(rate, None, None, len(values), confidence, "one_answer")
    low, high = korn_graubard(rate, len(values), design_effect(values, answers), count, each)
    return Estimate(rate, low, high, len(values), confidence)
