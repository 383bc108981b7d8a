"""OpenAI's Chat Completions over real HTTP: the request as sent, each fault as one plain error."""

import json
import pickle
import traceback

import pytest

from audits.judges import build_judge
from audits.judges.base import Fault, JudgeError, JudgeSpec
from tests.audits.judges.calling import ask, ask_one, fail_one
from tests.audits.judges.samples import EXTRACT, VERIFY, VERIFY_ZH
from tests.vendor_server.server import VendorServer

SPEC = JudgeSpec("openai", "gpt-test", timeout=10)
KEY = "sk-test-openai-0123456789"


def test_extraction_and_verification_come_back_with_usage(vendor_server: VendorServer) -> None:
    extracted, verified = ask(SPEC, EXTRACT, VERIFY)
    assert [claim["text"] for claim in json.loads(extracted.text)["claims"]] == [
        "Acme was founded in 1999.",
        "It is great!",
    ]
    verdicts = json.loads(verified.text)["verdicts"]
    assert [(v["claim"], v["label"]) for v in verdicts] == [(1, "SUPPORTED"), (2, "UNVERIFIED")]
    assert (verified.model, verified.finish, verified.request_id) == ("gpt-test-dated", "stop", "req_2")
    assert (verified.usage.tokens_in, verified.usage.tokens_out, verified.usage.cache_read) == (100, 20, 40)
    assert verified.usage.cache_write is None
    assert verified.latency > 0


def test_the_request_is_lean_and_deterministic(vendor_server: VendorServer) -> None:
    ask(SPEC, VERIFY, VERIFY)
    first, second = (request["body"] for request in vendor_server.requests)
    assert first == second
    assert set(first) == {"model", "messages", "max_completion_tokens", "response_format", "store"}
    assert first["store"] is False
    form = first["response_format"]
    assert form["type"] == "json_schema"
    assert form["json_schema"]["strict"] is True
    assert form["json_schema"]["name"] == "verdicts"
    assert vendor_server.requests[0]["path"] == "/v1/chat/completions"
    assert vendor_server.requests[0]["headers"]["authorization"] == f"Bearer {KEY}"


def test_chinese_is_sent_and_read_as_it_is(vendor_server: VendorServer) -> None:
    reply = ask_one(SPEC, VERIFY_ZH)
    assert [v["label"] for v in json.loads(reply.text)["verdicts"]] == ["SUPPORTED", "UNVERIFIED"]
    assert "[1] 甲公司成立于1999年，总部设在上海。" in vendor_server.requests[0]["user"]


@pytest.mark.parametrize(
    ("rule", "fault"),
    [
        ({"status": 429}, Fault.RATE_LIMIT),
        ({"status": 429, "error": {"message": "You exceeded", "code": "insufficient_quota"}}, Fault.QUOTA),
        ({"status": 402}, Fault.QUOTA),
        ({"status": 500}, Fault.SERVER),
        ({"status": 502, "html": True}, Fault.SERVER),
        ({"status": 503}, Fault.OVERLOADED),
        ({"status": 529}, Fault.OVERLOADED),
        ({"status": 401}, Fault.AUTH),
        ({"status": 403}, Fault.AUTH),
        ({"status": 404}, Fault.NOT_FOUND),
        ({"status": 413}, Fault.TOO_LONG),
        ({"status": 400, "error": {"message": "too long", "code": "context_length_exceeded"}}, Fault.TOO_LONG),
        ({"status": 400, "error": {"message": "filtered", "code": "content_filter"}}, Fault.REFUSED),
        ({"status": 400, "error": {"message": "The model `x` does not exist"}}, Fault.NOT_FOUND),
        ({"status": 400, "error": {"message": "something is wrong"}}, Fault.CONFIG),
        ({"fault": "redirect"}, Fault.CONFIG),
        ({"fault": "reset"}, Fault.NETWORK),
        ({"fault": "cut"}, Fault.NETWORK),
        ({"fault": "html"}, Fault.BAD_BODY),
        ({"fault": "empty"}, Fault.BAD_BODY),
        ({"fault": "array"}, Fault.BAD_BODY),
        ({"fault": "cut_reply"}, Fault.BAD_BODY),
        ({"fault": "no_choices"}, Fault.BAD_BODY),
        ({"fault": "oversized"}, Fault.BAD_BODY),
        ({"fault": "error_200"}, Fault.SERVER),
    ],
)
def test_every_fault_is_one_plain_error(vendor_server: VendorServer, rule: dict, fault: Fault) -> None:
    vendor_server.rules(rule)
    error = fail_one(SPEC, VERIFY)
    assert error.fault is fault, error
    assert error.message
    assert len(vendor_server.requests) == 1  # the SDK's own retries are off
    assert error.status == rule.get("status", error.status)


@pytest.mark.parametrize("fault", ["hang", "drip"])
def test_the_deadline_is_wall_clock(vendor_server: VendorServer, fault: str) -> None:
    vendor_server.rules({"fault": fault})
    error = fail_one(JudgeSpec("openai", "gpt-test", timeout=0.3), VERIFY)
    assert error.fault is Fault.TIMEOUT
    assert error.latency >= 0.3


def test_a_refused_connection_is_a_network_fault(vendor_server: VendorServer) -> None:
    error = fail_one(JudgeSpec("openai", "gpt-test", api_key="sk-own", base_url="http://127.0.0.1:1/v1"), VERIFY)
    assert error.fault is Fault.NETWORK


@pytest.mark.parametrize(("value", "least", "most"), [("7", 7, 7), ("Fri, 01 Jan 2100 00:00:00 GMT", 1e9, 1e10)])
def test_retry_after_is_kept(vendor_server: VendorServer, value: str, least: float, most: float) -> None:
    vendor_server.rules({"status": 429, "retry_after": value})
    error = fail_one(SPEC, VERIFY)
    assert least <= error.retry_after <= most
    assert error.request_id == "req_fault"


def test_an_unreadable_retry_after_is_none(vendor_server: VendorServer) -> None:
    vendor_server.rules({"status": 429, "retry_after": "soon"})
    assert fail_one(SPEC, VERIFY).retry_after is None


@pytest.mark.parametrize(
    ("fault", "finish"),
    [("refusal", "refusal"), ("content_filter", "refusal"), ("truncated", "length"), ("", "stop")],
)
def test_how_a_reply_ended(vendor_server: VendorServer, fault: str, finish: str) -> None:
    vendor_server.rules({"fault": fault})
    assert ask_one(SPEC, VERIFY).finish == finish


def test_usage_that_is_not_reported_is_not_zero(vendor_server: VendorServer) -> None:
    vendor_server.rules({"fault": "no_usage"})
    assert ask_one(SPEC, VERIFY).usage.tokens_in is None


def test_the_key_never_leaves_with_an_error(vendor_server: VendorServer) -> None:
    vendor_server.rules({"status": 401, "error": {"message": f"Incorrect API key provided: {KEY}, sk-abc***xyz9."}})
    error = fail_one(SPEC, VERIFY)
    shown = "".join(traceback.format_exception(error)) + repr(error) + str(vars(error))
    assert KEY not in shown
    assert "xyz9" not in shown
    assert error.__cause__ is None
    assert error.__context__ is None
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.fault, copy.message, copy.status) == (Fault.AUTH, error.message, 401)
    assert KEY.encode() not in pickle.dumps(error)


def test_a_refused_parameter_is_renamed_once_and_remembered(vendor_server: VendorServer) -> None:
    message = "Unsupported parameter: 'max_completion_tokens' is not supported with this model."
    error = {"message": message, "code": "unsupported_parameter", "param": "max_completion_tokens"}
    vendor_server.rules({"status": 400, "error": error, "times": 1})
    first, second = ask(SPEC, VERIFY, VERIFY)
    assert first.finish == second.finish == "stop"
    assert first.notes == second.notes != ()
    assert "max_completion_tokens" in first.notes[0]
    bodies = [request["body"] for request in vendor_server.requests]
    assert ["max_tokens" in body for body in bodies] == [False, True, True]
    assert bodies[2]["max_tokens"] == 4000


def test_json_schema_gives_way_to_json_object_and_then_to_words(vendor_server: VendorServer) -> None:
    error = {"message": "This response_format type is unavailable now", "type": "invalid_request_error"}
    vendor_server.rules({"status": 400, "error": error, "times": 2})
    reply = ask_one(SPEC, VERIFY)
    kinds = [request["body"].get("response_format", {}).get("type") for request in vendor_server.requests]
    assert kinds == ["json_schema", "json_object", None]
    assert len(reply.notes) == 2
    assert "JSON" in vendor_server.requests[2]["system"]


def test_a_parameter_of_the_judge_is_sent_and_dropped_when_refused(vendor_server: VendorServer) -> None:
    error = {"message": "Unsupported value", "code": "unsupported_value", "param": "temperature"}
    vendor_server.rules({"status": 400, "error": error, "times": 1})
    reply = ask_one(JudgeSpec("openai", "gpt-test", params={"temperature": 0, "seed": 7}), VERIFY)
    first, second = (request["body"] for request in vendor_server.requests)
    assert first["temperature"] == 0
    assert "temperature" not in second
    assert second["seed"] == 7
    assert "temperature" in reply.notes[0]


def test_a_refusal_that_nothing_cures_ends(vendor_server: VendorServer) -> None:
    vendor_server.rules({"status": 400, "error": {"message": "unsupported: max_tokens, max_completion_tokens"}})
    assert fail_one(SPEC, VERIFY).fault is Fault.CONFIG
    assert len(vendor_server.requests) == 3


def test_one_bad_request_among_good_ones_does_not_stop_the_judge(vendor_server: VendorServer) -> None:
    vendor_server.rules({"status": 400, "contains": "甲公司"})
    good, bad = ask(SPEC, VERIFY, VERIFY_ZH)
    assert good.finish == "stop"
    assert bad.fault is Fault.SERVER


def test_a_larger_limit_for_one_call(vendor_server: VendorServer) -> None:
    ask_one(SPEC, VERIFY, max_tokens=8000)
    assert vendor_server.requests[0]["body"]["max_completion_tokens"] == 8000


def test_deepseek_has_its_own_address_key_and_form(vendor_server: VendorServer, monkeypatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/never")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-private")
    ask_one(JudgeSpec("deepseek", "deepseek-test"), VERIFY)
    (request,) = vendor_server.requests
    assert request["path"] == "/chat/completions"
    assert request["headers"]["authorization"] == "Bearer sk-test-deepseek-0123456789"
    assert "openai-organization" not in request["headers"]
    assert request["body"]["response_format"] == {"type": "json_object"}
    assert request["body"]["max_tokens"] == 4000
    assert "store" not in request["body"]


def test_a_local_server_needs_no_key(vendor_server: VendorServer, monkeypatch) -> None:
    monkeypatch.setenv("VLLM_BASE_URL", vendor_server.url + "/v1")
    monkeypatch.delenv("VLLM_API_KEY", raising=False)
    assert ask_one(JudgeSpec("vllm", "qwen-local"), VERIFY).finish == "stop"


def test_the_environments_key_never_goes_to_a_judges_own_address(vendor_server: VendorServer) -> None:
    with pytest.raises(JudgeError, match="address of its own") as refused:
        build_judge(JudgeSpec("openai", "gpt-test", base_url=vendor_server.url + "/v1"))
    assert refused.value.fault is Fault.CONFIG


def test_a_missing_key_names_its_variable(monkeypatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(JudgeError, match="OPENAI_API_KEY") as caught:
        build_judge(SPEC)
    assert caught.value.fault is Fault.CONFIG


@pytest.mark.parametrize(
    "spec",
    [
        JudgeSpec("openai", "m", api_key="with space inside"),
        JudgeSpec("openai", "m", api_key="钥匙"),
        JudgeSpec("openai", "m", api_key="k", base_url="ftp://host"),
        JudgeSpec("openai", "m", api_key="k", base_url="http://[broken"),
        JudgeSpec("openai", "m", api_key="k", params={"stream": True}),
        JudgeSpec("nobody", "m", api_key="k"),
    ],
)
def test_what_cannot_be_a_judge_is_refused_before_any_call(spec: JudgeSpec) -> None:
    with pytest.raises(JudgeError) as caught:
        build_judge(spec)
    assert caught.value.fault is Fault.CONFIG


def test_hostile_model_text_is_cleaned_of_what_no_database_holds(vendor_server: VendorServer) -> None:
    vendor_server.rules({"text": "a\x00b\x1bc\ud800d"})
    assert ask_one(SPEC, VERIFY).text == "abc\ufffdd"
