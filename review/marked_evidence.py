"""The passages that a certificate lists: what experts marked for labels that hold, the gravest claims first."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from audits.labels import HALLUCINATED, Label
from audits.models import Audit
from review.models import Adjudication, EvidenceMark, ReviewItem, Stratum
from review.outcomes import settled_items
from review.statement import EvidenceFact

LISTED = 50
CUT = 300  # characters of a claim and of a passage
_GRAVEST = [str(label) for label in (Label.CONTRADICTED, Label.UNVERIFIED, Label.SUPPORTED)]


@dataclass(frozen=True)
class MarkedEvidence:
    """total: passages in all; a place that several experts marked for a claim counts once."""

    listed: tuple[EvidenceFact, ...]
    total: int


def marked_evidence(audit: Audit) -> MarkedEvidence:
    """What experts marked for claims that are hallucinated by their word, and for disputed ones that are supported.

    In the order of the labels, contradicted first, then of the answers. Four queries; texts are read for those that
    are listed only.
    """
    items = list(ReviewItem.objects.filter(plan__audit=audit).exclude(kind=ReviewItem.Kind.GOLD))
    holds = settled_items(audit, items)
    words = Adjudication.objects.counting().filter(item__plan__audit=audit, item__replaced_at__isnull=True)
    rows = EvidenceMark.objects.filter(adjudication__in=words).values_list(
        *("adjudication__label", "adjudication__item__claim__sample__position", "adjudication__item__claim__start"),
        *("adjudication__item__claim", "context", "start", "end"),
        *("pk", "adjudication__item", "adjudication__item__stratum"),
    )
    chosen: dict[Any, int] = {}
    for *place, pk, item, stratum in rows.order_by("pk"):
        label = place[0]
        wanted = label in HALLUCINATED or stratum == Stratum.DISPUTED
        if wanted and holds.get(item) == label:
            chosen.setdefault((_GRAVEST.index(label), *place[1:]), pk)
    first = [chosen[place] for place in sorted(chosen)[:LISTED]]
    return MarkedEvidence(tuple(_facts(first)), len(chosen))


def _facts(pks: list[int]) -> Iterable[EvidenceFact]:
    rows = EvidenceMark.objects.filter(pk__in=pks).values_list(
        *("pk", "adjudication__item__claim__text", "adjudication__label"),
        *("adjudication__item__claim__sample__external_id", "context", "start", "end", "text"),
    )
    found = {pk: row for pk, *row in rows}
    for pk in pks:
        claim, label, sample, context, start, end, text = found[pk]
        yield EvidenceFact(_cut(claim), label, sample, context, start, end, _cut(text))


def _cut(text: str) -> str:
    return text if len(text) <= CUT else text[: CUT - 1] + "…"
