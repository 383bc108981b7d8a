"""Limits shared by several workers through a real Redis: never exceeded, fairly shared, and not needed to go on."""

import asyncio
import logging
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis

from audits.judges.base import Fault
from audits.limits import Limits
from audits.limits.shared import SharedLimiter
from tests.services.limits_at_work import DEADLINE, PACE, Vendor, fail, until

pytestmark = pytest.mark.services
ROOT = Path(__file__).resolve().parents[2]
KEY = "openai:gpt-判官"


class Place:
    """A Redis, a prefix of the test's own, and the limiters made there."""

    def __init__(self, url: str) -> None:
        self.url, self.prefix = url, f"test-limits-{uuid.uuid4().hex}:"
        self.server = redis.Redis.from_url(url, decode_responses=True)
        self.limiters: list[SharedLimiter] = []

    def limiter(self, *limits: Any, **named: Any) -> SharedLimiter:
        made = SharedLimiter(KEY, Limits(*limits, **named), self.url, prefix=self.prefix, pace=PACE)
        self.limiters.append(made)
        return made

    def run(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run a test's coroutine and close its limiters."""

        async def whole() -> None:
            try:
                async with asyncio.timeout(DEADLINE):
                    await work()
            finally:
                for limiter in self.limiters:
                    await limiter.close()

        asyncio.run(whole())

    @property
    def keys(self) -> list[str]:
        return list(self.server.scan_iter(match=self.prefix + "*"))

    def flush(self) -> None:
        """Delete what the limiters have stored, and nothing else."""
        for key in self.keys:
            self.server.delete(key)


@pytest.fixture
def place() -> Iterator[Place]:
    if not os.environ.get("REDIS_URL"):
        pytest.skip("REDIS_URL is not set; run make services")
    place = Place(os.environ["REDIS_URL"])
    yield place
    place.flush()
    place.server.close()


class Server:
    """A redis-server of the test's own, to be stopped and started."""

    def __init__(self, binary: str, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._command = [binary, "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)]
        self.process: subprocess.Popen[bytes]
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen([*self._command, "--appendonly", "no"], stdout=subprocess.DEVNULL)
        client = redis.Redis.from_url(self.url)
        end = time.monotonic() + DEADLINE
        while True:
            try:
                client.ping()
                return
            except redis.ConnectionError:
                assert time.monotonic() < end, "redis-server did not start"
                time.sleep(0.02)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    binary = shutil.which("redis-server") or shutil.which("valkey-server")
    if binary is None:
        pytest.skip("NO redis-server HERE: what happens when Redis dies is NOT TESTED")
    server = Server(binary, tmp_path)
    yield server
    server.kill()


@pytest.fixture
def own_place(server: Server) -> Iterator[Place]:
    place = Place(server.url)
    yield place
    place.server.close()


def test_two_together_use_all_places_and_never_more(place: Place) -> None:
    async def main() -> None:
        vendor, first, second = Vendor(), place.limiter(8), place.limiter(8)
        await asyncio.gather(vendor.serve(first, 300), vendor.serve(second, 300))
        assert vendor.answered == 600
        assert vendor.most == 8

    place.run(main)


def test_one_alone_has_all_places_from_the_start(place: Place) -> None:
    async def main() -> None:
        vendor, only = Vendor(), place.limiter(64)
        vendor.held = asyncio.Event()
        calls = asyncio.create_task(vendor.serve(only, 100))
        await until(lambda: vendor.in_flight == 64, "it does not get all places")
        vendor.held.set()
        await calls
        assert vendor.most == 64

    place.run(main)


def test_who_asks_one_by_one_gets_all_places_too(place: Place) -> None:
    async def main() -> None:
        only = place.limiter(64)
        while only.state().running < 64:
            if not only.try_acquire(0):
                await only.acquire(0)
        assert not only.try_acquire(0)
        for _ in range(64):
            only.release(fault=None, latency=0.1)

    place.run(main)


def test_a_newcomer_gets_its_fair_share(place: Place) -> None:
    async def main() -> None:
        vendor, first, second = Vendor(), place.limiter(9), place.limiter(9)
        calls = [asyncio.create_task(vendor.serve(first, 2000))]
        await until(lambda: vendor.now.get(first) == 9, "the first one does not get all")
        calls.append(asyncio.create_task(vendor.serve(second, 2000)))
        await until(lambda: vendor.now.get(second, 0) >= 4 and vendor.in_flight == 9, "the newcomer gets nothing")
        third = place.limiter(9)
        calls.append(asyncio.create_task(vendor.serve(third, 2000)))
        await until(lambda: all(vendor.now.get(one) == 3 for one in (first, second, third)), "not shared by three")
        assert vendor.most == 9
        for call in calls:
            call.cancel()
        await asyncio.wait(calls)

    place.run(main)


def test_a_single_place_goes_round(place: Place) -> None:
    """The odd places change hands by the server's clock; its hands are moved on here."""

    async def main() -> None:
        vendor, both = Vendor(), [place.limiter(1), place.limiter(1)]
        calls = [asyncio.create_task(vendor.serve(one, 5000)) for one in both]
        served: set[Any] = set()
        while len(served) < 2:
            await until(lambda: vendor.in_flight == 1, "nobody is served")
            served |= {one for one in both if vendor.now.get(one)}
            place.server.hincrbyfloat(both[0].name, "now", 2_000)
            await asyncio.sleep(0.05)
        assert vendor.most == 1
        for call in calls:
            call.cancel()
        await asyncio.wait(calls)

    place.run(main)


def test_who_has_nothing_to_do_gives_its_places_back(place: Place) -> None:
    async def main() -> None:
        vendor, first, second = Vendor(), place.limiter(8), place.limiter(8)
        await vendor.serve(first, 50)
        vendor.held = asyncio.Event()
        calls = asyncio.create_task(vendor.serve(second, 20))
        await until(lambda: vendor.now.get(second) == 8, "places of an idle process are lost")
        vendor.held.set()
        await calls
        await until(lambda: not any(name.startswith("m:") for name in place.server.hkeys(first.name)), "still held")

    place.run(main)


def test_who_needs_little_keeps_little(place: Place) -> None:
    async def main() -> None:
        vendor, small, big = Vendor(), place.limiter(8), place.limiter(8)
        vendor.held = asyncio.Event()
        calls = [asyncio.create_task(vendor.serve(small, 2))]
        await until(lambda: vendor.now.get(small) == 2, "no start")
        calls.append(asyncio.create_task(vendor.serve(big, 20)))
        await until(lambda: (vendor.now.get(small), vendor.now.get(big)) == (2, 6), "not shared by need")
        vendor.held.set()
        await asyncio.gather(*calls)

    place.run(main)


def test_a_rejection_of_one_slows_all_down(place: Place) -> None:
    async def main() -> None:
        vendor, first, second = Vendor(), place.limiter(16), place.limiter(16)
        vendor.held = asyncio.Event()
        calls = asyncio.create_task(vendor.serve(second, 1))
        await until(lambda: vendor.in_flight == 1, "no call")
        await fail(first, Fault.OVERLOADED)
        await until(lambda: second.state().now == 8, "the other one does not know")
        assert second.state().reason == "overloaded"
        vendor.held.set()
        await calls

    place.run(main)


def test_rejections_of_calls_in_flight_together_are_one_signal_for_all_processes(place: Place) -> None:
    async def main() -> None:
        both = [place.limiter(16), place.limiter(16)]
        for one in both:
            for _ in range(4):
                await one.acquire(0)
        began = time.monotonic()
        await asyncio.sleep(0)
        for one in both:
            for _ in range(4):
                one.release(fault=Fault.RATE_LIMIT, latency=time.monotonic() - began)
        await until(lambda: all(one.state().now == 8 for one in both), "not cut to 8")
        await vendor_of_one_call(both)
        assert float(place.server.hget(both[0].name, "level")) == pytest.approx(8, abs=1)

    place.run(main)


async def vendor_of_one_call(limiters: list[SharedLimiter]) -> None:
    """A call by each, after which each has reported all it knew."""
    for limiter in limiters:
        await Vendor().call(limiter)


def test_retry_after_holds_for_all_and_is_followed_by_a_careful_restart(place: Place) -> None:
    async def main() -> None:
        vendor, first, second = Vendor(), place.limiter(16), place.limiter(16)
        vendor.held = asyncio.Event()
        held = asyncio.create_task(vendor.serve(second, 1))
        await until(lambda: vendor.in_flight == 1, "no call")
        await fail(first, Fault.RATE_LIMIT, retry_after=1.0)
        paused = time.monotonic()
        await until(lambda: second.state().resumes_at is not None, "the other one does not know")
        assert second.state().now == 1 and not second.try_acquire(0)
        vendor.held.set()
        await held
        vendor.began.clear()
        await asyncio.gather(vendor.serve(first, 200), vendor.serve(second, 200))
        # By the server's clock, told a moment later to either side: both ends are read off one clock here.
        assert min(when for when, _ in vendor.began) >= paused + 0.9
        assert first.state().now > 1
        assert vendor.most <= 16

    place.run(main)


def test_requests_per_minute_hold_for_all_together(place: Place) -> None:
    async def main() -> None:
        limit = 1200  # 20 a second
        vendor, both = Vendor(), [place.limiter(16, rpm=limit) for _ in range(2)]
        await asyncio.gather(*(vendor.serve(one, 40) for one in both))
        times = sorted(when for when, _ in vendor.began)
        assert len(times) == 80
        for first in range(len(times)):
            for last in range(first + 1, len(times)):  # two seconds' worth at once at the most
                assert last - first <= (times[last] - times[first]) * limit / 60 + 2 * limit / 60

    place.run(main)


def test_tokens_per_minute_hold_for_all_together_and_the_large_is_not_starved(place: Place) -> None:
    async def main() -> None:
        limit = 60_000  # 1,000 a second
        vendor, small, large = Vendor(), place.limiter(16, tpm=limit), place.limiter(16, tpm=limit)
        small_ones = asyncio.create_task(vendor.serve(small, 400, tokens=100))
        await until(lambda: vendor.answered > 5, "nothing passes")
        await vendor.serve(large, 1, tokens=2000)  # larger than what the bucket ever holds
        assert not small_ones.done()
        small_ones.cancel()
        await asyncio.wait([small_ones])
        began = sorted(vendor.began)
        for first in range(len(began)):
            passed = 0
            for when, tokens in began[first:]:
                passed += tokens
                assert passed <= (when - began[first][0]) * limit / 60 + 2 * limit / 60 + 2000

    place.run(main)


def test_who_waits_for_a_budget_says_so(place: Place) -> None:
    async def main() -> None:
        only = place.limiter(16, rpm=2)
        await only.acquire(0)
        waiting = asyncio.create_task(only.acquire(0))
        await until(lambda: only.state().reason == "rpm", "it does not say")
        resumes_at = only.state().resumes_at
        assert resumes_at is not None and resumes_at - time.time() <= 30
        only.change(Limits(16))
        await waiting
        assert only.state().reason == ""

    place.run(main)


def test_tokens_not_used_are_given_back_to_all(place: Place) -> None:
    async def main() -> None:
        one = place.limiter(16, tpm=600)  # 10 a second
        await one.acquire(100_000)  # nearly three hours' worth
        one.release(fault=None, latency=0.1, tokens=1)
        other = place.limiter(16, tpm=600)
        await other.acquire(5)
        other.release(fault=None, latency=0.1)

    place.run(main)


def test_a_change_by_one_holds_for_all(place: Place) -> None:
    async def main() -> None:
        vendor, first, second = Vendor(), place.limiter(4), place.limiter(4)
        vendor.held = asyncio.Event()
        calls = asyncio.gather(vendor.serve(first, 20), vendor.serve(second, 20))
        await until(lambda: vendor.in_flight == 4, "not all places in use")
        first.change(Limits(12))
        await until(lambda: vendor.in_flight == 12 and second.state().wanted == 12, "the change does not hold")
        second.change(Limits(2, rpm=100_000))
        vendor.held.set()
        await until(lambda: vendor.in_flight <= 2, "the second change does not hold")
        vendor.most = 0
        await calls
        assert vendor.most <= 2

    place.run(main)


def test_a_cancelled_waiter_loses_nothing(place: Place) -> None:
    async def main() -> None:
        vendor, only = Vendor(), place.limiter(2, rpm=100_000, tpm=1_000_000)
        tasks = [asyncio.create_task(vendor.call(only, 10)) for _ in range(60)]
        for number, task in enumerate(tasks):
            if number % 3:
                await asyncio.sleep(0.001)
                task.cancel()
        await asyncio.wait(tasks)
        assert vendor.most <= 2 and only.state().running == 0
        await vendor.serve(only, 10, tokens=10)

    place.run(main)


def test_everything_deleted_again_and_again(place: Place) -> None:
    async def main() -> None:
        vendor, both = Vendor(), [place.limiter(8), place.limiter(8)]
        calls = asyncio.gather(*(vendor.serve(one, 1500) for one in both))
        await until(lambda: all(vendor.now.get(one) == 4 for one in both), "not shared")
        for _ in range(5):
            place.flush()
            goal = vendor.answered + 100
            await until(lambda goal=goal: vendor.answered > goal, "the calls do not go on")
        assert not calls.done()
        await calls
        assert vendor.answered == 3000
        assert vendor.most == 8

    place.run(main)


def test_after_a_deletion_the_level_is_still_known(place: Place) -> None:
    async def main() -> None:
        vendor, only = Vendor(), place.limiter(16)
        vendor.held = asyncio.Event()
        held = asyncio.create_task(vendor.serve(only, 1))
        await until(lambda: vendor.in_flight == 1, "no call")
        await fail(only, Fault.OVERLOADED)
        await until(lambda: place.server.hget(only.name, "level") == "8.000000", "not cut")
        place.flush()
        await until(lambda: place.server.exists(only.name) == 1, "not stored again")
        assert float(place.server.hget(only.name, "level")) == 8
        vendor.held.set()
        await held

    place.run(main)


def test_the_servers_clock_may_jump(place: Place) -> None:
    async def main() -> None:
        vendor, both = Vendor(), [place.limiter(8, rpm=100_000), place.limiter(8, rpm=100_000)]
        calls = asyncio.gather(*(vendor.serve(one, 600) for one in both))
        for hours in (5, -5, 1, -1):  # as if the clock had stood elsewhere at the last report
            await asyncio.sleep(0.1)
            place.server.hincrbyfloat(both[0].name, "wall", hours * 3_600_000)
        await calls
        assert vendor.answered == 1200
        assert vendor.most == 8

    place.run(main)


def test_what_is_stored_expires_by_itself_and_holds_no_key(place: Place) -> None:
    async def main() -> None:
        only = place.limiter(8, rpm=600, tpm=60_000)
        await Vendor().serve(only, 3, tokens=10)
        (name,) = place.keys
        assert name == only.name and KEY not in name
        assert 0 < place.server.pttl(name) <= 1000 * PACE.forget
        assert KEY not in str(place.server.hgetall(name))
        await fail(only, Fault.RATE_LIMIT, retry_after=3000)
        await until(lambda: place.server.pttl(name) > 3_000_000, "the pause would be forgotten")

    place.run(main)


# Processes ------------------------------------------------------------------------------------------------------


def start_process(place: Place, concurrency: int, calls: int) -> "subprocess.Popen[str]":
    arguments = [place.url, place.prefix, KEY, str(concurrency), str(calls)]
    command = [sys.executable, "-m", "tests.services.limit_process", *arguments]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def most_in_flight(*outputs: str) -> int:
    """The most calls at a time, from what processes printed. A call that was not seen to end has ended at the end."""
    events = sorted(
        (float(time), sign == "+") for text in outputs for sign, time in map(str.split, text.splitlines())
    )
    most = now = 0
    for _, begins in events:
        now += 1 if begins else -1
        most = max(most, now)
    return most


def test_two_processes_together_never_exceed_the_limit(place: Place) -> None:
    processes = [start_process(place, 6, 400) for _ in range(2)]
    outputs = [process.communicate(timeout=DEADLINE)[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert [output.count("+") for output in outputs] == [400, 400]
    assert most_in_flight(*outputs) <= 6


def test_the_places_of_a_killed_process_come_back(place: Place) -> None:
    victim = start_process(place, 6, 0)
    assert victim.stdout is not None
    assert victim.stdout.readline().startswith("+")

    async def main() -> None:
        vendor, heir = Vendor(), place.limiter(6)
        vendor.held = asyncio.Event()
        calls = asyncio.create_task(vendor.serve(heir, 12))
        await until(lambda: vendor.in_flight == 3, "no fair share")
        victim.send_signal(signal.SIGKILL)
        victim.wait()
        await until(lambda: vendor.in_flight == 6, "the places are lost")
        vendor.held.set()
        await calls

    try:
        place.run(main)
    finally:
        victim.kill()
        victim.communicate()


# A Redis that fails ---------------------------------------------------------------------------------------------


def warnings(caplog: pytest.LogCaptureFixture) -> int:
    return sum(record.levelno >= logging.WARNING for record in caplog.records)


def test_connections_cut_are_not_even_noticed(own_place: Place, caplog: pytest.LogCaptureFixture) -> None:
    killed = 0

    async def main() -> None:
        nonlocal killed
        vendor, both = Vendor(), [own_place.limiter(8), own_place.limiter(8)]
        calls = asyncio.gather(*(vendor.serve(one, 1500) for one in both))
        for _ in range(10):
            goal = vendor.answered + 100
            await until(lambda goal=goal: vendor.answered > goal, "the calls do not go on")
            killed += own_place.server.client_kill_filter(_type="normal", skipme=True)
        await calls
        assert vendor.answered == 3000
        assert vendor.most == 8

    own_place.run(main)
    assert killed >= 10
    assert warnings(caplog) == 0


def lost_and_found(
    own_place: Place, lose: Callable[[], Any], find: Callable[[], Any], caplog: pytest.LogCaptureFixture
) -> None:
    """Two limiters at work; Redis goes and comes back; they go on and never exceed the limit."""

    async def main() -> None:
        vendor, both = Vendor(), [own_place.limiter(8), own_place.limiter(8)]
        calls = asyncio.gather(*(vendor.serve(one, 1500) for one in both))
        await until(lambda: vendor.answered > 100 and all(vendor.now.get(one) == 4 for one in both), "no start")
        lose()
        await until(lambda: warnings(caplog) == 2, "no warning")
        before = vendor.answered
        await until(lambda: vendor.answered > before + 200, "the calls do not go on")
        assert not calls.done()
        find()
        await until(lambda: sum("is back" in message for message in caplog.messages) == 2, "not back")
        await calls
        assert vendor.answered == 3000
        assert vendor.most == 8
        vendor.held = asyncio.Event()
        alone = asyncio.create_task(vendor.serve(both[0], 20))
        await until(lambda: vendor.in_flight == 8, "not shared again")
        vendor.held.set()
        await alone

    with caplog.at_level(logging.INFO, logger="audits.limits.shared"):
        own_place.run(main)
    assert warnings(caplog) == 2  # one of each limiter


def test_redis_killed_and_started_again(own_place: Place, server: Server, caplog: pytest.LogCaptureFixture) -> None:
    lost_and_found(own_place, server.kill, server.start, caplog)


def test_redis_that_hangs(own_place: Place, server: Server, caplog: pytest.LogCaptureFixture) -> None:
    def freeze() -> None:
        server.process.send_signal(signal.SIGSTOP)

    def thaw() -> None:
        server.process.send_signal(signal.SIGCONT)

    lost_and_found(own_place, freeze, thaw, caplog)


@pytest.mark.parametrize("url", ["redis://127.0.0.1:1/0", "nonsense://", "redis://:geheim@127.0.0.1:1/0"])
def test_redis_that_never_was(url: str, caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        vendor = Vendor()
        limiter = SharedLimiter(KEY, Limits(8, rpm=60_000), url, pace=PACE)
        await vendor.serve(limiter, 20)
        assert vendor.most == 2  # a quarter, since nobody knows of the others
        await fail(limiter, Fault.RATE_LIMIT, retry_after=0.05)
        await vendor.serve(limiter, 2)
        await limiter.close()
        await vendor.serve(limiter, 2)

    asyncio.run(main())
    assert warnings(caplog) == 1
    assert "geheim" not in caplog.text
