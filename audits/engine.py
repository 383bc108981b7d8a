"""Many judge calls at once: limits, waiting and retries, on one long-lived event loop per process.

A caller opens a Flow, submits asks and drains events: an Attempt for every single call as it happens, failures
included (the ledger's rows), and one Outcome for each ask at its end.
"""

import asyncio
import atexit
import json
import logging
import os
import queue
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Coroutine, Hashable, Iterable
from concurrent.futures import wait
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, TypeVar

from audits.judges import build_judge, resolve
from audits.judges.base import (
    Fault,
    Judge,
    JudgeError,
    JudgeSpec,
    Prompt,
    Reply,
    Task,
    Usage,
)
from audits.judges.prompting import build_prompt, request_hash
from audits.limits import Limiter, Limits, LimitState, limiter_for
from audits.patience import Patience, Policy
from audits.purse import Purse

log = logging.getLogger(__name__)
T = TypeVar("T")


CALLS = 200  # at once in one process; beyond that Python is busy with what came back: more processes help then
WARM_GROUPS = 1000  # groups of requests whose shared beginning the vendor has seen lately


@dataclass(frozen=True)
class Ask:
    """One question to one judge. key: whatever the caller knows it by.

    judge_key: asks with the same one share the judge's limits, in this process and with others.
    prompt, request_hash: as built by the caller already; None and "": built here.
    group: asks whose requests begin alike; the first goes alone, the others follow when the vendor can have cached
    that beginning. at_most: US dollars that one call may cost, None without a budget.
    """

    key: Any
    judge_key: str
    spec: JudgeSpec
    task: Task
    limits: Limits = field(default_factory=lambda: Limits(8))
    replicate: int = 0
    prompt: Prompt | None = None
    request_hash: str = ""
    group: Hashable = None
    at_most: Decimal | None = None


@dataclass(frozen=True)
class Attempt:
    """One call to a vendor, whatever came of it."""

    ask: Ask
    number: int  # from 1 within its ask
    started: datetime  # UTC
    latency: float  # seconds
    outcome: str  # "ok" or the value of a Fault
    message: str  # for people, "" when ok
    status: int | None
    reply: Reply | None
    usage: Usage
    request_id: str
    prompt_version: str
    prompt_hash: str
    request_hash: str
    at_most: Decimal | None = None  # US dollars taken from the purse for it and not put back


@dataclass(frozen=True)
class Outcome:
    """The end of an ask: a reply (which may be truncated, refused or unreadable) or the error that ended it.

    attempts repeats the Attempt events of this ask, for reading; they have been delivered before. Empty when the
    ask failed with its judge, without a call.
    """

    ask: Ask
    reply: Reply | None
    error: JudgeError | None
    attempts: tuple[Attempt, ...]


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
        deadline = time.monotonic() + timeout
        while True:
            wait = deadline - time.monotonic()
            try:
                event = self._events.get(timeout=wait) if wait > 0 else self._events.get_nowait()
            except queue.Empty:
                break
            if not events:
                deadline = time.monotonic() + gather
            events.append(event)
            if len(events) >= enough:
                deadline = 0.0
        with self._lock:
            self._outstanding -= sum(isinstance(event, Outcome) for event in events)
        return events

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
            self._events.put(Outcome(ask, reply, error, tuple(attempts)))
        if error is not None and lane.dead is None and self._policy.ends_judge(error):
            self._bury(ask.judge_key, lane, error)
        lane.running -= 1
        lane.warmed(ask)
        self._pump(lane)

    def _bury(self, judge_key: str, lane: _Lane, error: JudgeError) -> None:
        """End a lane whose judge cannot work. Later asks get a new one: someone may have mended it."""
        lane.dead = error
        self._end(lane)
        for ask in lane.clear():
            self._events.put(Outcome(ask, None, error, ()))
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
        while True:
            if not lane.limiter.try_acquire(size // 4) and not await self._idle(
                lane, lane.limiter.acquire(size // 4)
            ):
                return None, lane.dead or last
            if not await self._idle(lane, self._engine.place()):
                lane.limiter.release(fault=None, latency=0.0, tokens=0)
                return None, lane.dead or last
            try:
                result = await self._attempt(ask, judge, prompt, patience.max_tokens, attempts, lane.limiter)
            finally:
                self._engine.leave()
            if isinstance(result, Reply):
                if not patience.after_reply(result):
                    return result, None
                continue
            last = result
            pause = patience.after_error(result)
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
        self._events.put(attempt)
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


class Engine:
    """The event loop, in a thread of its own, and the judges that live on it. Use engine_for_process()."""

    def __init__(
        self, build: Callable[[JudgeSpec], Judge] = build_judge, redis_url: str = "", calls: int = CALLS
    ) -> None:
        self._build = build
        self.calls = calls  # at once, of all judges together
        self._places = asyncio.Semaphore(calls)
        self._redis_url = redis_url
        self.closing = False
        self._judges: dict[str, Judge] = {}
        self._limiters: dict[str, Limiter] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="judges", daemon=True)
        self._thread.start()

    def flow(self, policy: Policy | None = None, purse: Purse | None = None) -> Flow:
        """A new user of this engine: one per audit run or thread. purse: money for its calls, if that is limited."""
        return Flow(self, policy or Policy(), purse)

    async def place(self) -> None:
        """Wait until this process may make one more call."""
        await self._places.acquire()

    def leave(self) -> None:
        """The call of a place has ended."""
        self._places.release()

    def limit_state(self, judge_key: str) -> LimitState | None:
        """How far a judge's limits are used now; None before its first call. From any thread."""
        limiter = self._limiters.get(judge_key)
        return limiter.state() if limiter else None

    def limiter(self, judge_key: str, limits: Limits) -> Limiter:
        """The limiter of a judge, shared by all flows; changed limits hold from now on. On the loop's thread only."""
        limiter = self._limiters.get(judge_key)
        if limiter is None:
            limiter = self._limiters[judge_key] = limiter_for(judge_key, limits, self._redis_url)
        else:
            limiter.change(limits)
        return limiter

    def close(self) -> None:
        """Abandon all calls, release all connections, end the thread."""
        if self._loop.is_closed():
            return
        asyncio.run_coroutine_threadsafe(self._shut_down(), self._loop).result(timeout=10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=10)
        self._loop.close()

    def call(self, function: Callable[..., None], *arguments: Any) -> None:
        """Run a function on the loop's thread, soon and in the order of the calls."""
        self._loop.call_soon_threadsafe(function, *arguments)

    def run(
        self, work: Coroutine[Any, Any, T], meanwhile: Callable[[], None] = lambda: None, every: float = 1.0
    ) -> T:
        """What work comes to on the loop, waited for from another thread; it ends with this call, whatever happens.

        meanwhile is called about every so many seconds; what it raises ends the work.
        """
        future = asyncio.run_coroutine_threadsafe(self._kept(work), self._loop)
        try:
            while True:
                wait([future], every)
                if future.done():
                    return future.result()
                meanwhile()
        finally:
            future.cancel()

    async def _kept(self, work: Coroutine[Any, Any, T]) -> T:
        task: Any = asyncio.current_task()
        self._tasks.add(task)
        try:
            return await work
        finally:
            self._tasks.discard(task)

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Start work on the loop and keep hold of it. On the loop's thread only."""
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def judge(self, spec: JudgeSpec) -> Judge:
        """The judge of a spec, built once for each address, key and setting. On the loop's thread only.

        Raises JudgeError (CONFIG) when it cannot be built.
        """
        resolved = resolve(spec)
        settings = [resolved.vendor, resolved.model, resolved.base_url, resolved.api_key, dict(resolved.params)]
        name = json.dumps([*settings, resolved.timeout, resolved.max_tokens], sort_keys=True, default=str)
        if name not in self._judges:
            self._judges[name] = self._build(resolved)
        return self._judges[name]

    async def _shut_down(self) -> None:
        self.closing = True
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for judge in self._judges.values():
            await judge.close()
        self._judges.clear()
        for limiter in self._limiters.values():
            await limiter.close()
        self._limiters.clear()
        await asyncio.sleep(0)  # lets transports finish closing
        await self._loop.shutdown_asyncgens()


_engine: Engine | None = None
_lock = threading.Lock()
_inherited: list[
    Engine | None
] = []  # kept alive in a forked child: to collect one would disturb the parent's sockets


def engine_for_process(redis_url: str = "", calls: int = CALLS) -> Engine:
    """The engine of this process, started by the first caller. A forked child gets its own.

    redis_url: where all processes share the limits of their judges, "" to count in this process only.
    calls: at once in this process, of all judges together.
    """
    global _engine
    with _lock:
        if _engine is None:
            _engine = Engine(redis_url=redis_url, calls=calls)
        return _engine


def _close_at_exit() -> None:
    if _engine is not None:
        _engine.close()


def _forget() -> None:
    """After a fork: the loop's thread lives in the parent only, and shared connections would swap answers."""
    global _engine, _lock
    _inherited.append(_engine)
    _engine, _lock = None, threading.Lock()


atexit.register(_close_at_exit)
os.register_at_fork(after_in_child=_forget)
