"""The experts' side of every comparison: first independent labels, and what follows of them for one claim."""

import datetime
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from audits.labels import Label
from audits.models import Audit
from review.independent import IndependentLabel
from review.models import ReviewItem


@dataclass(frozen=True)
class Settled:
    """The experts' label of one claim, and when the last label that it rests on was given.

    drawn: by the random spot check, so that its place in the queue is random, too.
    """

    claim: int
    sample: int
    stratum: str
    label: Label
    at: datetime.datetime
    drawn: bool


@dataclass(frozen=True)
class Doubled:
    """One claim with independent labels of two experts or more, in the order of time.

    times: when each label was given.
    """

    sample: int
    reviewers: tuple[int, ...]
    labels: tuple[Label, ...]
    times: tuple[datetime.datetime, ...]


def usable(labels: Iterable[IndependentLabel]) -> dict[int, list[IndependentLabel]]:
    """By item, in the order of the places: labels that fill a place, arbiters' at the end.

    Left out: extra opinions, claims with known labels, claims that were cut anew, and their parts (no judge was
    asked about those).
    """
    found: dict[int, list[IndependentLabel]] = defaultdict(list)
    for one in labels:
        if one.number is not None and one.kind != ReviewItem.Kind.GOLD and not one.replaced and not one.part:
            found[one.item].append(one)
    for rows in found.values():
        rows.sort(key=lambda one: (one.arbitrates, one.number, one.created))
    return found


def needed_labels(audit: Audit) -> dict[int, int]:
    """Items that need two experts or more -> how many."""
    items = ReviewItem.objects.filter(plan__audit=audit, needed__gt=1)
    return dict(items.order_by().values_list("pk", "needed"))


def settled(items: Mapping[int, list[IndependentLabel]], needed: Mapping[int, int]) -> list[Settled]:
    """One per item that independent labels settle: all that it needs and equal, else the arbiter's first label."""
    found = []
    for item, rows in items.items():
        own = [one for one in rows if not one.arbitrates]
        if len(own) < needed.get(item, 1):
            continue
        used = own if len({one.label for one in own}) == 1 else rows[len(own) : len(own) + 1]
        if used:
            first = used[0]
            drawn = first.kind == ReviewItem.Kind.SPOT_CHECK
            at = max(one.created for one in used)
            found.append(Settled(first.claim, first.sample, first.stratum, first.label, at, drawn))
    return found


def doubled(items: Mapping[int, list[IndependentLabel]]) -> list[Doubled]:
    """Items that two experts or more labelled without knowing of each other. Arbiters know: they are left out."""
    found = []
    for rows in items.values():
        own = sorted((one for one in rows if not one.arbitrates), key=lambda one: one.created)
        if len(own) > 1:
            who, what = tuple(one.reviewer for one in own), tuple(one.label for one in own)
            found.append(Doubled(own[0].sample, who, what, tuple(one.created for one in own)))
    return found
