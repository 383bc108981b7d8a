"""What the fake vendor understands of a request: its purpose, its numbered items, and a sensible reply."""

import json
import re
from dataclasses import dataclass, field
from typing import Any

_SECTION = re.compile(r"^## (SENTENCES|CLAIMS|CONTEXTS)[^\n]*\n<{5} (\w+)\n(.*?)\n>{5} \2$", re.DOTALL | re.MULTILINE)


@dataclass
class Request:
    """One call as the fake vendor sees it. items: "SENTENCES" | "CLAIMS" | "CONTEXTS" -> number -> text."""

    vendor: str
    path: str
    model: str
    body: dict[str, Any]
    headers: dict[str, str]
    system: str = ""
    user: str = ""
    items: dict[str, dict[int, str]] = field(default_factory=dict)
    number: int = 0  # from 1, in the order of arrival; its answer has it in its id

    @property
    def purpose(self) -> str:
        return "verify" if "CLAIMS" in self.items else "extract" if "SENTENCES" in self.items else "other"

    def logged(self) -> dict[str, Any]:
        return {
            "vendor": self.vendor,
            "path": self.path,
            "model": self.model,
            "purpose": self.purpose,
            "headers": self.headers,
            "body": self.body,
            "system": self.system,
            "user": self.user,
            "number": self.number,
        }


def read_request(vendor: str, path: str, body: dict[str, Any], headers: dict[str, str]) -> Request:
    """Read a request in either vendor's form; content may be text or a list of parts."""
    messages = body.get("messages") or []
    system = [body.get("system", "")] + [m["content"] for m in messages if m["role"] in ("system", "developer")]
    user = [m["content"] for m in messages if m["role"] == "user"]
    request = Request(vendor, path, str(body.get("model")), body, headers)
    request.system = "\n".join(filter(None, map(_plain, system)))
    request.user = "\n".join(map(_plain, user))
    request.items = {name: _numbered(block) for name, _, block in _SECTION.findall(request.user)}
    return request


def reply_to(request: Request, labels: list[dict[str, Any]]) -> dict[str, Any]:
    """The default reply: every sentence is a claim; a claim that stands in a context is supported by it.

    labels: {"claim": substring, "label": ..., "model"?: ..., "context"?: substring, "quote"?: ..., "quotes"?: [...],
    "conflict"?: bool}; the first that fits decides. context: it fits only where some context shown holds it, and only
    of quotes that are shown is more than one given.
    """
    if request.purpose == "extract":
        sentences = request.items["SENTENCES"].items()
        return {"claims": [{"sentence": n, "text": text, "vague": False} for n, text in sentences], "no_claims": []}
    contexts = request.items.get("CONTEXTS", {})
    return {
        "verdicts": [_verdict(n, t, contexts, labels, request) for n, t in request.items.get("CLAIMS", {}).items()]
    }


def _verdict(
    number: int, claim: str, contexts: dict[int, str], labels: list[dict[str, Any]], request: Request
) -> dict[str, Any]:
    claim = claim.split("\n")[0]
    context, quote = _evidence(claim, contexts)
    label = "SUPPORTED" if quote else "UNVERIFIED"
    quotes = [{"context": context, "text": quote}] if quote else []
    rule = next((rule for rule in labels if _fits(rule, claim, contexts, request)), {})
    if rule:
        label = rule["label"]
        wanted = rule.get("quotes") or [rule.get("quote") or quote or _first_words(contexts)]
        quotes = [{"context": _holder(text, contexts) or 1, "text": text} for text in wanted]
        quotes = quotes if len(quotes) == 1 else [q for q in quotes if _holder(q["text"], contexts)]
    return {
        "claim": number,
        "quotes": [] if label == "UNVERIFIED" else quotes,
        "rationale": f"Rationale of {request.model}.",
        "conflict": bool(rule.get("conflict", False)),
        "label": label,
    }


def _fits(rule: dict[str, Any], claim: str, contexts: dict[int, str], request: Request) -> bool:
    return (
        rule["claim"] in claim
        and rule.get("model", request.model) == request.model
        and ("context" not in rule or _holder(rule["context"], contexts) > 0)
    )


def _holder(text: str, contexts: dict[int, str]) -> int:
    """The number of the first context that holds a text; 0 when none does."""
    return next((number for number, context in contexts.items() if text in context), 0)


def _evidence(claim: str, contexts: dict[int, str]) -> tuple[int, str]:
    wanted = claim.strip().rstrip(".。")
    for number, text in contexts.items():
        start = text.lower().find(wanted.lower()) if wanted else -1
        if start >= 0:
            return number, text[start : start + len(wanted)]
    return 0, ""


def _first_words(contexts: dict[int, str]) -> str:
    return next(iter(contexts.values()), "").split("\n")[0][:40]


def _numbered(block: str) -> dict[int, str]:
    items: dict[int, str] = {}
    for line in block.split("\n"):
        start = re.match(r"\[(\d+)\] (.*)", line)
        if start:
            items[int(start[1])] = start[2]
        elif items:
            items[max(items)] += "\n" + line.strip()
    return items


def _plain(content: Any) -> str:
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content or [])


def bend(reply: dict[str, Any], rule: dict[str, Any]) -> dict[str, Any]:
    """Spoil a reply as scripted: omit claims, shift their numbers, repeat one with another label, invent quotes."""
    reply = json.loads(json.dumps(reply))
    verdicts = reply.get("verdicts", [])
    for verdict in verdicts:
        if rule.get("label"):
            verdict["label"] = rule["label"]
        if rule.get("invent_quotes"):
            verdict["quotes"] = [{"context": 1, "text": "no context has ever said such a thing"}]
    if rule.get("conflicting") and verdicts:
        verdicts.append(
            {**verdicts[0], "label": "CONTRADICTED" if verdicts[0]["label"] != "CONTRADICTED" else "SUPPORTED"}
        )
    if rule.get("wrong_ids"):
        for entry in verdicts:
            entry["claim"] += 100
        for entry in reply.get("claims", []):
            entry["sentence"] += 100
    if rule.get("omit"):
        reply["verdicts"] = [verdict for verdict in verdicts if verdict["claim"] not in rule["omit"]]
    return reply
