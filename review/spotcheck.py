"""Opens the review of an audit, once: freezes the strata, draws the spot check with a seed anybody can recompute.

The draw is a simple random sample inside each agreed stratum. Its seed is made of the dataset, of the frozen strata
and of a number fixed when the audit started: nobody who can still change one of them knows what it will draw.
"""

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import IntegrityError, models, transaction

from audits.labels import Decision
from audits.models import Audit, Claim, Event, Verdict
from audits.stats.planning import allocate
from review.models import Adjudication, Comment, Recut, ReviewItem, ReviewPlan, Slot, Stratum
from review.ordering import Entry, impact_of, sequence
from review.places import add_known

AGREED = (Stratum.SUPPORTED, Stratum.SUPPORTED_VAGUE, Stratum.CONTRADICTED, Stratum.UNVERIFIED)


@dataclass(frozen=True)
class Place:
    """One claim on the experts' list. needed: how many of them label it, each without the other."""

    claim_id: int
    kind: str
    stratum: str
    needed: int = 1


def stratum_of(decision: str, vague: bool) -> str:
    """The stratum of a decided claim. ValueError while the panel has not spoken."""
    if decision == Decision.SUPPORTED:
        return str(Stratum.SUPPORTED_VAGUE if vague else Stratum.SUPPORTED)
    found = {
        Decision.CONTRADICTED: Stratum.CONTRADICTED,
        Decision.UNVERIFIED: Stratum.UNVERIFIED,
        Decision.DISPUTED: Stratum.DISPUTED,
    }.get(decision)  # type: ignore[call-overload]  # a StrEnum is its string
    if found is None:
        raise ValueError(f"no decision, so no stratum: {decision!r}")
    return str(found)


def lines_of_strata(strata: Mapping[str, Sequence[int]]) -> str:
    """One line "claim id, blank, stratum" per claim, in the order of claim ids."""
    lines = sorted((claim, name) for name, claims in strata.items() for claim in claims)
    return "".join(f"{claim} {name}\n" for claim, name in lines)


def hash_of_strata(strata: Mapping[str, Sequence[int]]) -> str:
    """SHA-256 in hexadecimal over the lines of the strata."""
    return hashlib.sha256(lines_of_strata(strata).encode()).hexdigest()


def seed_of(dataset_sha256: str, strata_hash: str, nonce: str) -> str:
    """The first 8 bytes, in hexadecimal, of SHA-256 over the three texts written one after the other."""
    return hashlib.sha256(f"{dataset_sha256}{strata_hash}{nonce}".encode()).hexdigest()[:16]


def doubles_of(claims: int, percent: int) -> int:
    """How many of the experts' claims two of them label: this share of them, rounded up."""
    return -(-claims * percent // 100)


def draw(
    strata: Mapping[str, Sequence[int]], wanted: Mapping[str, int], seed: int, double_percent: int = 0
) -> list[Place]:
    """All disputed claims and `wanted` of each agreed stratum, in shuffled order; some for two experts.

    One numpy PCG64(seed) generator is used for everything, in this order: for each agreed stratum, in the order of
    AGREED, the first n of a permutation of its sorted claim ids; then a permutation of the list itself (disputed
    claims by id first, then the draws); last, where a double_percent is asked for, a permutation of the places
    0, 1 … of the shuffled list, whose first `doubles_of` two experts label. These are a simple random sample of the
    whole list: the experts' agreement on them stands for the list without weights.
    """
    from numpy.random import PCG64, Generator

    random = Generator(PCG64(seed))
    places = [
        Place(claim, ReviewItem.Kind.DISPUTE, Stratum.DISPUTED) for claim in sorted(strata.get(Stratum.DISPUTED, ()))
    ]
    for name in AGREED:
        for claim in random.permutation(sorted(strata.get(name, ())))[: wanted.get(name, 0)]:
            places.append(Place(int(claim), ReviewItem.Kind.SPOT_CHECK, name))
    shuffled = [places[int(i)] for i in random.permutation(len(places))]
    if doubles := doubles_of(len(places), double_percent):
        for i in random.permutation(len(places))[:doubles]:
            shuffled[int(i)] = replace(shuffled[int(i)], needed=2)
    return shuffled


EXTENSIONS = 2  # the generator of a later look is PCG64([seed, EXTENSIONS, look]); the one of the draw is used up


def draw_more(
    strata: Mapping[str, Sequence[int]],
    before: Mapping[str, int],
    after: Mapping[str, int],
    seed: int,
    look: int,
    double_percent: int = 0,
) -> list[Place]:
    """What a later look adds: of each agreed stratum the next ids of the very permutation that `draw` began.

    before, after: how many of each stratum are drawn in all. look: its number, from 2. Their order, and which of them
    two experts label (the same share as before), come from two permutations of PCG64([seed, EXTENSIONS, look]).
    With what was drawn before they are one simple random sample of each stratum.
    """
    from numpy.random import PCG64, Generator

    random = Generator(PCG64(seed))
    places = []
    for name in AGREED:
        order = random.permutation(sorted(strata.get(name, ())))
        for claim in order[before.get(name, 0) : after.get(name, 0)]:
            places.append(Place(int(claim), ReviewItem.Kind.SPOT_CHECK, name))
    random = Generator(PCG64([seed, EXTENSIONS, look]))
    shuffled = [places[int(i)] for i in random.permutation(len(places))]
    if doubles := doubles_of(len(places), double_percent):
        for i in random.permutation(len(places))[:doubles]:
            shuffled[int(i)] = replace(shuffled[int(i)], needed=2)
    return shuffled


def owed() -> models.QuerySet[Audit]:
    """Audits under review without a plan, or with one drawn before they were judged again.

    Not calibrations: people labelled their claims beforehand.
    """
    stale = models.Q(review_plan__drawn_at__lt=models.F("judged_at"))
    rows = Audit.objects.filter(status=Audit.Status.REVIEWING, calibration=False)
    return rows.filter(models.Q(review_plan__isnull=True) | stale)


def is_stale(plan: ReviewPlan) -> bool:
    """True when claims were judged after the draw: the strata that it was drawn from are not those of now."""
    return plan.audit.judged_at is not None and plan.drawn_at < plan.audit.judged_at


def is_drawn_from(plan: ReviewPlan, strata: Mapping[str, Sequence[int]]) -> bool:
    """True when these are the very strata of the draw: no claim came, went or changed sides since, however."""
    return hash_of_strata(strata) == plan.strata_hash


def open_review(audit: Audit, by: Any = None) -> ReviewPlan | None:
    """Make the plan and the items of an audit under review. None when there is nothing to do (not yet, or done).

    A stale plan is drawn anew while no expert has begun on it; after that it stays, and blocks a decision. Claims
    with known labels that managers have mixed in stay so, unless the new draw lists them by itself.
    """
    try:
        with transaction.atomic():
            if not owed().filter(pk=audit.pk).exists():
                return None
            if has_begun(audit):
                return None
            known = list(ReviewItem.objects.filter(plan__audit=audit, kind=ReviewItem.Kind.GOLD).order_by("order"))
            ReviewPlan.objects.filter(audit=audit).delete()
            plan = _open(audit, by)
            _put_back(plan, known)
            return plan
    except IntegrityError:
        return None  # another process was first; its plan counts


def has_begun(audit: Audit) -> bool:
    """Whether an expert has labelled a claim of this audit, or said how it should have been cut."""
    return any(rows.objects.filter(item__plan__audit=audit).exists() for rows in (Adjudication, Recut, Comment))


def _put_back(plan: ReviewPlan, known: Sequence[ReviewItem]) -> None:
    """Mix in again what had a known label in the plan before, but for what this plan lists by itself."""
    for item in known:
        claim = Claim.objects.filter(pk=item.claim_id, review_item__isnull=True).first()
        if claim is not None:
            stratum = stratum_of(claim.decision, claim.vague)
            add_known(plan, claim, stratum=stratum, label=item.gold_label, reason=item.gold_reason)


def _open(audit: Audit, by: Any) -> ReviewPlan:
    strata = strata_of(audit)
    agreed = {str(name): len(strata[name]) for name in AGREED if strata[name]}
    wanted = allocate(agreed, audit.spot_check_size)
    strata_hash, nonce = hash_of_strata(strata), str(audit.seed)
    seed_hex = seed_of(audit.dataset.sha256, strata_hash, nonce)
    places = draw(strata, wanted, int(seed_hex, 16), audit.double_percent)
    plan = ReviewPlan.objects.create(
        audit=audit,
        asked=audit.spot_check_size,
        strata={
            name: {"N": len(claims), "n": wanted.get(name, len(claims) if name == Stratum.DISPUTED else 0)}
            for name, claims in strata.items()
        },
        strata_hash=strata_hash,
        nonce=nonce,
        seed_hex=seed_hex,
        doubles=doubles_of(len(places), audit.double_percent),
        by=by,
    )
    put_on_list(plan, places, _ranks(audit, places, plan.seed))
    facts = {"strata": plan.strata, "seed": plan.seed_hex, "doubles": plan.doubles}
    Event.record("review_opened", project=audit.project, audit=audit, actor=by, rows=[plan], **facts)
    return plan


def put_on_list(plan: ReviewPlan, places: Sequence[Place], ranks: Mapping[int, int], first: int = 0) -> None:
    """Make an item and its slots for each place, in their order; first: the number of the first one."""
    items = [
        ReviewItem(
            plan=plan,
            claim_id=place.claim_id,
            kind=place.kind,
            stratum=place.stratum,
            needed=place.needed,
            order=order,
            rank=ranks[place.claim_id],
        )
        for order, place in enumerate(places, start=first)
    ]
    ReviewItem.objects.bulk_create(items, batch_size=500)
    slots = [Slot(item=item, number=number) for item in items for number in range(1, item.needed + 1)]
    Slot.objects.bulk_create(slots, batch_size=500)


def _ranks(audit: Audit, places: Sequence[Place], seed: int) -> dict[int, int]:
    """Claim -> its place in the queue."""
    disputed = {place.claim_id for place in places if place.kind == ReviewItem.Kind.DISPUTE}
    labels: dict[int, list[str]] = defaultdict(list)
    said = Verdict.objects.filter(claim__audit=audit, claim__decision=Decision.DISPUTED).order_by()
    for claim, label in said.values_list("claim", "label").iterator(chunk_size=5000):
        labels[claim].append(label)
    listed = {place.claim_id for place in places}
    rows = Claim.objects.filter(audit=audit).order_by().values_list("pk", "sample", "position")
    entries = [
        Entry(claim, answer, place, impact_of(labels[claim]) if claim in disputed else None)
        for claim, answer, place in rows.iterator(chunk_size=5000)
        if claim in listed
    ]
    return {claim: rank for rank, claim in enumerate(sequence(entries, seed))}


def strata_of(audit: Audit) -> dict[str, list[int]]:
    """Claim ids of every stratum, sorted, empty strata included. ValueError while a claim has no decision."""
    strata: dict[str, list[int]] = {str(name): [] for name in (*AGREED, Stratum.DISPUTED)}
    rows = Claim.objects.filter(audit=audit).order_by("pk").values_list("pk", "decision", "vague")
    for pk, decision, vague in rows.iterator(chunk_size=5000):
        strata[stratum_of(decision, vague)].append(pk)
    return strata
