"""A claim that no expert can decide is closed by a manager, and counts against the system.

Skipping settles nothing, so such a claim would block a decision for ever. A manager who is no expert of the project
closes it, with a reason that is kept. What it does to the numbers: audits.stats.audited.
"""

from typing import Any

from django.db import models, transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from audits.models import Audit, Event, Membership, Role
from audits.text.reasons import reason_in
from review.models import Adjudication, Certificate, ReviewItem, Skip, Slot
from review.settling import close, settle
from review.words import locked

LONGEST = 2_000  # characters of a reason


class NotGivenUp(ValueError):
    """The act is not possible; `code` says why.

    reason: there is none. closed: not under review. expert: the person labels claims here, or did. known: the claim
    has a known label. replaced: it was cut anew, its parts stand for it. settled: no label of it is missing.
    certified: a valid certificate rests on the audit.
    """

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def is_expert(audit: Audit, user: Any) -> bool:
    """Whether this person labels claims of the audit's project, or has labelled one of the audit."""
    if Membership.objects.filter(project=audit.project_id, user=user, role=Role.EXPERT).exists():
        return True
    return Adjudication.objects.filter(item__plan__audit=audit, reviewer=user).exists()


def undecidable(audit: Audit) -> models.QuerySet[ReviewItem]:
    """Open items that an expert passed over: those that may have to be given up. The most often skipped first."""
    waiting = Slot.objects.open().filter(item=OuterRef("pk"))
    rows = ReviewItem.objects.filter(plan__audit=audit, replaced_at__isnull=True).exclude(kind=ReviewItem.Kind.GOLD)
    rows = rows.filter(Exists(waiting), Exists(Skip.objects.filter(item=OuterRef("pk"))))
    return rows.annotate(times=models.Count("skips")).order_by("-times", "pk")


def given_up(audit: Audit) -> models.QuerySet[ReviewItem]:
    """Items that a manager closed, the last one first; none that was cut anew since."""
    rows = ReviewItem.objects.filter(plan__audit=audit, given_up_at__isnull=False, replaced_at__isnull=True)
    return rows.order_by("-given_up_at", "-pk")


def give_up(item: ReviewItem, by: Any, reason: str) -> bool:
    """Close an item that no expert can decide; True for exactly one caller.

    Its places for labels go; a label that is on its way is kept as an extra opinion. Raises NotGivenUp.
    """
    reason = reason_in(reason)[:LONGEST]
    if not reason:
        raise NotGivenUp("reason")
    with transaction.atomic():
        item = _held(item, by)
        if item.given_up_at is not None:
            return False
        if not Slot.objects.open().filter(item=item).exists():
            raise NotGivenUp("settled")
        close(Slot.objects.filter(item=item, state=Slot.State.WAITING))
        ReviewItem.objects.filter(pk=item.pk).update(given_up_at=timezone.now(), given_up_reason=reason)
        _record("claim_given_up", item, by, reason=reason)
    return True


def take_up(item: ReviewItem, by: Any) -> bool:
    """Give a claim that was given up back to the experts; True for exactly one caller. Raises NotGivenUp."""
    with transaction.atomic():
        item = _held(item, by)
        if item.given_up_at is None:
            return False
        ReviewItem.objects.filter(pk=item.pk).update(given_up_at=None, given_up_reason="")
        _reopen(item)
        settle(item)
        _record("claim_taken_up", item, by, reason=item.given_up_reason)
    return True


def _held(item: ReviewItem, by: Any) -> ReviewItem:
    """The item as it is now, its row ours and no certificate made until the transaction ends."""
    now = locked(item.pk)
    audit = now.plan.audit
    Audit.objects.select_for_update(no_key=True).get(pk=audit.pk)
    if audit.status != Audit.Status.REVIEWING:
        raise NotGivenUp("closed")
    if is_expert(audit, by):
        raise NotGivenUp("expert")
    if now.kind == ReviewItem.Kind.GOLD:
        raise NotGivenUp("known")
    if now.replaced_at is not None:
        raise NotGivenUp("replaced")
    if Certificate.objects.valid().filter(audit=audit).exists():
        raise NotGivenUp("certified")
    return now


def _reopen(item: ReviewItem) -> None:
    """As many places for independent labels as the item needs, those counted that hold one."""
    slots = Slot.objects.filter(item=item, arbitrates=False)
    there = slots.exclude(state=Slot.State.DONE, reviewer__isnull=True).count()
    closed = list(slots.filter(state=Slot.State.DONE, reviewer__isnull=True).order_by("number"))
    for slot in closed[: max(0, item.needed - there)]:
        Slot.objects.filter(pk=slot.pk).update(state=Slot.State.WAITING, token=None, lease_until=None)
        there += 1
    numbers = set(Slot.objects.filter(item=item).values_list("number", flat=True))
    free = [number for number in range(1, item.needed + 1) if number not in numbers]
    Slot.objects.bulk_create(Slot(item=item, number=number) for number in free[: max(0, item.needed - there)])


def _record(kind: str, item: ReviewItem, by: Any, *, reason: str) -> None:
    audit, facts = item.plan.audit, {"item": item.pk, "claim": item.claim_id, "reason": reason}
    Event.record(kind, project=audit.project, audit=audit, actor=by, rows=[item], **facts)
