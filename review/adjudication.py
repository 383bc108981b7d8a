"""An expert gives a label, or takes the last one back. Nothing is overwritten: every act is a new row."""

import datetime
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from audits.labels import Label
from audits.models import Audit, Event, Project
from review.evidence_marks import Mark
from review.models import Adjudication, Certificate, Revelation, ReviewItem, Slot
from review.queue import WITH_TEXTS, lease_end
from review.rules import rules_of
from review.scope import Scope
from review.settling import settle
from review.words import Word, append, locked, newest

KEPT = "kept_after_reveal"  # the kind of the event


class Outcome(StrEnum):
    """What became of a label that was sent."""

    SAVED = "saved"
    ALREADY_SAVED = "already_saved"  # sent twice, or given by the same person in another window
    LEASE_LOST_BUT_SAVED = "lease_lost_but_saved"  # the time had run out, nobody had taken the claim
    TAKEN_BY_OTHER = "taken_by_other"  # kept as an extra opinion, not counted
    NOT_NEEDED = "not_needed"  # settled without it, or cut anew, meanwhile; kept as an extra opinion
    CHANGED_ELSEWHERE = "changed_elsewhere"  # the same person said something else in another window: nothing written


@dataclass(frozen=True)
class Saved:
    """What became of it, and the row that holds the person's word now (label "": withdrawn in another window)."""

    outcome: Outcome
    adjudication: Adjudication


class Refused(Exception):
    """The act is not allowed; `code` says why.

    closed: not under review any more; certified: a certificate rests on it; arbitrated: an arbiter's label rests on
    it; not_yours; own_label: whoever labelled a claim does not arbitrate on it; not_last: a later label of the person
    stands; grace_over: it is too late to take it back.
    """

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def adjudicate(
    slot: Slot,
    token: uuid.UUID | None,
    *,
    user: Any,
    label: str,
    reason: str = "",
    idempotency_key: uuid.UUID,
    expected_revision: int | None = None,
    marks: Sequence[Mark] = (),
    active_ms: int | None = None,
    keys: int | None = None,
) -> Saved:
    """Store this person's label on the slot's claim. Sending the same key again changes nothing.

    expected_revision: the one that the form would write, as `next_revision` gave it; when the person has said
    something in another window since, nothing is written. active_ms: cut off at the time since the claim was taken.
    ValueError for a label that does not exist, BadMark (one too) for marks outside the contexts: nothing is stored.
    Refused("closed", "not_yours", "own_label").
    """
    word = Word(user, str(Label(label)), reason, idempotency_key, expected_revision, marks, active_ms, keys)
    return _once(lambda: _adjudicate(slot, token, word))


def revise(
    user: Any,
    adjudication: Adjudication,
    *,
    label: str,
    reason: str = "",
    idempotency_key: uuid.UUID,
    expected_revision: int | None = None,
    marks: Sequence[Mark] = (),
    active_ms: int | None = None,
    keys: int | None = None,
) -> Saved:
    """Change this person's label on a claim, whenever it was given, by adding a row in the same slot.

    A change after the person saw the judges' verdicts is not blind, and noted as such.
    Parameters and errors as in adjudicate; Refused("certified", "arbitrated") too.
    """
    word = Word(user, str(Label(label)), reason, idempotency_key, expected_revision, marks, active_ms, keys)
    return _once(lambda: _revise(adjudication, word))


def _once(act: Callable[[], Saved]) -> Saved:
    try:
        with transaction.atomic():
            return act()
    except IntegrityError:  # the same key arrived at this very moment on another claim, or the table has no row locks
        with transaction.atomic():
            return act()


def _sent_before(word: Word) -> Adjudication | None:
    before: Adjudication | None = Adjudication.objects.filter(idempotency_key=word.key).first()
    if before is not None and before.reviewer_id != word.user.pk:
        raise Refused("not_yours")
    return before


def _adjudicate(slot: Slot, token: uuid.UUID | None, word: Word) -> Saved:
    item = locked(slot.item_id)
    if before := _sent_before(word):
        return Saved(Outcome.ALREADY_SAVED, before)
    if item.plan.audit.status != Audit.Status.REVIEWING:
        raise Refused("closed")
    slot = Slot.objects.get(pk=slot.pk)
    last = newest(item, word.user)
    if slot.reserved_for_id not in (None, word.user.pk):
        raise Refused("not_yours")
    if slot.arbitrates and Adjudication.objects.filter(item=item, reviewer=word.user).exclude(slot=slot).exists():
        raise Refused("own_label")  # nobody arbitrates between a colleague and himself
    if stale := _stale(item, last, word):
        return stale
    outcome, filled = _fill(item, slot, token, word.user)
    if filled is None:  # an own opinion besides: whoever has one does not arbitrate, so a colleague need not wait
        Slot.objects.filter(item=item, reviewer=word.user, state=Slot.State.WAITING).update(lease_until=None)
    row, rows = append(item, filled, last, word, taken_at=_taken_at(filled or slot, word.user))
    audit = item.plan.audit
    if audit.labelled_at is None and audit.mark_labelled():
        rows.append(audit)
    facts = {"item": item.pk, "label": word.label, "outcome": str(outcome), "revision": row.revision}
    Event.record("adjudicated", project=audit.project, audit=audit, actor=word.user, rows=rows, **facts)
    settle(item)
    return Saved(outcome, row)


def _stale(item: ReviewItem, last: Adjudication | None, word: Word) -> Saved | None:
    """What to say to a form that does not know the person's newest word; None when it does."""
    if last is None:
        return None
    filled = Slot.objects.filter(item=item, reviewer=word.user, state=Slot.State.DONE).exists()
    unexpected = word.expected_revision is not None and last.revision + 1 != word.expected_revision
    if not filled and not unexpected:
        return None
    same = last.label == word.label and last.reason == word.reason
    return Saved(Outcome.ALREADY_SAVED if same else Outcome.CHANGED_ELSEWHERE, last)


def _fill(item: ReviewItem, slot: Slot, token: uuid.UUID | None, user: Any) -> tuple[Outcome, Slot | None]:
    """Move a slot to done for this person, by conditional updates; what happened, and which slot it is."""
    if item.replaced_at or (slot.state == Slot.State.DONE and slot.reviewer_id is None):
        return Outcome.NOT_NEEDED, None
    now = timezone.now()
    done = {"state": Slot.State.DONE, "reviewer": user, "token": None, "lease_until": None}
    rows = Slot.objects.filter(item=item, state=Slot.State.WAITING)
    in_time = slot.lease_until is not None and slot.lease_until >= now
    if rows.filter(pk=slot.pk, reviewer=user).update(**done):  # also from a window whose token is an older one
        return Outcome.SAVED if in_time else Outcome.LEASE_LOST_BUT_SAVED, slot
    if rows.free().filter(pk=slot.pk).update(**done):
        return Outcome.LEASE_LOST_BUT_SAVED, slot
    if not slot.arbitrates:  # a colleague took it, but the claim may wait for one more independent label
        for other in rows.free().filter(arbitrates=False, reserved_for__isnull=True).order_by("number"):
            if rows.free().filter(pk=other.pk).update(**done):
                return Outcome.LEASE_LOST_BUT_SAVED, other
    return Outcome.TAKEN_BY_OTHER, None


def _taken_at(slot: Slot, user: Any) -> datetime.datetime | None:
    return slot.taken_at if slot.reviewer_id == user.pk else None


def _revise(adjudication: Adjudication, word: Word) -> Saved:
    if adjudication.reviewer_id != word.user.pk:
        raise Refused("not_yours")
    item = locked(adjudication.item_id)
    _hold_certificates(item)
    if before := _sent_before(word):
        return Saved(Outcome.ALREADY_SAVED, before)
    last = newest(item, word.user) or adjudication
    same = (last.label, last.reason) == (word.label, word.reason) and not word.marks
    if last.pk != adjudication.pk or word.expected_revision not in (None, last.revision + 1):
        return Saved(Outcome.ALREADY_SAVED if same else Outcome.CHANGED_ELSEWHERE, last)
    if same:
        return Saved(Outcome.ALREADY_SAVED, last)
    if not last.label:
        raise Refused("not_last")  # it was taken back; the claim is in the queue
    if code := _obstacle(last):
        raise Refused(code)
    row, rows = append(item, last.slot, last, word, taken_at=None, since=last.created)
    kind = "adjudication_revised" if row.blind else "changed_after_reveal"
    audit = item.plan.audit
    facts = {"item": item.pk, "before": last.label, "label": word.label, "revision": row.revision}
    Event.record(kind, project=audit.project, audit=audit, actor=word.user, rows=rows, **facts)
    settle(item)
    return Saved(Outcome.SAVED, row)


def _hold_certificates(item: ReviewItem) -> None:
    """Let no certificate be made until this transaction ends. Always after the item's lock, so that none waits for
    another in a circle; no_key, so that colleagues can go on labelling."""
    Audit.objects.select_for_update(no_key=True).get(pk=item.plan.audit_id)


def _obstacle(adjudication: Adjudication) -> str:
    """Why this label may not be changed now; "" when it may."""
    item = adjudication.item
    if item.plan.audit.status != Audit.Status.REVIEWING:
        return "closed"
    if Certificate.objects.valid().filter(audit=item.plan.audit_id).exists():
        return "certified"
    slot = adjudication.slot
    if slot is None or slot.arbitrates:
        return ""
    arbiters = Slot.objects.filter(item=item, arbitrates=True, state=Slot.State.DONE, reviewer__isnull=False)
    return "arbitrated" if arbiters.exists() else ""


def undoable(user: Any, scope: Scope) -> Adjudication | None:
    """The label that this person may take back now: the last one given in these projects, for a short time."""
    rows = Adjudication.objects.standing().filter(reviewer=user, item__plan__audit__project__in=scope.projects)
    last: Adjudication | None = rows.select_related("item__plan__audit", "slot").order_by("-pk").first()
    if last is None or _too_late(last) or _obstacle(last):
        return None
    return last


def _too_late(adjudication: Adjudication) -> bool:
    grace = datetime.timedelta(seconds=settings.ASSAY_UNDO_SECONDS)
    return adjudication.created < timezone.now() - grace


def undo(user: Any, adjudication: Adjudication) -> Slot | None:
    """Take this person's last label back, within ASSAY_UNDO_SECONDS, by adding a row; the claim is in hand again.

    The label counts as never given. The slot, leased again; None for an extra opinion, and when the label was already
    withdrawn (a second press).
    Refused("not_yours", "not_last", "grace_over", "closed", "certified", "arbitrated") otherwise.
    """
    if adjudication.reviewer_id != user.pk:
        raise Refused("not_yours")
    with transaction.atomic():
        item = locked(adjudication.item_id)
        _hold_certificates(item)
        last = newest(item, user)
        if last is None or last.pk != adjudication.pk or not last.label:
            return None
        project = item.plan.audit.project_id
        later = Adjudication.objects.standing().filter(reviewer=user, pk__gt=last.pk)
        if later.filter(item__plan__audit__project=project).exists():
            raise Refused("not_last")
        if code := _obstacle(last) or ("grace_over" if _too_late(last) else ""):
            raise Refused(code)
        return _withdraw(user, item, last)


def _withdraw(user: Any, item: ReviewItem, last: Adjudication) -> Slot | None:
    slot = last.slot
    if slot is not None:
        # taken_at stays: the claim comes back as the one that the person has had in hand for longest.
        back = {"state": Slot.State.WAITING, "token": uuid.uuid4(), "lease_until": lease_end()}
        mine = Slot.objects.filter(pk=slot.pk, state=Slot.State.DONE, reviewer=user)
        if not mine.update(**back):
            return None
    word = Word(user, "", "", uuid.uuid4(), None, (), None, None)
    rows = append(item, slot, last, word, taken_at=None)[1]
    audit = item.plan.audit
    facts = {"item": item.pk, "withdrawn": last.label, "seen": last.revealed}
    Event.record("adjudication_undone", project=audit.project, audit=audit, actor=user, rows=rows, **facts)
    settle(item)
    return None if slot is None else Slot.objects.select_related(*WITH_TEXTS).get(pk=slot.pk)


def may_reveal(project: Project) -> bool:
    """Whether the project shows the judges' verdicts to its experts after their label."""
    return rules_of(project).reveal


def reveal(user: Any, adjudication: Adjudication) -> bool:
    """Note that the verdicts are shown to this person now; from here on no word of theirs on the claim is blind.

    False, and nothing may be shown, when the project does not reveal, or when the label does not fill a slot, was
    taken back or was replaced. Refused("not_yours").
    """
    if adjudication.reviewer_id != user.pk:
        raise Refused("not_yours")
    with transaction.atomic():
        # Under the lock of the item no label is given or taken back at this moment, which would still be blind.
        audit = locked(adjudication.item_id).plan.audit
        stands = Adjudication.objects.standing().filter(pk=adjudication.pk, slot__isnull=False).exists()
        if not stands or not may_reveal(audit.project):
            return False
        row, created = Revelation.objects.get_or_create(adjudication=adjudication)
        if created:
            facts = {"item": adjudication.item_id, "adjudication": adjudication.pk}
            Event.record("verdicts_shown", project=audit.project, audit=audit, actor=user, rows=[row], **facts)
    return True


def keep(user: Any, adjudication: Adjudication) -> bool:
    """Note that this person saw the verdicts and keeps the label; False when that is noted, or nothing was shown.

    Refused("not_yours").
    """
    if adjudication.reviewer_id != user.pk:
        raise Refused("not_yours")
    with transaction.atomic():
        audit = locked(adjudication.item_id).plan.audit
        noted = Event.objects.filter(kind=KEPT, audit=audit, data__adjudication=adjudication.pk).exists()
        if noted or not adjudication.revealed:
            return False
        facts: dict[str, Any] = {
            "adjudication": adjudication.pk,
            "item": adjudication.item_id,
            "label": adjudication.label,
        }
        Event.record(KEPT, project=audit.project, audit=audit, actor=user, **facts)
    return True
