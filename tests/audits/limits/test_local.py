"""The limiter of one process, on a loop whose time passes only when everybody waits."""

import asyncio
import random
import time
from typing import Any

import pytest

from audits.judges.base import Fault
from audits.limits import Limiter, Limits, LimitState
from tests.audits.limits.virtual import run


def limiter(*limits: Any, **named: Any) -> Limiter:
    return Limiter(Limits(*limits, **named), clock=asyncio.get_running_loop().time)


def now() -> float:
    return asyncio.get_running_loop().time()


def good(limiter: Limiter, tokens: int | None = None) -> None:
    limiter.release(fault=None, latency=1.0, tokens=tokens)


async def settle() -> None:
    """Let everything run that can run without time passing."""
    for _ in range(10):
        await asyncio.sleep(0)


class Queue:
    """Tasks that acquire and note who came in when."""

    def __init__(self, limiter: Limiter) -> None:
        self.limiter = limiter
        self.came: list[tuple[str, float]] = []
        self.tasks: dict[str, asyncio.Task[None]] = {}

    async def join(self, name: str, tokens: int = 0) -> None:
        async def wait() -> None:
            await self.limiter.acquire(tokens)
            self.came.append((name, now()))

        self.tasks[name] = asyncio.create_task(wait())
        await settle()

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.came]


def test_it_gives_as_many_places_as_there_are() -> None:
    async def main() -> None:
        own = limiter(3)
        assert [own.try_acquire(0) for _ in range(5)] == [True, True, True, False, False]
        assert own.state() == LimitState(now=3, wanted=3, running=3, reason="", resumes_at=None)
        good(own)
        assert own.try_acquire(0) and not own.try_acquire(0)

    run(main())


def test_who_waits_comes_in_first_come_first_served_and_before_anyone_new() -> None:
    async def main() -> None:
        own = limiter(1)
        assert own.try_acquire(0)
        queue = Queue(own)
        for name in "abc":
            await queue.join(name)
        good(own)
        assert not own.try_acquire(0)
        await settle()
        assert queue.names == ["a"]
        good(own), await settle()
        good(own), await settle()
        assert queue.names == ["a", "b", "c"]
        good(own)
        assert own.try_acquire(0)

    run(main())


def test_a_cancelled_waiter_blocks_nobody() -> None:
    async def main() -> None:
        own = limiter(1)
        assert own.try_acquire(0)
        queue = Queue(own)
        for name in "abc":
            await queue.join(name)
        queue.tasks["a"].cancel()
        await settle()
        good(own), await settle()
        assert queue.names == ["b"]
        good(own), await settle()
        assert queue.names == ["b", "c"]

    run(main())


def test_one_cancelled_in_the_moment_of_being_let_in_loses_nothing() -> None:
    async def main() -> None:
        own = limiter(1, rpm=60, tpm=60_000)
        await own.acquire(1000)
        queue = Queue(own)
        await queue.join("a", 1000)
        await queue.join("b", 1000)
        await asyncio.sleep(1.0)  # request and tokens are there again
        good(own)  # lets a in
        queue.tasks["a"].cancel()  # before its task has run
        await settle()
        assert queue.names == ["b"]
        assert queue.came[0][1] == 1.0  # what a had taken went to b at once
        assert own.state().running == 1

    run(main())


def test_cancelling_many_at_random_leaves_every_place_in_use_or_free() -> None:
    async def main(seed: int) -> None:
        chance, own, most = random.Random(seed), limiter(4, rpm=6000, tpm=600_000), 0

        async def call() -> None:
            nonlocal most
            await own.acquire(chance.randint(1, 500))
            try:
                most = max(most, own.state().running)
                await asyncio.sleep(chance.random())
            finally:
                own.release(fault=None, latency=0.0)

        tasks = [asyncio.create_task(call()) for _ in range(200)]
        for _ in range(100):
            await asyncio.sleep(chance.random() / 10)
            chance.choice(tasks).cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert (most, own.state().running) == (4, 0)
        assert [own.try_acquire(0) for _ in range(5)] == [True] * 4 + [False]

    for seed in range(5):
        run(main(seed))


def test_retry_after_holds_for_all_and_shows_when_it_ends() -> None:
    async def main() -> None:
        own = limiter(8)
        assert own.try_acquire(0) and own.try_acquire(0)
        own.release(fault=Fault.RATE_LIMIT, latency=0.1, retry_after=30.0)
        assert not own.try_acquire(0)
        state = own.state()
        assert (state.now, state.wanted, state.running, state.reason) == (1, 8, 1, "rate_limit")
        assert state.resumes_at == pytest.approx(time.time() + 30, abs=5)
        good(own)
        queue = Queue(own)
        await queue.join("a"), await queue.join("b")
        await asyncio.wait([queue.tasks["a"]])
        assert queue.came == [("a", 30.0)]  # careful: one at first
        assert own.state().resumes_at is None
        good(own), await settle()
        assert queue.names == ["a", "b"]

    run(main())


def test_a_pause_that_is_prolonged_holds_to_its_new_end() -> None:
    async def main() -> None:
        own = limiter(8)
        assert own.try_acquire(0) and own.try_acquire(0)
        own.release(fault=Fault.OVERLOADED, latency=0.1, retry_after=10.0)
        queue = Queue(own)
        await queue.join("a")
        await asyncio.sleep(5.0)
        own.release(fault=Fault.OVERLOADED, latency=5.1, retry_after=10.0)
        await asyncio.wait([queue.tasks["a"]])
        assert queue.came == [("a", 15.0)]

    run(main())


def test_a_vendor_that_bears_four_is_found_and_kept_to() -> None:
    async def main() -> None:
        own, running, peaks, rejected = limiter(16), 0, [0] * 4, 0
        work = list(range(1200))

        async def caller() -> None:
            nonlocal running, rejected
            while work:
                await own.acquire(0)
                work.pop() if work else None
                running += 1
                if running > 4:
                    rejected += 1
                    await asyncio.sleep(0.01)
                    own.release(fault=Fault.OVERLOADED, latency=0.01)
                else:
                    await asyncio.sleep(1.0)
                    own.release(fault=None, latency=1.0)
                running -= 1
                peaks.append(running + 1)

        await asyncio.gather(*(caller() for _ in range(20)))
        assert max(peaks[-100:]) <= 6
        assert rejected < 1200 * 0.25
        assert now() < 1.6 * 1200 / 4  # at 4 places at least 300 s

    run(main())


def test_requests_per_minute_are_spread_and_say_so() -> None:
    async def main() -> None:
        own = limiter(100, rpm=60)
        queue = Queue(own)
        for name in "abcd":
            await queue.join(name)
        assert queue.names == ["a"]
        state = own.state()
        assert (state.now, state.reason) == (100, "rpm")
        assert state.resumes_at == pytest.approx(time.time() + 1, abs=5)
        await asyncio.wait(queue.tasks.values())
        assert [round(time) for _, time in queue.came] == [0, 1, 2, 3]

    run(main())


def test_a_request_larger_than_the_limit_passes_and_those_behind_pay() -> None:
    async def main() -> None:
        own = limiter(10, tpm=6000)
        queue = Queue(own)
        await queue.join("甲", 12_000)
        await queue.join("乙", 100)
        assert queue.names == ["甲"]
        assert own.state().reason == "tpm"
        await asyncio.wait(queue.tasks.values())
        # 100 tokens a second: 100 - 12,000 + 100 t >= 100 at t = 120
        assert queue.came[1] == ("乙", pytest.approx(120.0, abs=0.01))

    run(main())


def test_tokens_used_correct_the_estimate() -> None:
    async def main() -> None:
        own = limiter(10, tpm=6000)
        assert own.try_acquire(1100)  # 100 - 1,100 = -1,000
        good(own, tokens=300)  # -200
        queue = Queue(own)
        await queue.join("a", 50)
        await asyncio.wait([queue.tasks["a"]])
        assert queue.came[0][1] == pytest.approx(2.5, abs=0.01)
        good(own)  # the estimate stands: 50 - 50 = 0
        await queue.join("b", 50)
        await asyncio.wait([queue.tasks["b"]])
        good(own, tokens=150)  # 100 more than thought
        await queue.join("c", 50)
        await asyncio.wait([queue.tasks["c"]])
        assert [round(when, 1) for _, when in queue.came] == [2.5, 3.0, 4.5]

    run(main())


def test_each_task_corrects_its_own_estimate() -> None:
    async def main() -> None:
        own = limiter(10, tpm=600_000)  # 10,000 a second
        before = asyncio.Event()

        async def call(estimate: int, used: int | None) -> None:
            await own.acquire(estimate)
            await before.wait()
            own.release(fault=None, latency=1.0, tokens=used)

        calls = [asyncio.create_task(call(9000, None)), asyncio.create_task(call(1000, 900))]
        await settle()
        before.set()
        await asyncio.gather(*calls)
        assert own.try_acquire(100)  # 10,000 - 9,000 - 900
        assert not own.try_acquire(1)

    run(main())


def test_a_release_from_another_task_takes_the_oldest_estimate() -> None:
    async def main() -> None:
        own = limiter(10, tpm=600_000)

        async def begin() -> None:
            assert own.try_acquire(4000) and own.try_acquire(6000)

        await asyncio.create_task(begin())
        good(own, tokens=1000)
        good(own, tokens=1000)
        assert own.try_acquire(8000)
        assert not own.try_acquire(1)

    run(main())


def test_other_limits_hold_at_once() -> None:
    async def main() -> None:
        own = limiter(1, rpm=1)
        queue = Queue(own)
        for name in "abc":
            await queue.join(name)
        assert queue.names == ["a"]
        own.change(Limits(2))
        await settle()
        assert queue.names == ["a", "b"]
        own.change(Limits(1))
        good(own), await settle()
        assert queue.names == ["a", "b"]
        good(own), await settle()
        assert queue.names == ["a", "b", "c"]
        assert own.state() == LimitState(now=1, wanted=1, running=1, reason="", resumes_at=None)

    run(main())


def test_after_closing_nobody_is_left_waiting() -> None:
    async def main() -> None:
        own = limiter(1)
        assert own.try_acquire(0)
        queue = Queue(own)
        await queue.join("a")
        await own.close()
        good(own), await settle()
        assert queue.names == ["a"]

    run(main())


def test_it_works_without_a_loop_as_long_as_nobody_waits() -> None:
    own = Limiter(Limits(2, tpm=6000))
    assert own.try_acquire(10) and own.try_acquire(10) and not own.try_acquire(10)
    good(own, tokens=5), good(own)
    assert own.state().running == 0
