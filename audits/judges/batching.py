"""Batches: many requests handed to a vendor at once, for half the price, answered within a day.

The requests are those of single calls, word for word, and each result is a Reply or a JudgeError as of a single call.
Nothing here waits or tries again.
"""

import re
import tempfile
import uuid
from collections.abc import AsyncGenerator, Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import IO, Protocol, runtime_checkable

from audits.judges.base import Fault, Judge, JudgeError, Prompt, Reply


class BatchStatus(StrEnum):
    """Where a batch is at its vendor."""

    WORKING = "working"
    ENDED = "ended"  # every request has a result, which may be an error
    EXPIRED = "expired"  # its day is over; what was answered until then can be collected
    CANCELLED = "cancelled"  # what was answered until then can be collected
    FAILED = "failed"  # as a whole: none of its requests was or will be made
    LOST = "lost"  # the vendor does not know it, or not any more

    @property
    def collectable(self) -> bool:
        """Whether there are results."""
        return self in (BatchStatus.ENDED, BatchStatus.EXPIRED, BatchStatus.CANCELLED)


@dataclass(frozen=True)
class BatchState:
    """What a vendor says of a batch. Counts are of requests, as far as the vendor tells them while it works."""

    vendor_id: str
    status: BatchStatus
    says: str = ""  # the vendor's own word for the status
    requests: int = 0
    answered: int = 0
    failed: int = 0  # errors, expired and cancelled ones
    expires_at: datetime | None = None
    certain: bool = True  # False: found by time and number alone, so perhaps somebody else's
    message: str = ""  # why it failed as a whole, for people
    fault: Fault | None = None  # the same for the engine: RETRY_LATER, STOP_JUDGE or neither


class BatchFile:
    """Requests on their way into a batch, kept on disk. add() is not for the event loop: it writes to the disk."""

    def __init__(self, line: Callable[[str, Prompt], bytes], max_requests: int, max_bytes: int) -> None:
        self._line, self._max_requests, self._max_bytes = line, max_requests, max_bytes
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  # nameless, gone when closed; it holds the texts
        self.requests = 0
        self.size = 0  # bytes

    def add(self, custom_id: str, prompt: Prompt) -> bool:
        """Put a request in; False when it does not fit any more: hand over what is here, or ask it directly."""
        line = self._line(custom_id, prompt) + b"\n"
        if self.requests >= self._max_requests or self.size + len(line) > self._max_bytes:
            return False
        self._file.write(line)
        self.requests += 1
        self.size += len(line)
        return True

    def opened(self) -> IO[bytes]:
        """The file of lines, each ended by a newline, from its start."""
        self._file.flush()
        self._file.seek(0)
        return self._file

    def close(self) -> None:
        """Remove it from the disk."""
        self._file.close()


@runtime_checkable
class BatchJudge(Judge, Protocol):
    """A judge whose vendor has batches. Every method but batch_file belongs on the event loop of the judge."""

    max_requests: int  # in one batch
    max_bytes: int

    def batch_file(self) -> BatchFile:
        """An empty file for requests to this judge, with the vendor's limits."""
        ...

    async def submit_batch(self, tag: uuid.UUID, file: BatchFile) -> BatchState:
        """Hand the requests over. Raises JudgeError; after RETRY_LATER faults the vendor may have taken them all the
        same: find_batch tells."""
        ...

    async def find_batch(
        self, tag: uuid.UUID, *, requests: int, since: datetime, known: Collection[str] = ()
    ) -> BatchState | None:
        """The batch that was handed over under this tag with so many requests not before `since`, if there is one.

        known: vendor's ids of other batches. OpenAI's answer is exact. Anthropic keeps no word of ours with a batch:
        one that has ended is known by its results, one that has not by time and number of requests alone, so that it
        may be somebody else's; collecting tells, since foreign results do not carry the tag.
        """
        ...

    async def look(self, vendor_id: str) -> BatchState:
        """Where the batch is. Raises JudgeError when the vendor does not say."""
        ...

    def collect(self, vendor_id: str) -> AsyncGenerator[tuple[str, Reply | JudgeError], None]:
        """The results with their custom ids, as they arrive and in any order; one may be missing or come twice.

        Raises JudgeError, also in the middle; collecting again starts from the beginning.
        """
        ...

    async def cancel_batch(self, vendor_id: str) -> BatchState:
        """Ask the vendor to stop it. Raises JudgeError."""
        ...

    async def forget_batch(self, vendor_id: str) -> bool:
        """Have the vendor delete its texts and results; False when it would not. Raises nothing."""
        ...


def custom_id(tag: uuid.UUID, number: int) -> str:
    """The name of a request within a batch, for the vendor: letters, digits and hyphens."""
    return f"{tag.hex}-{number}"


def number_in(tag: uuid.UUID, name: str) -> int | None:
    """The number of a request from its custom id; None when it is none of this batch."""
    start, _, number = name.partition("-")
    return int(number) if start == tag.hex and re.fullmatch(r"\d{1,9}", number, re.ASCII) else None
