"""The limiter of one process: who waits, in order, and what they wait for. With asyncio, without Redis."""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

from audits.judges.base import Fault
from audits.limits.adaptive import Adaptive
from audits.limits.base import TUNING, Limits, LimitState, Tuning
from audits.limits.buckets import Budgets
from audits.limits.estimates import Estimates

SOONEST = 0.001  # seconds; a timer may ring a little early by the other clock


class Grants(Protocol):
    """Where places and budgets come from. `running` is the number of calls under way in this process."""

    control: Adaptive

    def admit(self, tokens: int, running: int, now: float) -> bool:
        """Take a place and the budget for one call, or nothing."""

    def delay(self, tokens: int, running: int, now: float) -> tuple[float, str] | None:
        """Seconds until admit() may succeed by mere waiting, and the bucket it waits for; None: by no waiting."""

    def give_back(self, requests: int, tokens: int) -> None:
        """Budget that was taken and not used; negative: used and not taken."""

    def success(self, running: int, latency: float, now: float) -> None:
        """One of `running` calls ended well."""

    def failure(self, running: int, fault: Fault, latency: float, retry_after: float | None, now: float) -> None:
        """One of `running` calls failed."""

    def change(self, limits: Limits, now: float) -> None:
        """A person set other limits."""


class Own:
    """Grants of a process that asks nobody."""

    def __init__(self, limits: Limits, tuning: Tuning, now: float) -> None:
        self.control = Adaptive(limits.concurrency, tuning)
        self.budgets = Budgets(limits.rpm, limits.tpm, now)

    def admit(self, tokens: int, running: int, now: float) -> bool:
        control = self.control
        if running >= control.places or now < control.paused_until:
            return False
        return self.budgets.open or self.budgets.take(tokens, now)

    def delay(self, tokens: int, running: int, now: float) -> tuple[float, str] | None:
        if running >= self.control.places:
            return None
        wait, bucket = self.budgets.wait(tokens, now)
        pause = self.control.paused_until - now
        return (pause, "") if pause > wait else (wait, bucket)

    def give_back(self, requests: int, tokens: int) -> None:
        self.budgets.give_back(requests, tokens)

    def success(self, running: int, latency: float, now: float) -> None:
        self.control.success(now, latency, 2 * running >= self.control.places)

    def failure(self, running: int, fault: Fault, latency: float, retry_after: float | None, now: float) -> None:
        self.control.failure(now, fault, latency, retry_after)

    def change(self, limits: Limits, now: float) -> None:
        self.control.change(limits.concurrency)
        self.budgets.change(limits.rpm, limits.tpm, now)


class _Waiter:
    """Someone in acquire(). The future is done when the place is theirs."""

    __slots__ = ("future", "tokens")

    def __init__(self, tokens: int, future: "asyncio.Future[None]") -> None:
        self.tokens, self.future = tokens, future


class Limiter:
    """Asked before each call of one judge; used on one event loop only. Every acquire needs exactly one release."""

    def __init__(
        self, limits: Limits, *, tuning: Tuning = TUNING, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.limits = limits
        self.closed = False
        self._clock = clock
        self._grants: Grants = Own(limits, tuning, clock())
        self._running = 0
        self._waiters: deque[_Waiter] = deque()
        self._estimates = Estimates()
        self._timer: asyncio.TimerHandle | None = None

    def try_acquire(self, tokens: int) -> bool:
        """Take a place, a request and the tokens (an estimate) if nobody waits and all is there."""
        if self._waiters or not self._grants.admit(tokens, self._running, self._clock()):
            self._lacking()
            return False
        self._running += 1
        if self.limits.tpm:
            self._estimates.put(tokens)
        return True

    async def acquire(self, tokens: int) -> None:
        """Wait, first come first served, for a place, a request, the tokens and the end of any pause."""
        if self.try_acquire(tokens):
            return
        waiter = _Waiter(tokens, asyncio.get_running_loop().create_future())
        self._waiters.append(waiter)
        self._wake()
        try:
            await waiter.future
        except asyncio.CancelledError:
            self._abandon(waiter)
            raise
        if self.limits.tpm:
            self._estimates.put(tokens)

    def release(
        self, *, fault: Fault | None, latency: float, retry_after: float | None = None, tokens: int | None = None
    ) -> None:
        """A call ended. latency: its seconds; 0 when it was given up half-way. retry_after: the vendor's, in seconds.

        tokens: what it really used; None: the estimate stands. The estimate corrected is that of this task's acquire,
        or the oldest one when this task has none.
        """
        now, running = self._clock(), self._running
        self._running = max(0, running - 1)
        if fault is None:
            self._grants.success(running, latency, now)
        else:
            self._grants.failure(running, fault, latency, retry_after, now)
        if self._estimates:
            estimate = self._estimates.pop()
            if tokens is not None and tokens != estimate:
                self._grants.give_back(0, estimate - tokens)
        if self._waiters:
            self._wake()

    def state(self) -> LimitState:
        """How things stand, for people."""
        control, now = self._grants.control, self._clock()
        reason, wait = control.reason, control.paused_until - now
        if wait <= 0:
            reason = reason if control.places < self.limits.concurrency else ""
            delay = self._grants.delay(self._waiters[0].tokens, self._running, now) if self._waiters else None
            if delay is not None and delay[1]:
                wait, reason = delay
        resumes_at = time.time() + wait if wait > 0 else None
        return LimitState(control.places, self.limits.concurrency, self._running_everywhere(), reason, resumes_at)

    def change(self, limits: Limits) -> None:
        """A person set other limits; they hold from now on. Calls under way are not touched."""
        self.limits = limits
        self._grants.change(limits, self._clock())
        if not limits.tpm:
            self._estimates = Estimates()
        self._wake()

    async def close(self) -> None:
        """Give back what others could use. Who still waits or calls is served, in this process alone."""
        self.closed = True

    def _running_everywhere(self) -> int:
        return self._running

    def _lacking(self) -> None:
        """Somebody was refused or waits."""

    def _wake(self) -> None:
        """Let in who can be let in, from the head of the queue, and set the timer for the next one."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        while self._waiters:
            head = self._waiters[0]
            if not head.future.done():  # else: cancelled, and about to leave by itself
                now = self._clock()
                if not self._grants.admit(head.tokens, self._running, now):
                    self._set_timer(self._grants.delay(head.tokens, self._running, now), head)
                    self._lacking()
                    return
                self._running += 1
                head.future.set_result(None)
            self._waiters.popleft()

    def _set_timer(self, delay: tuple[float, str] | None, head: _Waiter) -> None:
        if delay is not None:
            self._timer = head.future.get_loop().call_later(max(SOONEST, delay[0]), self._wake)

    def _abandon(self, waiter: _Waiter) -> None:
        """Undo the wait of a cancelled task, which may already have been let in."""
        if waiter.future.cancelled():
            with suppress(ValueError):
                self._waiters.remove(waiter)
        else:
            self._running -= 1
            self._grants.give_back(1, waiter.tokens)
        self._wake()
