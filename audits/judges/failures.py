"""From what the SDKs raise and the vendors say to one plain error, with nothing of the request and its key in it."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import MappingProxyType
from typing import Any

import httpx2

from audits.judges.base import Fault, JudgeError, JudgeSpec
from audits.judges.cleaning import clean

MAX_BODY = 8 * 1024 * 1024  # bytes; a reply of 32,000 tokens is about 200 kB
MAX_MESSAGE = 400  # characters of a vendor's error message that are kept


class BadRequest(Exception):
    """A 400 or 422 that may be about a parameter; `error` is what to raise when nothing can be done about it."""

    def __init__(self, error: JudgeError, param: str, text: str) -> None:
        super().__init__(error.message)
        self.error = error
        self.param = param
        self.text = text


class BodyTooLarge(Exception):
    """More bytes than any answer has."""


@dataclass(frozen=True)
class Failure:
    """What went wrong, in plain words. param and text: the complaint, where it may be about a parameter."""

    fault: Fault
    message: str
    status: int | None = None
    retry_after: float | None = None
    request_id: str = ""
    param: str = ""
    text: str = ""


def request_id_of(headers: Mapping[str, str]) -> str:
    """The vendor's id of a request, from either vendor's header."""
    return clean(headers.get("x-request-id") or headers.get("request-id") or "")[:200]


def failure_inside(value: dict[str, Any], request_id: str) -> Failure | None:
    """Gateways report errors inside a 200."""
    error = value.get("error")
    if not error:
        return None
    details = error if isinstance(error, dict) else {"message": str(error)}
    code = details.get("code")
    status = code if isinstance(code, int) and 400 <= code < 600 else None
    fault = _fault(status or 500, json.dumps(error, ensure_ascii=False)) or Fault.SERVER
    return Failure(
        fault, f"The vendor answered with an error: {details.get('message') or code}", status, None, request_id
    )


def failure_of(exception: Exception, response: httpx2.Response | None, spec: JudgeSpec) -> Failure:
    """What an exception of the SDK, of the connection or of reading means."""
    status = getattr(exception, "status_code", None)
    if isinstance(status, int):
        headers = getattr(getattr(exception, "response", None), "headers", {})
        return status_failure(status, getattr(exception, "body", None), headers)
    request_id = request_id_of(response.headers) if response is not None else ""
    code = response.status_code if response is not None else None
    if isinstance(exception, TimeoutError):
        return Failure(Fault.TIMEOUT, f"No complete answer within {spec.timeout:g} s.", code, None, request_id)
    if isinstance(exception, BodyTooLarge):
        return Failure(Fault.BAD_BODY, f"The answer is larger than {MAX_BODY // 1024**2} MB.", code, None, request_id)
    if isinstance(exception, ValueError | RecursionError):
        if response is None:  # the SDK would not even send it
            return Failure(Fault.CONFIG, f"The request could not be built ({type(exception).__name__}).")
        return Failure(Fault.BAD_BODY, "The answer is no JSON object.", code, None, request_id)
    return _connection_failure(exception, code, request_id)


def _connection_failure(exception: Exception, code: int | None, request_id: str) -> Failure:
    causes = _causes(exception)
    names = {type(cause).__name__ for cause in causes}
    if any(isinstance(cause, httpx2.UnsupportedProtocol | httpx2.LocalProtocolError) for cause in causes):
        return Failure(Fault.CONFIG, "The request cannot be sent: check the address and the key.")
    if any(isinstance(cause, TimeoutError) for cause in causes):
        return Failure(Fault.TIMEOUT, "The vendor did not answer in time.", code, None, request_id)
    if isinstance(exception, httpx2.HTTPError) or "APIConnectionError" in names or "APITimeoutError" in names:
        return Failure(Fault.NETWORK, f"The connection failed ({type(causes[-1]).__name__}).", code, None, request_id)
    return Failure(Fault.NETWORK, f"The call failed ({type(exception).__name__}).", code, None, request_id)


def _causes(exception: BaseException) -> list[BaseException]:
    chain: list[BaseException] = []
    link: BaseException | None = exception
    while link is not None and link not in chain:
        chain.append(link)
        link = link.__cause__
    return chain


def status_failure(
    status: int, body: Any, headers: Mapping[str, str] = MappingProxyType({}), request_id: str = ""
) -> Failure:
    """What an answer that is no 200 means. body: its JSON, or its text where it is none."""
    error = body.get("error", body) if isinstance(body, dict) else body
    details = error if isinstance(error, dict) else {}
    text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False, default=str)
    said = details.get("message") or (error if isinstance(error, str) and "<" not in error else "")
    param = details.get("param")
    fault = _fault(status, text)
    return Failure(
        fault or Fault.CONFIG,
        f"{_meaning(status)} (status {status})" + (f": {said}" if said else "."),
        status,
        _retry_after(headers),
        request_id or request_id_of(headers),
        param if isinstance(param, str) else "",
        text if fault is None else "",
    )


# Causes that the status alone does not tell, by the words that vendors use: first what no waiting cures.
_TELLTALES = (
    (
        Fault.QUOTA,
        r"insufficient_quota|billing_hard_limit|spend_limit_reached|spend limit|credit balance|insufficient balance"
        r"|exceeded your current quota|arrearage|余额不足|欠费",
    ),
    (
        Fault.REFUSED,
        r"content_filter|content_policy|content management policy|data_inspection_failed|content exists risk"
        r"|responsibleaipolicy",
    ),
    (
        Fault.TOO_LONG,
        r"context_length_exceeded|maximum context length|context window|prompt is too long|input is too long"
        r"|too many (?:input )?tokens|request_too_large|range of input length"
        r"|exceeds? the (?:model'?s )?max\w* (?:input|context)",
    ),
    (Fault.NOT_FOUND, r"model_not_found|model .{0,120}(?:does not exist|not found)|unknown model|invalid model"),
)
_BY_STATUS = {
    401: Fault.AUTH,
    402: Fault.QUOTA,
    403: Fault.AUTH,
    404: Fault.NOT_FOUND,
    405: Fault.NOT_FOUND,
    408: Fault.TIMEOUT,
    409: Fault.SERVER,
    413: Fault.TOO_LONG,
    425: Fault.SERVER,
    429: Fault.RATE_LIMIT,
    503: Fault.OVERLOADED,
    529: Fault.OVERLOADED,
}


def _fault(status: int, text: str) -> Fault | None:
    """The kind of failure, None where only the complaint about a parameter can tell (400, 422)."""
    if status in (400, 403, 404, 422, 429):
        for fault, pattern in _TELLTALES:
            if re.search(pattern, text, re.IGNORECASE) and not (status == 429 and fault is not Fault.QUOTA):
                return fault
    if status in (400, 422):
        return None
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    return Fault.SERVER if status >= 500 else Fault.CONFIG


def _meaning(status: int) -> str:
    known = {
        400: "The vendor rejected the request",
        401: "The vendor rejected the API key",
        402: "The account has no balance left",
        403: "The API key may not do this",
        404: "Unknown model or address",
        413: "The request is too long",
        422: "The vendor rejected the request",
        429: "Too many requests or no quota left",
        503: "The vendor is overloaded",
        529: "The vendor is overloaded",
    }
    if 300 <= status < 400:
        return "The address points elsewhere; redirects are not followed"
    return known.get(status, "The vendor failed" if status >= 500 else "The vendor rejected the request")


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, from retry-after-ms or Retry-After (seconds or a date); None when absent or unreadable."""
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = (headers.get(name) or "").strip()
        if re.fullmatch(r"\d{1,12}(\.\d+)?", value):
            return float(value) * scale
    try:
        moment = parsedate_to_datetime(headers.get("retry-after") or "")
    except (TypeError, ValueError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


def error_of(failure: Failure, latency: float, spec: JudgeSpec) -> JudgeError | BadRequest:
    """The exception to raise: BadRequest where the complaint may be about a parameter."""
    error = JudgeError(
        failure.fault,
        masked(failure.message, spec.api_key),
        status=failure.status,
        retry_after=failure.retry_after,
        request_id=failure.request_id,
        latency=latency,
    )
    return BadRequest(error, failure.param, failure.text) if failure.text else error


def masked(text: str, key: str) -> str:
    """A message fit for a page: one line, bounded, no key and nothing that looks like one."""
    text = " ".join(clean(text).split())
    if len(key) >= 4:
        text = text.replace(key, "[key]")
    text = re.sub(r"\b(?:sk|pk|key)-[\w*.\-]{4,}", "[key]", text)
    return text[:MAX_MESSAGE] + ("…" if len(text) > MAX_MESSAGE else "")
