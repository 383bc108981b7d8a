"""The limiter whose limits all worker processes share through Redis. Without Redis it goes on with its last share."""

import asyncio
import hashlib
import json
import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from audits.judges.base import Fault
from audits.limits.base import TUNING, Limits, Tuning
from audits.limits.local import Limiter, Own
from audits.limits.shares import PACE, Pace, Shares

log = logging.getLogger(__name__)
PREFIX = "assay:limit:"
_NEVER = float("-inf")
EXCHANGE = Path(__file__).with_name("exchange.lua").read_text(encoding="utf-8")


class SharedLimiter(Limiter):
    """A Limiter with a keeper: a task that exchanges reports with Redis while there is anything to do."""

    def __init__(
        self,
        key: str,
        limits: Limits,
        redis_url: str,
        *,
        tuning: Tuning = TUNING,
        pace: Pace = PACE,
        clock: Callable[[], float] = time.monotonic,
        prefix: str = PREFIX,
    ) -> None:
        super().__init__(limits, tuning=tuning, clock=clock)
        self.name = prefix + hashlib.sha256(key.encode()).hexdigest()[:32]
        self._url, self._tuning, self._pace = redis_url, tuning, pace
        self._shares = Shares(limits, tuning, pace, clock())
        self._grants = self._shares
        self._keeper: asyncio.Task[None] | None = None
        self._news = asyncio.Event()
        self._planned = _NEVER  # when the keeper will report; _NEVER: it is about to, or at it
        self._own: Own | None = None  # grants while Redis is away
        self._retry_at = _NEVER
        self._client: Redis | None = None
        self._exchange: Any = None

    def try_acquire(self, tokens: int) -> bool:
        """As Limiter.try_acquire: out of this process's share, without a round trip."""
        if super().try_acquire(tokens):
            return True
        self._consider()
        return False

    def release(
        self, *, fault: Fault | None, latency: float, retry_after: float | None = None, tokens: int | None = None
    ) -> None:
        """As Limiter.release; what other processes should know is told soon."""
        super().release(fault=fault, latency=latency, retry_after=retry_after, tokens=tokens)
        self._consider()

    def change(self, limits: Limits) -> None:
        """As Limiter.change, for all processes: the newest change by anybody holds."""
        self._shares.change(limits, self._clock())
        super().change(self._shares.alone() if self._own is not None else limits)
        self.limits = limits
        self._consider()

    async def close(self) -> None:
        """Give the places back and end the connection. Who still waits is served in this process alone."""
        if self.closed:
            return
        self.closed = True
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.wait([self._keeper])
        reached = self._own is None and self._exchange is not None
        self._go_alone()
        self._wake()
        try:
            async with asyncio.timeout(self._pace.timeout):
                if reached:
                    await self._send(self._shares.farewell(self._clock()))
                if self._client is not None:
                    await self._client.aclose()
        except Exception as error:  # its lease ends by itself
            log.debug("Closing the shared limits %s failed: %s", self.name, type(error).__name__)

    def _running_everywhere(self) -> int:
        return self._running + (self._shares.others_running if self._own is None else 0)

    def _lacking(self) -> None:
        self._shares.refused()

    def _wake(self) -> None:
        super()._wake()
        if self._waiters:
            self._consider()

    def _consider(self) -> None:
        """See that the keeper is at work, and rouse it when a report is due earlier than it planned."""
        if self.closed:
            return
        if self._keeper is None:
            try:
                self._keeper = asyncio.get_running_loop().create_task(self._keep())
            except RuntimeError:  # outside the loop there is nobody to report
                return
            self._planned = _NEVER
        elif self._due() < self._planned - self._pace.gap:
            self._news.set()

    def _due(self) -> float:
        if self._own is not None:
            return self._retry_at
        head = self._waiters[0].tokens if self._waiters else 0
        return self._shares.due(self._running, len(self._waiters), head, self._clock())

    async def _keep(self) -> None:
        try:
            while not self.closed:
                await self._until_due()
                await self._meet()
                if self._own is None and not (self._running or self._waiters or self._shares.share):
                    return
        finally:
            self._keeper = None

    async def _until_due(self) -> None:
        while True:
            self._news.clear()
            self._planned = self._due()
            wait = self._planned - self._clock()
            if wait <= 0:
                self._planned = _NEVER
                return
            try:
                async with asyncio.timeout(wait):
                    await self._news.wait()
            except TimeoutError:
                continue

    async def _meet(self) -> None:
        """One exchange. Whatever goes wrong, the calls go on."""
        shares, own = self._shares, self._own
        try:
            if own is not None:
                shares.resume(max(own.control.ceiling, self._running), own.control.paused_until, self._clock())
            head = self._waiters[0].tokens if self._waiters else 0
            report = shares.report(self._running, len(self._waiters), head, self._clock())
            async with asyncio.timeout(self._pace.timeout):
                reply = await self._send(report)
            shares.apply(reply, report["leaving"], self._running, self._clock())
        except Exception as error:
            self._lose(error)
        else:
            self._regain()
        self._wake()

    async def _send(self, report: dict[str, Any]) -> dict[str, Any]:
        if self._exchange is None:
            self._client = Redis.from_url(
                self._url,
                # The limit of time is around the whole exchange. Those of the client use asyncio.wait_for, which in
                # Python 3.11 can swallow a cancellation.
                socket_timeout=None,
                socket_connect_timeout=None,
                protocol=2,
                retry=Retry(NoBackoff(), 1),  # a connection cut while idle; a repeated report changes nothing
            )
            self._exchange = self._client.register_script(EXCHANGE)
        answer = await self._exchange(keys=[self.name], args=[json.dumps(report)])
        reply: dict[str, Any] = json.loads(answer)
        return reply

    def _lose(self, error: Exception) -> None:
        if self._own is None:
            self._go_alone()
            # Only the type: the words of an error may hold the address with its password.
            log.warning("Redis is away (%s); %s goes on with its last share.", type(error).__name__, self.name)
        self._retry_at = self._clock() + self._pace.interval

    def _go_alone(self) -> None:
        now = self._clock()
        own = Own(self._shares.alone(), self._tuning, now)
        own.control.paused_until = self._shares.control.paused_until
        own.control.reason = self._shares.control.reason
        self._own = self._grants = own

    def _regain(self) -> None:
        if self._own is not None:
            log.info("Redis is back; %s is shared again.", self.name)
            self._own, self._grants = None, self._shares
        self.limits = self._shares.limits
