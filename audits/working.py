"""One worker's stretch of work on one audit: keep every judge busy, store what comes back, let go of the rest."""

import logging
import math
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from django.conf import settings
from django.db import InterfaceError, OperationalError, close_old_connections

from audits import pipeline
from audits.asks import Ask, Attempt, Outcome
from audits.doubts import Control, Doubts
from audits.engine import Engine, engine_for_process
from audits.flow import Flow
from audits.inquiry import Inquiry, Part, group_alike
from audits.judges.base import FINAL, Fault, JudgeError, JudgeSpec, Purpose
from audits.models import Audit, Call, Extraction, Judging, PanelMember, Probe
from audits.patience import Policy
from audits.pipeline.owing import Question
from audits.till import Till
from audits.turns import turn

log = logging.getLogger(__name__)
shutting_down = threading.Event()  # the process is asked to end: calls in flight are stored, no new ones made
CLAIMS_PER_SAMPLE = 4  # about; how many samples are taken for a number of free places
IN_HAND = 3  # calls asked for at a time, as a multiple of those that may run at once
IN_HAND_GROUPED = 6  # the same where calls wait for the first of their sample, whose beginning the vendor caches
SPARE = 24  # calls asked for on top of that: work is taken and stored in batches
GATHER = 0.2  # seconds to wait for more answers after one, since many are stored as cheaply as one
DRY = 0.25  # seconds before a member for which nothing was found is looked at again
DATABASE_TRIES = 300  # one a second: an answer that was paid for is held so long

T = TypeVar("T")


def work_on(
    audit: Audit, *, seconds: float, tell: Callable[[], None] | None = None, pass_on: Callable[[], None] | None = None
) -> bool:
    """Work for at most `seconds`, or until nothing more can be taken or asked; calls in flight are waited for.

    tell is called about once a second, for showing progress. pass_on is called when the time is over and calls are
    still in flight: from then on others may work on the audit here, so that a slow call holds nobody up.
    False when this process works on the audit already.
    """
    with turn(audit.pk) as leave:
        if leave is None:
            return False

        def over() -> None:
            leave()
            if pass_on is not None:
                pass_on()

        _Stretch(audit, seconds, tell, over).run()
    return True


def engine() -> Engine:
    """The engine of this process, with what the installation allows it."""
    return engine_for_process(settings.REDIS_URL, settings.ASSAY_CALLS_PER_WORKER)


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

    def __init__(
        self, audit: Audit, seconds: float, tell: Callable[[], None] | None, over: Callable[[], None]
    ) -> None:
        self.audit = audit
        self.tell = tell
        self.over: Callable[[], None] | None = over  # to be called once, when the time is over
        self.deadline = time.monotonic() + seconds
        self.token = uuid.uuid4()
        self.members = {member.pk: member for member in audit.members.select_related("judge")}
        self.asked: Counter[int] = Counter()  # member -> calls asked for without an outcome
        self.answered_at: dict[int, float] = {}  # member -> when it last answered (a clock that never goes back)
        self.specs: dict[int, JudgeSpec] = {}  # with keys: never stored, never logged
        self.keys: dict[int, str] = {}  # member -> what its limits hold for
        self.till = Till(audit)
        self.postponed: list[Part] = []  # that the budget had no room for
        self.in_hand = IN_HAND
        self.dry: dict[int, float] = {}  # member -> when to look again for work that it owes
        self.further: list[Part] = []  # that follow from answers and are to be asked
        self.doubts = Doubts()
        self.calls: list[Call] = []  # to be stored, with the results below
        self.results: list[pipeline.Result] = []
        self.policy = Policy(max_tries=settings.ASSAY_MAX_TRIES, base=settings.ASSAY_RETRY_BASE_MS / 1000)
        self.unsettled: set[int] = set()  # extractions on which a judge has said all
        self.next_look = self.next_renewal = 0.0
        self.stopped = False

    def run(self) -> None:
        """Run to the end; leases are given back whatever happens."""
        flow = engine().flow(self.policy, self.till.purse)
        _persist(lambda: pipeline.absorb_dead(self.audit))
        try:
            while True:
                self._look(flow)
                took = self._fill(flow)
                if not took and not flow.outstanding:
                    if self._settle():  # which may owe probes
                        continue
                    self._stop_for_budget()
                    break
                for event in flow.drain(0.0 if took else 0.5, self._patience(), self._enough()):
                    self._hear(event)
                self._write()  # first, so that a part that repeats an answered one finds the answer
                further, self.further = self.further, []
                self._ask(flow, further)
                self._write()
        finally:
            flow.stop()
            with suppress(OperationalError, InterfaceError):  # then the leases run out by themselves
                for model in (Extraction, Judging, Probe):
                    model.objects.all().release(self.token)
                if not flow.outstanding:  # else what is held may be billed yet
                    self.till.close()

    def _patience(self) -> float:
        """Seconds to gather answers: few while a judge waits for claims that are being cut."""
        waits = {member.role for member in self.members.values() if self.asked[member.pk] < self._width(member)}
        cutting = any(self.asked[pk] for pk, each in self.members.items() if each.role == PanelMember.Role.EXTRACTOR)
        return GATHER / 4 if cutting and PanelMember.Role.JUDGE in waits else GATHER

    def _enough(self) -> int:
        """Events after which half of what waits here has gone out: judges would soon wait for new questions."""
        widths = {pk: self._width(self.members[pk]) for pk, asked in self.asked.items() if asked}
        waiting = sum(max(0, self.asked[pk] - width) for pk, width in widths.items())
        return 2 * max(waiting // 2, sum(widths.values()) // 4, 1)  # most calls are two events

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
                mended = self.audit.members.select_related("judge").filter(pk=pk)
                self.members[pk] = _persist(mended.get)
                self.specs.pop(pk, None)
            self.members[pk].stopped_fault = fault
        if now >= self.next_renewal:
            self.next_renewal = now + settings.ASSAY_LEASE_SECONDS / 4
            for model in (Extraction, Judging, Probe):
                _persist(
                    lambda model=model: model.objects.all().renew(self.token, settings.ASSAY_LEASE_SECONDS)  # type: ignore[misc]
                )
            _persist(self.till.renew)
        self._note_limits()
        self._settle()
        if self.tell is not None:
            self.tell()

    def _note_limits(self) -> None:
        for pk, key in self.keys.items():
            state = engine().limit_state(key)
            if state is not None:
                _persist(lambda pk=pk, state=state: pipeline.note_limits(self.members[pk], state))  # type: ignore[misc]

    def _fill(self, flow: Flow) -> bool:
        """Take work for every judge that has free places. True if anything was taken."""
        if self.stopped or shutting_down.is_set():
            return False
        if time.monotonic() > self.deadline:
            over, self.over = self.over, None
            if over is not None and flow.outstanding:
                over()
            return False
        took = False
        if self.postponed:
            waiting, self.postponed = self.postponed, []
            self._ask(flow, waiting)
            took = len(self.postponed) < len(waiting)
            if self.postponed:  # nothing new before there is money
                return took
        parts: list[Part] = []
        for member in self.members.values():
            room = self._room(member, idle=not flow.outstanding)
            if not room or member.stopped_fault or self._spec(member) is None:
                continue
            samples = room if member.role == PanelMember.Role.EXTRACTOR else math.ceil(room / CLAIMS_PER_SAMPLE)
            questions = _persist(
                lambda member=member, samples=samples: pipeline.take(self.audit, member, samples, self.token)  # type: ignore[misc]
            )
            if not questions:
                self.dry[member.pk] = time.monotonic() + DRY
            took = took or bool(questions)
            parts += [part for question in questions for part in self._begin(question)]
        self._ask(flow, parts)
        self._write()
        return took

    def _width(self, member: PanelMember) -> int:
        """How many calls of this member may run at once in this process."""
        return min(member.judge.concurrency, settings.ASSAY_CALLS_PER_WORKER)

    def _room(self, member: PanelMember, *, idle: bool) -> int:
        """How many calls to take for this member now: many, or none. idle: nothing else goes on, so look whatever."""
        if not idle and self.dry.get(member.pk, 0.0) > time.monotonic():
            return 0
        width, asked = self._width(member), self.asked[member.pk]
        full = self.in_hand * width + SPARE
        return full - asked if asked <= (full + width) // 2 else 0

    def _spec(self, member: PanelMember) -> JudgeSpec | None:
        """How to build this member's judge, read once; None when its stored key cannot be read, which stops it."""
        if member.pk not in self.specs:
            try:
                self.specs[member.pk] = pipeline.spec_of(member)
                self.keys[member.pk] = pipeline.judge_key(self.specs[member.pk])
            except ValueError as error:
                self._stop(member, JudgeError(Fault.CONFIG, str(error)))
                return None
        return self.specs[member.pk]

    def _begin(self, question: Question) -> list[Part]:
        inquiry = Inquiry(question)
        return self._next(inquiry, inquiry.begin())

    def _next(self, inquiry: Inquiry, parts: list[Part]) -> list[Part]:
        """The parts to ask now; an inquiry without any has ended, and its result is kept to be stored."""
        if inquiry.result is not None:
            self.results.append(pipeline.Result(inquiry.question, inquiry.result, inquiry.call))
        return parts

    def _ask(self, flow: Flow, parts: list[Part]) -> None:
        """Ask, except for what was paid for already: that is answered at once, and may lead to further parts."""
        while parts:
            for part in parts:
                part.prepare(self.specs[part.member.pk])
            hashes = {part.request_hash for part in parts}
            paid = _persist(lambda hashes=hashes: pipeline.find_paid(self.audit, hashes))  # type: ignore[misc]
            further: list[Part] = []
            unpaid: list[Part] = []
            for part in parts:
                if part.request_hash not in paid or isinstance(part, Control):
                    unpaid.append(part)
                else:
                    call, reply = paid[part.request_hash]
                    further += self._next(part.inquiry, part.answer(reply, call))
            too_dear = _persist(lambda unpaid=unpaid: self.till.afford(unpaid, self.specs))  # type: ignore[misc]
            self.postponed += too_dear
            affordable = unpaid[: len(unpaid) - len(too_dear)]
            self.in_hand = IN_HAND_GROUPED if group_alike(affordable) else IN_HAND
            flow.submit([self._ask_for(part) for part in affordable])
            parts = further

    def _stop_for_budget(self) -> None:
        """Pause the audit when nothing more can be asked, even if all that is held came back."""
        if self.postponed and not self.stopped:
            cheapest = self.till.cheapest(self.postponed)
            _persist(lambda: pipeline.stop_for_budget(self.audit, cheapest))

    def _ask_for(self, part: Part) -> Ask:
        member = part.member
        self.asked[member.pk] += 1
        part.asked_at = time.monotonic()
        return Ask(
            key=part,
            judge_key=self.keys[member.pk],
            spec=self.specs[member.pk],
            task=part.task,
            limits=pipeline.limits_of(member),
            replicate=part.inquiry.question.replicate,
            prompt=part.prompt,
            request_hash=part.request_hash,
            group=part.group,
            at_most=part.at_most,
        )

    def _hear(self, event: Attempt | Outcome) -> None:
        part: Part = event.ask.key
        if isinstance(event, Attempt):
            self._note(part, event)
            return
        self.asked[part.member.pk] -= 1
        self.till.ended(part)
        if event.error is not None and event.reply is None:
            self._give_up(part, event.error)
        elif event.reply is not None and not isinstance(part, Control):
            self.further += self._next(part.inquiry, part.answer(event.reply, part.call))

    def _note(self, part: Part, attempt: Attempt) -> None:
        """Keep a call for the ledger. One that was answered tells that its judge is well."""
        member = self.members[part.member.pk]
        part.call = pipeline.call_of(self.audit, part.inquiry.question, attempt)
        if isinstance(part, Control):
            part.call.purpose = "control"
        self.calls.append(part.call)
        self.till.called(part, attempt, part.call)
        reply = attempt.reply
        if reply is not None:
            self.answered_at[member.pk] = time.monotonic()
            _persist(lambda: pipeline.note_refused_parameters(member, reply))
            self._score_doubted(member)

    def _give_up(self, part: Part, error: JudgeError) -> None:
        """What a failed call means: a judge to be mended, an answer that will not come, or work still owed."""
        member = self.members[part.member.pk]
        if error.fault is Fault.BUDGET:
            self.postponed.append(part)
        elif isinstance(part, Control):
            self._end_doubts(member, error)
        elif error.fault in FINAL:
            self.further += self._next(part.inquiry, part.answer(error, part.call))
        elif self.policy.ends_judge(error):
            self._stop(member, error)
        elif self.stopped or member.stopped_fault:
            return  # paused in the middle of its tries: still owed
        elif self.answered_at.get(member.pk, 0.0) > part.asked_at:
            # The vendor answered others meanwhile, so it is this call that it cannot do.
            self.further += self._next(part.inquiry, part.answer(error, part.call))
        else:
            self.further += self.doubts.add(part, error)

    def _score_doubted(self, member: PanelMember) -> None:
        """The judge is well: what failed cannot be done, and is unscored."""
        for part, error in self.doubts.end(member.pk):
            self.further += self._next(part.inquiry, part.answer(error, part.call))

    def _end_doubts(self, member: PanelMember, error: JudgeError) -> None:
        """The small question failed, too. Unless the vendor itself declines it, what failed is still owed."""
        if error.fault in FINAL:
            self._score_doubted(member)
        elif self.doubts.end(member.pk) and not self.stopped:
            self._stop(member, error)

    def _stop(self, member: PanelMember, error: JudgeError) -> None:
        _persist(lambda: pipeline.stop_member(self.audit, member, error))

    def _write(self) -> None:
        """Store all that has come back since the last time."""
        if not self.calls and not self.results:
            return
        bill = self.till.bill()
        self.unsettled.update(_persist(lambda: pipeline.store(self.audit, self.calls, self.results, bill)))
        if any(result.question.task.purpose is Purpose.EXTRACT for result in self.results):
            self.dry.clear()  # there are new claims
        self.calls, self.results = [], []
        self.till.paid(bill)

    def _settle(self) -> bool:
        """Decide the claims on which the panel has spoken; False when there were none. Now and then is enough."""
        if not self.unsettled:
            return False
        _persist(lambda: pipeline.settle(self.audit, self.unsettled))
        self.unsettled = set()
        return True
