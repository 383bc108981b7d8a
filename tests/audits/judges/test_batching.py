"""Batches of both vendors over real HTTP with the real SDKs: the requests of single calls, and their results."""

import asyncio
import json
import pickle
import traceback
import tracemalloc
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import httpx2
import pytest

from audits.judges import VENDORS, build_judge
from audits.judges.base import RETRY_LATER, Fault, JudgeError, JudgeSpec, Reply
from audits.judges.batching import BatchFile, BatchJudge, BatchStatus, custom_id, number_in
from audits.judges.prompting import build_prompt
from audits.judges.wire import stream_objects
from tests.audits.judges.batching import LONG_AGO, OTHER, TAG, collect, drive, fault_of, submit, through
from tests.audits.judges.calling import ask
from tests.audits.judges.samples import EXTRACT, VERIFY, VERIFY_ZH
from tests.vendor_server.server import VendorServer

OPENAI = JudgeSpec("openai", "gpt-test", timeout=10)
ANTHROPIC = JudgeSpec("anthropic", "claude-test", timeout=10)
BOTH = pytest.mark.parametrize("spec", [OPENAI, ANTHROPIC], ids=["openai", "anthropic"])
NAMES = [custom_id(TAG, number) for number in (1, 2, 3)]


@BOTH
def test_a_batch_asks_in_the_words_of_single_calls(vendor_server: VendorServer, spec: JudgeSpec) -> None:
    ask(spec, EXTRACT, VERIFY_ZH)
    drive(spec, lambda judge: submit(judge, EXTRACT, VERIFY_ZH))
    assert [asked["body"] for asked in vendor_server.batches.asked] == [r["body"] for r in vendor_server.requests]
    assert [asked["custom_id"] for asked in vendor_server.batches.asked] == NAMES[:2]
    assert "甲公司成立于1999年，总部设在上海。" in vendor_server.batches.asked[1]["user"]


@BOTH
def test_results_are_replies_like_those_of_single_calls(vendor_server: VendorServer, spec: JudgeSpec) -> None:
    vendor_server.batches.load({"plan": {"polls": 2, "order": "reverse"}})
    single = ask(spec, EXTRACT, VERIFY, VERIFY_ZH)
    results = drive(spec, lambda judge: through(judge, EXTRACT, VERIFY, VERIFY_ZH))
    assert list(results) == NAMES[::-1]
    for name, reply in zip(NAMES, single, strict=True):
        assert isinstance(reply, Reply)
        expected = replace(reply, latency=0.0, request_id=results[name].request_id)
        assert results[name] == expected
    assert vendor_server.batches.log.count("look") >= 3


@BOTH
def test_a_state_tells_counts_and_the_end_of_its_day(vendor_server: VendorServer, spec: JudgeSpec) -> None:
    vendor_server.batches.load({"plan": {"polls": 1}})
    vendor_server.rules({"status": 500, "purpose": "extract"})

    async def use(judge: BatchJudge) -> list:
        first = await submit(judge, EXTRACT, VERIFY)
        return [first, await judge.look(first.vendor_id), await judge.look(first.vendor_id)]

    handed, working, ended = drive(spec, use)
    assert {handed.status, working.status} == {BatchStatus.WORKING}
    assert handed.requests == working.requests == 2
    assert (ended.status, ended.requests, ended.answered, ended.failed) == (BatchStatus.ENDED, 2, 1, 1)
    assert timedelta(hours=23) < ended.expires_at - datetime.now(UTC) < timedelta(hours=25)


@BOTH
@pytest.mark.parametrize(
    ("rule", "fault"),
    [
        ({"status": 429}, Fault.RATE_LIMIT),
        ({"status": 429, "in_output": True}, Fault.RATE_LIMIT),
        ({"status": 500}, Fault.SERVER),
        ({"status": 529}, Fault.OVERLOADED),
        ({"status": 401}, Fault.AUTH),
        ({"status": 400, "error": {"message": "Your credit balance is too low"}}, Fault.QUOTA),
        ({"status": 400, "error": {"message": "prompt is too long: 9 tokens > 8 maximum"}}, Fault.TOO_LONG),
        ({"status": 400, "error": {"message": "content_filter"}}, Fault.REFUSED),
        ({"fault": "expired"}, Fault.TIMEOUT),
        ({"fault": "canceled"}, Fault.SERVER),
        ({"fault": "no_choices"}, None),
    ],
)
def test_a_failed_request_is_one_plain_error_among_good_ones(
    vendor_server: VendorServer, spec: JudgeSpec, rule: dict, fault: Fault | None
) -> None:
    vendor_server.rules({"contains": "甲公司", **rule})
    results = drive(spec, lambda judge: through(judge, VERIFY, VERIFY_ZH, EXTRACT))
    assert isinstance(results[NAMES[0]], Reply)
    assert isinstance(results[NAMES[2]], Reply)
    error = results[NAMES[1]]
    if fault is None:
        assert isinstance(error, Reply)
        return
    assert isinstance(error, JudgeError)
    assert error.fault is fault, error
    assert error.message
    assert "sk-test" not in repr(error) + str(vars(error))
    assert pickle.loads(pickle.dumps(error)).fault is fault


@BOTH
@pytest.mark.parametrize(
    ("fault", "finish"), [("refusal", "refusal"), ("truncated", "length"), ("no_usage", "stop"), ("fenced", "stop")]
)
def test_spoilt_replies_come_as_they_do_from_single_calls(
    vendor_server: VendorServer, spec: JudgeSpec, fault: str, finish: str
) -> None:
    vendor_server.rules({"fault": fault})
    (single,) = ask(spec, VERIFY)
    reply = drive(spec, lambda judge: through(judge, VERIFY))[NAMES[0]]
    assert isinstance(reply, Reply)
    assert reply.finish == finish
    assert (reply.text, reply.usage) == (single.text, single.usage)


@BOTH
def test_results_may_be_missing_doubled_or_no_json(vendor_server: VendorServer, spec: JudgeSpec) -> None:
    vendor_server.rules(
        {"fault": "twice", "purpose": "extract"},
        {"fault": "broken", "contains": "甲公司"},
        {"fault": "missing", "purpose": "verify"},
    )

    async def use(judge: BatchJudge) -> list:
        state = await judge.look((await submit(judge, EXTRACT, VERIFY, VERIFY_ZH)).vendor_id)
        return await collect(judge, state.vendor_id)

    results = drive(spec, use)
    assert [name for name, _ in results] == [NAMES[0], NAMES[0]]


@BOTH
def test_an_expired_batch_gives_what_was_answered(vendor_server: VendorServer, spec: JudgeSpec) -> None:
    vendor_server.batches.load({"plan": {"end": "expired", "answered": 1}})
    results = drive(spec, lambda judge: through(judge, VERIFY, VERIFY_ZH, EXTRACT))
    assert isinstance(results[NAMES[0]], Reply)
    assert [results[name].fault for name in NAMES[1:]] == [Fault.TIMEOUT] * 2
    assert "expired" in results[NAMES[1]].message


@BOTH
def test_a_cancelled_batch_gives_what_was_answered(vendor_server: VendorServer, spec: JudgeSpec) -> None:
    vendor_server.batches.load({"plan": {"polls": 5, "answered": 1}})

    async def use(judge: BatchJudge) -> tuple:
        state = await submit(judge, VERIFY, VERIFY_ZH)
        asked = await judge.cancel_batch(state.vendor_id)
        over = await judge.look(state.vendor_id)
        again = await judge.cancel_batch(state.vendor_id)
        return asked, over, again, dict(await collect(judge, state.vendor_id))

    asked, over, again, results = drive(spec, use)
    assert asked.status is BatchStatus.WORKING
    assert over.status is again.status
    assert over.status in (BatchStatus.CANCELLED, BatchStatus.ENDED)
    assert isinstance(results[NAMES[0]], Reply)
    assert results[NAMES[1]].fault in RETRY_LATER


@BOTH
def test_a_batch_that_the_vendor_forgot_is_lost(vendor_server: VendorServer, spec: JudgeSpec) -> None:
    async def use(judge: BatchJudge) -> tuple:
        state = await submit(judge, VERIFY)
        vendor_server.batches.forget()
        return await judge.look(state.vendor_id), await fault_of(collect(judge, state.vendor_id))

    lost, error = drive(spec, use)
    assert lost.status is BatchStatus.LOST
    assert lost.message
    assert error.status == 404


@BOTH
@pytest.mark.parametrize("on", ["look", "results"])
def test_a_vendor_in_trouble_is_asked_again_later(vendor_server: VendorServer, spec: JudgeSpec, on: str) -> None:
    # Twice, since aiohttp itself repeats a GET on a connection that it has used before.
    faults = [{"on": on, "status": 503}, {"on": on, "fault": "reset", "times": 2}]

    async def use(judge: BatchJudge) -> list:
        state = await judge.look((await submit(judge, VERIFY)).vendor_id)
        vendor_server.batches.load({"faults": faults})
        look = judge.look if on == "look" else lambda name: collect(judge, name)
        errors = [await fault_of(look(state.vendor_id)) for _ in faults]
        return [*errors, dict(await collect(judge, state.vendor_id))]

    busy, reset, results = drive(spec, use)
    assert busy.fault is Fault.OVERLOADED
    assert reset.fault in (Fault.NETWORK, Fault.TIMEOUT)
    assert isinstance(results[NAMES[0]], Reply)


@BOTH
def test_results_that_end_in_the_middle_are_collected_again(vendor_server: VendorServer, spec: JudgeSpec) -> None:
    async def use(judge: BatchJudge) -> tuple:
        state = await judge.look((await submit(judge, VERIFY, VERIFY_ZH, EXTRACT)).vendor_id)
        vendor_server.batches.load({"faults": [{"on": "results", "fault": "cut"}]})
        before = []
        with pytest.raises(JudgeError) as cut:
            async with aclosing(judge.collect(state.vendor_id)) as results:
                async for name, _ in results:
                    before.append(name)
        return before, cut.value, dict(await collect(judge, state.vendor_id))

    before, error, results = drive(spec, use)
    assert before == NAMES[:1]  # it stands
    assert error.fault in RETRY_LATER
    assert sorted(results) == NAMES


@BOTH
@pytest.mark.parametrize(
    ("rule", "fault"),
    [
        ({"status": 429}, Fault.RATE_LIMIT),
        ({"status": 500}, Fault.SERVER),
        ({"status": 401}, Fault.AUTH),
        ({"status": 404}, Fault.NOT_FOUND),
        ({"status": 400, "error": {"message": "billing_hard_limit_reached"}}, Fault.QUOTA),
        ({"fault": "reset"}, Fault.NETWORK),
    ],
)
def test_a_refused_hand_over_is_one_plain_error(
    vendor_server: VendorServer, spec: JudgeSpec, rule: dict, fault: Fault
) -> None:
    vendor_server.batches.load({"faults": [{"on": "create", **rule}]})
    error = drive(spec, lambda judge: fault_of(submit(judge, VERIFY)))
    assert error.fault is fault
    assert vendor_server.batches.log.count("create") == 1  # the SDK's own retries are off
    shown = "".join(traceback.format_exception(error)) + repr(error)
    assert "sk-test" not in shown


def test_a_file_that_is_not_seen_everywhere_yet_is_no_mistake_of_ours(vendor_server: VendorServer) -> None:
    message = "Cannot find file file-1, or project x does not have access to it."
    fault = {"on": "create", "status": 400, "error": {"message": message, "param": "file_id"}}
    vendor_server.batches.load({"faults": [fault]})
    assert drive(OPENAI, lambda judge: fault_of(submit(judge, VERIFY))).fault is Fault.SERVER


@BOTH
def test_the_deadline_of_every_exchange_is_ours(vendor_server: VendorServer, spec: JudgeSpec) -> None:
    vendor_server.batches.load({"faults": [{"on": "create", "fault": "hang"}]})
    error = drive(replace(spec, timeout=0.3), lambda judge: fault_of(submit(judge, VERIFY)))
    assert error.fault is Fault.TIMEOUT


@BOTH
def test_a_batch_whose_acceptance_was_never_heard_is_found(vendor_server: VendorServer, spec: JudgeSpec) -> None:
    vendor_server.batches.load({"plan": {"polls": 3}, "faults": [{"on": "create", "fault": "lost"}]})
    error = drive(spec, lambda judge: fault_of(submit(judge, VERIFY, VERIFY_ZH)))
    assert error.fault in RETRY_LATER

    async def use(judge: BatchJudge) -> tuple:
        before = await judge.find_batch(OTHER, requests=7, since=LONG_AGO)
        return before, await judge.find_batch(TAG, requests=2, since=LONG_AGO)

    other, found = drive(spec, use)
    (only,) = vendor_server.batches.all
    assert other is None
    assert (found.vendor_id, found.status, found.requests) == (only, BatchStatus.WORKING, 2)


@BOTH
def test_nothing_is_found_where_nothing_was_handed_over(vendor_server: VendorServer, spec: JudgeSpec) -> None:
    vendor_server.batches.load({"faults": [{"on": "create", "fault": "reset"}]})
    drive(spec, lambda judge: fault_of(submit(judge, VERIFY)))
    assert drive(spec, lambda judge: judge.find_batch(TAG, requests=1, since=LONG_AGO)) is None


def test_openai_finds_a_batch_by_its_tag_beyond_the_first_page(vendor_server: VendorServer) -> None:
    async def use(judge: BatchJudge) -> tuple:
        first = await submit(judge, VERIFY)
        for _ in range(120):
            await submit(judge, VERIFY, tag=OTHER)
        return first, await judge.find_batch(TAG, requests=1, since=LONG_AGO)

    first, found = drive(OPENAI, use)
    assert found.vendor_id == first.vendor_id
    assert vendor_server.batches.log.count("list") == 2


def test_anthropic_knows_an_ended_batch_by_its_results(vendor_server: VendorServer) -> None:
    async def use(judge: BatchJudge) -> tuple:
        ours = await submit(judge, VERIFY)
        other = await submit(judge, VERIFY_ZH, tag=OTHER)
        for state in (ours, other):
            await judge.look(state.vendor_id)
        return ours, other, await judge.find_batch(TAG, requests=1, since=LONG_AGO)

    ours, other, found = drive(ANTHROPIC, use)
    assert found.vendor_id == ours.vendor_id != other.vendor_id


def test_anthropic_takes_the_likely_one_while_it_works_and_its_results_tell(vendor_server: VendorServer) -> None:
    """What find_batch cannot know: a batch of somebody else's of the same size. Its results do not carry the tag."""
    vendor_server.batches.load({"plan": {"polls": 1}})

    async def use(judge: BatchJudge) -> tuple:
        foreign = await submit(judge, VERIFY_ZH, tag=OTHER)
        likely = await judge.find_batch(TAG, requests=1, since=LONG_AGO)
        known = await judge.find_batch(TAG, requests=1, since=LONG_AGO, known=[foreign.vendor_id])
        await judge.look(foreign.vendor_id)
        await judge.look(foreign.vendor_id)
        results = await collect(judge, foreign.vendor_id)
        return likely, known, results, await judge.find_batch(TAG, requests=1, since=LONG_AGO)

    likely, known, results, later = drive(ANTHROPIC, use)
    assert likely is not None
    assert known is None
    assert [number_in(TAG, name) for name, _ in results] == [None]
    assert later is None


def test_batches_from_before_are_not_looked_through(vendor_server: VendorServer) -> None:
    drive(ANTHROPIC, lambda judge: submit(judge, VERIFY))
    later = datetime.now(UTC) + timedelta(hours=1)
    assert drive(ANTHROPIC, lambda judge: judge.find_batch(TAG, requests=1, since=later)) is None


@BOTH
def test_a_batch_refused_for_a_parameter_goes_again_without_it(vendor_server: VendorServer, spec: JudgeSpec) -> None:
    error = {"message": "`temperature` is deprecated for this model, unsupported", "param": "temperature"}
    vendor_server.rules({"status": 400, "error": error, "times": 2})

    async def use(judge: BatchJudge) -> tuple:
        first = await through(judge, VERIFY, VERIFY_ZH)
        (name,) = vendor_server.batches.all
        again = dict(await collect(judge, name))  # read twice, as after a broken collection: it teaches once
        return first, again, await through(judge, VERIFY, VERIFY_ZH)

    first, again, second = drive(replace(spec, params={"temperature": 0, "top_p": 1}), use)
    assert [result.fault for result in (*first.values(), *again.values())] == [Fault.SERVER] * 4
    assert all(isinstance(reply, Reply) and "temperature" in reply.notes[0] for reply in second.values())
    bodies = [asked["body"] for asked in vendor_server.batches.asked]
    assert ["temperature" in body for body in bodies] == [True, True, False, False]
    assert all("top_p" in body for body in bodies)


@BOTH
def test_a_complaint_that_nothing_cures_stops_the_judge(vendor_server: VendorServer, spec: JudgeSpec) -> None:
    vendor_server.rules({"status": 400, "error": {"message": "something is wrong"}})
    results = drive(spec, lambda judge: through(judge, VERIFY, VERIFY_ZH))
    assert [error.fault for error in results.values()] == [Fault.CONFIG] * 2


@BOTH
def test_one_odd_request_among_good_ones_does_not(vendor_server: VendorServer, spec: JudgeSpec) -> None:
    vendor_server.rules({"status": 400, "contains": "甲公司", "error": {"message": "something is wrong"}})
    results = drive(spec, lambda judge: through(judge, VERIFY_ZH, VERIFY))
    assert results[NAMES[0]].fault is Fault.SERVER


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        ({"code": "token_limit_exceeded", "message": "Enqueued token limit reached for gpt-test."}, Fault.RATE_LIMIT),
        ({"code": "model_not_found", "message": "The model `gpt-test` does not exist", "line": 1}, Fault.NOT_FOUND),
        ({"code": "billing_hard_limit_reached", "message": "Billing hard limit has been reached"}, Fault.QUOTA),
        ({"code": "invalid_json_line", "message": "This line is not parseable", "line": 3}, Fault.CONFIG),
        ({}, Fault.CONFIG),
    ],
)
def test_a_batch_that_failed_as_a_whole_says_why(vendor_server: VendorServer, error: dict, fault: Fault) -> None:
    vendor_server.batches.load({"plan": {"end": "failed", "error": error}})

    async def use(judge: BatchJudge):
        return await judge.look((await submit(judge, VERIFY)).vendor_id)

    state = drive(OPENAI, use)
    assert (state.status, state.fault) == (BatchStatus.FAILED, fault)
    assert error.get("message", "rejected") in state.message


@BOTH
def test_texts_and_results_can_be_deleted(vendor_server: VendorServer, spec: JudgeSpec) -> None:
    async def use(judge: BatchJudge) -> list[bool]:
        state = await judge.look((await submit(judge, VERIFY)).vendor_id)
        gone = await judge.forget_batch(state.vendor_id)
        vendor_server.batches.load({"faults": [{"on": "look", "status": 500}]})
        return [gone, await judge.forget_batch(state.vendor_id)]

    assert drive(spec, use) == [True, False]
    assert not vendor_server.batches.files
    assert spec is OPENAI or not vendor_server.batches.all


@BOTH
def test_the_key_goes_to_the_judges_own_address_only(vendor_server: VendorServer, spec: JudgeSpec) -> None:
    """Anthropic's answer names an address of its results; the fake vendor's leads astray."""
    results = drive(spec, lambda judge: through(judge, VERIFY))
    assert isinstance(results[NAMES[0]], Reply)


@BOTH
@pytest.mark.parametrize("name", ["", "../files/file-1", "a b", "批次", "x" * 300])
def test_what_cannot_be_an_id_is_never_asked_for(vendor_server: VendorServer, spec: JudgeSpec, name: str) -> None:
    error = drive(spec, lambda judge: fault_of(judge.look(name)))
    assert error.fault is Fault.BAD_BODY
    assert vendor_server.batches.log == []


def test_a_file_takes_requests_up_to_the_vendors_limits() -> None:
    file = BatchFile(lambda name, prompt: b"x" * 9, max_requests=3, max_bytes=25)
    prompt = build_prompt(VERIFY)
    assert [file.add(custom_id(TAG, number), prompt) for number in range(3)] == [True, True, False]
    assert (file.requests, file.size) == (2, 20)
    assert file.opened().read() == b"xxxxxxxxx\n" * 2
    file.close()
    few = BatchFile(lambda name, prompt: b"x", max_requests=1, max_bytes=25)
    assert [few.add("a", prompt), few.add("b", prompt)] == [True, False]
    few.close()


@BOTH
def test_the_limits_are_the_vendors(vendor_server: VendorServer, spec: JudgeSpec) -> None:
    judge = build_judge(spec)
    limits = {"openai": (50_000, 200_000_000), "anthropic": (100_000, 255_000_000)}
    assert (judge.max_requests, judge.max_bytes) == limits[spec.vendor]


def test_custom_ids_are_plain_and_tell_their_number() -> None:
    name = custom_id(TAG, 49_999)
    assert name == f"{TAG.hex}-49999"
    assert len(name) <= 64
    assert number_in(TAG, name) == 49_999
    assert [number_in(TAG, other) for other in (custom_id(OTHER, 1), TAG.hex, f"{TAG.hex}-", "", "null-1")] == [
        None
    ] * 5


def test_vendors_say_whether_they_have_batches(vendor_server: VendorServer, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [name for name, vendor in VENDORS.items() if vendor.batch] == ["openai", "anthropic"]
    assert all(isinstance(build_judge(spec), BatchJudge) for spec in (OPENAI, ANTHROPIC))


def test_results_of_any_size_are_read_a_line_at_a_time() -> None:
    """40 MB of results, made as they are read; what is held meanwhile is a small part of them."""
    line = (json.dumps({"custom_id": "a", "padding": "据" * 10_000}, ensure_ascii=False) + "\n").encode()

    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(1300):
            for at in range(0, len(line), 16_384):
                yield line[at : at + 16_384]

    async def get() -> httpx2.Response:
        return httpx2.Response(200, content=pieces())

    async def read() -> int:
        return sum([1 async for value in stream_objects(get, OPENAI) if len(value["padding"]) == 10_000])

    tracemalloc.start()
    try:
        assert asyncio.run(read()) == 1300
        assert tracemalloc.get_traced_memory()[1] < 4_000_000
    finally:
        tracemalloc.stop()
