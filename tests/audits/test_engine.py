"""The engine against a real fake vendor: retries, limits, stopping, and every attempt reaching the caller."""

import asyncio
import dataclasses
import os
import threading
import time
from collections.abc import Iterator

import pytest

from audits.asks import Ask, Attempt, Outcome
from audits.engine import Engine, engine_for_process
from audits.flow import Flow
from audits.judges.base import Fault, JudgeError, JudgeSpec, Prompt, Reply, Task
from audits.limits import Limits
from audits.patience import Patience, Policy
from tests.audits.judges.samples import EXTRACT, VERIFY, VERIFY_ZH
from tests.vendor_server.server import VendorServer

QUICK = Policy(base=0.001, cap=0.01)
OPENAI = JudgeSpec("openai", "gpt-test", timeout=10)
CLAUDE = JudgeSpec("anthropic", "claude-test", timeout=10)
LIMIT = 20.0  # seconds after which a test has hung


@pytest.fixture
def engine() -> Iterator[Engine]:
    engine = Engine()
    yield engine
    engine.close()


def asks(count: int, spec: JudgeSpec = OPENAI, task: Task = VERIFY, concurrency: int = 4) -> list[Ask]:
    return [Ask(number, spec.name, spec, task, Limits(concurrency)) for number in range(count)]


def finish(flow: Flow) -> tuple[list[Attempt], list[Outcome]]:
    """Drain until nothing is outstanding."""
    events: list[Attempt | Outcome] = []
    end = time.monotonic() + LIMIT
    while flow.outstanding:
        assert time.monotonic() < end, "the flow hangs"
        events += flow.drain(timeout=1)
    attempts = [event for event in events if isinstance(event, Attempt)]
    return attempts, [event for event in events if isinstance(event, Outcome)]


def test_every_ask_has_one_outcome_and_every_call_one_attempt(vendor_server: VendorServer, engine: Engine) -> None:
    flow = engine.flow(QUICK)
    flow.submit([*asks(20), *asks(20, CLAUDE)])
    attempts, outcomes = finish(flow)
    assert len(attempts) == len(outcomes) == len(vendor_server.requests) == 40
    assert sorted((o.ask.judge_key, o.ask.key) for o in outcomes) == sorted(
        (spec.name, number) for spec in (OPENAI, CLAUDE) for number in range(20)
    )
    assert all(o.reply is not None and o.error is None and len(o.attempts) == 1 for o in outcomes)
    attempt = attempts[0]
    assert (attempt.outcome, attempt.status, attempt.number) == ("ok", 200, 1)
    assert attempt.usage.tokens_in == 100
    assert attempt.request_id.startswith("req_")
    assert attempt.prompt_version == "verdict_v2.en"
    assert len(attempt.request_hash) == 64
    assert flow.drain() == []


def test_no_more_calls_at_once_than_asked_for(vendor_server: VendorServer, engine: Engine) -> None:
    vendor_server.rules({"hold": True, "times": 5})
    flow = engine.flow(QUICK)
    flow.submit([*asks(20, concurrency=3), *asks(10, CLAUDE, concurrency=2)])
    vendor_server.wait_for(5)
    vendor_server.release()
    finish(flow)
    assert vendor_server.script.peak == {"gpt-test": 3, "claude-test": 2}


def test_a_process_makes_no_more_calls_at_once_than_it_may_however_many_its_judges_take(
    vendor_server: VendorServer,
) -> None:
    vendor_server.rules({"hold": True, "times": 3})
    engine = Engine(calls=3)
    flow = engine.flow(QUICK)
    flow.submit([*asks(6), *asks(6, CLAUDE)])
    vendor_server.wait_for(3)
    assert vendor_server.script.running.total() == 3
    vendor_server.release()
    _, outcomes = finish(flow)
    engine.close()
    assert len(outcomes) == 12


def test_calls_that_begin_alike_follow_the_first_one(vendor_server: VendorServer, engine: Engine) -> None:
    vendor_server.rules({"hold": True, "times": 1})
    flow = engine.flow(QUICK)
    first, other = (dataclasses.replace(ask, group=ask.key) for ask in asks(2))
    followers = [dataclasses.replace(ask, group=0) for ask in asks(3)]
    flow.submit([first, *followers, other])
    vendor_server.wait_for(2)  # the first of each group; the second one's reply is not held
    flow.drain(timeout=5)
    assert len(vendor_server.requests) == 2
    vendor_server.release()
    finish(flow)
    assert len(vendor_server.requests) == 5


@pytest.mark.parametrize(
    "rule", [{"status": 429, "retry_after": "0"}, {"status": 500}, {"status": 529}, {"fault": "reset"}]
)
def test_a_passing_fault_is_waited_out_and_stays_on_record(
    vendor_server: VendorServer, engine: Engine, rule: dict
) -> None:
    vendor_server.rules({**rule, "times": 2})
    flow = engine.flow(QUICK)
    flow.submit(asks(1))
    attempts, (outcome,) = finish(flow)
    assert [attempt.outcome == "ok" for attempt in attempts] == [False, False, True]
    assert [attempt.number for attempt in attempts] == [1, 2, 3]
    assert outcome.reply is not None
    assert outcome.attempts == tuple(attempts)


def test_patience_has_an_end(vendor_server: VendorServer, engine: Engine) -> None:
    vendor_server.rules({"status": 500})
    flow = engine.flow(QUICK)
    flow.submit(asks(1))
    attempts, (outcome,) = finish(flow)
    assert len(attempts) == QUICK.max_tries == 5
    assert (outcome.reply, outcome.error.fault) == (None, Fault.SERVER)


def test_a_long_pause_is_handed_back(vendor_server: VendorServer, engine: Engine) -> None:
    vendor_server.rules({"status": 429, "retry_after": "3600"})
    flow = engine.flow(QUICK)
    flow.submit(asks(1))
    attempts, (outcome,) = finish(flow)
    assert len(attempts) == 1
    assert (outcome.error.fault, outcome.error.retry_after) == (Fault.RATE_LIMIT, 3600)


@pytest.mark.parametrize(
    ("fault", "calls"),
    [("html", 2), ("empty", 2), ("malformed", 2), ("two_objects", 2), ("blank", 2), ("refusal", 1), ("truncated", 2)],
)
def test_how_often_a_bad_answer_is_asked_for_again(
    vendor_server: VendorServer, engine: Engine, fault: str, calls: int
) -> None:
    vendor_server.rules({"fault": fault})
    flow = engine.flow(QUICK)
    flow.submit(asks(1))
    attempts, (outcome,) = finish(flow)
    assert len(attempts) == len(vendor_server.requests) == calls
    assert (outcome.reply is None) == (fault in ("html", "empty"))


@pytest.mark.parametrize("fault", ["fenced", "think", "prose"])
def test_a_readable_reply_is_not_asked_for_again(vendor_server: VendorServer, engine: Engine, fault: str) -> None:
    vendor_server.rules({"fault": fault})
    flow = engine.flow(QUICK)
    flow.submit([*asks(1), *asks(1, CLAUDE, EXTRACT)])
    attempts, _ = finish(flow)
    assert len(attempts) == 2


def test_a_truncated_reply_gets_twice_the_room_once(vendor_server: VendorServer, engine: Engine) -> None:
    vendor_server.rules({"fault": "truncated", "times": 1})
    flow = engine.flow(QUICK)
    flow.submit(asks(1))
    _, (outcome,) = finish(flow)
    assert [request["body"]["max_completion_tokens"] for request in vendor_server.requests] == [4000, 8000]
    assert outcome.reply.finish == "stop"


def test_a_truncated_reply_is_kept_when_the_vendor_rejects_more_room(
    vendor_server: VendorServer, engine: Engine
) -> None:
    error = {"message": "max_tokens is too large: this model supports at most 4096"}
    vendor_server.rules({"fault": "truncated", "times": 1}, {"status": 400, "error": error})
    flow = engine.flow(QUICK)
    flow.submit(asks(1))
    _, (outcome,) = finish(flow)
    assert outcome.reply is not None
    assert outcome.reply.finish == "length"


def test_a_judge_that_cannot_work_fails_all_its_asks_with_one_call(
    vendor_server: VendorServer, engine: Engine
) -> None:
    vendor_server.rules({"status": 401, "vendor": "openai"})
    flow = engine.flow(QUICK)
    flow.submit([*asks(30, concurrency=1), *asks(5, CLAUDE)])
    attempts, outcomes = finish(flow)
    failed = [outcome for outcome in outcomes if outcome.error]
    assert len(failed) == 30
    assert {outcome.error.fault for outcome in failed} == {Fault.AUTH}
    assert sum(len(outcome.attempts) for outcome in failed) == 1
    assert sum(attempt.ask.judge_key == CLAUDE.name for attempt in attempts) == 5


def test_a_mended_judge_works_again_in_the_same_flow(vendor_server: VendorServer, engine: Engine) -> None:
    vendor_server.rules({"status": 401, "times": 1})
    flow = engine.flow(QUICK)
    flow.submit(asks(3, concurrency=1))
    _, outcomes = finish(flow)
    assert [outcome.error.fault for outcome in outcomes] == [Fault.AUTH] * 3
    flow.submit(asks(2))
    _, outcomes = finish(flow)
    assert all(outcome.reply for outcome in outcomes)


def test_a_missing_key_fails_without_a_call(vendor_server: VendorServer, engine: Engine, monkeypatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    flow = engine.flow(QUICK)
    flow.submit(asks(3))
    attempts, outcomes = finish(flow)
    assert attempts == []
    assert all("OPENAI_API_KEY" in outcome.error.message for outcome in outcomes)


def test_stopping_drops_what_waits_and_delivers_what_runs(vendor_server: VendorServer, engine: Engine) -> None:
    vendor_server.rules({"hold": True})
    flow = engine.flow(QUICK)
    flow.submit([*asks(50, concurrency=2), *asks(2, CLAUDE)])
    vendor_server.wait_for(4)
    flow.stop(OPENAI.name)
    vendor_server.release()
    attempts, outcomes = finish(flow)
    assert sum(outcome.ask.judge_key == OPENAI.name for outcome in outcomes) == 2
    assert sum(outcome.ask.judge_key == CLAUDE.name for outcome in outcomes) == 2
    assert len(attempts) == 4
    flow.submit(asks(3))
    assert finish(flow) == ([], [])


def test_stopping_at_once_leaves_nothing_outstanding(vendor_server: VendorServer, engine: Engine) -> None:
    flow = engine.flow(QUICK)
    flow.submit(asks(50, concurrency=2))
    flow.stop()
    attempts, outcomes = finish(flow)
    assert len(attempts) == len(outcomes) == len(vendor_server.requests)


def test_stopping_ends_a_pause_between_two_tries(vendor_server: VendorServer, engine: Engine) -> None:
    vendor_server.rules({"status": 429, "retry_after": "50"})
    flow = engine.flow(QUICK)
    flow.submit(asks(2, concurrency=1))
    (first,) = flow.drain(timeout=LIMIT)
    assert first.outcome == "rate_limit"
    flow.stop()
    _, (outcome,) = finish(flow)
    assert outcome.error.fault is Fault.RATE_LIMIT


def test_flows_do_not_see_each_other(vendor_server: VendorServer, engine: Engine) -> None:
    vendor_server.rules({"status": 401, "contains": "甲公司"})
    broken, sound = engine.flow(QUICK), engine.flow(QUICK)
    broken.submit(asks(3, task=VERIFY_ZH))
    finish(broken)
    sound.submit(asks(3))
    _, outcomes = finish(sound)
    assert len(outcomes) == 3
    assert all(outcome.reply for outcome in outcomes)


def test_two_judges_never_see_each_other_and_are_asked_the_same(vendor_server: VendorServer, engine: Engine) -> None:
    flow = engine.flow(QUICK)
    flow.submit([*asks(3), *asks(3, CLAUDE)])
    finish(flow)
    assert len({request["user"] for request in vendor_server.requests}) == 1
    for request in vendor_server.requests:
        other = "claude-test" if request["vendor"] == "openai" else "gpt-test"
        assert other not in str(request["body"])


class Broken:
    """A judge with a fault of its own."""

    def __init__(self, spec: JudgeSpec) -> None:
        self.spec = spec

    async def complete(self, task: Task, *, prompt: Prompt | None = None, max_tokens: int | None = None) -> Reply:
        raise RuntimeError("secret detail")

    async def close(self) -> None:
        """Nothing is open."""


def test_a_fault_of_our_own_is_an_outcome_and_tells_no_details(monkeypatch) -> None:
    engine = Engine(build=Broken)
    flow = engine.flow(QUICK)
    flow.submit(asks(2, JudgeSpec("openai", "m", api_key="k")))
    attempts, outcomes = finish(flow)
    engine.close()
    assert len(attempts) == 10
    assert {outcome.error.fault for outcome in outcomes} == {Fault.SERVER}
    assert "secret" not in outcomes[0].error.message
    engine.close()  # twice is once


def test_judges_live_as_long_as_the_engine(vendor_server: VendorServer) -> None:
    built: list[JudgeSpec] = []

    def build(spec: JudgeSpec) -> Broken:
        built.append(spec)
        return Broken(spec)

    engine = Engine(build=build)
    flow = engine.flow(dataclasses.replace(QUICK, max_tries=1))
    other_key = dataclasses.replace(OPENAI, api_key="another")
    flow.submit([*asks(3), *asks(3, other_key), *asks(1, CLAUDE)])
    finish(flow)
    engine.close()
    assert len(built) == 3
    assert all(spec.api_key and spec.base_url for spec in built)


def test_a_forked_child_gets_its_own_engine(vendor_server: VendorServer) -> None:
    parent = engine_for_process()
    assert engine_for_process() is parent
    flow = parent.flow(QUICK)
    flow.submit(asks(2))
    finish(flow)
    child = os.fork()
    if child == 0:  # no pytest in here: only the exit code speaks
        code = 1
        try:
            own = engine_for_process()
            flow = own.flow(QUICK)
            flow.submit(asks(2))
            _, outcomes = finish(flow)
            code = 0 if own is not parent and all(outcome.reply for outcome in outcomes) else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    flow.submit(asks(2))
    _, outcomes = finish(flow)
    assert all(outcome.reply for outcome in outcomes)


def test_pauses_double_up_to_a_cap_and_never_undercut_the_vendor() -> None:
    patience = Patience(Policy(max_tries=9), VERIFY, 100, chance=lambda: 1.0)
    server = JudgeError(Fault.SERVER, "x")
    # 0.5 s doubled each time: 0.5 * 2**6 = 32, capped at 30
    assert [patience.after_error(server) for _ in range(8)] == [0.5, 1, 2, 4, 8, 16, 30, 30]
    assert patience.after_error(server) is None
    patience = Patience(Policy(), VERIFY, 100, chance=lambda: 0.0)
    assert patience.after_error(server) == 0.25
    assert patience.after_error(JudgeError(Fault.RATE_LIMIT, "x", retry_after=7)) == 7
    assert patience.after_error(JudgeError(Fault.RATE_LIMIT, "x", retry_after=61)) is None


@pytest.mark.parametrize("fault", sorted(set(Fault) - {Fault.BAD_BODY}))
def test_only_what_may_pass_is_tried_again(fault: Fault) -> None:
    passing = {Fault.RATE_LIMIT, Fault.OVERLOADED, Fault.SERVER, Fault.NETWORK, Fault.TIMEOUT}
    pause = Patience(Policy(), VERIFY, 100).after_error(JudgeError(fault, "x"))
    assert (pause is not None) == (fault in passing)


def test_a_bad_body_is_asked_for_once_more() -> None:
    patience, error = Patience(Policy(), VERIFY, 100), JudgeError(Fault.BAD_BODY, "x")
    assert patience.after_error(error) is not None
    assert patience.after_error(error) is None


def test_work_on_the_loop_gives_its_result_or_its_error_to_another_thread(engine: Engine) -> None:
    async def add(first: int, second: int) -> int:
        await asyncio.sleep(0)
        return first + second

    async def fail() -> None:
        raise TimeoutError("its own")

    assert engine.run(add(1, 2)) == 3
    with pytest.raises(TimeoutError, match="its own"):
        engine.run(fail(), every=0.01)


def test_what_happens_meanwhile_can_end_the_work(engine: Engine) -> None:
    """As a lease that is lost: nobody may go on under it."""
    ended = threading.Event()

    async def wait_for_ever() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    def lost() -> None:
        raise LookupError("the lease is gone")

    with pytest.raises(LookupError):
        engine.run(wait_for_ever(), lost, every=0.01)
    assert ended.wait(10)


def test_closing_the_engine_ends_work_on_its_loop() -> None:
    engine, begun, results = Engine(), threading.Event(), []

    async def wait_for_ever() -> None:
        begun.set()
        await asyncio.Event().wait()

    def use() -> None:
        try:
            engine.run(wait_for_ever())
        except BaseException as error:
            results.append(type(error).__name__)

    thread = threading.Thread(target=use)
    thread.start()
    assert begun.wait(10)
    engine.close()
    thread.join(10)
    assert results == ["CancelledError"]
