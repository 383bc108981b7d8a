"""What one worker process holds of a judge's shared limits, and what it tells and is told: no I/O, clock passed in.

A process holds a share: places it may fill without asking. It reports at least once a second (report), and is told
(apply) its share and its fair target. A share above the target shrinks as calls end. The lease of a share ends
before the server's, so a process that stood still starts nothing on places that others may have by now. Requests and
tokens per minute are held as a small stock, fetched ahead and for the head of the queue; what is not used goes back.
The level is the server's; the controller here is a copy that reacts at once and reports what it saw.
"""

import secrets
from dataclasses import asdict, dataclass
from typing import Any

from audits.judges.base import Fault
from audits.limits.adaptive import Adaptive
from audits.limits.base import Limits, Tuning
from audits.limits.stock import Demand, Stock

_NEVER = float("-inf")
LEAST_WISH = 4  # places asked for by a process that lacks any, so that it need not come back for each


@dataclass(frozen=True)
class Pace:
    """How often processes speak to Redis. Seconds."""

    interval: float = 1.0  # between reports
    hurry: float = 0.25  # between reports while places are due to it or to others
    gap: float = 0.02  # between reports at the least
    idle: float = 0.5  # after that long without a call everything is given back
    lease: float = 4.0  # after that long without a report a process counts as dead
    timeout: float = 1.0  # for one exchange
    forget: float = 600.0  # after that long without any report the judge's keys expire


PACE = Pace()


@dataclass
class Signals:
    """What the calls told since the last report."""

    grown: float = 0.0
    cut: bool = False
    began: float = 0.0  # when the call of the cut was sent
    careful: bool = False  # the vendor named a pause
    pausing: bool = False
    eased: bool = False
    fault: str = ""


class Shares:
    """Grants (local.py) out of this process's share."""

    def __init__(self, limits: Limits, tuning: Tuning, pace: Pace, now: float) -> None:
        self.limits = limits
        self.control = Adaptive(limits.concurrency, tuning)
        self.stock = Stock()
        self.share = self.target = 0
        self.valid_until = _NEVER
        self.members = 0  # processes at work, as last told; 0: never told
        self.others_running = 0
        self._tuning, self._pace = tuning, pace
        self._id, self._epoch, self._sequence = secrets.token_hex(8), "", 0
        self._signals = Signals()
        self._limits_changed = True
        self._recorded = 0  # places that the server counts as ours
        self._sent_at = self._used_at = _NEVER
        self._peak = self._asked = 0
        self._refused = False

    def admit(self, tokens: int, running: int, now: float) -> bool:
        if running >= self.share or now > self.valid_until or now < self.control.paused_until:
            return False
        limits = self.limits
        if limits.rpm or limits.tpm:
            if not self._affords(tokens) or now < self.stock.ready_at:
                return False
            self.stock.spend(1 if limits.rpm else 0, tokens if limits.tpm else 0)
        if running >= self._peak:
            self._peak = running + 1
        self._used_at = now
        return True

    def delay(self, tokens: int, running: int, now: float) -> tuple[float, str] | None:
        if running >= self.share or now > self.valid_until:
            return None
        pause, reserved = self.control.paused_until - now, self.stock.ready_at - now
        wait = (reserved, self.stock.bucket) if reserved > pause else (pause, "")
        return wait if wait[0] > 0 else None  # what is lacking without a wait comes with a report

    def give_back(self, requests: int, tokens: int) -> None:
        self.stock.spend(-requests if self.limits.rpm else 0, -tokens if self.limits.tpm else 0)

    def success(self, running: int, latency: float, now: float) -> None:
        control, signals = self.control, self._signals
        level, eased_at = control.level, control.eased_at
        control.success(now, latency, 2 * running >= self.share)
        if control.eased_at != eased_at:
            signals.eased = True
        else:
            signals.grown += control.level - level
        self._shrink(running - 1)

    def failure(self, running: int, fault: Fault, latency: float, retry_after: float | None, now: float) -> None:
        control, signals = self.control, self._signals
        cuts, paused_until = control.cuts, control.paused_until
        if control.failure(now, fault, latency, retry_after):
            if control.cuts != cuts:
                signals.cut, signals.began = True, now - max(latency, 0.0)
            signals.careful |= retry_after is not None and retry_after > 0
            signals.pausing |= control.paused_until > paused_until
            signals.fault, signals.grown = fault.value, 0.0
            self.target = max(1, self.target // 2)
        self._shrink(running - 1)

    def change(self, limits: Limits, now: float) -> None:
        self.limits, self._limits_changed = limits, True
        self.control.change(limits.concurrency)
        self.target = min(self.target, self.control.places)
        self.stock.ready_at = _NEVER  # reckoned by the old limits

    def refused(self) -> None:
        """Somebody would have liked a place and did not wait for it."""
        self._refused = True

    def due(self, running: int, waiting: int, head: int, now: float) -> float:
        """When to report next. head: tokens of the first who waits."""
        pace, soon = self._pace, self._sent_at + self._pace.gap
        wish, signals = self._wish(running, waiting), self._signals
        if signals.cut or signals.pausing or self._limits_changed or wish > self._asked:
            return soon
        if wish and now > self.valid_until:
            return soon
        if signals.grown and self.control.level <= self.control.threshold:
            return soon  # a careful restart: others wait for this news
        if waiting and running < self.share and now >= self.stock.ready_at and not self._affords(head):
            return soon
        if not (running or waiting):
            return max(soon, min(self._used_at + pace.idle, self._sent_at + pace.interval))
        if self.share < self._recorded or self.share > self.target or (waiting and self.share < self.target):
            return self._sent_at + pace.hurry
        return self._sent_at + pace.interval

    def report(self, running: int, waiting: int, head: int, now: float) -> dict[str, Any]:
        """What to tell the server, after which nothing more is used than it says. exchange.lua reads it."""
        leaving = not (running or waiting) and now >= self._used_at + self._pace.idle
        wish = 0 if leaving else self._wish(running, waiting)
        if leaving:
            self.share = self.target = 0
        demand = self._demand(running, head if waiting else None, leaving, now)
        signals, self._signals = self._signals, Signals()
        limits, control, tuning, pace = self.limits, self.control, self._tuning, self._pace
        self._sequence += 1
        report: dict[str, Any] = asdict(demand) | asdict(signals)
        report |= {"id": self._id, "seq": self._sequence, "epoch": self._epoch, "fresh": "e-" + secrets.token_hex(8)}
        report |= {"held": self.share, "want": wish, "running": running, "leaving": leaving}
        report |= {"set": self._limits_changed, "ceiling": control.ceiling}
        report |= {"rpm": limits.rpm or 0, "tpm": limits.tpm or 0}
        report |= {"level": control.level, "threshold": control.threshold, "why": control.reason}
        report |= {"ease": tuning.ease, "ease_floor": tuning.ease_floor, "round": 1000 * control.answer_time}
        report |= {"began": 1000 * (now - signals.began), "pause": 1000 * max(0.0, control.paused_until - now)}
        report |= {"lease": 1000 * pace.lease, "forget": 1000 * pace.forget}
        self._limits_changed = self._refused = False
        self._sent_at, self._asked, self._peak, self._recorded = now, wish, running, self.share
        return report

    def apply(self, reply: dict[str, Any], leaving: bool, running: int, now: float) -> None:
        """Take over what the server answered to the last report."""
        if not self._limits_changed:
            self.limits = Limits(int(reply["ceiling"]), int(reply["rpm"]) or None, int(reply["tpm"]) or None)
        self._adopt(reply, now)
        self.members, self.others_running = int(reply["members"]), int(reply["running"])
        wait = float(reply["wait"]) / 1000
        self.stock.receive(
            int(reply["requests"]), int(reply["tokens"]), now + wait if wait else _NEVER, reply["bucket"]
        )
        self._epoch = "" if leaving else str(reply["epoch"])
        self.share, self.target = (0, 0) if leaving else (int(reply["held"]), int(reply["target"]))
        self.valid_until = _NEVER if leaving else self._sent_at + 0.85 * self._pace.lease
        self._recorded = self.share
        self._shrink(running)

    def farewell(self, now: float) -> dict[str, Any]:
        """A report that gives everything back."""
        self._used_at = _NEVER
        return self.report(0, 0, 0, now)

    def resume(self, places: int, paused_until: float, now: float) -> None:
        """Contact was lost: meanwhile up to `places` were in use, and the vendor may have named a pause."""
        self.share = self.target = places
        self._used_at = now  # not to be given back in the same breath: more calls may begin until the answer
        if paused_until > self.control.paused_until:
            self.control.paused_until = paused_until
            self._signals.careful = self._signals.pausing = True
            self._signals.fault = self.control.reason

    def alone(self) -> Limits:
        """What the process allows itself without contact: its last share, else a fair part of what it knows."""
        parts = self.members or 4
        share = self.share or max(1, self.control.places // parts)
        rpm, tpm = self.limits.rpm, self.limits.tpm
        return Limits(share, rpm and max(1, rpm // parts), tpm and max(1, tpm // parts))

    def _adopt(self, reply: dict[str, Any], now: float) -> None:
        control, signals = self.control, self._signals
        if not self._limits_changed:
            control.ceiling = max(1, self.limits.concurrency)
        cut_at = now - float(reply["cut_ago"]) / 1000
        paused_until = now + float(reply["pause"]) / 1000 if reply["pause"] else _NEVER
        if signals.cut or signals.pausing:  # seen after the report; the next one tells it
            cut_at, paused_until = max(cut_at, control.cut_at), max(paused_until, control.paused_until)
        control.adopt(float(reply["level"]) + signals.grown, float(reply["threshold"]), str(reply["why"]))
        control.cut_at, control.paused_until = cut_at, paused_until

    def _demand(self, running: int, head: int | None, leaving: bool, now: float) -> Demand:
        if leaving:
            return self.stock.surrender_all()
        room = (self.share or LEAST_WISH) - running
        return self.stock.demand(head, room, now - self._sent_at, now)

    def _affords(self, tokens: int) -> bool:
        limits, stock = self.limits, self.stock
        return (not limits.rpm or stock.requests >= 1) and (not limits.tpm or stock.tokens >= tokens)

    def _wish(self, running: int, waiting: int) -> int:
        """Places wanted until the next report; doubling while there are too few, since those who wait may be many."""
        most = max(running, self._peak)
        if waiting or self._refused:
            most = max(running + waiting, 2 * most, LEAST_WISH)
        return min(self.control.ceiling, most)

    def _shrink(self, running: int) -> None:
        """Let go of places above the target that are not in use."""
        if self.share > self.target:
            self.share = max(self.target, min(self.share, running))
