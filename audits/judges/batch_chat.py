"""What judges with batches share: handing over, looking, collecting, each through the vendor's SDK and wire.py."""

import dataclasses
import json
import re
import uuid
from abc import abstractmethod
from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import timedelta
from typing import Any, cast

import httpx2

from audits.judges.base import Fault, JudgeError, Prompt, Reply
from audits.judges.batching import BatchFile, BatchState, BatchStatus
from audits.judges.chat import ChatJudge
from audits.judges.cleaning import clean
from audits.judges.failures import Failure, error_of
from audits.judges.wire import Answered, BadRequest, exchange, stream_objects

UPLOAD_RATE = 100_000  # bytes per second; a hand-over slower than this is given up
CLOCKS = timedelta(minutes=10)  # how far the vendor's clock and ours may differ
PAGES = 20  # of a list of batches, looked through for one of ours


class BatchChatJudge(ChatJudge):
    """What is the same for all vendors with batches."""

    max_requests: int
    max_bytes: int

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._bulk: Any = None  # a client of its own, whose answers may be of any size
        # Batch -> the forms its requests were sent in, so that its complaints teach once however often they are read.
        # After a restart the present forms stand for them; a wrong guess costs one more batch that is refused.
        self._sent: dict[str, dict[str, int]] = {}

    def batch_file(self) -> BatchFile:
        """An empty file for requests to this judge."""
        return BatchFile(self._line, self.max_requests, self.max_bytes)

    async def submit_batch(self, tag: uuid.UUID, file: BatchFile) -> BatchState:
        """Hand the requests over."""
        sent = self._options.choice()
        state = self._state(await self._hand_over(tag, file))
        self._sent[state.vendor_id] = sent
        return state

    async def look(self, vendor_id: str) -> BatchState:
        """Where the batch is."""
        try:
            return self._state(await self._retrieve(vendor_id))
        except JudgeError as error:
            if error.status != 404:
                raise
            lost = error
        return BatchState(vendor_id, BatchStatus.LOST, message=lost.message)

    async def collect(self, vendor_id: str) -> AsyncGenerator[tuple[str, Reply | JudgeError], None]:
        """The results with their custom ids."""
        batch = await self._retrieve(vendor_id)
        self._answered = self._answered or self._state(batch).answered > 0
        for path in self._result_paths(batch):
            async with aclosing(self._objects(path)) as objects:
                async for line in objects:
                    name = line.get("custom_id")
                    if isinstance(name, str):
                        yield name, self._result(vendor_id, line)

    async def cancel_batch(self, vendor_id: str) -> BatchState:
        """Ask the vendor to stop it; one that has ended stays as it is."""
        try:
            return self._state(await self._send("post", f"{self._path_of(vendor_id)}/cancel", body={}))
        except JudgeError as error:
            if error.status not in (400, 404, 409):
                raise
        return await self.look(vendor_id)

    async def forget_batch(self, vendor_id: str) -> bool:
        """Have the vendor delete its texts and results."""
        try:
            for path in self._traces(await self._retrieve(vendor_id)):
                await self._send("delete", path)
        except JudgeError as error:
            return error.status == 404
        return True

    async def close(self) -> None:
        """Release connections; a later call opens new ones."""
        client, self._bulk = self._bulk, None
        if client is not None:
            await client.close()
        await super().close()

    # What the vendors' parts are made of.

    async def _send(self, method: str, path: str, *, size: int = 0, **arguments: Any) -> dict[str, Any]:
        """One exchange with the batch interface; its JSON object. size: bytes to be sent, which take their time."""

        async def send(_: dict[str, Any]) -> httpx2.Response:
            if method == "delete":
                return await self._request(method, path, **arguments)
            return await self._request(method, path, stream=True, stream_cls=self.stream_cls, **arguments)

        deadline = self.spec.timeout + size / UPLOAD_RATE
        try:
            return (await exchange(send, {}, dataclasses.replace(self.spec, timeout=deadline))).body
        except BadRequest as bad:
            complaint = bad
        raise complaint.error

    async def _request(self, method: str, path: str, **arguments: Any) -> httpx2.Response:
        if self._bulk is None:
            self._bulk = self._new_client(bulk=True)
        return cast(httpx2.Response, await getattr(self._bulk, method)(path, cast_to=httpx2.Response, **arguments))

    async def _objects(self, path: str) -> AsyncGenerator[dict[str, Any], None]:
        """The lines of a file at the vendor."""

        async def get() -> httpx2.Response:
            return await self._request("get", path, stream=True, stream_cls=self.stream_cls)

        async with aclosing(stream_objects(get, self.spec)) as objects:
            async for line in objects:
                yield line

    async def _retrieve(self, vendor_id: str) -> dict[str, Any]:
        return await self._send("get", self._path_of(vendor_id))

    def _result(self, vendor_id: str, line: dict[str, Any]) -> Reply | JudgeError:
        outcome = self._read_line(line)
        if isinstance(outcome, Failure):
            return self._error(vendor_id, outcome)
        try:
            reply = self._reply(outcome)
        except JudgeError as error:
            return error
        self._answered = True
        return reply

    def _error(self, vendor_id: str, failure: Failure) -> JudgeError:
        """The failure of one request, or of a whole batch; a complaint about a parameter teaches."""
        error = error_of(failure, 0.0, self.spec)
        if isinstance(error, JudgeError):
            return error
        sent = self._sent.setdefault(vendor_id, self._options.choice())
        if self._options.learn(sent, error.param, error.text) or self._answered:
            error.error.fault = Fault.SERVER  # again without that parameter, or one odd request among good ones
        return error.error

    @abstractmethod
    def _new_client(self, *, bulk: bool = False) -> Any:
        """The vendor's SDK client, for this address and key."""

    @abstractmethod
    def _line(self, name: str, prompt: Prompt) -> bytes:
        """One request of a batch as one line of JSON."""

    @abstractmethod
    async def _hand_over(self, tag: uuid.UUID, file: BatchFile) -> dict[str, Any]:
        """Submit; the vendor's batch."""

    @abstractmethod
    def _path_of(self, vendor_id: str) -> str:
        """Where the batch is, below the base URL. Raises JudgeError for what cannot be an id."""

    @abstractmethod
    def _state(self, batch: dict[str, Any]) -> BatchState:
        """The vendor's batch in our words. Raises JudgeError for what is no batch."""

    @abstractmethod
    def _result_paths(self, batch: dict[str, Any]) -> list[str]:
        """Where the results are."""

    @abstractmethod
    def _traces(self, batch: dict[str, Any]) -> list[str]:
        """All that can be deleted."""

    @abstractmethod
    def _read_line(self, line: dict[str, Any]) -> Answered | Failure:
        """One result."""


def as_json(value: Any) -> bytes:
    """One line of JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def plain_id(value: Any) -> str:
    """A vendor's id that may be put into a path. Raises JudgeError (BAD_BODY)."""
    if not isinstance(value, str) or not re.fullmatch(r"[\w\-]{1,200}", value, re.ASCII):
        raise JudgeError(Fault.BAD_BODY, "The vendor's answer names no batch.")
    return value


def count(value: Any) -> int:
    """A count as reported, 0 where there is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def word(value: Any) -> str:
    """A short word of the vendor's, fit for the database."""
    return clean(str(value or ""))[:40]
