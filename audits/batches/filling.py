"""Filling a batch: with what one member owes, as far as the vendor's limits and the audit's budget go."""

import threading
import time
from collections.abc import Sequence

from django.conf import settings

from audits import pipeline
from audits.batches.reach import Reach, on_loop
from audits.batches.replaying import ROWS, replay, results_of, sort_out
from audits.inquiry import Part
from audits.judges.base import JudgeError, JudgeSpec
from audits.judges.batching import BatchJudge
from audits.models import Audit, Batch, PanelMember
from audits.pipeline import batching, collecting
from audits.pipeline.batching import BatchTaken, Request
from audits.pipeline.owing import Question
from audits.prices import BATCH_SHARE, size_of
from audits.working import shutting_down

FRAME = 500  # bytes of one request beside its words, about

_short_of_money: dict[int, float] = {}  # member -> when to see whether the budget has room again
_lock = threading.Lock()


def to_be_filled(audit: Audit) -> list[PanelMember]:
    """The members for whom a batch is to be made now, the extractor first."""
    now = time.monotonic()
    with _lock:
        return [member for member in batching.to_be_filled(audit) if _short_of_money.get(member.pk, now) <= now]


class Filling:
    """One new batch for one member. batch: None while nothing has gone into one."""

    def __init__(self, reach: Reach, member: PanelMember) -> None:
        self.batch: Batch | None = None
        self._reach = reach
        self._audit, self._token = reach.audit, reach.token
        self._member = member
        self._spec: JudgeSpec
        self._requests = self._bytes = 0  # that still fit

    def run(self) -> bool:
        """Put in what there is; True when there is more than fits. What was paid for already is stored instead."""
        try:
            self._spec = self._reach.spec(self._member)
            self._requests, self._bytes = on_loop(self._spec, _limits)
        except JudgeError as error:
            pipeline.stop_member(self._audit, self._member, error)
            return False
        self._requests = min(self._requests, batching.room_in(self._member) or self._requests)
        while not shutting_down.is_set() and batching.still_judging(self._audit):
            questions = pipeline.take(self._audit, self._member, ROWS, self._token, for_batch=True)
            if not questions:
                return False
            try:
                if not self._put(questions):
                    return True
                if self.batch is not None:
                    batching.keep_batch(self.batch, self._token)
            except BatchTaken:
                self.batch = None
                return False
        return False

    def _put(self, questions: Sequence[Question]) -> bool:
        """Put these in; False when no more is to be taken now."""
        found = replay(self._audit, questions, self._spec)
        collecting.record(self._audit, results_of(found))
        parts, directly = sort_out(found)
        collecting.set_aside([question.row for question in questions if question.row.pk in directly], self._token)
        if not parts:
            return True
        self.batch = self.batch or batching.begin_batch(self._audit, self._member, self._token)
        if self.batch is None:
            return False
        fitting = self._fitting(parts)
        return self._put_in(self.batch, fitting) and len(fitting) == len(parts)

    def _fitting(self, parts: Sequence[Part]) -> list[Part]:
        """The first of them, as many as the vendor takes in one batch."""
        fitting = []
        for part in parts:
            assert part.prompt is not None
            size = size_of(part.prompt) + FRAME
            if not self._requests or size > self._bytes:
                break
            self._requests -= 1
            self._bytes -= size
            fitting.append(part)
        return fitting

    def _put_in(self, batch: Batch, parts: Sequence[Part]) -> bool:
        """The first of them, as many as the budget has room for; False when that is not all."""
        requests = some = [self._request(part) for part in parts]
        while some and not batching.put_in(batch, self._token, some):
            some = some[: len(some) // 2]
        if requests and not some and not batch.requests:
            pipeline.stop_for_budget(self._audit, requests[0].at_most)
            with _lock:
                _short_of_money[self._member.pk] = time.monotonic() + settings.ASSAY_BATCH_POLL_SECONDS
        return len(some) == len(requests)

    def _request(self, part: Part) -> Request:
        prompt = part.prompt
        assert prompt is not None
        at_most = None
        if self._audit.budget is not None:
            at_most = self._member.prices.at_most(size_of(prompt), self._spec.max_tokens, BATCH_SHARE)
        asked = len(part.task.claims)
        return Request(part.inquiry.question, part.request_hash, prompt.version, prompt.hash, asked, at_most)


async def _limits(judge: BatchJudge) -> tuple[int, int]:
    """Requests and bytes in one batch; half of the latter, since JSON takes more than the words."""
    return judge.max_requests, judge.max_bytes // 2
