"""OpenAI's batches: a file of requests goes up, a file of results and one of errors come down."""

import re
import uuid
from abc import abstractmethod
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from typing import Any

from audits.judges.base import Fault, JudgeError, Prompt
from audits.judges.batch_chat import (
    CLOCKS,
    PAGES,
    BatchChatJudge,
    as_json,
    count,
    plain_id,
    word,
)
from audits.judges.batching import BatchFile, BatchState, BatchStatus
from audits.judges.failures import Failure, failure_inside, masked, request_id_of, status_failure
from audits.judges.wire import Answered

ENDPOINT = "/v1/chat/completions"
TAG = "assay"  # the key of our tag in a batch's metadata
KEPT = 30 * 24 * 3600  # seconds after which the vendor deletes the results, should we not have done so
STATUS = {
    "validating": BatchStatus.WORKING,
    "in_progress": BatchStatus.WORKING,
    "finalizing": BatchStatus.WORKING,
    "cancelling": BatchStatus.WORKING,
    "completed": BatchStatus.ENDED,
    "expired": BatchStatus.EXPIRED,
    "cancelled": BatchStatus.CANCELLED,
    "failed": BatchStatus.FAILED,
}
# Codes of results without an answer, none of which is a complaint about the request.
UNASKED = {
    "batch_expired": (Fault.TIMEOUT, "The batch expired before this request was answered."),
    "batch_cancelled": (Fault.SERVER, "The batch was cancelled before this request was answered."),
    "request_timeout": (Fault.TIMEOUT, "The vendor's own call to the model took too long."),
}


class OpenAIBatches(BatchChatJudge):
    """The batch interface of a Chat Completions judge."""

    max_requests = 50_000
    max_bytes = 200_000_000

    async def find_batch(
        self, tag: uuid.UUID, *, requests: int, since: datetime, known: Collection[str] = ()
    ) -> BatchState | None:
        """The batch with this tag in its metadata, among those created since."""
        after: dict[str, str] = {}
        for _ in range(PAGES):
            page = await self._send("get", "/batches", options={"params": {"limit": 100, **after}})
            batches = [batch for batch in page.get("data") or [] if isinstance(batch, dict)]
            for batch in batches:
                metadata = batch.get("metadata")
                if isinstance(metadata, dict) and metadata.get(TAG) == tag.hex:
                    return self._state(batch)
            created = _moment(batches[-1].get("created_at")) if batches else None
            if not page.get("has_more") or created is None or created < since - CLOCKS:
                return None
            after = {"after": plain_id(batches[-1].get("id"))}
        return None

    @abstractmethod
    def _body(self, prompt: Prompt, max_tokens: int) -> dict[str, Any]:
        """The body of a single call."""

    def _line(self, name: str, prompt: Prompt) -> bytes:
        body = self._body(prompt, self.spec.max_tokens)
        return as_json({"custom_id": name, "method": "POST", "url": ENDPOINT, "body": body})

    async def _hand_over(self, tag: uuid.UUID, file: BatchFile) -> dict[str, Any]:
        upload = await self._send(
            "post",
            "/files",
            size=file.size,
            body={"purpose": "batch"},
            files=[("file", (f"{tag.hex}.jsonl", file.opened(), "application/jsonl"))],
            options={"headers": {"Content-Type": "multipart/form-data"}},
        )
        body = {
            "input_file_id": plain_id(upload.get("id")),
            "endpoint": ENDPOINT,
            "completion_window": "24h",
            "metadata": {TAG: tag.hex},
        }
        try:
            return await self._send("post", "/batches", body=body)
        except JudgeError as error:
            # A file that has just gone up may not be seen everywhere at the vendor yet.
            if error.status in (400, 404) and re.search(r"find file|no such file|input_file", error.message, re.I):
                error.fault = Fault.SERVER
            raise

    def _path_of(self, vendor_id: str) -> str:
        return f"/batches/{plain_id(vendor_id)}"

    def _state(self, batch: dict[str, Any]) -> BatchState:
        vendor_id, says = plain_id(batch.get("id")), word(batch.get("status"))
        status = STATUS.get(says, BatchStatus.WORKING)
        counts = batch.get("request_counts")
        counts = counts if isinstance(counts, dict) else {}
        fault, message = self._verdict(vendor_id, batch) if status is BatchStatus.FAILED else (None, "")
        return BatchState(
            vendor_id=vendor_id,
            status=status,
            says=says,
            requests=count(counts.get("total")),
            answered=count(counts.get("completed")),
            failed=count(counts.get("failed")),
            expires_at=_moment(batch.get("expires_at")),
            message=message,
            fault=fault,
        )

    def _verdict(self, vendor_id: str, batch: dict[str, Any]) -> tuple[Fault, str]:
        """Why a batch failed as a whole: the first of its errors, or the one that says most."""
        listed = batch.get("errors")
        errors = listed.get("data") if isinstance(listed, dict) else None
        for error in errors if isinstance(errors, list) else []:
            if isinstance(error, dict):
                if error.get("code") == "token_limit_exceeded":  # too many tokens in batches: room comes with time
                    return Fault.RATE_LIMIT, masked(str(error.get("message") or ""), self.spec.api_key)
                told = self._error(vendor_id, status_failure(400, {"error": error}))
                return told.fault, told.message
        return Fault.SERVER, "The vendor gave the batch up without a reason."

    def _result_paths(self, batch: dict[str, Any]) -> list[str]:
        names = [batch.get("output_file_id"), batch.get("error_file_id")]
        return [f"/files/{plain_id(name)}/content" for name in names if name]

    def _traces(self, batch: dict[str, Any]) -> list[str]:
        names = [batch.get(f"{kind}_file_id") for kind in ("input", "output", "error")]
        return [f"/files/{plain_id(name)}" for name in names if name]

    def _read_line(self, line: dict[str, Any]) -> Answered | Failure:
        response, error = line.get("response"), line.get("error")
        if isinstance(response, dict):
            return _response(response)
        code = error.get("code") if isinstance(error, dict) else None
        if code in UNASKED:
            fault, message = UNASKED[code]
            return Failure(fault, message)
        return status_failure(500, {"error": error or "A result without an answer"})


def _response(response: Mapping[str, Any]) -> Answered | Failure:
    status, body = response.get("status_code"), response.get("body")
    request_id = request_id_of({"x-request-id": str(response.get("request_id") or "")})
    if status != 200:
        return status_failure(status if isinstance(status, int) else 500, body, request_id=request_id)
    if not isinstance(body, dict):
        return Failure(Fault.BAD_BODY, "The answer is no JSON object.", 200, None, request_id)
    return failure_inside(body, request_id) or Answered(body, request_id, 0.0)


def _moment(seconds: Any) -> datetime | None:
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (TypeError, ValueError, OverflowError, OSError):
        return None
