"""Two judges on the same claims: how their gap differs between groups of answers, and its weighted mean."""

import math
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

from audits.stats.estimate import group_numbers

if TYPE_CHECKING:
    import numpy as np


def difference_in_differences(
    gaps: Sequence[float], own: Sequence[bool], answers: Sequence[Hashable]
) -> tuple[float, float]:
    """(mean gap of claims in the one group minus that of the others, its standard error clustered by answer).

    gaps: of each claim, what one judge said (1 supported, 0 not) minus what the other said. Linearised over answers,
    times G/(G-1): equals statsmodels' OLS on the group with cov_type="cluster" (without its correction) times
    sqrt(G/(G-1)). ValueError unless both groups have claims and there are two answers.
    """
    import numpy as np

    gap, group = np.asarray(gaps, dtype=float), np.asarray(own, dtype=bool)
    if group.all() or not group.any():
        raise ValueError("both groups need claims")
    inside, outside = gap[group].mean(), gap[~group].mean()
    parts = np.where(group, (gap - inside) / group.sum(), -(gap - outside) / (~group).sum())
    return float(inside - outside), clustered_error(parts, answers)


def weighted_mean(
    values: Sequence[float], weights: Sequence[float], answers: Sequence[Hashable]
) -> tuple[float, float]:
    """(weighted mean, its standard error clustered by answer), linearised. ValueError with fewer than two answers."""
    import numpy as np

    value, weight = np.asarray(values, dtype=float), np.asarray(weights, dtype=float)
    mean = float((value * weight).sum() / weight.sum())
    return mean, clustered_error(weight * (value - mean) / weight.sum(), answers)


def clustered_error(parts: "np.ndarray", answers: Sequence[Hashable]) -> float:
    """Standard error of a sum of linearised parts, one per claim: sqrt(G/(G-1) sum of squared sums of answers)."""
    import numpy as np

    sums = np.bincount(np.asarray(group_numbers(answers), dtype=int), weights=parts)
    if len(sums) < 2:
        raise ValueError("a clustered error needs two answers")
    return math.sqrt(len(sums) / (len(sums) - 1) * float((sums**2).sum()))
