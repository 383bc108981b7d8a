"""Opens the review of an audit, once: freezes the strata, draws the spot check with a seed anybody can recompute.

The draw is a simple random sample inside each agreed stratum. Its seed is made of the dataset, of the frozen strata
and of a number fixed when the audit started: nobody who can still change one of them knows what it will draw.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, models, transaction

from audits.labels import Decision
from audits.models import Audit, Claim, Event
from audits.stats.planning import allocate
from review.models import Adjudication, ReviewItem, ReviewPlan, Slot, Stratum

AGREED = (Stratum.SUPPORTED, Stratum.SUPPORTED_VAGUE, Stratum.CONTRADICTED, Stratum.UNVERIFIED)


@dataclass(frozen=True)
class Place:
    """One claim on the experts' list."""

    claim_id: int
    kind: str
    stratum: str


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


def hash_of_strata(strata: Mapping[str, Sequence[int]]) -> str:
    """SHA-256 in hexadecimal over one line "claim id, blank, stratum" per claim, in the order of claim ids."""
    lines = sorted((claim, name) for name, claims in strata.items() for claim in claims)
    return hashlib.sha256("".join(f"{claim} {name}\n" for claim, name in lines).encode()).hexdigest()


def seed_of(dataset_sha256: str, strata_hash: str, nonce: str) -> str:
    """The first 8 bytes, in hexadecimal, of SHA-256 over the three texts written one after the other."""
    return hashlib.sha256(f"{dataset_sha256}{strata_hash}{nonce}".encode()).hexdigest()[:16]


def draw(strata: Mapping[str, Sequence[int]], wanted: Mapping[str, int], seed: int) -> list[Place]:
    """All disputed claims and `wanted` of each agreed stratum, in shuffled order.

    One numpy PCG64(seed) generator is used for everything, in this order: for each agreed stratum, in the order of
    AGREED, the first n of a permutation of its sorted claim ids; then a permutation of the list itself (disputed
    claims by id first, then the draws).
    """
    from numpy.random import PCG64, Generator

    random = Generator(PCG64(seed))
    places = [
        Place(claim, ReviewItem.Kind.DISPUTE, Stratum.DISPUTED) for claim in sorted(strata.get(Stratum.DISPUTED, ()))
    ]
    for name in AGREED:
        for claim in random.permutation(sorted(strata.get(name, ())))[: wanted.get(name, 0)]:
            places.append(Place(int(claim), ReviewItem.Kind.SPOT_CHECK, name))
    return [places[int(i)] for i in random.permutation(len(places))]


def owed() -> models.QuerySet[Audit]:
    """Audits under review without a plan, or with one drawn before they were judged again."""
    stale = models.Q(review_plan__drawn_at__lt=models.F("judged_at"))
    return Audit.objects.filter(models.Q(review_plan__isnull=True) | stale, status=Audit.Status.REVIEWING)


def is_stale(plan: ReviewPlan) -> bool:
    """True when claims were judged after the draw: the strata that it was drawn from are not those of now."""
    return plan.audit.judged_at is not None and plan.drawn_at < plan.audit.judged_at


def open_review(audit: Audit, by: Any = None) -> ReviewPlan | None:
    """Make the plan and the items of an audit under review. None when there is nothing to do (not yet, or done).

    A stale plan is drawn anew while no expert has given a label on it; after that it stays, and blocks a decision.
    """
    try:
        with transaction.atomic():
            if not owed().filter(pk=audit.pk).exists():
                return None
            if Adjudication.objects.filter(item__plan__audit=audit).exists():
                return None
            ReviewPlan.objects.filter(audit=audit).delete()
            return _open(audit, by)
    except IntegrityError:
        return None  # another process was first; its plan counts


def _open(audit: Audit, by: Any) -> ReviewPlan:
    strata = strata_of(audit)
    agreed = {str(name): len(strata[name]) for name in AGREED if strata[name]}
    wanted = allocate(agreed, audit.spot_check_size)
    strata_hash, nonce = hash_of_strata(strata), str(audit.seed)
    plan = ReviewPlan.objects.create(
        audit=audit,
        asked=audit.spot_check_size,
        strata={
            name: {"N": len(claims), "n": wanted.get(name, len(claims) if name == Stratum.DISPUTED else 0)}
            for name, claims in strata.items()
        },
        strata_hash=strata_hash,
        nonce=nonce,
        seed_hex=seed_of(audit.dataset.sha256, strata_hash, nonce),
        by=by,
    )
    items = [
        ReviewItem(plan=plan, claim_id=place.claim_id, kind=place.kind, stratum=place.stratum, order=order)
        for order, place in enumerate(draw(strata, wanted, plan.seed))
    ]
    ReviewItem.objects.bulk_create(items, batch_size=500)
    Slot.objects.bulk_create([Slot(item=item) for item in items], batch_size=500)
    facts = {"strata": plan.strata, "seed": plan.seed_hex}
    Event.record("review_opened", project=audit.project, audit=audit, actor=by, **facts)
    return plan


def strata_of(audit: Audit) -> dict[str, list[int]]:
    """Claim ids of every stratum, sorted, empty strata included. ValueError while a claim has no decision."""
    strata: dict[str, list[int]] = {str(name): [] for name in (*AGREED, Stratum.DISPUTED)}
    rows = Claim.objects.filter(audit=audit).order_by("pk").values_list("pk", "decision", "vague")
    for pk, decision, vague in rows.iterator(chunk_size=5000):
        strata[stratum_of(decision, vague)].append(pk)
    return strata
