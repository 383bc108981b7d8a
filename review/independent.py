"""Which label of a person counts as independent: the first one, given before anything was shown.

Agreement and arbitration rest on it. What a person says after seeing the judges' verdicts, or later on, is a series
of its own: it may replace the outcome, never the independent label.
"""

import datetime
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Protocol, TypeVar

from audits.labels import Label
from audits.models import Audit
from review.models import Adjudication


class Word(Protocol):
    """What the rule needs to know of an adjudication."""

    @property
    def label(self) -> str:
        """The label, "" for a withdrawal."""

    @property
    def blind(self) -> bool:
        """Given before the person saw what the judges said of the claim."""


W = TypeVar("W", bound=Word)


def first_independent(rows: Iterable[W]) -> W | None:
    """Of one person's words on one item, in their order: the independent one; None when there is none.

    The first label counts. One that was taken back while the person was still blind was never given: a slip that is
    corrected at once. From the first word that is not blind on, nothing counts.
    """
    found: W | None = None
    for row in rows:
        if not row.blind:
            break
        if not row.label:
            found = None
        elif found is None:
            found = row
    return found


@dataclass(frozen=True)
class IndependentLabel:
    """One person's independent label on one item.

    kind, stratum: of the item. number: of the slot that it fills, from 1; None for an extra opinion, which no slot
    holds. arbitrates: given with two differing labels in view, so not independent of them. replaced: the item's
    claim was cut anew. part: the item is a part of such a claim. created: when the label was given.
    """

    item: int
    claim: int
    sample: int
    stratum: str
    kind: str
    reviewer: int
    number: int | None
    arbitrates: bool
    replaced: bool
    part: bool
    label: Label
    created: datetime.datetime


@dataclass(frozen=True)
class _Row:
    label: str
    blind: bool
    number: int | None
    arbitrates: bool
    created: datetime.datetime


_COLUMNS = (
    *("item", "reviewer", "label", "blind", "slot__number", "slot__arbitrates", "created"),
    *("item__claim", "item__claim__sample", "item__stratum", "item__kind", "item__replaced_at", "item__parent"),
)


def independent_labels(audit: Audit) -> list[IndependentLabel]:
    """The independent labels of everybody on every item of the audit, gold and replaced items included. One query."""
    words = Adjudication.objects.filter(item__plan__audit=audit).order_by("item", "reviewer", "revision")
    found = []
    for (item, reviewer), group in groupby(words.values_list(*_COLUMNS), key=lambda row: (row[0], row[1])):
        rows = list(group)
        first = first_independent(_Row(row[2], row[3], row[4], bool(row[5]), row[6]) for row in rows)
        if first is None:
            continue
        claim, sample, stratum, kind, replaced_at, parent = rows[0][7:]
        found.append(
            IndependentLabel(
                item=item,
                claim=claim,
                sample=sample,
                stratum=stratum,
                kind=kind,
                reviewer=reviewer,
                number=first.number,
                arbitrates=first.arbitrates,
                replaced=replaced_at is not None,
                part=parent is not None,
                label=Label(first.label),
                created=first.created,
            )
        )
    return found
