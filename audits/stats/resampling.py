"""Limits by drawing answers again: for coefficients whose variance has no closed form, or none that holds.

Answers are drawn, not claims (a cluster bootstrap): claims of one answer share their context, their judge call and
their expert's reading. Everything that a coefficient needs must be a sum over claims, so that a draw is a sum over
answers, and all draws are one product of matrices.
"""

import math
from typing import TYPE_CHECKING

from audits.stats.clustered import korn_graubard
from audits.stats.estimate import Groups, group_numbers

if TYPE_CHECKING:
    import numpy as np

SEED = 20251130  # of numpy's PCG64: the same rows give the same limits, today and on another machine
DRAWS = 2000
GROUPS = 2000  # more answers than this are dealt into so many groups; see draws()
FEW_ITEMS = 30  # with fewer items no interval of a coefficient is shown


def by_answer(values: "np.ndarray", answers: Groups) -> "np.ndarray":
    """Sums of the rows of `values` (claims, columns) within each answer: (answers, columns)."""
    import numpy as np

    numbers = np.asarray(group_numbers(answers), dtype=int)
    count = int(numbers.max()) + 1 if len(numbers) else 0
    return np.stack([np.bincount(numbers, weights=column, minlength=count) for column in values.T], axis=1)


def draws(sums: "np.ndarray") -> "np.ndarray":
    """Totals of answers drawn with replacement, as many as there are: (answers, columns) to (DRAWS, columns).

    The order of the answers does not matter. More than GROUPS answers are dealt at random into GROUPS groups and
    the groups are drawn instead: a group is a sum of independent answers, so the spread is the same, known to
    1 / sqrt(2 GROUPS) = 1.6 % of itself (random groups: Wolter 2007, Introduction to Variance Estimation, ch. 2).
    """
    import numpy as np

    generator = np.random.Generator(np.random.PCG64(SEED))
    sums = sums[np.lexsort(sums.T)]
    if len(sums) > GROUPS:
        sums = generator.permutation(sums)
        missing = -len(sums) % GROUPS
        padded = np.concatenate([sums, np.zeros((missing, sums.shape[1]))])
        sums = padded.reshape(-1, GROUPS, sums.shape[1]).sum(axis=0)
    count, chunk, parts = len(sums), 250, []
    for _ in range(0, DRAWS, chunk):
        drawn = generator.integers(0, count, size=(chunk, count)) + np.arange(chunk)[:, None] * count
        times = np.bincount(drawn.ravel(), minlength=chunk * count).reshape(chunk, count)
        parts.append(times.astype(float) @ sums)
    return np.concatenate(parts)


def percentiles(values: "np.ndarray", answers: int, tail: float) -> tuple[float, float] | None:
    """(low, high) of one coefficient over the draws; None when it is undefined (nan) in all of them.

    The percentiles lie further out than `tail` where answers are few: at Phi(-t sqrt(A / (A - 1))), since draws from
    A answers spread less than answers do (the "expanded percentile interval" of Hesterberg 2015, The American
    Statistician 69:371).
    """
    import numpy as np
    from scipy.special import ndtr, stdtrit

    known = values[~np.isnan(values)]
    if not len(known):
        return None
    further = float(ndtr(float(stdtrit(answers - 1, tail)) * math.sqrt(answers / (answers - 1))))
    low, high = np.quantile(known, [further, 1 - further])
    return float(low), float(high)


def floor(
    share: float, expected: float, items: int, answers: int, *, deff: float, tail: float
) -> tuple[float, float]:
    """(low, high) of a coefficient if only the observed share moved, to its Korn-Graubard limits.

    The least that any interval of a coefficient says: without a disagreement every draw gives 1, which proves no
    perfect agreement. expected: agreement by chance, held fixed.
    """
    low, high = korn_graubard(share, items, deff, answers, tail)
    return (low - expected) / (1 - expected), (high - expected) / (1 - expected)
