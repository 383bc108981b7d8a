"""Whether a vendor has become far slower than usual, told from blocks of calls: no clock, no I/O.

Single slow calls and the mixture of short and long ones are natural. So whole blocks of calls (at least a full
round) are compared with the usual: the median over the last 32 blocks of their medians and 90th percentiles, which
moves to a new level only after about 16 blocks have shown it. A block is slow when

- its median lies above twice the usual median, and
- above 1.5 times the usual 90th percentile (half the calls take longer than nine of ten used to), and
- a second or more above the usual median (smaller differences come from our own machine), and
- its 10th percentile lies above the usual median (even its quick calls are slow, not just most).
"""

from collections import deque
from statistics import median

from audits.limits.base import Tuning


def percentile(ordered: list[float], share: float) -> float:
    """The value below which about that share of an ordered, not empty list lies (nearest rank)."""
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


class LatencyWatch:
    """Collects the latencies of successful calls in blocks."""

    def __init__(self, tuning: Tuning) -> None:
        self._tuning = tuning
        self._block: list[float] = []
        self._medians: deque[float] = deque(maxlen=tuning.history)
        self._tails: deque[float] = deque(maxlen=tuning.history)

    def add(self, latency: float, round_size: int) -> bool | None:
        """Take a latency in seconds. At the end of a block: whether it was slow; otherwise None."""
        self._block.append(latency)
        if len(self._block) < self._tuning.block or len(self._block) < round_size:
            return None
        ordered = sorted(self._block)
        self._block = []
        slow = self._is_slow(ordered)
        self._medians.append(median(ordered))
        self._tails.append(percentile(ordered, 0.9))
        return slow

    def begin_anew(self) -> None:
        """Forget the open block: its calls belong to the time before a change."""
        self._block = []

    def _is_slow(self, ordered: list[float]) -> bool:
        if len(self._medians) < self._tuning.known:
            return False
        usual, tail, middle = median(self._medians), median(self._tails), median(ordered)
        far = max(self._tuning.rise * usual, self._tuning.beyond * tail, usual + self._tuning.slack)
        return middle > far and percentile(ordered, 0.1) > usual
