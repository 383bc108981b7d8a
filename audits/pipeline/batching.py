"""Batches on their way to a vendor: what goes into one, handing it over, and what the vendor says of it.

Every change is made by the process that holds the batch's lease, or changes nothing. Rows that wait for a batch point
to it, so nobody else asks about them; each carries on where it was once the batch lets it go (see collecting.py).
"""

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from audits.judges.batching import BatchState, BatchStatus
from audits.models import Audit, Batch, BatchItem, Event, Extraction, Judging, PanelMember
from audits.pipeline.budgeting import hold_in_batch
from audits.pipeline.owing import Question, goes_by_batch
from audits.pipeline.recording import FREED

SLOWEST = 64  # times the usual time between two looks: how long a vendor in trouble is left alone at most
SLOWER = 10  # the same for a batch that has been at work for long
MANY = 2000  # samples are worth a batch, whatever else is still to come
GLANCES = 10  # looks in the time that a batch has been at work already


class BatchTaken(Exception):
    """The batch is not this process's any more: its lease ran out, or it has moved on."""


@dataclass(frozen=True)
class Request:
    """One request that is to go into a batch. asked: claims in its prompt. at_most: US dollars it may cost."""

    question: Question
    request_hash: str
    prompt_version: str
    prompt_hash: str
    asked: int
    at_most: Decimal | None = None


def rows_of(batch: Batch) -> "QuerySet[Any]":
    """What waits for this batch: extractions or judgings."""
    model: Any = Extraction if batch.member.role == PanelMember.Role.EXTRACTOR else Judging
    rows: QuerySet[Any] = model.objects.filter(batch=batch).order_by("pk")
    return rows


def begin_batch(audit: Audit, member: PanelMember, token: uuid.UUID) -> Batch | None:
    """A new, empty batch under this lease; None while another one of this member waits to be handed over."""
    with transaction.atomic():
        PanelMember.objects.select_for_update(no_key=True).get(pk=member.pk)  # one at a time
        if member.batches.filter(status=Batch.Status.PREPARED).exists():
            return None
        batch = Batch.objects.create(audit=audit, member=member, tag=uuid.uuid4(), lease=token)
        keep_batch(batch, token)
    return batch


def put_in(batch: Batch, token: uuid.UUID, requests: Sequence[Request]) -> bool:
    """Add requests about rows that are leased under the same token, and bind those rows to the batch.

    False, and nothing changed, when the budget has no room for them. Raises BatchTaken.
    """
    with transaction.atomic():
        if not hold_in_batch(batch, sum((request.at_most or Decimal(0) for request in requests), Decimal(0))):
            return False
        now = mine(batch, token, Batch.Status.PREPARED)
        leased = _leased(batch, token, {request.question.row.pk for request in requests})
        items = [
            _item(batch, now.requests + number, request)
            for number, request in enumerate((r for r in requests if r.question.row.pk in leased), start=1)
        ]
        BatchItem.objects.bulk_create(items)
        Batch.objects.filter(pk=batch.pk).update(requests=F("requests") + len(items))
        type(requests[0].question.row).objects.filter(pk__in=leased).update(batch=batch, **FREED)
    batch.refresh_from_db()
    return True


def _leased(batch: Batch, token: uuid.UUID, pks: Collection[int]) -> set[int]:
    model: Any = Extraction if batch.member.role == PanelMember.Role.EXTRACTOR else Judging
    rows = model.objects.select_for_update(no_key=True).filter(pk__in=pks, lease=token, batch=None)
    return set(rows.values_list("pk", flat=True))


def _item(batch: Batch, number: int, request: Request) -> BatchItem:
    extracts = isinstance(request.question.row, Extraction)
    return BatchItem(
        batch=batch,
        number=number,
        extraction_id=request.question.row.pk if extracts else None,
        judging_id=None if extracts else request.question.row.pk,
        claims=list(request.question.claims),
        request_hash=request.request_hash,
        prompt_version=request.prompt_version,
        prompt_hash=request.prompt_hash,
        asked=request.asked,
        at_most=request.at_most,
    )


def take_batch(batch: Batch, token: uuid.UUID) -> Batch | None:
    """The batch as it is now, leased under this token; None when another process has it or it is over."""
    with transaction.atomic():
        rows = Batch.objects.filter(pk=batch.pk, status__in=Batch.OPEN).select_related("member__judge", "audit")
        if not rows.take(1, settings.ASSAY_LEASE_SECONDS, token, status=batch.status):
            return None
        found: Batch | None = rows.filter(lease=token).first()
    return found


def keep_batch(batch: Batch, token: uuid.UUID) -> None:
    """Hold on to the lease. Raises BatchTaken when it is gone."""
    if not Batch.objects.filter(pk=batch.pk).renew(token, settings.ASSAY_LEASE_SECONDS):
        raise BatchTaken


def let_batch(batch: Batch, token: uuid.UUID) -> None:
    """Give the lease back."""
    Batch.objects.filter(pk=batch.pk).release(token)


def take_out(batch: Batch, token: uuid.UUID, numbers: Collection[int]) -> None:
    """Take requests out before they are handed over; rows without any other request in it are owed as before.

    Raises BatchTaken.
    """
    with transaction.atomic():
        mine(batch, token, Batch.Status.PREPARED)
        items = BatchItem.objects.filter(batch=batch, number__in=numbers)
        freed = sum((item.at_most or Decimal(0) for item in items), Decimal(0))
        gone, _ = items.delete()
        Batch.objects.filter(pk=batch.pk).update(requests=F("requests") - gone)
        _hold_less(batch, freed)
        left = BatchItem.objects.filter(batch=batch)
        name = "extraction" if batch.member.role == PanelMember.Role.EXTRACTOR else "judging"
        rows_of(batch).exclude(pk__in=left.values(name)).update(batch=None)
    batch.refresh_from_db()


def _hold_less(batch: Batch, amount: Decimal) -> None:
    held = Batch.objects.values_list("at_most", flat=True).get(pk=batch.pk)
    if held is not None:
        Batch.objects.filter(pk=batch.pk).update(at_most=max(Decimal(0), held - amount))


def halve(batch: Batch, token: uuid.UUID) -> None:
    """Prepare it once more without half of its requests, which are owed as before; a single one stays.

    For a vendor that has no room for so many. The batch gets a new tag, so that what was turned down is never taken
    for it. Raises BatchTaken.
    """
    with transaction.atomic():
        back_to_prepared(batch, token)
        numbers = list(BatchItem.objects.filter(batch=batch).order_by("number").values_list("number", flat=True))
        out = numbers[(len(numbers) + 1) // 2 :]
        take_out(batch, token, out)
        Batch.objects.filter(pk=batch.pk).update(tag=uuid.uuid4(), cut=F("cut") + len(out), submitted_at=None)
    batch.refresh_from_db()


def discard(batch: Batch, token: uuid.UUID) -> None:
    """Remove a batch into which nothing was put."""
    with transaction.atomic():
        if not BatchItem.objects.filter(batch=batch).exists():
            Batch.objects.filter(pk=batch.pk, lease=token, status=Batch.Status.PREPARED, submitted_at=None).delete()


def is_ours(batch: Batch, token: uuid.UUID) -> None:
    """Its results carry our tag. Raises BatchTaken."""
    with transaction.atomic():
        mine(batch, token, Batch.Status.SUBMITTED)
        Batch.objects.filter(pk=batch.pk).update(certain=True)
    batch.refresh_from_db()


def back_to_prepared(batch: Batch, token: uuid.UUID) -> None:
    """What was taken for our batch at the vendor was none, or was turned down. Raises BatchTaken."""
    with transaction.atomic():
        mine(batch, token, *Batch.OPEN)
        Batch.objects.filter(pk=batch.pk).update(
            status=Batch.Status.PREPARED, vendor_id="", vendor_status="", answered=0, failed=0, certain=True
        )
    batch.refresh_from_db()


def room_in(member: PanelMember) -> int | None:
    """How many requests to put into one batch of a model whose vendor once had no room; None where that never was.

    As many as were taken last, and twice as many where those had not to be made fewer: room comes with time.
    """
    alike = Batch.objects.filter(audit=member.audit_id, member__vendor=member.vendor, member__model=member.model)
    if not alike.filter(cut__gt=0).exists():
        return None
    last = alike.filter(status__in=(Batch.Status.SUBMITTED, Batch.Status.COLLECTED)).last()
    return None if last is None else last.requests if last.cut else 2 * last.requests


def about_to_hand_over(batch: Batch, token: uuid.UUID) -> bool:
    """Write down that the vendor may have the batch from now on; False while its audit is not judging."""
    with transaction.atomic():
        now = mine(batch, token, Batch.Status.PREPARED)
        if not Audit.objects.filter(pk=batch.audit_id, status=Audit.Status.JUDGING).exists():
            return False
        Batch.objects.filter(pk=batch.pk).update(submitted_at=now.submitted_at or timezone.now())
    batch.refresh_from_db()
    return True


def handed_over(batch: Batch, state: BatchState) -> bool:
    """The vendor has it. False when it had been handed over before: then the vendor has it twice.

    Whoever holds the lease: what the vendor has must be known.
    """
    waiting = Batch.objects.filter(pk=batch.pk, status=Batch.Status.PREPARED, vendor_id="")
    moved = waiting.update(
        status=Batch.Status.SUBMITTED, vendor_id=state.vendor_id, certain=state.certain, **_told(batch, state)
    )
    batch.refresh_from_db()
    return bool(moved) or batch.vendor_id == state.vendor_id


def noted(batch: Batch, token: uuid.UUID, state: BatchState) -> None:
    """Keep what the vendor says of a batch, and when to look again. Raises BatchTaken."""
    with transaction.atomic():
        mine(batch, token, Batch.Status.SUBMITTED)
        Batch.objects.filter(pk=batch.pk).update(**_told(batch, state))
    batch.refresh_from_db()


def _told(batch: Batch, state: BatchState) -> dict[str, Any]:
    told: dict[str, Any] = {
        "vendor_status": state.says,
        "answered": state.answered,
        "failed": state.failed,
        "message": state.message[:2000],
        "tries": 0,
        "next_look": timezone.now() + _pause_at_work(batch),
    }
    if state.expires_at is not None:
        told["expires_at"] = state.expires_at
    if state.status is not BatchStatus.WORKING:
        told["ended_at"] = batch.ended_at or timezone.now()
    return told


def _pause_at_work(batch: Batch) -> timedelta:
    """Longer the longer it takes: what has not ended within hours need not be looked at every minute."""
    usual = timedelta(seconds=settings.ASSAY_BATCH_POLL_SECONDS)
    age = timezone.now() - (batch.submitted_at or timezone.now())
    return max(usual, min(SLOWER * usual, age / GLANCES))


def try_again_later(
    batch: Batch, token: uuid.UUID, message: str, *, after: float | None = None, turned_down: bool = False
) -> None:
    """Leave it for a while, longer each time. after: seconds the vendor asks for. turned_down: it surely has nothing.

    Changes nothing when the batch is not ours any more.
    """
    tries = min(batch.tries + 1, 1000)
    pause = min(SLOWEST, 2 ** min(tries - 1, SLOWEST)) * settings.ASSAY_BATCH_POLL_SECONDS
    later: dict[str, Any] = {"next_look": timezone.now() + timedelta(seconds=max(pause, min(after or 0.0, 86_400)))}
    if turned_down and batch.status == Batch.Status.PREPARED:
        later["submitted_at"] = None
    mine = Batch.objects.filter(pk=batch.pk, lease=token, status=batch.status)
    mine.update(tries=tries, message=message[:2000], **later)


def audits_with_batches() -> "QuerySet[Audit]":
    """Audits in batch mode on which workers work, and those of which a vendor still has a batch."""
    running = Q(batch=True, status=Audit.Status.JUDGING)
    handed_over = Exists(Batch.objects.filter(audit=OuterRef("pk"), status__in=Batch.OPEN))
    return Audit.objects.filter(running | Q(handed_over), headless=False)


def due_batches(audit: Audit) -> list[Batch]:
    """Open batches that want to be moved on now and on which no process works."""
    now = timezone.now()
    far = now + timedelta(days=2)  # nobody waits so long: the clock was put back
    due = Q(next_look=None) | Q(next_look__lte=now) | Q(next_look__gt=far)
    batches = audit.batches.filter(due, status__in=Batch.OPEN).free().select_related("member")
    return [batch for batch in batches if batch.status == Batch.Status.SUBMITTED or _moves(audit, batch)]


def _moves(audit: Audit, batch: Batch) -> bool:
    """Whether a batch that is not handed over may be now, or is to be given up."""
    working = audit.status == Audit.Status.JUDGING and not batch.member.stopped_fault
    return working or is_unwanted(audit, batch)


def is_unwanted(audit: Audit, batch: Batch) -> bool:
    """Whether the vendor should stop it."""
    return audit.status == Audit.Status.CANCELLED or batch.cancelled_at is not None


def is_ready(audit: Audit, member: PanelMember) -> bool:
    """Whether a batch for this member would not be a small one, followed by many more.

    While answers are cut directly, a few samples become ready for the judges at every moment.
    """
    extractor = audit.members.get(role=PanelMember.Role.EXTRACTOR)
    if member.role == PanelMember.Role.EXTRACTOR or extractor.stopped_fault:
        return True
    coming = audit.extractions.filter(status=Extraction.Status.PENDING, batch=None)
    if goes_by_batch(audit, extractor):
        coming = coming.filter(direct=True)
    return not coming.exists() or _waiting_for(audit, member)[:MANY].count() == MANY


def _waiting_for(audit: Audit, member: PanelMember) -> Any:
    """Rows that are to go into a batch of this member."""
    rows: Any
    if member.role == PanelMember.Role.EXTRACTOR:
        rows = audit.extractions.filter(status=Extraction.Status.PENDING)
    else:
        rows = audit.judgings.filter(status=Judging.Status.OWED, member=member)
    return rows.filter(batch=None, direct=False)


def to_be_filled(audit: Audit) -> list[PanelMember]:
    """The members for whom a batch is to be made now: the extractor first, then the judges."""
    if audit.status != Audit.Status.JUDGING or not audit.batch:
        return []
    waiting = audit.batches.filter(status=Batch.Status.PREPARED).values("member")
    members = audit.members.select_related("judge").filter(stopped_fault="").exclude(pk__in=waiting)
    return [
        member
        for member in members
        if goes_by_batch(audit, member) and _waiting_for(audit, member).free().exists() and is_ready(audit, member)
    ]


def still_judging(audit: Audit) -> bool:
    """Whether calls may be made for the audit at this moment."""
    return Audit.objects.filter(pk=audit.pk, status=Audit.Status.JUDGING).exists()


def others_of(batch: Batch) -> set[str]:
    """The vendor's ids of all other batches of ours at the same vendor."""
    known = Batch.objects.filter(member__vendor=batch.member.vendor).exclude(pk=batch.pk).exclude(vendor_id="")
    return set(known.values_list("vendor_id", flat=True))


def cancel_batch(batch: Batch, user: Any) -> bool:
    """Have the vendor stop it; what it has answered is kept, what is left is asked directly. True if it was open."""
    with transaction.atomic():
        open_ = Batch.objects.filter(pk=batch.pk, status__in=Batch.OPEN, cancelled_at=None)
        if not open_.update(cancelled_at=timezone.now(), next_look=None):
            return False
        audit = batch.audit
        Event.record("batch_cancelled", project=audit.project, audit=audit, actor=user, judge=batch.member.name)
    return True


def mine(batch: Batch, token: uuid.UUID, *status: str) -> Batch:
    """The batch as it is now, its row ours until the transaction ends. Raises BatchTaken."""
    rows = Batch.objects.select_for_update(no_key=True).filter(pk=batch.pk, lease=token, status__in=status)
    found: Batch | None = rows.first()
    if found is None:
        raise BatchTaken
    return found
