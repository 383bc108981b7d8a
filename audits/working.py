"""One worker's stretch of work on one audit: keep every judge busy, store what comes back, let go of the rest."""

import logging
import math
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

from django.conf import settings
from django.db import InterfaceError, OperationalError, close_old_connections

from audits import pipeline
from audits.engine import Ask, Attempt, Flow, Outcome, engine_for_process
from audits.judges.base import FINAL, STOP_JUDGE, Fault, JudgeError, JudgeSpec
from audits.labels import Unscored
from audits.models import Audit, Call, Extraction, Judging, PanelMember
from audits.patience import Policy
from audits.pipeline.owing import Question

log = logging.getLogger(__name__)
shutting_down = threading.Event()  # the process is asked to end: calls in flight are stored, no new ones made
CLAIMS_PER_SAMPLE = 4  # about; how many samples are taken for a number of free places
DATABASE_TRIES = 30  # a database that restarts is back within seconds; an answer that was paid for is held so long

T = TypeVar("T")
_here: set[int] = set()  # audits on which this process works already: one stretch at a time
_lock = threading.Lock()


def work_on(audit: Audit, *, seconds: float, tell: Callable[[], None] | None = None) -> None:
    """Work for at most `seconds` (calls in flight are waited for), or until nothing more can be taken or asked.

    tell is called about once a second, for showing progress.
    """
    with _only_once(audit.pk) as mine:
        if mine:
            _Stretch(audit, seconds, tell).run()


@contextmanager
def _only_once(audit_id: int) -> Iterator[bool]:
    with _lock:
        mine = audit_id not in _here
        _here.add(audit_id)
    try:
        yield mine
    finally:
        if mine:
            with _lock:
                _here.discard(audit_id)


def _persist(write: Callable[[], T]) -> T:
    """Write to the database; while it is away, wait for it."""
    for tries_left in range(DATABASE_TRIES, -1, -1):
        try:
            return write()
        except (OperationalError, InterfaceError):
            if not tries_left:
                raise
            log.warning("The database does not answer. What came back from the judges is held and written again.")
            close_old_connections()
            shutting_down.wait(1)
    raise AssertionError("unreachable")


class _Stretch:
    """The loop: fill, drain, store, hold the leases, until the time is over or the audit is no longer judging."""

    def __init__(self, audit: Audit, seconds: float, tell: Callable[[], None] | None = None) -> None:
        self.audit = audit
        self.tell = tell
        self.deadline = time.monotonic() + seconds
        self.token = uuid.uuid4()
        self.members = {member.pk: member for member in audit.members.select_related("judge")}
        self.asked: Counter[int] = Counter()  # member -> questions without an outcome
        self.last_call: dict[int, Call] = {}  # id of a question -> the ledger row of its last attempt
        self.answered_at: dict[int, float] = {}  # member -> when it last answered (a clock that never goes back)
        self.asked_at: dict[int, float] = {}  # id of a question -> when it was asked
        self.specs: dict[int, JudgeSpec] = {}  # with keys: never stored, never logged
        self.next_look = 0.0
        self.stopped = False

    def run(self) -> None:
        """Run to the end; leases are given back whatever happens."""
        policy = Policy(max_tries=settings.ASSAY_MAX_TRIES, base=settings.ASSAY_RETRY_BASE_MS / 1000)
        flow = engine_for_process().flow(policy)
        try:
            while True:
                self._look(flow)
                took = self._fill(flow)
                if not took and not flow.outstanding:
                    break
                for event in flow.drain(0.0 if took else 0.5):
                    _persist(lambda event=event: self._store(event))  # type: ignore[misc]  # bound at once
        finally:
            flow.stop()
            with suppress(OperationalError, InterfaceError):  # then the leases run out by themselves
                for model in (Extraction, Judging):
                    model.objects.all().release(self.token)

    def _look(self, flow: Flow) -> None:
        """Now and then: is the audit still judging, which judges were stopped or mended, and hold the leases."""
        now = time.monotonic()
        if now < self.next_look:
            return
        self.next_look = now + min(1.0, settings.ASSAY_LEASE_SECONDS / 3)
        status = _persist(lambda: Audit.objects.values_list("status", flat=True).get(pk=self.audit.pk))
        if status != Audit.Status.JUDGING or shutting_down.is_set():
            self.stopped = True
            flow.stop()
        for pk, fault in _persist(lambda: list(self.audit.members.values_list("pk", "stopped_fault"))):
            if self.members[pk].stopped_fault and not fault:  # mended: with a new key, perhaps
                self.members[pk] = self.audit.members.select_related("judge").get(pk=pk)
                self.specs.pop(pk, None)
            self.members[pk].stopped_fault = fault
        for model in (Extraction, Judging):
            _persist(
                lambda model=model: model.objects.all().renew(self.token, settings.ASSAY_LEASE_SECONDS)  # type: ignore[misc]
            )
        if self.tell is not None:
            self.tell()

    def _fill(self, flow: Flow) -> bool:
        """Take work for every judge that has free places. True if anything was taken."""
        if self.stopped or shutting_down.is_set() or time.monotonic() > self.deadline:
            return False
        took = False
        for member in self.members.values():
            room = 2 * member.concurrency - self.asked[member.pk]
            if member.stopped_fault or room < member.concurrency:
                continue
            spec = self._spec(member)
            if spec is None:
                continue
            samples = room if member.role == PanelMember.Role.EXTRACTOR else math.ceil(room / CLAIMS_PER_SAMPLE)
            questions = _persist(
                lambda member=member, samples=samples: pipeline.take(self.audit, member, samples, self.token)  # type: ignore[misc]
            )
            took = took or bool(questions)
            self._ask(flow, member, spec, questions)
        return took

    def _spec(self, member: PanelMember) -> JudgeSpec | None:
        """How to build this member's judge, read once; None when its stored key cannot be read, which stops it."""
        if member.pk not in self.specs:
            try:
                self.specs[member.pk] = pipeline.spec_of(member)
            except ValueError as error:
                pipeline.stop_member(self.audit, member, JudgeError(Fault.CONFIG, str(error)))
                return None
        return self.specs[member.pk]

    def _ask(self, flow: Flow, member: PanelMember, spec: JudgeSpec, questions: list[Question]) -> None:
        asks = []
        for question in questions:
            if pipeline.record_wordless(question):
                continue
            paid = pipeline.find_paid(self.audit, question, spec)
            if paid is not None:
                call, reply = paid
                pipeline.record_reply(question, reply, call)
                continue
            self.asked[member.pk] += 1
            self.asked_at[id(question)] = time.monotonic()
            asks.append(Ask(question, f"member-{member.pk}", spec, question.task, member.concurrency))
        flow.submit(asks)

    def _store(self, event: Attempt | Outcome) -> None:
        question: Question = event.ask.key
        if isinstance(event, Attempt):
            self.last_call[id(question)] = pipeline.record_attempt(self.audit, question, event)
            if event.reply is not None:
                self.answered_at[question.member.pk] = time.monotonic()
            return
        call = self.last_call.get(id(question))
        if event.reply is not None:
            pipeline.record_reply(question, event.reply, call)
        elif event.error is not None:
            self._give_up(question, event.error, call)
        self.asked[question.member.pk] -= 1
        self.last_call.pop(id(question), None)
        self.asked_at.pop(id(question), None)

    def _give_up(self, question: Question, error: JudgeError, call: Call | None) -> None:
        """What a failed question means: a judge to be mended, a claim that stays unscored, or work still owed."""
        if error.fault in FINAL:
            pipeline.record_failure(question, FINAL[error.fault], error.message, call)
        elif error.fault in STOP_JUDGE:
            pipeline.stop_member(self.audit, self.members[question.member.pk], error)
        elif self.stopped:
            return  # paused in the middle of its tries: still owed
        elif self.answered_at.get(question.member.pk, 0.0) > self.asked_at[id(question)]:
            # The vendor answered others meanwhile, so it is this call that it cannot do.
            pipeline.record_failure(question, Unscored.FAILED, error.message, call)
        else:
            pipeline.stop_member(self.audit, self.members[question.member.pk], error)
