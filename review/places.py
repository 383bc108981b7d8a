"""Where an item that comes later stands among those that were drawn: its number, and its place in the queue."""

import secrets
from itertools import groupby

from django.db.models import Exists, F, Max, OuterRef, Q

from audits.models import Claim
from review.models import ReviewItem, ReviewPlan, Slot


def lock(plan: ReviewPlan) -> None:
    """Let nobody else add an item to this plan until the transaction ends; labels can be given all the while."""
    ReviewPlan.objects.select_for_update(no_key=True).get(pk=plan.pk)


def next_order(plan: ReviewPlan) -> int:
    """The first free number among the items of a plan that the caller has locked."""
    last = plan.items.aggregate(last=Max("order"))["last"]
    return 0 if last is None else int(last) + 1


def make_room(plan: ReviewPlan, claim: Claim) -> int:
    """A rank for an item of this claim among those that are still open, as if it had been drawn with them.

    Beside the other claims of its answer, in reading order, where some are open; else before the open claims of any
    answer, or at the very end, at random. What stands behind moves on by one. The caller has locked the plan.
    """
    waiting = Slot.objects.filter(item=OuterRef("pk"), state=Slot.State.WAITING)
    # A claim with a known label has no slot before the first expert comes.
    rows = plan.items.filter(Exists(waiting) | Q(kind=ReviewItem.Kind.GOLD), replaced_at__isnull=True)
    open_items = list(rows.order_by("rank", "order").values_list("rank", "claim__sample", "claim__start"))
    mates = [(rank, start) for rank, sample, start in open_items if sample == claim.sample_id]
    if mates:
        before = [rank for rank, start in mates if start <= claim.start]
        rank = before[-1] + 1 if before else mates[0][0]
    else:
        last = plan.items.aggregate(last=Max("rank"))["last"]
        answers = [next(group)[0] for _, group in groupby(open_items, key=lambda row: row[1])]
        ranks = [*answers, 0 if last is None else last + 1]
        rank = ranks[secrets.randbelow(len(ranks))]
    plan.items.filter(rank__gte=rank).update(rank=F("rank") + 1)
    return rank


def add_known(plan: ReviewPlan, claim: Claim, *, stratum: str, label: str, reason: str) -> ReviewItem:
    """An item for a claim with a known label. It has no slot yet: every expert gets an own one."""
    lock(plan)
    return ReviewItem.objects.create(
        plan=plan,
        claim=claim,
        kind=ReviewItem.Kind.GOLD,
        stratum=stratum,
        order=next_order(plan),
        rank=make_room(plan, claim),
        gold_label=label,
        gold_reason=reason,
    )
