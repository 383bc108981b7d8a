"""One user's asks on their way through the engine: lanes of judges, tries, pauses, and the events told of them."""

import asyncio
import logging
import queue
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Coroutine, Hashable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from audits.asks import Ask, Attempt, Outcome
from audits.judges.base import Fault, Judge, JudgeError, Prompt, Reply, Usage
from audits.judges.prompting import build_prompt, request_hash
from audits.limits import Limiter
from audits.patience import Patience, Policy
from audits.purse import Purse

if TYPE_CHECKING:
    from audits.engine import Engine

log = logging.getLogger(__name__)
WARM_GROUPS = 1000  # groups of requests whose shared beginning the vendor has seen lately


@dataclass
class _Lane:
    """The asks of one judge within a flow. Touched only on the loop's thread."""

    limiter: Limiter
    width: int  # asks in hand at once; how many of them may call is the limiter's business
    waiting: deque[Ask] = field(default_factory=deque)
    running: int = 0
    idle: set[asyncio.Task[None]] = field(default_factory=set)  # in hand but not calling: may be cancelled
    dead: JudgeError | None = None
    ended: bool = False
    warm: OrderedDict[Hashable, bool] = field(default_factory=OrderedDict)  # group -> its first ask has ended
    held: dict[Hashable, list[Ask]] = field(default_factory=dict)

    def next(self) -> Ask | None:
        """The next ask that need not wait for the first one of its group."""
        while self.waiting:
            ask = self.waiting.popleft()
            if ask.group is None or self.warm.get(ask.group):
                return ask
            if ask.group not in self.warm:
                self.warm[ask.group] = False
                return ask
            self.held.setdefault(ask.group, []).append(ask)
        return None

    def warmed(self, ask: Ask) -> None:
        """An ask has ended: those that waited for it go next."""
        if ask.group is None or self.warm.get(ask.group):
            return
        self.warm[ask.group] = True
        self.waiting.extendleft(reversed(self.held.pop(ask.group, [])))
        while len(self.warm) > WARM_GROUPS and next(iter(self.warm.values())):
            self.warm.popitem(last=False)

    def clear(self) -> list[Ask]:
        """Forget what waits and give it back."""
        left = [*self.waiting, *(ask for asks in self.held.values() for ask in asks)]
        self.waiting.clear()
        self.held.clear()
        return left


class Flow:
    """One user's asks and their events. Its methods may be called from any thread, drain from one at a time."""

    def __init__(self, engine: "Engine", policy: Policy, purse: Purse | None = None) -> None:
        self._engine = engine
        self._policy = policy
        self._purse = purse
        self._events: queue.SimpleQueue[Attempt | Outcome] = queue.SimpleQueue()
        self._wanted = 0  # events that drain waits for; 0: none
        self._plenty = threading.Event()  # they are there
        self._lanes: dict[str, _Lane] = {}
        self._stopped: set[str] = set()
        self._stopped_all = False
        self._lock = threading.Lock()
        self._outstanding = 0

    @property
    def outstanding(self) -> int:
        """Asks submitted whose outcome has not been drained; dropped ones do not count."""
        with self._lock:
            return self._outstanding

    def submit(self, asks: Iterable[Ask]) -> None:
        """Queue asks. Those of a judge that was stopped are dropped; one that failed is tried afresh."""
        batch = tuple(asks)
        if not batch:
            return
        with self._lock:
            self._outstanding += len(batch)
        self._engine.call(self._enqueue, batch)

    def drain(self, timeout: float = 0.0, gather: float = 0.0, enough: int = 1) -> list[Attempt | Outcome]:
        """Events so far, in order; waits up to timeout seconds for the first one. Every event is given out once.

        gather: seconds to wait for more after the first, until there are `enough`: storing many at once is cheaper.
        """
        events: list[Attempt | Outcome] = []
        with suppress(queue.Empty):
            events.append(self._events.get(timeout=timeout) if timeout > 0 else self._events.get_nowait())
            if gather > 0:
                self._gather(gather, enough - 1)
            while True:
                events.append(self._events.get_nowait())
        with self._lock:
            self._outstanding -= sum(isinstance(event, Outcome) for event in events)
        return events

    def _gather(self, seconds: float, enough: int) -> None:
        """Wait until `enough` events are there, without waking up for each of them."""
        self._plenty.clear()
        self._wanted = enough
        if self._events.qsize() < enough:
            self._plenty.wait(seconds)
        self._wanted = 0

    def _tell(self, event: Attempt | Outcome) -> None:
        """Put an event out. On the loop's thread only."""
        self._events.put(event)
        if 0 < self._wanted <= self._events.qsize():
            self._plenty.set()

    def stop(self, judge_key: str | None = None) -> None:
        """Drop what waits, of one judge or of all, without an outcome; calls in flight finish and are delivered.

        An ask pausing between two tries ends with its last error. Later asks of a stopped judge are dropped, too.
        """
        self._engine.call(self._halt, judge_key)

    def _enqueue(self, batch: tuple[Ask, ...]) -> None:
        touched = set()
        for ask in batch:
            if self._stopped_all or ask.judge_key in self._stopped:
                self._drop(1)
                continue
            lane = self._lanes.get(ask.judge_key)
            if lane is None:
                limiter = self._engine.limiter(ask.judge_key, ask.limits)
                width = min(ask.limits.concurrency, self._engine.calls)
                lane = self._lanes[ask.judge_key] = _Lane(limiter, max(1, width))
            lane.waiting.append(ask)
            touched.add(ask.judge_key)
        for judge_key in touched:
            self._pump(self._lanes[judge_key])

    def _halt(self, judge_key: str | None) -> None:
        if judge_key is None:
            self._stopped_all = True
        else:
            self._stopped.add(judge_key)
        for key, lane in self._lanes.items():
            if judge_key in (None, key):
                self._drop(len(lane.clear()))
                self._end(lane)

    def _end(self, lane: _Lane) -> None:
        lane.ended = True
        for task in tuple(lane.idle):
            task.cancel()

    def _drop(self, count: int) -> None:
        with self._lock:
            self._outstanding -= count

    def _pump(self, lane: _Lane) -> None:
        while lane.running < lane.width and (ask := lane.next()) is not None:
            lane.running += 1
            self._engine.spawn(self._carry_out(ask, lane))

    async def _carry_out(self, ask: Ask, lane: _Lane) -> None:
        attempts: list[Attempt] = []
        reply: Reply | None = None
        error: JudgeError | None
        try:
            reply, error = await self._pursue(ask, lane, attempts)
        except Exception as exception:  # a fault of ours must not leave the caller waiting for ever
            log.error("An ask ended with %s", type(exception).__name__)
            error = JudgeError(Fault.SERVER, f"The call could not be made ({type(exception).__name__}).")
        if reply is None and error is None:  # stopped before its first call
            self._drop(1)
        else:
            self._tell(Outcome(ask, reply, error, tuple(attempts)))
        if error is not None and lane.dead is None and self._policy.ends_judge(error):
            self._bury(ask.judge_key, lane, error)
        lane.running -= 1
        lane.warmed(ask)
        self._pump(lane)
        if not lane.running and not any(other.running for other in self._lanes.values()):
            self._plenty.set()  # nothing more will come

    def _bury(self, judge_key: str, lane: _Lane, error: JudgeError) -> None:
        """End a lane whose judge cannot work. Later asks get a new one: someone may have mended it."""
        lane.dead = error
        self._end(lane)
        for ask in lane.clear():
            self._tell(Outcome(ask, None, error, ()))
        if self._lanes.get(judge_key) is lane:
            del self._lanes[judge_key]

    async def _pursue(self, ask: Ask, lane: _Lane, attempts: list[Attempt]) -> tuple[Reply | None, JudgeError | None]:
        try:
            judge = self._engine.judge(ask.spec)
        except JudgeError as error:  # nothing was sent, so there is no attempt
            return None, error
        prompt = ask.prompt or build_prompt(ask.task)
        size = len(prompt.system) + len(prompt.prefix) + len(prompt.suffix)
        patience = Patience(self._policy, ask.task, ask.spec.max_tokens)
        last: JudgeError | None = None
        began: float | None = None  # the first try
        while True:
            if not lane.limiter.try_acquire(size // 4) and not await self._idle(
                lane, lane.limiter.acquire(size // 4)
            ):
                return None, lane.dead or last
            if not await self._idle(lane, self._engine.place()):
                lane.limiter.release(fault=None, latency=0.0, tokens=0)
                return None, lane.dead or last
            began = began or time.monotonic()
            try:
                result = await self._attempt(ask, judge, prompt, patience.max_tokens, attempts, lane.limiter)
            finally:
                self._engine.leave()
            if isinstance(result, Reply):
                if not patience.after_reply(result):
                    return result, None
                continue
            last = result
            pause = patience.after_error(result, time.monotonic() - began)
            if pause is None:
                kept = patience.instead_of(result)
                return kept, None if kept is not None else result
            if not await self._idle(lane, asyncio.sleep(pause)):
                return None, lane.dead or last

    async def _idle(self, lane: _Lane, waiting: Coroutine[Any, Any, None]) -> bool:
        """Wait for something that is not a call; False when the lane has ended meanwhile."""
        if lane.ended:
            waiting.close()
            return False
        task = asyncio.current_task()
        assert task is not None
        lane.idle.add(task)
        try:
            await waiting
        except asyncio.CancelledError:
            if not lane.ended or self._engine.closing:
                raise
            return False
        finally:
            lane.idle.discard(task)
        return True

    async def _attempt(
        self,
        ask: Ask,
        judge: Judge,
        prompt: Prompt,
        max_tokens: int | None,
        attempts: list[Attempt],
        limiter: Limiter,
    ) -> Reply | JudgeError:
        wider = max(1, (max_tokens or 0) // ask.spec.max_tokens)
        held = ask.at_most * wider if ask.at_most is not None else None
        if held is not None and self._purse is not None and not self._purse.take(held):
            limiter.release(fault=None, latency=0.0, tokens=0)
            return JudgeError(Fault.BUDGET, "The budget does not allow this call.")
        started, clock = datetime.now(UTC), time.monotonic()
        result = await self._complete(ask, judge, prompt, max_tokens)
        latency = result.latency or time.monotonic() - clock
        failed = result if isinstance(result, JudgeError) else None
        limiter.release(
            fault=failed.fault if failed else None,
            latency=latency,
            retry_after=self._policy.pause_of(failed) if failed else None,
            tokens=_used(result.usage),
        )
        if held is not None and failed is not None and (failed.status or 0) >= 400 and self._purse is not None:
            self._purse.put(held)  # a request that the vendor turned down is not billed
            held = None
        attempt = Attempt(
            ask=ask,
            number=len(attempts) + 1,
            started=started,
            latency=latency,
            outcome=failed.fault.value if failed else "ok",
            message=failed.message if failed else "",
            status=failed.status if failed else 200,
            reply=None if isinstance(result, JudgeError) else result,
            usage=result.usage,
            request_id=result.request_id,
            prompt_version=prompt.version,
            prompt_hash=prompt.hash,
            request_hash=ask.request_hash or request_hash(ask.spec, prompt, ask.replicate),
            at_most=held,
        )
        attempts.append(attempt)
        self._tell(attempt)
        return result

    async def _complete(self, ask: Ask, judge: Judge, prompt: Prompt, max_tokens: int | None) -> Reply | JudgeError:
        try:
            return await judge.complete(ask.task, prompt=prompt, max_tokens=max_tokens)
        except JudgeError as error:
            return error
        except Exception as exception:  # the judge's own fault; its words may hold a key, so only its type is told
            log.error("Judge %s failed with %s", ask.spec.name, type(exception).__name__)
            return JudgeError(Fault.SERVER, f"The judge failed ({type(exception).__name__}).")


def _used(usage: Usage) -> int | None:
    """Tokens of one call, None when the vendor did not say."""
    if usage.tokens_in is None and usage.tokens_out is None:
        return None
    return (usage.tokens_in or 0) + (usage.tokens_out or 0)
