"""One HTTP call through a vendor's SDK, with what the SDKs leave out: a deadline, a size limit, one plain error.

The SDKs' exceptions hold the request with its key, and their timeouts count only the silence between two reads; so
nothing of them leaves this module. What they mean is told in failures.py.
"""

import asyncio
import contextlib
import json
import time
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx2

from audits.judges.base import JudgeSpec
from audits.judges.failures import (
    MAX_BODY,
    BadRequest,
    BodyTooLarge,
    Failure,
    error_of,
    failure_inside,
    failure_of,
    request_id_of,
)

__all__ = ["Answered", "BadRequest", "client_options", "exchange", "stream_objects", "whole"]

CONNECT_TIMEOUT = 10.0  # seconds

Post = Callable[[dict[str, Any]], Awaitable[httpx2.Response]]
"""Sends a request body and gives the response with its body unread."""


@dataclass(frozen=True)
class Answered:
    """A 200 with a JSON object."""

    body: dict[str, Any]
    request_id: str
    latency: float  # seconds


def client_options(spec: JudgeSpec, *, bulk: bool = False) -> dict[str, Any]:
    """Arguments for an SDK's http client: no redirects (they would carry the text away), bounded bodies.

    A proxy from the environment is used, except towards the machine itself. bulk: for files of any size, whose
    deadlines and limits are those of `exchange` and `stream_objects` alone.
    """
    silence = None if bulk else spec.timeout
    return {
        "timeout": httpx2.Timeout(silence, connect=min(CONNECT_TIMEOUT, spec.timeout), pool=spec.timeout),
        "follow_redirects": False,
        "event_hooks": {"response": [_limit_error if bulk else _limit_body]},
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
        failure = failure_inside(value, request_id)
    except Exception as exception:
        failure = failure_of(exception, response, spec)
    finally:
        if response is not None:
            await _close(response)
    latency = time.monotonic() - started
    # Raised outside the except block: no context may lead from our error back to the SDK's.
    if failure is not None:
        raise error_of(failure, latency, spec)
    return Answered(value, request_id, latency)


async def stream_objects(
    get: Callable[[], Awaitable[httpx2.Response]], spec: JudgeSpec
) -> AsyncGenerator[dict[str, Any], None]:
    """The objects of a JSONL body as they arrive, each within spec.timeout seconds of the one before was taken.

    A line that is no JSON object is passed over. Raises JudgeError, also in the middle: what was given out stands.
    """
    response: httpx2.Response | None = None
    failure: Failure | None = None
    try:
        async with asyncio.timeout(spec.timeout):
            response = await get()
        lines = _Lines(response)
        while True:
            async with asyncio.timeout(spec.timeout):
                line = await lines.following()
            if line is None:
                break
            value: dict[str, Any] | None = None
            with contextlib.suppress(ValueError, RecursionError):
                value = _object(line)
            if value is not None:
                yield value
    except Exception as exception:
        failure = failure_of(exception, response, spec)
    finally:
        if response is not None:
            await _close(response)
    if failure is not None:
        error = error_of(failure, 0.0, spec)
        raise error.error if isinstance(error, BadRequest) else error


def whole(value: Any) -> int | None:
    """A count of tokens as reported, None when it is no count."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


async def _limit_body(response: httpx2.Response) -> None:
    response.stream = _LimitedStream(response.stream)


async def _limit_error(response: httpx2.Response) -> None:
    if not response.is_success:  # the SDK reads it whole
        await _limit_body(response)


class _LimitedStream(httpx2.AsyncByteStream):
    def __init__(self, stream: Any) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._stream:
            size += len(chunk)
            if size > MAX_BODY:
                raise BodyTooLarge
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


async def _read(response: httpx2.Response) -> bytes:
    chunks, size = [], 0
    async for chunk in response.aiter_bytes():  # decompressed, so counted again
        size += len(chunk)
        if size > MAX_BODY:
            raise BodyTooLarge
        chunks.append(chunk)
    return b"".join(chunks)


class _Lines:
    """The lines of a body that are not blank, each held to the size of one answer."""

    def __init__(self, response: httpx2.Response) -> None:
        self._chunks = response.aiter_bytes()
        self._whole: deque[bytes] = deque()
        self._begun: list[bytes] = []  # pieces of a line whose end has not come
        self._size = 0

    async def following(self) -> bytes | None:
        """The next line, None at the end."""
        while not self._whole:
            chunk = await anext(self._chunks, None)
            if chunk is None:
                last, self._begun, self._size = b"".join(self._begun).strip(), [], 0
                return last or None
            self._take(chunk)
        return self._whole.popleft()

    def _take(self, chunk: bytes) -> None:
        first, *others = chunk.split(b"\n")
        self._begun.append(first)
        self._size += len(first)
        if self._size > MAX_BODY:
            raise BodyTooLarge
        if others:
            self._whole.extend(line for line in (b"".join(self._begun), *others[:-1]) if line.strip())
            self._begun, self._size = [others[-1]], len(others[-1])


async def _close(response: httpx2.Response) -> None:
    with contextlib.suppress(Exception):  # the connection may be gone already, which is what closing wants
        await response.aclose()


def _object(raw: bytes) -> dict[str, Any]:
    value = json.loads(raw.decode("utf-8-sig"))
    if not isinstance(value, dict):
        raise ValueError("not an object")
    return value
