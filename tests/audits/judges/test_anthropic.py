"""Anthropic's Messages API over real HTTP: the request as sent, each fault as one plain error."""

import dataclasses
import json
import pickle

import pytest

from audits.judges.base import Fault, JudgeSpec
from audits.judges.prompting import build_prompt
from tests.audits.judges.calling import ask, ask_one, fail_one
from tests.audits.judges.samples import EXTRACT, VERIFY, VERIFY_ZH
from tests.vendor_server.server import VendorServer

SPEC = JudgeSpec("anthropic", "claude-test", timeout=10)
KEY = "sk-test-anthropic-0123456789"


def test_extraction_and_verification_come_back_with_usage(vendor_server: VendorServer) -> None:
    extracted, verified = ask(SPEC, EXTRACT, VERIFY_ZH)
    assert len(json.loads(extracted.text)["claims"]) == 2
    verdicts = json.loads(verified.text)["verdicts"]
    assert [(v["claim"], v["label"]) for v in verdicts] == [(1, "SUPPORTED"), (2, "UNVERIFIED")]
    assert (verified.model, verified.finish, verified.request_id) == ("claude-test-dated", "stop", "req_2")
    # input_tokens leaves out what went through the cache: 60 + 30 read + 10 written
    assert (verified.usage.tokens_in, verified.usage.cache_read, verified.usage.cache_write) == (100, 30, 10)
    assert verified.usage.tokens_out == 20


def test_the_request_is_lean_and_carries_the_key_in_both_headers(vendor_server: VendorServer) -> None:
    ask(SPEC, VERIFY, VERIFY)
    first, second = vendor_server.requests
    assert first["body"] == second["body"]
    assert set(first["body"]) == {"model", "max_tokens", "system", "messages", "output_config"}
    assert first["body"]["output_config"]["format"]["type"] == "json_schema"
    assert first["path"] == "/v1/messages"
    assert first["headers"]["authorization"] == f"Bearer {KEY}"
    assert first["headers"]["x-api-key"] == KEY  # compatible servers may know only this one


def test_a_base_url_with_v1_means_the_same(vendor_server: VendorServer) -> None:
    ask_one(dataclasses.replace(SPEC, base_url=vendor_server.url + "/v1/", api_key="sk-own"), VERIFY)
    assert vendor_server.requests[0]["path"] == "/v1/messages"


def test_long_contexts_are_marked_for_the_cache_and_claims_are_not(vendor_server: VendorServer) -> None:
    contexts = ("Acme was founded in 1999. " * 1000, *VERIFY.contexts)
    task = dataclasses.replace(VERIFY, contexts=contexts)
    ask_one(SPEC, task, prompt=dataclasses.replace(build_prompt(task), shared=True))
    parts = vendor_server.requests[0]["body"]["messages"][0]["content"]
    assert ["cache_control" in part for part in parts] == [True, False]
    assert "## CONTEXTS" in parts[0]["text"]
    assert "## CLAIMS" in parts[1]["text"]
    ask_one(SPEC, task)  # nothing follows that would read it, and writing to the cache costs more
    assert isinstance(vendor_server.requests[1]["body"]["messages"][0]["content"], str)


@pytest.mark.parametrize(
    ("rule", "fault"),
    [
        ({"status": 429}, Fault.RATE_LIMIT),
        (
            {
                "status": 429,
                "error": {"type": "rate_limit", "details": {"error_code": "enforced_spend_limit_reached"}},
            },
            Fault.QUOTA,
        ),
        ({"status": 400, "error": {"message": "Your credit balance is too low"}}, Fault.QUOTA),
        ({"status": 402}, Fault.QUOTA),
        ({"status": 500}, Fault.SERVER),
        ({"status": 502, "html": True}, Fault.SERVER),
        ({"status": 529}, Fault.OVERLOADED),
        ({"status": 401}, Fault.AUTH),
        ({"status": 403}, Fault.AUTH),
        ({"status": 404}, Fault.NOT_FOUND),
        ({"status": 413}, Fault.TOO_LONG),
        ({"status": 400, "error": {"message": "prompt is too long: 250000 tokens > 200000 maximum"}}, Fault.TOO_LONG),
        ({"status": 400, "error": {"message": "something is wrong"}}, Fault.CONFIG),
        ({"fault": "redirect"}, Fault.CONFIG),
        ({"fault": "reset"}, Fault.NETWORK),
        ({"fault": "cut"}, Fault.NETWORK),
        ({"fault": "html"}, Fault.BAD_BODY),
        ({"fault": "empty"}, Fault.BAD_BODY),
        ({"fault": "cut_reply"}, Fault.BAD_BODY),
        ({"fault": "no_choices"}, Fault.BAD_BODY),
        ({"fault": "error_200"}, Fault.SERVER),
    ],
)
def test_every_fault_is_one_plain_error(vendor_server: VendorServer, rule: dict, fault: Fault) -> None:
    vendor_server.rules(rule)
    error = fail_one(SPEC, VERIFY)
    assert error.fault is fault, error
    assert len(vendor_server.requests) == 1
    assert error.__cause__ is error.__context__ is None
    assert KEY.encode() not in pickle.dumps(error)


@pytest.mark.parametrize("fault", ["hang", "drip"])
def test_the_deadline_is_wall_clock(vendor_server: VendorServer, fault: str) -> None:
    vendor_server.rules({"fault": fault})
    error = fail_one(dataclasses.replace(SPEC, timeout=0.3), VERIFY)
    assert error.fault is Fault.TIMEOUT


def test_a_long_retry_after_is_handed_back_and_not_slept(vendor_server: VendorServer) -> None:
    vendor_server.rules({"status": 429, "retry_after": "3600"})
    error = fail_one(SPEC, VERIFY)
    assert (error.retry_after, error.request_id) == (3600, "req_fault")


@pytest.mark.parametrize(("fault", "finish"), [("refusal", "refusal"), ("truncated", "length"), ("", "stop")])
def test_how_a_reply_ended(vendor_server: VendorServer, fault: str, finish: str) -> None:
    vendor_server.rules({"fault": fault})
    assert ask_one(SPEC, VERIFY).finish == finish


def test_a_model_without_formats_is_asked_in_words_and_remembered(vendor_server: VendorServer) -> None:
    error = {"type": "invalid_request_error", "message": "output_config.format: Extra inputs are not permitted"}
    vendor_server.rules({"status": 400, "error": error, "times": 1})
    spec = dataclasses.replace(SPEC, params={"output_config": {"effort": "low"}})
    first, second = ask(spec, VERIFY, VERIFY)
    assert first.notes == second.notes != ()
    assert [request["body"].get("output_config") for request in vendor_server.requests][1:] == [{"effort": "low"}] * 2


def test_a_deprecated_parameter_is_dropped(vendor_server: VendorServer) -> None:
    error = {"type": "invalid_request_error", "message": "`temperature` is deprecated for this model"}
    vendor_server.rules({"status": 400, "error": error, "times": 1})
    reply = ask_one(dataclasses.replace(SPEC, params={"temperature": 0}), VERIFY)
    assert "temperature" in reply.notes[0]
    assert "output_config" in vendor_server.requests[1]["body"]
