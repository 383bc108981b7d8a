"""Many judge calls at once: concurrency, waiting and retries, on one long-lived event loop per process.

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
from collections import deque
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from audits.judges import build_judge, resolve
from audits.judges.base import (
    STOP_JUDGE,
    Fault,
    Judge,
    JudgeError,
    JudgeSpec,
    Reply,
    Task,
    Usage,
)
from audits.judges.prompting import build_prompt, request_hash
from audits.patience import Patience, Policy

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Ask:
    """One question to one judge. key: whatever the caller knows it by. concurrency: calls at once of this judge_key.

    The concurrency of a judge_key within a flow is that of its first ask.
    """

    key: Any
    judge_key: str
    spec: JudgeSpec
    task: Task
    concurrency: int = 8
    replicate: int = 0


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

    limit: int
    waiting: deque[Ask] = field(default_factory=deque)
    running: int = 0
    not_before: float = 0.0  # loop time; a vendor's "come back later" holds for the whole judge
    dead: JudgeError | None = None
    ended: asyncio.Event = field(default_factory=asyncio.Event)


class Flow:
    """One user's asks and their events. Its methods may be called from any thread, drain from one at a time."""

    def __init__(self, engine: "Engine", policy: Policy) -> None:
        self._engine = engine
        self._policy = policy
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
        with self._lock:
            self._outstanding += len(batch)
        self._engine.call(self._enqueue, batch)

    def drain(self, timeout: float = 0.0) -> list[Attempt | Outcome]:
        """Events so far, in order; waits up to timeout seconds for the first one. Every event is given out once."""
        events: list[Attempt | Outcome] = []
        try:
            events.append(self._events.get(timeout=timeout) if timeout > 0 else self._events.get_nowait())
            while True:
                events.append(self._events.get_nowait())
        except queue.Empty:
            pass
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
            lane = self._lanes.setdefault(ask.judge_key, _Lane(max(1, ask.concurrency)))
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
                self._drop(len(lane.waiting))
                lane.waiting.clear()
                lane.ended.set()

    def _drop(self, count: int) -> None:
        with self._lock:
            self._outstanding -= count

    def _pump(self, lane: _Lane) -> None:
        while lane.waiting and lane.running < lane.limit:
            lane.running += 1
            self._engine.spawn(self._carry_out(lane.waiting.popleft(), lane))

    async def _carry_out(self, ask: Ask, lane: _Lane) -> None:
        attempts: list[Attempt] = []
        reply: Reply | None = None
        try:
            reply, error = await self._pursue(ask, lane, attempts)
        except Exception as exception:  # a fault of ours must not leave the caller waiting for ever
            log.error("An ask ended with %s", type(exception).__name__)
            error = JudgeError(Fault.SERVER, f"The call could not be made ({type(exception).__name__}).")
        if reply is None and error is None:  # stopped before its first call
            self._drop(1)
        else:
            self._events.put(Outcome(ask, reply, error, tuple(attempts)))
        if error is not None and error.fault in STOP_JUDGE and lane.dead is None:
            self._bury(ask.judge_key, lane, error)
        lane.running -= 1
        self._pump(lane)

    def _bury(self, judge_key: str, lane: _Lane, error: JudgeError) -> None:
        """End a lane whose judge cannot work. Later asks get a new one: someone may have mended it."""
        lane.dead = error
        lane.ended.set()
        while lane.waiting:
            self._events.put(Outcome(lane.waiting.popleft(), None, error, ()))
        if self._lanes.get(judge_key) is lane:
            del self._lanes[judge_key]

    async def _pursue(self, ask: Ask, lane: _Lane, attempts: list[Attempt]) -> tuple[Reply | None, JudgeError | None]:
        try:
            judge = self._engine.judge(ask.spec)
        except JudgeError as error:  # nothing was sent, so there is no attempt
            return None, error
        patience = Patience(self._policy, ask.task, ask.spec.max_tokens)
        last: JudgeError | None = None
        while True:
            if not await self._turn(lane):
                return None, lane.dead or last
            result = await self._attempt(ask, judge, patience.max_tokens, attempts)
            if isinstance(result, Reply):
                if not patience.after_reply(result):
                    return result, None
                continue
            last = result
            pause = patience.after_error(result)
            if pause is None:
                kept = patience.instead_of(result)
                return kept, None if kept is not None else result
            if result.retry_after:
                lane.not_before = max(lane.not_before, asyncio.get_running_loop().time() + result.retry_after)
            await self._pause(lane, pause)

    async def _turn(self, lane: _Lane) -> bool:
        """Wait until the judge takes calls again; False when it has ended."""
        while not lane.ended.is_set():
            pause = lane.not_before - asyncio.get_running_loop().time()
            if pause <= 0:
                return True
            await self._pause(lane, pause)
        return False

    async def _pause(self, lane: _Lane, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await lane.ended.wait()
        except TimeoutError:
            pass

    async def _attempt(
        self, ask: Ask, judge: Judge, max_tokens: int | None, attempts: list[Attempt]
    ) -> Reply | JudgeError:
        prompt = build_prompt(ask.task)
        started, clock = datetime.now(UTC), time.monotonic()
        result: Reply | JudgeError
        try:
            result = await judge.complete(ask.task, max_tokens=max_tokens)
        except JudgeError as error:
            result = error
        except Exception as exception:  # the judge's own fault; its words may hold a key, so only its type is told
            log.error("Judge %s failed with %s", ask.spec.name, type(exception).__name__)
            result = JudgeError(Fault.SERVER, f"The judge failed ({type(exception).__name__}).")
        failed = result if isinstance(result, JudgeError) else None
        attempt = Attempt(
            ask=ask,
            number=len(attempts) + 1,
            started=started,
            latency=result.latency or time.monotonic() - clock,
            outcome=failed.fault.value if failed else "ok",
            message=failed.message if failed else "",
            status=failed.status if failed else 200,
            reply=None if isinstance(result, JudgeError) else result,
            usage=result.usage,
            request_id=result.request_id,
            prompt_version=prompt.version,
            prompt_hash=prompt.hash,
            request_hash=request_hash(ask.spec, prompt, ask.replicate),
        )
        attempts.append(attempt)
        self._events.put(attempt)
        return result


class Engine:
    """The event loop, in a thread of its own, and the judges that live on it. Use engine_for_process()."""

    def __init__(self, build: Callable[[JudgeSpec], Judge] = build_judge) -> None:
        self._build = build
        self._judges: dict[str, Judge] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="judges", daemon=True)
        self._thread.start()

    def flow(self, policy: Policy | None = None) -> Flow:
        """A new user of this engine: one per audit run or thread."""
        return Flow(self, policy or Policy())

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
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for judge in self._judges.values():
            await judge.close()
        self._judges.clear()
        await asyncio.sleep(0)  # lets transports finish closing
        await self._loop.shutdown_asyncgens()


_engine: Engine | None = None
_lock = threading.Lock()
_inherited: list[
    Engine | None
] = []  # kept alive in a forked child: to collect one would disturb the parent's sockets


def engine_for_process() -> Engine:
    """The engine of this process, started by the first caller. A forked child gets its own."""
    global _engine
    with _lock:
        if _engine is None:
            _engine = Engine()
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
