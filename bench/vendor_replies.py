"""What the bench's vendor answers: a claim for every sentence, and for every claim what stands in the contexts.

Reads the prompts by their sections' headings only, so that another wording or version of them changes nothing.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from bench.peer_replies import peer_answer

_NUMBERED = re.compile(r"^\[(\d+)\] (.*)", re.MULTILINE)


class Refused(Exception):
    """A request that this vendor does not understand; the message says what it lacked."""


def answer(request: Mapping[str, Any], body: bytes) -> str:
    """The text of a reply. request: the body read as JSON. Raises Refused."""
    user = "".join(_plain(message["content"]) for message in request["messages"] if message["role"] == "user")
    claims = _section(user, "CLAIMS")
    if claims is not None:
        contexts = _section(user, "CONTEXTS") or ""
        conflict = {"conflict": False} if b'"conflict"' in body else {}
        entries = [_verdict(int(number), text, contexts, conflict) for number, text in _NUMBERED.findall(claims)]
        return json.dumps({"verdicts": entries}, ensure_ascii=False)
    sentences = _section(user, "SENTENCES")
    if sentences is not None:
        found = _NUMBERED.findall(sentences)
        cut = [{"sentence": int(number), "text": text, "vague": False} for number, text in found]
        return json.dumps({"claims": cut, "no_claims": []}, ensure_ascii=False)
    peer = peer_answer(request, user)
    if peer is not None:
        return peer
    raise Refused("The prompt has neither a section CLAIMS nor a section SENTENCES.")


def _verdict(number: int, claim: str, contexts: str, conflict: Mapping[str, bool]) -> dict[str, Any]:
    wanted = claim.strip().rstrip(".。")
    at = contexts.find(wanted) if wanted else -1
    if at < 0:
        label, rationale, quotes = "UNVERIFIED", "No context speaks of it.", []
    else:
        label, rationale = "SUPPORTED", "The context says the same."
        quotes = [{"context": _number_before(contexts, at), "text": wanted}]
    return {"claim": number, "label": label, "rationale": rationale, "quotes": quotes, **conflict}


def _number_before(contexts: str, at: int) -> int:
    """The number of the context in which a place lies: that of the last line before it that begins with one."""
    start = contexts.rfind("\n[", 0, at) + 1
    digits = contexts[start + 1 : contexts.find("]", start)]
    return int(digits) if digits.isdecimal() else 1


def _section(text: str, name: str) -> str | None:
    """What stands between the markers of a section; None when there is no such section."""
    heading = text.find(f"## {name}")
    opening = text.find("<<<<< ", heading) if heading >= 0 else -1
    if opening < 0:
        return None
    line = text.find("\n", opening)
    end = text.find(f"\n>>>>> {text[opening + 6 : line]}", line)
    return text[line + 1 : end] if end >= 0 else None


def _plain(content: Any) -> str:
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content or [])
