"""Whether agreement changes while time goes by: windows of equal size, and one test of a trend."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Generic, TypeVar

from audits.stats.clustered import clustered_share
from audits.stats.estimate import Estimate, beyond, group_numbers

WINDOWS = 8
PER_WINDOW = 20
FEW_ANSWERS = 10  # the variance of the trend rests on them

Time = TypeVar("Time")
Row = tuple[Time, bool, object]  # when, whether the two agreed, the answer


@dataclass(frozen=True)
class Window(Generic[Time]):
    """first, last: times of its first and last row. share: of its rows that agree, clustered by answer."""

    first: Time
    last: Time
    share: Estimate


@dataclass(frozen=True)
class Drift(Generic[Time]):
    """windows: in order of time, of equal n within one. n: rows.

    trend: "fell", "rose", "none" (no drift can be told at this n), "too_few" (under 40 rows or 10 answers: not
    tested), "no_variation" (all agree, or none: nothing to test). p: two-sided; None where not tested.
    """

    windows: tuple[Window[Time], ...]
    n: int
    trend: str
    p: float | None = None


def drift(rows: Sequence[Row[Time]], confidence: float = 0.95) -> Drift[Time]:
    """Agreement over time. rows: (time, agreed, answer) in order of time.

    At most 8 windows of at least 20 rows each (a single smaller one below 40 rows). The trend is that of Cochran
    (1954) and Armitage (1955), scored by the place in the order instead of by window, so that it does not hang on
    where windows are cut; its variance is the larger of that of independent rows and that of answers, with
    t(answers - 1), since claims of one answer are labelled one after the other. A trend is told when
    p < 1 - confidence.
    """
    cuts = max(1, min(WINDOWS, len(rows) // PER_WINDOW))
    edges = [round(k * len(rows) / cuts) for k in range(cuts + 1)]
    parts = [rows[start:end] for start, end in pairwise(edges)] if rows else []
    windows = tuple(
        Window(
            part[0][0],
            part[-1][0],
            clustered_share([float(agreed) for _, agreed, _ in part], [answer for *_, answer in part], confidence),
        )
        for part in parts
    )
    answers = [answer for *_, answer in rows]
    agreed = sum(agreed for _, agreed, _ in rows)
    if len(rows) < 2 * PER_WINDOW or len(set(answers)) < FEW_ANSWERS:
        return Drift(windows, len(rows), "too_few")
    if agreed in (0, len(rows)):
        return Drift(windows, len(rows), "no_variation")
    slope, p = _trend([float(agreed) for _, agreed, _ in rows], answers)
    told = p < beyond(confidence)
    return Drift(windows, len(rows), ("rose" if slope > 0 else "fell") if told else "none", p)


def _trend(agreed: Sequence[float], answers: Sequence[object]) -> tuple[float, float]:
    """(covariance with the place in the order, two-sided p)."""
    import numpy as np
    from scipy.special import stdtr

    values, numbers = np.asarray(agreed), np.asarray(group_numbers(answers), dtype=int)
    places = np.linspace(-1.0, 1.0, len(values))
    parts = places * (values - values.mean())
    count = int(numbers.max()) + 1
    independent = values.var(ddof=1) * (places**2).sum()
    clustered = (np.bincount(numbers, weights=parts) ** 2).sum() * count / (count - 1)
    slope = float(parts.sum())
    return slope, float(2 * stdtr(count - 1, -abs(slope) / np.sqrt(max(independent, clustered))))
