"""One pass over the batches of an audit: each is moved on as far as it goes now, then new ones are filled."""

import logging
import threading
from collections.abc import Callable, Collection
from contextlib import closing, suppress

from django.db import InterfaceError, OperationalError

from audits import pipeline
from audits.batches.filling import Filling, to_be_filled
from audits.batches.handing import finish, give_up, hand_over, nothing_more
from audits.batches.reach import Reach, ShuttingDown
from audits.judges.base import FINAL, RETRY_LATER, STOP_JUDGE, Answer, Fault, JudgeError, Reply
from audits.judges.batching import BatchState, BatchStatus, number_in
from audits.models import Audit, Batch, Extraction, Judging, PanelMember
from audits.pipeline import batching, collecting
from audits.pipeline.batching import BatchTaken
from audits.working import shutting_down

log = logging.getLogger(__name__)
PATIENCE = 10  # tries to learn whether a batch that nobody wants any more was handed over
AMBIGUOUS = (408, 409, 425)  # statuses below 500 after which a batch may exist all the same

_here: set[int] = set()  # audits that this process tends now
_lock = threading.Lock()


def wants_tending(audit: Audit) -> bool:
    """Whether tend() would find something to do now."""
    return bool(batching.due_batches(audit) or to_be_filled(audit))


def tend(audit: Audit) -> bool:
    """Move the audit's batches on as far as they go now. False when this process is at it already."""
    with _lock:
        if audit.pk in _here:
            return False
        _here.add(audit.pk)
    try:
        _Tending(audit).run()
    finally:
        with _lock:
            _here.discard(audit.pk)
    return True


class _Tending:
    """One pass."""

    def __init__(self, audit: Audit) -> None:
        self.audit = audit
        self.reach = Reach(audit)
        self.token = self.reach.token

    def run(self) -> None:
        """Move on what there is, then fill new batches; leases are given back whatever happens."""
        try:
            for batch in batching.due_batches(self.audit):
                if not shutting_down.is_set() and (taken := batching.take_batch(batch, self.token)) is not None:
                    self._guarded(taken, self._move_on)
            self.audit.refresh_from_db()
            for role in (PanelMember.Role.EXTRACTOR, PanelMember.Role.JUDGE):
                for member in to_be_filled(self.audit):
                    while member.role == role and not shutting_down.is_set() and self._fill(member):
                        pass
        finally:
            with suppress(OperationalError, InterfaceError):  # then the leases run out by themselves
                for model in (Extraction, Judging, Batch):
                    model.objects.all().release(self.token)

    def _guarded(self, batch: Batch, step: Callable[[Batch], None]) -> None:
        """Do one step; whatever is wrong with one batch does not hold up the others."""
        try:
            try:
                step(batch)
            except JudgeError as error:
                self._trouble(batch, error)
        except (BatchTaken, ShuttingDown):
            log.info("Another process goes on with batch %s.", batch.pk)
        except (OperationalError, InterfaceError):
            raise
        except Exception as exception:
            log.exception("Batch %s could not be moved on; it is tried again.", batch.pk)
            batching.try_again_later(batch, self.token, f"The step failed ({type(exception).__name__}).")
        finally:
            with suppress(OperationalError, InterfaceError):
                batching.let_batch(batch, self.token)

    def _move_on(self, batch: Batch) -> None:
        if batch.status == Batch.Status.PREPARED:
            hand_over(self.reach, batch)
        elif collecting.awaits_results(batch):
            self._look(batch)
        else:  # all is here; the process that took it has ended
            finish(self.reach, batch)

    def _fill(self, member: PanelMember) -> bool:
        """Make one batch of what this member owes and hand it over; True when there may be more than went in."""
        filling = Filling(self.reach, member)
        try:
            full = filling.run()
        finally:
            with suppress(OperationalError, InterfaceError):
                for model in (Extraction, Judging):
                    model.objects.all().release(self.token)
        batch = filling.batch
        if batch is None:
            return False
        if not batch.requests:
            batching.discard(batch, self.token)
            return False
        self._guarded(batch, self._move_on)
        return full

    def _look(self, batch: Batch) -> None:
        name, stops = batch.vendor_id, batch.vendor_status.startswith("cancel")
        if batching.is_unwanted(self.audit, batch) and batch.certain and not stops:
            state = self.reach.ask(batch, lambda judge: judge.cancel_batch(name))
        else:
            state = self.reach.ask(batch, lambda judge: judge.look(name))
        batching.noted(batch, self.token, state)
        if state.status.collectable:
            self._collect(batch)
        elif state.status is BatchStatus.FAILED:
            self._failed(batch, state)
        elif state.status is BatchStatus.LOST:
            nothing_more(self.reach, batch)

    def _failed(self, batch: Batch, state: BatchState) -> None:
        """The vendor gave the whole batch up, and made none of its requests."""
        error = JudgeError(state.fault or Fault.SERVER, state.message)
        if error.fault in (Fault.RATE_LIMIT, Fault.OVERLOADED):
            self._halve(batch, error)
        elif error.fault in STOP_JUDGE:
            pipeline.stop_member(self.audit, batch.member, error)
            give_up(self.reach, batch)
        else:
            nothing_more(self.reach, batch)

    def _collect(self, batch: Batch) -> None:
        foreign = ours = 0
        stop: JudgeError | None = None
        with closing(self.reach.results(batch)) as pieces:
            for piece in pieces:
                numbered = [(number_in(batch.tag, name), result) for name, result in piece]
                known = [(number, result) for number, result in numbered if number is not None]
                ours, foreign = ours + len(known), foreign + len(piece) - len(known)
                collecting.take_results(batch, self.token, known)
                stop = stop or self._learn(batch, [result for _, result in known])
        if stop is not None:
            pipeline.stop_member(self.audit, batch.member, stop)
        if foreign and not ours and not batch.certain:
            batching.back_to_prepared(batch, self.token)  # somebody else's; ours is looked for again
            return
        if ours and not batch.certain:
            batching.is_ours(batch, self.token)
        nothing_more(self.reach, batch)

    def _learn(self, batch: Batch, results: Collection[Answer]) -> JudgeError | None:
        """Keep what the model refused; an error that a person must mend, if there is one."""
        notes = {reply.notes: reply for reply in results if isinstance(reply, Reply) and reply.notes}
        for reply in notes.values():
            pipeline.note_refused_parameters(batch.member, reply)
        errors = (result for result in results if isinstance(result, JudgeError))
        return next((error for error in errors if error.fault in STOP_JUDGE), None)

    def _trouble(self, batch: Batch, error: JudgeError) -> None:
        """What a failed exchange means for the batch and for its judge."""
        if batch.status == Batch.Status.PREPARED:
            self._not_handed_over(batch, error)
        elif batch.status == Batch.Status.SUBMITTED and error.status == 404:  # the results are gone
            nothing_more(self.reach, batch)
        else:
            self._later(batch, error)

    def _not_handed_over(self, batch: Batch, error: JudgeError) -> None:
        if error.fault is Fault.NOT_FOUND and error.status in (404, 405):
            collecting.ask_directly(batch.member)
            give_up(self.reach, batch)
        elif batching.is_unwanted(self.audit, batch) and batch.tries >= PATIENCE:
            give_up(self.reach, batch)
        elif error.fault in FINAL and batch.requests == 1:
            collecting.let_all_go(batch, self.token, directly=True)
            nothing_more(self.reach, batch)
        elif error.fault in FINAL:
            self._halve(batch, error)
        else:
            self._later(batch, error)

    def _halve(self, batch: Batch, error: JudgeError) -> None:
        batching.halve(batch, self.token)
        batching.try_again_later(batch, self.token, error.message, after=error.retry_after)

    def _later(self, batch: Batch, error: JudgeError) -> None:
        if error.fault not in RETRY_LATER:
            pipeline.stop_member(self.audit, batch.member, error)
        turned_down = error.status is not None and 400 <= error.status < 500 and error.status not in AMBIGUOUS
        batching.try_again_later(batch, self.token, error.message, after=error.retry_after, turned_down=turned_down)
