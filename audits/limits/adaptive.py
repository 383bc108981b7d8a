"""How many calls at a time a vendor bears, learnt from what comes back (AIMD): no I/O, the clock is passed in.

It starts at the ceiling. A rejection (429, 503, 529) or a time-out halves the level, once per round trip: calls that
were under way at the last cut say nothing new, and rejections come back quicker than answers, so a cut also holds for
the usual time of an answer. After a rejection that names no pause everybody takes a breath of one round trip.
Retry-After pauses the whole judge; after it the level starts at 1 and doubles per round up to half of where it was.
Otherwise it rises by 1 per full round of successes. Latency (latency.py) lowers it by a tenth per slow block.
"""

from audits.judges.base import Fault
from audits.limits.base import TUNING, Tuning
from audits.limits.latency import LatencyWatch

LATENCY = "latency"
REJECTIONS = frozenset({Fault.RATE_LIMIT, Fault.OVERLOADED})
SIGNALS = REJECTIONS | {Fault.TIMEOUT}
_SMOOTH = 0.2  # weight of the newest call in the usual time of an answer
_NEVER = float("-inf")


class Adaptive:
    """The level of one judge. Every `now` is of one monotonic clock, in seconds."""

    def __init__(self, ceiling: int, tuning: Tuning = TUNING) -> None:
        self.ceiling = max(1, ceiling)
        self.level = float(self.ceiling)
        self.places = self.ceiling  # the level as a whole number of calls
        self.threshold = 0.0  # below it the level doubles per round, above it creeps
        self.cut_at = self.eased_at = _NEVER
        self.paused_until = _NEVER
        self.cuts = 0
        self.reason = ""
        self.slow = False
        self.round_trip = 0.0  # seconds; 0: not known yet
        self._tuning = tuning
        self._watch = LatencyWatch(tuning)

    def success(self, now: float, latency: float, busy: bool) -> None:
        """A call came back well after latency seconds; 0 or less: it was given up and says nothing.

        busy: whether the calls allowed are mostly in use; an idle judge proves nothing.
        """
        if latency <= 0:
            return
        self.round_trip += (latency - self.round_trip) * _SMOOTH if self.round_trip else latency
        if now - latency < max(self.cut_at, self.eased_at):
            return
        slow = self._watch.add(latency, self.places)
        if slow is not None:
            self.slow = slow
        if slow:
            self._ease(now)
        elif busy and not self.slow and self.level < self.ceiling:
            self._set(self.level + (1.0 if self.level < self.threshold else 1.0 / self.places))

    def failure(self, now: float, fault: Fault, latency: float, retry_after: float | None = None) -> bool:
        """A call failed after latency seconds. True: the level was cut or the judge paused."""
        fresh = now - max(latency, 0.0) >= self.cut_at and now - self.cut_at >= self.answer_time
        signal = fault in SIGNALS and fresh
        if signal:
            self._cut(now, fault)
        if retry_after is not None and retry_after > 0:
            self._pause(now, fault, retry_after, signal)
            return True
        if signal and fault in REJECTIONS:
            self.paused_until = max(self.paused_until, now + min(self.answer_time, self._tuning.longest_breath))
        return signal

    def change(self, ceiling: int) -> None:
        """A person set another ceiling. A level that was cut goes on from where it is."""
        whole = self.level >= self.ceiling
        self.ceiling = max(1, ceiling)
        self._set(float(self.ceiling) if whole else self.level)

    def adopt(self, level: float, threshold: float, reason: str) -> None:
        """Take over what another process found out."""
        self.threshold = threshold
        self._set(level)
        self.reason = reason

    @property
    def answer_time(self) -> float:
        """The usual seconds until an answer."""
        return self.round_trip or self._tuning.first_round

    def _cut(self, now: float, fault: Fault) -> None:
        self.threshold = max(1.0, self.level / 2)
        self._set(self.threshold)
        self.cut_at, self.reason, self.slow = now, fault.value, False
        self.cuts += 1
        self._watch.begin_anew()

    def _pause(self, now: float, fault: Fault, seconds: float, cut: bool) -> None:
        if not cut:  # of several calls that failed together the first one set the threshold
            self.threshold = max(self.threshold, self.level)
        self._set(1.0)
        self.cut_at, self.reason = now, fault.value
        self.paused_until = max(self.paused_until, now + min(seconds, self._tuning.longest_pause))
        self._watch.begin_anew()

    def _ease(self, now: float) -> None:
        floor = min(self.level, max(1.0, self.ceiling * self._tuning.ease_floor))
        self._set(max(floor, self.level * self._tuning.ease))
        self.eased_at = now
        if self.level < self.ceiling:
            self.reason = LATENCY

    def _set(self, level: float) -> None:
        self.level = min(float(self.ceiling), max(1.0, level))
        self.places = int(self.level + 1e-9)
        if self.level >= self.ceiling:
            self.reason = ""
