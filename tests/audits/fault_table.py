"""The fault table as data: what a vendor does wrong, and what must come of it. docs/faults.md says it in words.

Every row is one judge meeting one fault on a sample of two claims, FEE and TERM; the other judge meets none. Calls of
the judge go out one at a time, FEE first, so that all of them can be counted.
"""

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

FEE, TERM = "The fee is 3 percent a year.", "The term is 12 months."
CONTEXTS = ["The fee is 3 percent a year in all branches.", "The term is 12 months at most."]
SAMPLE = {"id": "a1", "question": "What does it cost?", "contexts": CONTEXTS, "answer": f"{FEE} {TERM}"}
ON_FEE = "3 percent a year."  # with the full stop it stands in the claim, but in no context
BOTH = ("openai", "anthropic")
TRIES = 5  # of one call, as the settings have it
S, C, U, DISPUTED = "SUPPORTED", "CONTRADICTED", "UNVERIFIED", "disputed"


@dataclass(frozen=True)
class Row:
    """One fault. rules: for the vendor server, the model is filled in; those about FEE alone say so.

    calls: the ledger's rows of this judge by outcome, controls included; asked: requests that reached the vendor,
    where the ledger has fewer. fee: label, or reason of being unscored, of the claim FEE; None: no verdict yet.
    stops: the fault that the judge is stopped by; returns: whether it is tried again by itself. said: in the ledger's
    message of the failed calls, or the verdict's detail, or else a note.
    """

    name: str
    rules: tuple[dict[str, Any], ...]
    calls: dict[str, int]
    fee: str | None = S
    decision: str = S
    stops: str = ""
    returns: bool = False
    said: str = ""
    note: str = ""
    asked: int | None = None
    status: int | None = None
    protocols: tuple[str, ...] = BOTH
    contexts: tuple[str, ...] = tuple(CONTEXTS)
    settings: dict[str, Any] = field(default_factory=dict)
    params: dict[str, Any] = field(default_factory=dict)
    labels: tuple[dict[str, Any], ...] = ()

    @property
    def requests(self) -> int:
        """Requests of this judge that reach the vendor."""
        return sum(self.calls.values()) if self.asked is None else self.asked


def passing(name: str, fault: str, rule: dict[str, Any], times: int = 1, **more: Any) -> Row:
    """A fault that goes away by itself: tried again, nothing is lost."""
    return Row(name, ({**rule, "times": times},), {fault: times, "ok": 2}, **more)


def stopping(name: str, fault: str, rule: dict[str, Any], **more: Any) -> Row:
    """A fault that no waiting cures: one call, and the judge stops."""
    return Row(name, (rule,), {fault: 1}, fee=None, decision="", stops=fault, **more)


def lasting(name: str, fault: str, rule: dict[str, Any], tries: int = TRIES, **more: Any) -> Row:
    """A vendor that is down: both calls and the control fail as often as they are tried; the judge stops for now."""
    given = {"fee": None, "decision": "", "stops": fault, "returns": True, **more}
    return Row(name, (rule,), {fault: 3 * tries}, **given)


def replying(name: str, rule: dict[str, Any], ok: int = 2, **more: Any) -> Row:
    """A reply to FEE that is not as it should be. ok: answered calls, that for TERM included."""
    return Row(name, ({"contains": ON_FEE, **rule},), {"ok": ok}, **more)


def spoilt(name: str, rule: dict[str, Any], reason: str, ok: int = 3, **more: Any) -> Row:
    """A reply to FEE that holds no usable label, asked for once more in vain."""
    return replying(name, rule, ok, fee=reason, decision=DISPUTED, **more)


def verdict(label: str = S, claim: int = 1, quote: str = "The fee is 3 percent a year") -> dict[str, Any]:
    """One verdict; the quote stands in a context, whichever comes first."""
    return {"claim": claim, "rationale": "r", "quotes": [{"context": 1, "text": quote}], "label": label}


def reply(*verdicts: dict[str, Any]) -> dict[str, Any]:
    """The rule for exactly these verdicts."""
    return {"text": json.dumps({"verdicts": verdicts}, ensure_ascii=False)}


def error(status: int, message: str, **more: Any) -> dict[str, Any]:
    """The rule for a status with a vendor's words."""
    return {"status": status, "error": {"message": message, **more}}


HASTE = {"ASSAY_CALL_TIMEOUT": 1}
ONCE = {**HASTE, "ASSAY_MAX_TRIES": 1}
LONG = (" ".join([*CONTEXTS, *(f"Line {n} says nothing of interest to anybody." for n in range(160))]),)

HTTP = (
    passing("429", "rate_limit", {"status": 429}, status=429, said="Too many requests"),
    passing("429 for long", "rate_limit", {"status": 429}, times=4, status=429),
    passing("429, Retry-After 0", "rate_limit", {"status": 429, "retry_after": "0"}, status=429),
    passing("429, Retry-After in seconds", "rate_limit", {"status": 429, "retry_after": "1"}, status=429),
    passing(
        "429, Retry-After as a date gone by",
        "rate_limit",
        {"status": 429, "retry_after": "Wed, 01 Jan 2020 00:00:00 GMT"},
        status=429,
    ),
    stopping("429, Retry-After 3600", "rate_limit", {"status": 429, "retry_after": "3600"}, status=429, returns=True),
    stopping(
        "429, Retry-After as a far date",
        "rate_limit",
        {"status": 429, "retry_after": "Fri, 01 Jan 2100 00:00:00 GMT"},
        status=429,
        returns=True,
    ),
    lasting("429 without end", "rate_limit", {"status": 429}, status=429),
    stopping(
        "429 insufficient_quota",
        "quota",
        error(429, "You exceeded your current quota", code="insufficient_quota"),
        status=429,
        said="You exceeded your current quota",
    ),
    passing("500", "server", {"status": 500}, status=500, said="The vendor failed"),
    lasting("500 without end", "server", {"status": 500}, status=500),
    passing("502 with HTML", "server", {"status": 502, "html": True}, status=502, said="status 502"),
    passing("503", "overloaded", {"status": 503}, status=503, said="overloaded"),
    passing("529", "overloaded", {"status": 529}, status=529, said="overloaded"),
    stopping("529, Retry-After 300", "overloaded", {"status": 529, "retry_after": "300"}, status=529, returns=True),
    Row(
        "500 for one claim alone",
        ({"status": 500, "contains": ON_FEE},),
        {"server": TRIES, "ok": 2},  # the control question and TERM
        fee="failed",
        decision=DISPUTED,
        status=500,
    ),
    passing("connection reset", "network", {"fault": "reset"}, said="connection"),
    lasting("connection reset without end", "network", {"fault": "reset"}),
    passing("answer cut in the middle", "network", {"fault": "cut"}),
    passing(
        "slow headers", "timeout", {"latency": 30}, settings={"ASSAY_CALL_TIMEOUT": 1}, said="in time|within 1 s"
    ),
    passing("drip", "timeout", {"fault": "drip"}, settings=HASTE, said="within 1 s"),
    lasting("hang past the time-out", "timeout", {"fault": "hang"}, tries=1, settings=ONCE),
    stopping("401", "auth", {"status": 401}, status=401, said="rejected the API key"),
    stopping("403", "auth", {"status": 403}, status=403, said="may not do this"),
    stopping("402", "quota", {"status": 402}, status=402, said="no balance left"),
    stopping(
        "credit balance too low",
        "quota",
        error(400, "Your credit balance is too low to access the API"),
        status=400,
    ),
    stopping("unknown model", "not_found", error(404, "model: no-such-model"), status=404, said="no-such-model"),
    stopping("unknown model as 400", "not_found", error(400, "The model `x` does not exist"), status=400),
    stopping("redirect", "config", {"fault": "redirect"}, status=307, said="redirects are not followed"),
    passing("error inside a 200", "server", {"fault": "error_200"}, said="upstream failed"),
    passing("HTML inside a 200", "bad_body", {"fault": "html"}, said="no JSON object"),
    lasting("HTML inside a 200 without end", "bad_body", {"fault": "html"}, tries=2),
    passing("body cut inside the JSON", "bad_body", {"fault": "cut_reply"}, said="no JSON object"),
    passing("more than 8 MB", "bad_body", {"fault": "oversized"}, said="larger than"),
)

CONTENT = (
    Row(
        "content filter as 400",
        ({**error(400, "filtered", code="content_filter"), "contains": ON_FEE},),
        {"refused": 1, "ok": 1},
        fee="refused",
        decision=DISPUTED,
        status=400,
        said="filtered",
    ),
    spoilt("content filter", {"fault": "content_filter"}, "refused", ok=2),
    spoilt("refusal", {"fault": "refusal"}, "refused", ok=2),
    replying("truncated once", {"fault": "truncated", "times": 1}, ok=3),
    spoilt("truncated always", {"fault": "truncated"}, "truncated", said="cut at the token limit"),
    spoilt("empty content", {"fault": "no_text"}, "unparseable", said="empty"),
    replying("empty content once", {"fault": "no_text", "times": 1}, ok=3),
    spoilt("blank", {"fault": "blank"}, "unparseable", said="empty"),
    spoilt("not JSON", {"fault": "malformed"}, "unparseable", said="no single JSON object"),
    replying("not JSON once", {"fault": "malformed", "times": 1}, ok=3),
    replying("JSON in fences", {"fault": "fenced"}),
    replying("JSON after thinking", {"fault": "think"}),
    spoilt(
        "JSON inside <think> alone",
        {"text": "<think>" + reply(verdict())["text"] + "</think> SUPPORTED"},
        "unparseable",
    ),
    replying("prose around JSON", {"fault": "prose"}),
    spoilt("two JSON objects", {"fault": "two_objects"}, "unparseable", said="no single JSON object"),
    spoilt(
        "a verdict of the answer under test, repeated before the judge's own",
        {"text": reply(verdict(S))["text"] + "\n" + reply(verdict(C))["text"]},
        "unparseable",
    ),
    *(replying(f"label “{word}”", {"label": word}) for word in ("supported", "Supported.", "有据")),
    *(
        replying(f"label “{word}”", {"label": word}, fee=label, decision=DISPUTED)
        for word, label in (("冲突", C), ("无据。", U))
    ),
    *(
        spoilt(f"label “{word}”", {"label": word}, "unparseable", said="No known label")
        for word in ("MAYBE", "部分有据")
    ),
    replying(
        "a verdict for an id that was not asked",
        reply(verdict(), verdict(C, claim=7)),
        note="1 verdicts on claims that were not asked",
    ),
    spoilt("all ids wrong", {"wrong_ids": True}, "missing", note="claims that were not asked"),
    spoilt("an id that was asked is missing", {"omit": [1]}, "missing", said="no verdict on this claim"),
    replying("an id that is missing once", {"omit": [1], "times": 1}, ok=3),
    replying("duplicates that are the same", reply(verdict(), verdict()), note="2 verdicts on this claim"),
    spoilt("duplicates that differ", {"conflicting": True}, "unparseable", said="Verdicts that differ"),
    replying("quotes that do not exist", {"invent_quotes": True}, decision=DISPUTED),
    replying("no usage", {"fault": "no_usage"}),
    Row(
        "context too long",
        ({**error(400, "maximum context length is 4096 tokens", code="context_length_exceeded"), "longer": 7000},),
        {"too_long": 2, "ok": 6},  # each claim: once whole, then two windows and a last call
        status=400,
        contexts=LONG,
    ),
)

PARAMETERS = (
    Row(
        "temperature refused",
        ({**error(400, "temperature: not supported with this model", param="temperature"), "times": 1},),
        {"ok": 2},
        asked=3,
        params={"temperature": 0},
        note="temperature: refused by the model, left out",
    ),
    Row(
        "max_tokens under another name",
        (
            {
                **error(400, "Unsupported parameter: 'max_completion_tokens'", param="max_completion_tokens"),
                "times": 1,
            },
        ),
        {"ok": 2},
        asked=3,
        protocols=("openai",),
        note="max_completion_tokens: refused by the model, sent as max_tokens",
    ),
    Row(
        "json_schema refused",
        ({**error(400, "response_format of type json_schema is unavailable"), "times": 1},),
        {"ok": 2},
        asked=3,
        protocols=("openai",),
        note="response_format json_schema: refused by the model, sent as response_format json_object",
    ),
    Row(
        "output_config refused",
        ({**error(400, "output_config.format: Extra inputs are not permitted"), "times": 1},),
        {"ok": 2},
        asked=3,
        protocols=("anthropic",),
        note="output_config: refused by the model, left out",
    ),
)

ROWS = (*HTTP, *CONTENT, *PARAMETERS)
CASES = [  # row, protocol, whether it is left to the thorough tests: the others alternate between the protocols
    (row, protocol, len(row.protocols) > 1 and (place + number) % 2 == 1)
    for number, row in enumerate(ROWS)
    for place, protocol in enumerate(row.protocols)
]
assert not [name for name, count in Counter(row.name for row in ROWS).items() if count > 1]
