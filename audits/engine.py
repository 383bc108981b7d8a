"""Many judge calls at once, on one long-lived event loop per process, with judges that live as long as it.

A caller opens a Flow, submits asks and drains events: an Attempt for every single call as it happens, failures
included (the ledger's rows), and one Outcome for each ask at its end.
"""

import asyncio
import atexit
import json
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import wait
from typing import Any, TypeVar

from audits.flow import Flow
from audits.judges import build_judge, resolve
from audits.judges.base import Judge, JudgeSpec
from audits.limits import Limiter, Limits, LimitState, limiter_for
from audits.patience import Policy
from audits.purse import Purse

T = TypeVar("T")
KNOWN = 100  # specs that are remembered with their judges
CALLS = 200  # at once in one process; beyond that Python is busy with what came back: more processes help then


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
        self._known: dict[int, tuple[JudgeSpec, Judge]] = {}  # id of a spec -> itself, and its judge
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
        limiter = self._limiters[judge_key] = limiter_for(judge_key, limits, self._redis_url)
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
        known = self._known.get(id(spec))
        if known is not None and known[0] is spec:
            return known[1]
        if len(self._known) > KNOWN:
            self._known.clear()
        judge = self._resolved(spec)
        self._known[id(spec)] = (spec, judge)
        return judge

    def _resolved(self, spec: JudgeSpec) -> Judge:
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
        self._known.clear()
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
