"""The bodies that the fake vendor answers with, in either protocol, as a rule wants them."""

import json
from typing import Any

from tests.vendor_server.reading import Request, bend, reply_to

LONG = 4000  # characters of a request


def body_of(request: Request, rule: dict[str, Any], labels: list[dict[str, Any]]) -> dict[str, Any]:
    """The body of a 200."""
    fault = rule.get("fault", "")
    text = rule.get("text") or _worded(json.dumps(bend(reply_to(request, labels), rule), ensure_ascii=False), fault)
    body = (_chat if request.vendor == "openai" else _message)(request, text, fault)
    _count(body["usage"], request, rule)
    if fault == "no_usage":
        del body["usage"]
    if fault == "no_text":
        _empty(body)
    return body


def _empty(body: dict[str, Any]) -> None:
    """Take the text away and leave all else as it is."""
    if "choices" in body:
        body["choices"][0]["message"]["content"] = ""
    else:
        body["content"] = []


def _count(usage: dict[str, Any], request: Request, rule: dict[str, Any]) -> None:
    """Let a long request have a number of tokens that can be true, or that of the rule; short ones keep theirs."""
    if "tokens_in" not in rule and len(request.user) <= LONG:
        return
    tokens = rule.get("tokens_in", len(request.user.encode()) // 4)
    if request.vendor == "openai":
        usage.update(prompt_tokens=tokens, total_tokens=tokens + usage["completion_tokens"])
    else:
        cached = usage["cache_read_input_tokens"] + usage["cache_creation_input_tokens"]
        usage.update(input_tokens=max(0, tokens - cached))


def error_of(vendor: str, rule: dict[str, Any]) -> dict[str, Any]:
    """The body of a scripted status."""
    error = rule.get("error", {"message": f"scripted {rule['status']}", "type": "scripted"})
    return {"error": error} if vendor == "openai" else {"type": "error", "error": error}


def _worded(text: str, fault: str) -> str:
    """The reply's text as a model might wrap or spoil it."""
    return {
        "malformed": "{'verdicts': broken",
        "fenced": f"```json\n{text}\n```",
        "think": f"<think>\nLet me see {{what}} it says.\n</think>\n{text}",
        "prose": f"Here is what I found:\n{text}\nI hope this helps.",
        "two_objects": f"{text}\n{text}",
        "truncated": text[: len(text) // 2],
        "blank": "   ",
    }.get(fault, text)


def _chat(request: Request, text: str, fault: str) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": text, "refusal": None}
    if fault == "refusal":
        message.update(content=None, refusal="I cannot help with that.")
    finish = {"truncated": "length", "content_filter": "content_filter"}.get(fault, "stop")
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": request.model + "-dated",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {
            "prompt_tokens": 100,
            "completion_tokens": 20,
            "total_tokens": 120,
            "prompt_tokens_details": {"cached_tokens": 40},
        },
    }


def _message(request: Request, text: str, fault: str) -> dict[str, Any]:
    refused = fault in ("refusal", "content_filter")
    stop = "refusal" if refused else "max_tokens" if fault == "truncated" else "end_turn"
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": request.model + "-dated",
        "content": [] if refused else [{"type": "text", "text": text}],
        "stop_reason": stop,
        "usage": {
            "input_tokens": 60,
            "cache_read_input_tokens": 30,
            "cache_creation_input_tokens": 10,
            "output_tokens": 20,
        },
    }
