"""An expert gives a label, or takes the last one back. Nothing is overwritten: every act is a new row."""

import uuid
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from audits.labels import Label
from audits.models import Audit, Event
from review.models import Adjudication, Certificate, Revelation, ReviewItem, Slot
from review.queue import lease_end


class Outcome(StrEnum):
    """What became of a label that was sent."""

    SAVED = "saved"
    ALREADY_SAVED = "already_saved"  # sent twice, or settled by the same person in another window
    LEASE_LOST_BUT_SAVED = "lease_lost_but_saved"  # the time had run out, nobody had taken the claim
    TAKEN_BY_OTHER = "taken_by_other"  # kept as an extra opinion, not counted


@dataclass(frozen=True)
class Saved:
    """The row that holds the label now, and how it came there."""

    outcome: Outcome
    adjudication: Adjudication


class Refused(Exception):
    """The act is not allowed; `code` says why: closed, not_yours, not_last, certified."""

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
    reveal: bool = True,
) -> Saved:
    """Store this person's label on the slot's claim. Sending the same key again changes nothing.

    reveal: the judges' verdicts are shown right after; a later label of this person on this claim is then not blind.
    ValueError for a label that does not exist; Refused("closed") when the audit is not under review any more,
    Refused("not_yours") when the key is another person's.
    """
    label = str(Label(label))
    try:
        with transaction.atomic():
            return _adjudicate(slot.pk, token, user, label, reason, idempotency_key, reveal)
    except IntegrityError:  # the same key, or the same person's next revision, arrived at this very moment
        with transaction.atomic():
            return _adjudicate(slot.pk, token, user, label, reason, idempotency_key, reveal)


def _adjudicate(
    slot_pk: int, token: uuid.UUID | None, user: Any, label: str, reason: str, key: uuid.UUID, reveal: bool
) -> Saved:
    before = Adjudication.objects.filter(idempotency_key=key).first()
    if before is not None:
        if before.reviewer_id != user.pk:
            raise Refused("not_yours")
        return Saved(Outcome.ALREADY_SAVED, before)
    slot = Slot.objects.select_related("item__plan__audit__project").get(pk=slot_pk)
    if slot.item.plan.audit.status != Audit.Status.REVIEWING:
        raise Refused("closed")
    outcome = _fill(slot, token, user)
    if outcome == Outcome.ALREADY_SAVED:
        return Saved(outcome, Adjudication.objects.newest().get(item=slot.item, reviewer=user))
    counts = outcome != Outcome.TAKEN_BY_OTHER
    row = _append(slot.item, slot if counts else None, user, label, reason, key, reveal)
    slot.item.plan.audit.mark_labelled()
    facts = {"item": slot.item_id, "label": label, "outcome": str(outcome), "revision": row.revision}
    audit = slot.item.plan.audit
    Event.record("adjudicated", project=audit.project, audit=audit, actor=user, **facts)
    return Saved(outcome, row)


def _fill(slot: Slot, token: uuid.UUID | None, user: Any) -> Outcome:
    """Move the slot to done for this person, by conditional updates; say what happened."""
    done = {"state": Slot.State.DONE, "reviewer": user, "token": None, "lease_until": None}
    late = slot.lease_until is None or slot.lease_until < timezone.now()
    rows = Slot.objects.filter(pk=slot.pk, state=Slot.State.WAITING)
    if token is not None and rows.filter(token=token, reviewer=user).update(**done):
        return Outcome.LEASE_LOST_BUT_SAVED if late else Outcome.SAVED
    if rows.free().update(**done):
        return Outcome.LEASE_LOST_BUT_SAVED
    now = Slot.objects.get(pk=slot.pk)
    if now.state == Slot.State.DONE and now.reviewer_id == user.pk:
        return Outcome.ALREADY_SAVED
    return Outcome.TAKEN_BY_OTHER


def _append(
    item: ReviewItem, slot: Slot | None, user: Any, label: str, reason: str, key: uuid.UUID, reveal: bool
) -> Adjudication:
    earlier = Adjudication.objects.filter(item=item, reviewer=user)
    last = earlier.order_by("-revision").first()
    row: Adjudication = Adjudication.objects.create(
        item=item,
        slot=slot,
        reviewer=user,
        label=label,
        reason=reason,
        revision=last.revision + 1 if last else 1,
        blind=not earlier.filter(revelation__isnull=False).exists(),
        idempotency_key=key,
    )
    if reveal and slot is not None and label:
        Revelation.objects.create(adjudication=row)
    return row


def undoable(user: Any) -> Adjudication | None:
    """The label that this person may take back now: the last one given, while nothing rests on it."""
    last: Adjudication | None = Adjudication.objects.standing().filter(reviewer=user).order_by("-pk").first()
    if last is None or _obstacle(last):
        return None
    return last


def _obstacle(adjudication: Adjudication) -> str:
    audit_id = adjudication.item.plan.audit_id
    if adjudication.item.plan.audit.status != Audit.Status.REVIEWING:
        return "closed"
    return "certified" if Certificate.objects.valid().filter(audit=audit_id).exists() else ""


def undo(user: Any, adjudication: Adjudication) -> Slot | None:
    """Withdraw this person's last label by adding a row; the claim comes back to the same person.

    The slot, leased again; None for an extra opinion, and when the label was already withdrawn (a second press).
    Refused("not_yours", "not_last", "closed", "certified") otherwise.
    """
    if adjudication.reviewer_id != user.pk:
        raise Refused("not_yours")
    with transaction.atomic():
        Audit.objects.select_for_update().get(pk=adjudication.item.plan.audit_id)  # not while a certificate is made
        later = Adjudication.objects.filter(item=adjudication.item, reviewer=user, revision__gt=adjudication.revision)
        if not adjudication.label or later.exists():
            return None
        if Adjudication.objects.standing().filter(reviewer=user, pk__gt=adjudication.pk).exists():
            raise Refused("not_last")
        if code := _obstacle(adjudication):
            raise Refused(code)
        return _withdraw(user, adjudication)


def _withdraw(user: Any, adjudication: Adjudication) -> Slot | None:
    item, slot = adjudication.item, adjudication.slot
    if slot is not None:
        back = {"state": Slot.State.WAITING, "token": uuid.uuid4(), "lease_until": lease_end()}
        mine = Slot.objects.filter(pk=slot.pk, state=Slot.State.DONE, reviewer=user)
        if not mine.update(**back):
            return None
    _append(item, slot, user, "", "", uuid.uuid4(), False)
    audit = item.plan.audit
    facts = {"item": item.pk, "withdrawn": adjudication.label, "seen": adjudication.revealed}
    Event.record("adjudication_undone", project=audit.project, audit=audit, actor=user, **facts)
    return Slot.objects.get(pk=slot.pk) if slot is not None else None
