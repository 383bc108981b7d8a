"""The experts' list: its draw repeated, and what became of each item as the events tell it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from audits.models import Audit, Event
from review.log_check.finding import Finding
from review.looks import draws
from review.models import Adjudication, ReviewItem, ReviewPlan, Slot
from review.outcomes import settled_items
from review.spotcheck import Place, draw, draw_more, hash_of_strata, seed_of, strata_of

CHUNK = 2000
KINDS = (
    "review_opened", "look_extended", "gold_added", "gold_removed", "recut_accepted", "claim_given_up",
    "claim_taken_up", "second_label_waived", "retry_failed",
)  # fmt: skip


def check(audit: Audit, covered: bool) -> Iterator[Finding]:
    """The spot check of an audit and its items. covered: see log_check.finding."""
    told = _told(audit)
    plan = ReviewPlan.objects.select_related("audit__dataset").filter(audit=audit).first()
    about = f"spot check of audit {audit.pk}"
    if plan is None:
        if told.opened:
            yield Finding(about, "The log tells of a draw, but there is none.")
        return
    if seed_of(plan.audit.dataset.sha256, plan.strata_hash, plan.nonce) != plan.seed_hex:
        yield Finding(about, "Its seed is not made of the dataset, the strata and the number of the start.")
    if told.opened.get("seed") != plan.seed_hex:
        yield Finding(about, "The log tells of another draw, or of none.")
    if told.stale:
        return
    strata = strata_of(plan.audit)
    if hash_of_strata(strata) != plan.strata_hash:
        yield Finding(about, "The claims' decisions are not those from which it was drawn.")
    yield from _items(plan, _drawn(plan, strata), told, covered)
    if covered:
        yield from _slots(plan)


@dataclass
class _Told:
    """opened: data of the newest draw. cut: item -> its parts. closed: item -> why it was given up. waived: items
    with one label instead of two. known: claim -> (label, reason). drawn_known: known ones that a look has drawn.
    stale: judged further since the draw, so that there will be another one, or no decision."""

    opened: dict[str, Any] = field(default_factory=dict)
    cut: dict[int, list[int]] = field(default_factory=dict)
    closed: dict[int, str] = field(default_factory=dict)
    waived: set[int] = field(default_factory=set)
    known: dict[int, tuple[str, str]] = field(default_factory=dict)
    drawn_known: set[int] = field(default_factory=set)
    stale: bool = False


def _told(audit: Audit) -> _Told:
    told = _Told()
    rows = Event.objects.filter(audit=audit, kind__in=KINDS).order_by("pk").values_list("kind", "data")
    for kind, data in rows.iterator(CHUNK):
        if kind == "review_opened":
            told = _Told(opened=data, known=told.known)  # known labels are mixed in again
        elif kind == "retry_failed":
            told.stale = bool(told.opened)
        elif kind == "look_extended":
            told.drawn_known |= set(data.get("known", ()))
        elif kind == "gold_added":
            told.known[data["claim"]] = (data["label"], data.get("reason", ""))
        elif kind == "gold_removed":
            told.known.pop(data["claim"], None)
        elif kind == "recut_accepted":
            told.cut[data["item"]] = data.get("parts", [])
        elif kind == "claim_given_up":
            told.closed[data["item"]] = data["reason"]
        elif kind == "claim_taken_up":
            told.closed.pop(data["item"], None)
        else:
            told.waived |= set(data["items"])
    return told


def _drawn(plan: ReviewPlan, strata: dict[str, list[int]]) -> list[Place]:
    """The whole list, look after look, drawn again."""
    numbers, percent = draws(plan), plan.audit.double_percent
    places = draw(strata, numbers[0], plan.seed, percent)
    for look, (before, after) in enumerate(pairwise(numbers), start=2):
        places += draw_more(strata, before, after, plan.seed, look, percent)
    return places


def _items(plan: ReviewPlan, drawn: list[Place], told: _Told, covered: bool) -> Iterator[Finding]:
    places = {place.claim_id: (order, place) for order, place in enumerate(drawn)}
    first = sum(place.kind == ReviewItem.Kind.DISPUTE for place in drawn) + sum(draws(plan)[0].values())
    known = {claim: said for claim, said in told.known.items() if claim not in places}
    parts = {part: item for item, made in told.cut.items() for part in made}
    for item in ReviewItem.objects.filter(plan=plan).order_by("pk").iterator(CHUNK):
        about = f"item {item.pk} of audit {plan.audit_id}"
        if (item.replaced_at is not None) != (item.pk in told.cut):
            yield Finding(about, "Whether its claim was cut anew does not agree with the log.")
        if (item.given_up_at is not None) != (item.pk in told.closed):
            yield Finding(about, "Whether it was given up does not agree with the log.")
        if item.given_up_reason != told.closed.get(item.pk, ""):
            yield Finding(about, "The log knows another reason for giving it up.")
        if item.pk in parts or item.parent_id is not None:
            if parts.pop(item.pk, None) != item.parent_id:
                yield Finding(about, "The log knows nothing of it as a part of that claim.")
        elif item.kind == ReviewItem.Kind.GOLD:
            if known.pop(item.claim_id, None) != (item.gold_label, item.gold_reason):
                yield Finding(about, "Its known label is not the one in the log.")
        elif (found := places.pop(item.claim_id, None)) is None:
            yield Finding(about, "The draw does not put its claim on the list.")
        else:
            yield from _place(about, item, *found, told, covered, first)
    for claim in [*places, *known]:
        yield Finding(f"claim {claim} of audit {plan.audit_id}", "It belongs on the experts' list and is not there.")
    for part in parts:
        yield Finding(f"item {part} of audit {plan.audit_id}", "The log knows it as a part of a claim; it is gone.")


def _place(
    about: str, item: ReviewItem, order: int, place: Place, told: _Told, covered: bool, first: int
) -> Iterator[Finding]:
    """first: items of the first look, whose places in the list are those of the draw."""
    if (item.kind, item.stratum) != (place.kind, place.stratum):
        yield Finding(about, "It is not on the list for the reason of the draw.")
    less = item.pk in told.waived or item.claim_id in told.drawn_known
    if covered and item.needed != place.needed and not (less and item.needed == 1):
        yield Finding(about, "The number of labels that it needs is not that of the draw.")
    if covered and order < first and item.order != order:
        yield Finding(about, "Its place in the list is not that of the draw.")
    if item.gold_label or item.gold_reason:
        yield Finding(about, "It has a known label that the log does not know.")


def _slots(plan: ReviewPlan) -> Iterator[Finding]:
    """A label that stands fills its place, a filled place has its label, and what is open waits."""
    standing = Adjudication.objects.standing().filter(item__plan=plan, slot__isnull=False)
    labels = set(standing.values_list("slot", "item", "reviewer"))
    slots = Slot.objects.filter(item__plan=plan)
    done = slots.filter(state=Slot.State.DONE, reviewer__isnull=False)
    for slot, item, _ in sorted(labels ^ set(done.values_list("pk", "item", "reviewer"))):
        yield Finding(
            f"place {slot} of item {item}", "Whether it is filled, and by whom, does not agree with the labels."
        )
    waiting = set(slots.filter(state=Slot.State.WAITING).values_list("item", flat=True))
    items = list(ReviewItem.objects.filter(plan=plan).exclude(kind=ReviewItem.Kind.GOLD))
    said = settled_items(plan.audit, items)
    for item in items:
        over = item.replaced_at is not None or item.given_up_at is not None
        if said[item.pk] is None and not over and item.pk not in waiting:
            yield Finding(f"item {item.pk}", "No label settles it, and it waits for none.")
