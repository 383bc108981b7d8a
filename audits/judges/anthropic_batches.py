"""Anthropic's message batches: one request holds them all, one stream gives the results."""

import uuid
from abc import abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Collection
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from audits.judges.base import Fault, Prompt
from audits.judges.batch_chat import (
    CLOCKS,
    PAGES,
    BatchChatJudge,
    as_json,
    count,
    plain_id,
    word,
)
from audits.judges.batching import BatchFile, BatchState, BatchStatus, number_in
from audits.judges.failures import Failure, failure_inside, request_id_of, status_failure
from audits.judges.wire import Answered

PATH = "/v1/messages/batches"
PIECE = 64 * 1024  # bytes read and sent at a time
OVER = ("errored", "canceled", "expired")
# A result's error has a type where a single call has a status.
STATUS_OF = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "timeout_error": 408,
    "overloaded_error": 529,
}


class AnthropicBatches(BatchChatJudge):
    """The batch interface of a Messages judge."""

    max_requests = 100_000
    max_bytes = 255_000_000  # of 256 MB, which count what stands around the requests, too

    async def find_batch(
        self, tag: uuid.UUID, *, requests: int, since: datetime, known: Collection[str] = ()
    ) -> BatchState | None:
        """The ended batch whose results carry the tag, else one still at work that fits by time and number."""
        likely = None
        async for batch in self._created_since(since):
            state = self._state(batch)
            if state.vendor_id in known or state.requests != requests:
                continue
            if state.status is BatchStatus.WORKING:
                likely = replace(state, certain=False)  # the oldest one, at the end
            elif await self._is_ours(tag, batch):
                return state
        return likely

    async def _created_since(self, since: datetime) -> AsyncGenerator[dict[str, Any], None]:
        after: dict[str, str] = {}
        for _ in range(PAGES):
            page = await self._send("get", PATH, options={"params": {"limit": 100, **after}})
            batches = [batch for batch in page.get("data") or [] if isinstance(batch, dict)]
            for batch in batches:  # the newest first
                created = _moment(batch.get("created_at"))
                if created is not None and created < since - CLOCKS:
                    return
                yield batch
            if not page.get("has_more") or not batches:
                return
            after = {"after_id": plain_id(batches[-1].get("id"))}

    async def _is_ours(self, tag: uuid.UUID, batch: dict[str, Any]) -> bool:
        for path in self._result_paths(batch):
            async with aclosing(self._objects(path)) as objects:
                async for line in objects:
                    return number_in(tag, str(line.get("custom_id"))) is not None
        return False

    @abstractmethod
    def _body(self, prompt: Prompt, max_tokens: int) -> dict[str, Any]:
        """The body of a single call."""

    def _line(self, name: str, prompt: Prompt) -> bytes:
        return as_json({"custom_id": name, "params": self._body(prompt, self.spec.max_tokens)})

    async def _hand_over(self, tag: uuid.UUID, file: BatchFile) -> dict[str, Any]:
        # The SDK would take all requests as objects and hold their JSON in memory; this reads them from the disk.
        start, end = b'{"requests":[', b"]}"
        length = len(start) + file.size - (1 if file.requests else 0) + len(end)
        headers = {"Content-Type": "application/json", "Content-Length": str(length)}
        return await self._send(
            "post", PATH, size=file.size, content=_listed(file, start, end), options={"headers": headers}
        )

    def _path_of(self, vendor_id: str) -> str:
        return f"{PATH}/{plain_id(vendor_id)}"

    def _state(self, batch: dict[str, Any]) -> BatchState:
        says = word(batch.get("processing_status"))
        counts = batch.get("request_counts")
        counts = counts if isinstance(counts, dict) else {}
        answered, over = count(counts.get("succeeded")), [count(counts.get(name)) for name in OVER]
        total = count(counts.get("processing")) + answered + sum(over)
        return BatchState(
            vendor_id=plain_id(batch.get("id")),
            status=BatchStatus.ENDED if says == "ended" else BatchStatus.WORKING,
            says=says,
            requests=total,
            answered=answered,
            failed=sum(over),
            expires_at=_moment(batch.get("expires_at")),
        )

    def _result_paths(self, batch: dict[str, Any]) -> list[str]:
        # Not the results_url of the answer: the key goes to the judge's own address only.
        return [f"{self._path_of(str(batch.get('id')))}/results"]

    def _traces(self, batch: dict[str, Any]) -> list[str]:
        return [self._path_of(str(batch.get("id")))]

    def _read_line(self, line: dict[str, Any]) -> Answered | Failure:
        result = line.get("result")
        result = result if isinstance(result, dict) else {}
        kind, message = result.get("type"), result.get("message")
        if kind == "succeeded" and isinstance(message, dict):
            return failure_inside(message, "") or Answered(message, "", 0.0)
        if kind == "expired":
            return Failure(Fault.TIMEOUT, "The batch expired before this request was answered.")
        if kind == "canceled":
            return Failure(Fault.SERVER, "The batch was cancelled before this request was answered.")
        if kind == "errored":
            return _errored(result.get("error"))
        return Failure(Fault.BAD_BODY, "The result holds no answer.")


def _errored(error: Any) -> Failure:
    body = error if isinstance(error, dict) else {"error": error}
    told = body.get("error")
    status = STATUS_OF.get(str(told.get("type")), 500) if isinstance(told, dict) else 500
    return status_failure(status, body, request_id=request_id_of({"request-id": str(body.get("request_id") or "")}))


async def _listed(file: BatchFile, start: bytes, end: bytes) -> AsyncIterator[bytes]:
    """The lines of a file as one JSON array: each newline becomes a comma, but for the last."""
    opened = file.opened()
    yield start
    left = file.size - 1  # the last newline stays out
    while left > 0:
        piece = opened.read(min(PIECE, left))
        left -= len(piece)
        yield piece.replace(b"\n", b",")
    yield end


def _moment(text: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
