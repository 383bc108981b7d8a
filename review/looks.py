"""Looks at the spot check: how many were registered, whether one is complete, and the next one.

A plan that is looked at again and again until it passes is wrong about one time in ten, not one in twenty. So the
number of looks is part of the rule, each look decides with its share of the error (1 - alpha / looks), nobody sees a
figure before a look is complete, and a later look takes the next claims of the permutation that the first one began.
"""

from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone

from audits.models import Audit, Claim, Event
from audits.stats.acceptance import INSUFFICIENT, decide
from audits.stats.planning import allocate
from review.models import Adjudication, Certificate, ReviewItem, ReviewPlan, Slot
from review.ordering import Entry, sequence
from review.outcomes import audited, outcomes
from review.places import lock, next_order
from review.settling import close
from review.spotcheck import AGREED, Place, draw_more, is_drawn_from, is_stale, put_on_list, strata_of


class NoLook(Exception):
    """There is no further look; `code` says why.

    closed: not under review. one_look: only one was registered. used: all that were registered are taken.
    incomplete: something of the last look is open. certified: a valid certificate rests on the audit. stale: claims
    or decisions are not those of the draw. rule_changed: after the first label, so nothing passes any more. decided:
    the last look decided. all_seen: experts have every agreed claim already.
    """

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def taken(plan: ReviewPlan) -> int:
    """How many looks are drawn, the one under way included."""
    return 1 + len(plan.looks)


def drawn(plan: ReviewPlan) -> dict[str, int]:
    """Agreed stratum -> claims drawn in it so far, all looks together."""
    strata = plan.looks[-1]["strata"] if plan.looks else plan.strata
    return {str(name): int(strata.get(name, {}).get("n", 0)) for name in AGREED}


def draws(plan: ReviewPlan) -> list[dict[str, int]]:
    """Look by look, agreed stratum -> claims drawn in it by then: what repeats the draw."""
    found = [plan.strata, *(look["strata"] for look in plan.looks)]
    return [{str(name): int(strata.get(name, {}).get("n", 0)) for name in AGREED} for strata in found]


def unseen(plan: ReviewPlan) -> int:
    """Agreed claims that no look has drawn."""
    return sum(int(plan.strata.get(name, {}).get("N", 0)) for name in AGREED) - sum(drawn(plan).values())


def is_complete(plan: ReviewPlan) -> bool:
    """True when nothing that was drawn is open: the moment in which the rule may be applied, and not before."""
    return not _open_slots(plan).exists()


def _open_slots(plan: ReviewPlan) -> Any:
    return Slot.objects.open().filter(item__plan=plan).exclude(item__kind=ReviewItem.Kind.GOLD)


def obstacle(plan: ReviewPlan) -> str:
    """Why there is no further look now, as a code of NoLook; "" when one may be taken.

    That the last look decided is not asked here: whoever knows the decision must ask.
    """
    audit = plan.audit
    if audit.status != Audit.Status.REVIEWING:
        return "closed"
    if audit.looks < 2:
        return "one_look"
    if taken(plan) >= audit.looks:
        return "used"
    if audit.rule_changed_at is not None:
        return "rule_changed"
    if Certificate.objects.valid().filter(audit=audit).exists():
        return "certified"
    if not is_complete(plan):
        return "incomplete"
    if unseen(plan) <= 0:
        return "all_seen"
    return "stale" if is_stale(plan) else ""


def extend(plan: ReviewPlan, by: Any, more: int) -> int:
    """Take the next look: draw `more` agreed claims, the next ones of the same permutation; how many there were left
    to draw, at most `more`.

    Of two who ask at the same moment one gets the look and the other NoLook("incomplete").
    ValueError for fewer than one claim; NoLook.
    """
    if more < 1:
        raise ValueError("a look adds at least one claim")
    try:
        with transaction.atomic():
            return _extend(plan.pk, by, more)
    except IntegrityError as error:  # on a database without row locks: a claim has one item
        raise NoLook("incomplete") from error


def _extend(pk: int, by: Any, more: int) -> int:
    lock(ReviewPlan(pk=pk))
    plan = ReviewPlan.objects.select_related("audit__project", "audit__dataset").get(pk=pk)
    # No certificate is made, and no label taken back, until the look is drawn.
    plan.audit = Audit.objects.select_for_update(no_key=True, of=("self",)).select_related("project").get(
        pk=plan.audit_id
    )  # fmt: skip
    if code := obstacle(plan):
        raise NoLook(code)
    if _decided(plan.audit):
        raise NoLook("decided")
    audit, strata = plan.audit, strata_of(plan.audit)
    if not is_drawn_from(plan, strata):
        raise NoLook("stale")
    before, sizes = drawn(plan), {str(name): len(strata[name]) for name in AGREED if strata[name]}
    wanted = allocate(sizes, sum(before.values()) + more, before)
    after = {name: wanted.get(name, 0) for name in before}
    look = taken(plan) + 1
    places = draw_more(strata, before, after, plan.seed, look, audit.double_percent)
    known = _place(plan, places)
    entry = {
        "at": timezone.now().isoformat(),
        "by": by.get_username() if by else "",
        "asked": more,
        "strata": {name: counts | {"n": after.get(name, counts["n"])} for name, counts in plan.strata.items()},
    }
    doubles = sum(place.needed > 1 for place in places)
    ReviewPlan.objects.filter(pk=pk).update(looks=[*plan.looks, entry], doubles=plan.doubles + doubles)
    facts = {"look": look, "asked": more, "before": before, "after": after, "doubles": doubles, "known": known}
    rows = [plan, *plan.items.filter(claim__in=[place.claim_id for place in places])]
    Event.record("look_extended", project=audit.project, audit=audit, actor=by, rows=rows, **facts)
    return len(places)


def _decided(audit: Audit) -> bool:
    """Whether the limits of the last look are on one side of the threshold.

    Such a look ends the spot check: otherwise a FAIL could be drawn away.
    """
    confidence = float(audit.confidence)
    estimate = audited(outcomes(audit), confidence)
    return (
        decide(estimate, float(audit.threshold), confidence, audit.scope, looks=audit.looks).decision != INSUFFICIENT
    )


def _place(plan: ReviewPlan, places: list[Place]) -> list[int]:
    """Put the claims of a look on the list; the ids of those that were there with a known label.

    A claim that a manager had mixed in with a known label and that the draw hits is a claim of the draw from now on:
    leaving it out would make the draw no random sample. Labels that experts gave it were given blind and count.
    """
    known = {
        item.claim_id: item
        for item in plan.items.filter(kind=ReviewItem.Kind.GOLD, claim__in=[place.claim_id for place in places])
    }
    added = [place for place in places if place.claim_id not in known]
    put_on_list(plan, added, _ranks(plan, places), first=next_order(plan))
    for place in places:
        if place.claim_id in known:
            _draw_known(known[place.claim_id], place)
    return sorted(known)


def _ranks(plan: ReviewPlan, places: list[Place]) -> dict[int, int]:
    """Claim -> its place in the queue, behind all that was listed; claims with known labels that may still come to an
    expert are dealt in anew, so that their place tells nothing."""
    mixed = dict(plan.items.filter(kind=ReviewItem.Kind.GOLD).values_list("claim", "pk"))
    listed = {place.claim_id for place in places} | set(mixed)
    rows = Claim.objects.filter(audit=plan.audit_id, pk__in=listed).order_by().values_list("pk", "sample", "position")
    start = int(plan.items.aggregate(last=Max("rank"))["last"] or 0) + 1
    entries = [Entry(claim, answer, place, None) for claim, answer, place in rows]
    ranks = {claim: rank for rank, claim in enumerate(sequence(entries, plan.seed), start=start)}
    moved = [ReviewItem(pk=pk, rank=ranks[claim]) for claim, pk in mixed.items()]
    ReviewItem.objects.bulk_update(moved, ["rank"], batch_size=500)
    return ranks


def _draw_known(item: ReviewItem, place: Place) -> None:
    spoken = Adjudication.objects.standing().filter(item=item).exists()
    close(Slot.objects.filter(item=item, state=Slot.State.WAITING))
    numbers = set(Slot.objects.filter(item=item).values_list("number", flat=True))
    needed = 1 if spoken else place.needed
    missing = 0 if spoken else needed
    free = [number for number in range(1, missing + len(numbers) + 1) if number not in numbers][:missing]
    Slot.objects.bulk_create(Slot(item=item, number=number) for number in free)
    change: Mapping[str, Any] = {"kind": place.kind, "needed": needed, "gold_label": "", "gold_reason": ""}
    ReviewItem.objects.filter(pk=item.pk).update(**change)


def looks_left(plan: ReviewPlan) -> int:
    """Registered looks that are not taken."""
    return max(0, plan.audit.looks - taken(plan))
