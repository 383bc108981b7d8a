"""The passages that a certificate lists: what experts marked for labels that hold, the gravest claims first."""

from collections.abc import Iterable
from dataclasses import dataclass

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
    marks = (
        Mark(label, holds.get(item), stratum, tuple(place), pk)
        for label, *place, pk, item, stratum in rows.order_by("pk")
    )
    chosen = choose(marks)
    return MarkedEvidence(tuple(_facts([mark.key for mark in chosen[:LISTED]])), len(chosen))


@dataclass(frozen=True)
class Mark:
    """A passage that an expert marked for a label.

    holds: what holds of the item. place: (position of the answer, start of the claim, claim, context, start, end).
    """

    label: str
    holds: str | None
    stratum: str
    place: tuple[int, ...]
    key: int


def choose(marks: Iterable[Mark]) -> list[Mark]:
    """Those that a certificate counts, in its order: each place once."""
    found: dict[tuple[int, ...], Mark] = {}
    for mark in marks:
        wanted = mark.label in HALLUCINATED or mark.stratum == Stratum.DISPUTED
        if wanted and mark.holds == mark.label:
            found.setdefault((_GRAVEST.index(mark.label), *mark.place), mark)
    return [found[place] for place in sorted(found)]


def _facts(pks: list[int]) -> Iterable[EvidenceFact]:
    rows = EvidenceMark.objects.filter(pk__in=pks).values_list(
        *("pk", "adjudication__item__claim__text", "adjudication__label"),
        *("adjudication__item__claim__sample__external_id", "context", "start", "end", "text"),
    )
    found = {pk: row for pk, *row in rows}
    for pk in pks:
        claim, label, sample, context, start, end, text = found[pk]
        yield EvidenceFact(cut(claim), label, sample, context, start, end, cut(text))


def cut(text: str) -> str:
    """The text as a certificate lists it."""
    return text if len(text) <= CUT else text[: CUT - 1] + "…"
