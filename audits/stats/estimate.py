"""A number that may be undefined, with its limits: the one form in which every statistic is handed on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np

ICC_FLOOR = 0.2  # assumed correlation of claims within an answer where the data cannot show more
MIN_ANSWERS = 30  # with fewer answers nothing is said about the traffic they came from

Groups: TypeAlias = "Sequence[object] | np.ndarray"  # the answer that each row belongs to


@dataclass(frozen=True)
class Estimate:
    """A value with limits.

    value: None when undefined; reason then says why, as a code ("no_claims").
    low, high: None when no limit can be stated (reason says why: "one_answer", "few_answers").
    n: the units that the value rests on. confidence: of the whole interval, so each tail has (1 - confidence) / 2.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    confidence: float
    reason: str = ""

    def complement(self) -> "Estimate":
        """The estimate of 1 - value: limits swap."""
        return Estimate(
            value=None if self.value is None else 1 - self.value,
            low=None if self.high is None else 1 - self.high,
            high=None if self.low is None else 1 - self.low,
            n=self.n,
            confidence=self.confidence,
            reason=self.reason,
        )


def undefined(reason: str, n: int = 0, confidence: float = 0.95) -> Estimate:
    """An estimate that does not exist, and the code that says why."""
    return Estimate(None, None, None, n, confidence, reason)


def tail(confidence: float) -> float:
    """Probability left in each tail of a two-sided interval. ValueError unless 0 < confidence < 1."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, not {confidence}")
    return beyond(confidence) / 2


def beyond(confidence: float) -> float:
    """Probability beyond a one-sided limit: 0.05 for 0.95, free of the rounding of 1 - 0.95."""
    return round(1 - confidence, 12)


def moved(rate: float, by: float) -> float:
    """A rate moved to its limit, within 0 and 1 and to 12 decimals, free of the rounding of sums: 0.17 and not
    0.17000000000000004, so that no decision at a threshold of 0.17 hangs on the last digit. The rate itself for 0."""
    return round(min(1.0, max(0.0, rate + by)), 12) if by else rate


def group_numbers(groups: Groups) -> "list[int] | np.ndarray":
    """Number the groups 0, 1, 2 ..., one entry per row, in order of first appearance; an array of whole numbers from
    0 on in their order."""
    if not isinstance(groups, Sequence):
        import numpy as np

        numbered: np.ndarray = (np.cumsum(np.bincount(groups) > 0) - 1)[groups]
        return numbered
    seen: dict[object, int] = {}
    return [seen.setdefault(group, len(seen)) for group in groups]
