"""What the tests of shared limits have in common: calls at once, a count of those in flight, waiting for a state."""

import asyncio
import random
import time
from collections.abc import Callable

from audits.judges.base import Fault
from audits.limits import Limiter
from audits.limits.shares import Pace

PACE = Pace(interval=0.1, hurry=0.03, gap=0.005, idle=0.05, lease=2.0, timeout=0.4)  # quicker than usual
DEADLINE = 60  # seconds until a test gives up; none waits that long when all is well


async def until(what: Callable[[], bool], message: str) -> None:
    """Let others run until a condition holds."""
    end = time.monotonic() + DEADLINE
    while not what():
        assert time.monotonic() < end, message
        await asyncio.sleep(0.005)


class Vendor:
    """Takes calls of many limiters and counts those in flight at a time."""

    def __init__(self, seed: int = 1) -> None:
        self.now: dict[Limiter, int] = {}
        self.most = 0
        self.answered = 0
        self.began: list[tuple[float, int]] = []  # time and tokens of each call
        self.held: asyncio.Event | None = None  # while set and clear, no call ends
        self._chance = random.Random(seed)

    @property
    def in_flight(self) -> int:
        return sum(self.now.values())

    async def call(self, limiter: Limiter, tokens: int = 0) -> None:
        await limiter.acquire(tokens)
        latency = 0.005 + 0.02 * self._chance.random()
        self.began.append((time.monotonic(), tokens))
        self.now[limiter] = self.now.get(limiter, 0) + 1
        self.most = max(self.most, self.in_flight)
        try:
            await asyncio.sleep(latency)
            if self.held is not None:
                await self.held.wait()
            self.answered += 1
        finally:
            self.now[limiter] -= 1
            limiter.release(fault=None, latency=latency)

    async def serve(self, limiter: Limiter, calls: int, tokens: int = 0) -> None:
        """A number of calls, all asked for at once."""
        await asyncio.gather(*(self.call(limiter, tokens) for _ in range(calls)))


async def fail(limiter: Limiter, fault: Fault, retry_after: float | None = None) -> None:
    """One call that fails."""
    await limiter.acquire(0)
    limiter.release(fault=fault, latency=0.01, retry_after=retry_after)
