"""The way from a batch to its vendor and to the ledger, with the batch's lease held meanwhile."""

import time
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from django.conf import settings

from audits import pipeline
from audits.batches.replaying import Replayed, replay
from audits.judges.base import Answer, Fault, JudgeError, JudgeSpec
from audits.judges.batching import BatchJudge
from audits.models import Audit, Batch, PanelMember
from audits.pipeline import batching, collecting
from audits.working import engine, shutting_down

ITEMS = 200  # results that are taken at a time
T = TypeVar("T")


class ShuttingDown(Exception):
    """The process is to end; another one goes on with the batch."""


class Reach:
    """What one pass over the batches of an audit works with. token: of its leases."""

    def __init__(self, audit: Audit) -> None:
        self.audit = audit
        self.token = uuid.uuid4()

    def spec(self, member: PanelMember) -> JudgeSpec:
        """How to build the member's judge. Raises JudgeError (CONFIG) when its stored key cannot be read."""
        try:
            return pipeline.spec_of(member)
        except ValueError as error:
            raise JudgeError(Fault.CONFIG, str(error)) from error

    def replay(self, batch: Batch, rows: Sequence[Any]) -> list[Replayed]:
        """The questions of rows of this batch, answered from the ledger. Raises JudgeError (CONFIG)."""
        return replay(self.audit, collecting.questions_about(batch, rows), self.spec(batch.member))

    def ask(self, batch: Batch, use: Callable[[BatchJudge], Awaitable[T]], *, whole: bool = False) -> T:
        """What the vendor's interface comes to, while the batch's lease is held. Raises JudgeError and BatchTaken.

        whole: to the end; anything else is dropped when the process is to end, and raises ShuttingDown.
        """
        kept = time.monotonic()

        def meanwhile() -> None:
            nonlocal kept
            if shutting_down.is_set() and not whole:
                raise ShuttingDown
            if time.monotonic() - kept > settings.ASSAY_LEASE_SECONDS / 3:
                kept = time.monotonic()
                batching.keep_batch(batch, self.token)

        return on_loop(self.spec(batch.member), use, meanwhile)

    def ask_last(self, batch: Batch, use: Callable[[BatchJudge], Awaitable[object]]) -> None:
        """Something that need not succeed, about a batch whose lease may be gone."""
        with suppress(JudgeError):
            on_loop(self.spec(batch.member), use)

    def results(self, batch: Batch) -> Generator[list[tuple[str, Answer]], None, None]:
        """The results with their custom ids, in pieces. Raises JudgeError, after what came before it."""
        stream = _Stream(batch.vendor_id)
        try:
            while not shutting_down.is_set():
                piece, error = self.ask(batch, stream.following)
                if piece:
                    yield piece
                if error is not None:
                    raise error
                if len(piece) < ITEMS:
                    return
            raise ShuttingDown
        finally:
            self.ask_last(batch, stream.close)


class _Stream:
    """The results of one batch. Its methods belong on the loop."""

    def __init__(self, vendor_id: str) -> None:
        self._vendor_id = vendor_id
        self._opened: AsyncGenerator[tuple[str, Answer], None] | None = None

    async def following(self, judge: BatchJudge) -> tuple[list[tuple[str, Answer]], JudgeError | None]:
        """The next results, fewer than ITEMS at the end, and the error with which they broke off."""
        self._opened = self._opened or judge.collect(self._vendor_id)
        piece: list[tuple[str, Answer]] = []
        try:
            async for result in self._opened:
                piece.append(result)
                if len(piece) == ITEMS:
                    break
        except JudgeError as error:
            return piece, error
        return piece, None

    async def close(self, _: BatchJudge) -> None:
        """Give the connection back."""
        if self._opened is not None:
            await self._opened.aclose()


def on_loop(
    spec: JudgeSpec, use: Callable[[BatchJudge], Awaitable[T]], meanwhile: Callable[[], None] = lambda: None
) -> T:
    """Use a judge on the loop where it lives; meanwhile is called now and then. Raises JudgeError."""

    async def work() -> T:
        judge = engine().judge(spec)
        if not isinstance(judge, BatchJudge):
            raise JudgeError(Fault.NOT_FOUND, "This judge has no batches.", status=404)
        return await use(judge)

    return engine().run(work(), meanwhile, every=0.5)
