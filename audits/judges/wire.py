"""One HTTP call through a vendor's SDK, with what the SDKs leave out: a deadline, a size limit, one plain error.

The SDKs' exceptions hold the request with its key, and their timeouts count only the silence between two reads; so
nothing of them leaves this module.
"""

import asyncio
import contextlib
import json
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

import httpx2

from audits.judges.base import Fault, JudgeError, JudgeSpec
from audits.judges.cleaning import clean

MAX_BODY = 8 * 1024 * 1024  # bytes; a reply of 32,000 tokens is about 200 kB
MAX_MESSAGE = 400  # characters of a vendor's error message that are kept
CONNECT_TIMEOUT = 10.0  # seconds

Post = Callable[[dict[str, Any]], Awaitable[httpx2.Response]]
"""Sends a request body and gives the response with its body unread."""


@dataclass(frozen=True)
class Answered:
    """A 200 with a JSON object."""

    body: dict[str, Any]
    request_id: str
    latency: float  # seconds


class BadRequest(Exception):
    """A 400 or 422 that may be about a parameter; `error` is what to raise when nothing can be done about it."""

    def __init__(self, error: JudgeError, param: str, text: str) -> None:
        super().__init__(error.message)
        self.error = error
        self.param = param
        self.text = text


class _BodyTooLarge(Exception):
    pass


@dataclass(frozen=True)
class _Failure:
    fault: Fault
    message: str
    status: int | None = None
    retry_after: float | None = None
    request_id: str = ""
    param: str = ""
    text: str = ""


def client_options(spec: JudgeSpec) -> dict[str, Any]:
    """Arguments for an SDK's http client: no redirects (they would carry the text away), bounded bodies.

    A proxy from the environment is used, except towards the machine itself.
    """
    return {
        "timeout": httpx2.Timeout(spec.timeout, connect=min(CONNECT_TIMEOUT, spec.timeout), pool=spec.timeout),
        "follow_redirects": False,
        "event_hooks": {"response": [_limit_body]},
        "trust_env": urlsplit(spec.base_url).hostname not in ("127.0.0.1", "localhost", "::1"),
    }


async def exchange(post: Post, body: dict[str, Any], spec: JudgeSpec) -> Answered:
    """Send one request and read its JSON object within spec.timeout seconds of wall clock.

    Raises BadRequest for a 400 or 422 of unknown cause, JudgeError for every other failure.
    """
    started = time.monotonic()
    response: httpx2.Response | None = None
    try:
        async with asyncio.timeout(spec.timeout):
            response = await post(body)
            raw = await _read(response)
        value = _object(raw)
        request_id = request_id_of(response.headers)
        failure = _failure_inside(value, request_id)
    except Exception as exception:
        failure = _failure_of(exception, response, spec)
    finally:
        if response is not None:
            await _close(response)
    latency = time.monotonic() - started
    # Raised outside the except block: no context may lead from our error back to the SDK's.
    if failure is not None:
        raise _error(failure, latency, spec)
    return Answered(value, request_id, latency)


def request_id_of(headers: Mapping[str, str]) -> str:
    """The vendor's id of a request, from either vendor's header."""
    return clean(headers.get("x-request-id") or headers.get("request-id") or "")[:200]


def whole(value: Any) -> int | None:
    """A count of tokens as reported, None when it is no count."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


async def _limit_body(response: httpx2.Response) -> None:
    response.stream = _LimitedStream(response.stream)


class _LimitedStream(httpx2.AsyncByteStream):
    def __init__(self, stream: Any) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._stream:
            size += len(chunk)
            if size > MAX_BODY:
                raise _BodyTooLarge
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


async def _read(response: httpx2.Response) -> bytes:
    chunks, size = [], 0
    async for chunk in response.aiter_bytes():  # decompressed, so counted again
        size += len(chunk)
        if size > MAX_BODY:
            raise _BodyTooLarge
        chunks.append(chunk)
    return b"".join(chunks)


async def _close(response: httpx2.Response) -> None:
    with contextlib.suppress(Exception):  # the connection may be gone already, which is what closing wants
        await response.aclose()


def _object(raw: bytes) -> dict[str, Any]:
    value = json.loads(raw.decode("utf-8-sig"))
    if not isinstance(value, dict):
        raise ValueError("not an object")
    return value


def _failure_inside(value: dict[str, Any], request_id: str) -> _Failure | None:
    """Gateways report errors inside a 200."""
    error = value.get("error")
    if not error:
        return None
    details = error if isinstance(error, dict) else {"message": str(error)}
    code = details.get("code")
    status = code if isinstance(code, int) and 400 <= code < 600 else None
    fault = _fault(status or 500, json.dumps(error, ensure_ascii=False)) or Fault.SERVER
    return _Failure(
        fault, f"The vendor answered with an error: {details.get('message') or code}", status, None, request_id
    )


def _failure_of(exception: Exception, response: httpx2.Response | None, spec: JudgeSpec) -> _Failure:
    status = getattr(exception, "status_code", None)
    if isinstance(status, int):
        return _status_failure(exception, status)
    request_id = request_id_of(response.headers) if response is not None else ""
    code = response.status_code if response is not None else None
    if isinstance(exception, TimeoutError):
        return _Failure(Fault.TIMEOUT, f"No complete answer within {spec.timeout:g} s.", code, None, request_id)
    if isinstance(exception, _BodyTooLarge):
        return _Failure(
            Fault.BAD_BODY, f"The answer is larger than {MAX_BODY // 1024**2} MB.", code, None, request_id
        )
    if isinstance(exception, ValueError | RecursionError):
        if response is None:  # the SDK would not even send it
            return _Failure(Fault.CONFIG, f"The request could not be built ({type(exception).__name__}).")
        return _Failure(Fault.BAD_BODY, "The answer is no JSON object.", code, None, request_id)
    return _connection_failure(exception, code, request_id)


def _connection_failure(exception: Exception, code: int | None, request_id: str) -> _Failure:
    causes = _causes(exception)
    names = {type(cause).__name__ for cause in causes}
    if any(isinstance(cause, httpx2.UnsupportedProtocol | httpx2.LocalProtocolError) for cause in causes):
        return _Failure(Fault.CONFIG, "The request cannot be sent: check the address and the key.")
    if any(isinstance(cause, TimeoutError) for cause in causes):
        return _Failure(Fault.TIMEOUT, "The vendor did not answer in time.", code, None, request_id)
    if isinstance(exception, httpx2.HTTPError) or "APIConnectionError" in names or "APITimeoutError" in names:
        return _Failure(
            Fault.NETWORK, f"The connection failed ({type(causes[-1]).__name__}).", code, None, request_id
        )
    return _Failure(Fault.NETWORK, f"The call failed ({type(exception).__name__}).", code, None, request_id)


def _causes(exception: BaseException) -> list[BaseException]:
    chain: list[BaseException] = []
    link: BaseException | None = exception
    while link is not None and link not in chain:
        chain.append(link)
        link = link.__cause__
    return chain


def _status_failure(exception: Exception, status: int) -> _Failure:
    body = getattr(exception, "body", None)
    error = body.get("error", body) if isinstance(body, dict) else body
    details = error if isinstance(error, dict) else {}
    text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False, default=str)
    headers = getattr(getattr(exception, "response", None), "headers", {})
    said = details.get("message") or (error if isinstance(error, str) and "<" not in error else "")
    param = details.get("param")
    return _Failure(
        _fault(status, text) or Fault.CONFIG,
        f"{_meaning(status)} (status {status})" + (f": {said}" if said else "."),
        status,
        _retry_after(headers),
        request_id_of(headers),
        param if isinstance(param, str) else "",
        text if _fault(status, text) is None else "",
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


def _error(failure: _Failure, latency: float, spec: JudgeSpec) -> Exception:
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
