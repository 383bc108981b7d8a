"""Everything the agreement page shows beyond what a certificate states."""

import datetime
from dataclasses import dataclass

from audits.models import Audit
from audits.stats.drift import Drift
from audits.stats.per_label import LabelAgreement, per_label
from audits.stats.raters import Item, RatersAgreement, raters_agreement
from review.agreement import Against, Material, Page, Pair, agreement_page
from review.agreement.asides import Asides, asides
from review.agreement.drifting import spot_check_drift
from review.agreement.slices import Finding, Slices, findings, slices


@dataclass(frozen=True)
class Doubles:
    """Claims for two experts. asked: drawn for two; labelled: with two independent labels by now; people: by whom.

    raters: all pairs of experts together, where more than two people gave those labels; else None.
    """

    asked: int
    labelled: int
    people: int
    labels: tuple[LabelAgreement, ...]
    raters: RatersAgreement | None


@dataclass(frozen=True)
class Details:
    """page: what certificates state. pairs: each with its agreement label by label."""

    page: Page
    pairs: tuple[tuple[Pair, tuple[LabelAgreement, ...]], ...]
    doubles: Doubles
    judges: tuple[tuple[Against, Finding], ...]
    slices: Slices
    drift: Drift[datetime.datetime]
    asides: Asides


def details(audit: Audit) -> Details:
    """Read the audit once and work everything out."""
    read = Material(audit)
    page = agreement_page(audit, read)
    return Details(
        page=page,
        pairs=tuple(
            (pair, per_label(read.of_judges(pair.first, pair.second), read.confidence)) for pair in page.pairs
        ),
        doubles=_doubles(read),
        judges=tuple(zip(page.judges, findings(read), strict=True)),
        slices=slices(read),
        drift=spot_check_drift(read),
        asides=asides(audit),
    )


def _doubles(read: Material) -> Doubles:
    people = {reviewer for one in read.doubled for reviewer in one.reviewers}
    raters = None
    if len(people) > 2:
        items = [Item(one.sample, dict(zip(one.reviewers, one.labels, strict=True))) for one in read.doubled]
        raters = raters_agreement(items, confidence=read.confidence)
    return Doubles(
        asked=read.plan.doubles if read.plan else 0,
        labelled=len(read.doubled),
        people=len(people),
        labels=per_label(read.of_experts(), read.confidence) if read.doubled else (),
        raters=raters,
    )
