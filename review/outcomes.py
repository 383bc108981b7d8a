"""The one place where a human's word replaces the judges': one outcome per claim of an audit."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from audits.labels import HALLUCINATED, Decision, Label
from audits.models import Audit, Claim
from audits.stats.audited import AuditedClaim, AuditedEstimate, estimate
from review.models import Adjudication, ReviewItem, Stratum
from review.settling import Word, settled
from review.spotcheck import stratum_of


@dataclass(frozen=True)
class Outcome:
    """What holds of one claim now.

    expert: what experts settled (review.settling), None while they have not. label: that, else the decision; None
    while the claim is open (disputed, or not yet judged by the whole panel) and for ever where no expert can decide
    it. drawn: the spot check drew it. stratum: a claim that is not judged yet stands with the disputed ones: it is as
    open as they are. given_up: a manager closed it without an expert's label.
    """

    claim: int
    sample: int
    decision: str
    stratum: str
    drawn: bool
    expert: Label | None
    given_up: bool = False

    @property
    def label(self) -> Label | None:
        """The outcome itself."""
        if self.expert is not None:
            return self.expert
        return None if self.given_up or self.decision in ("", Decision.DISPUTED) else Label(self.decision)


_WORST = (Label.CONTRADICTED, Label.UNVERIFIED, Label.SUPPORTED)


def outcomes(audit: Audit) -> list[Outcome]:
    """One outcome per claim, in the order of the answers. Three queries, whatever the size.

    A claim that was cut anew stays one claim: its outcome is the worst of its parts, and open while one of them is.
    Known labels measure experts; they settle nothing.
    """
    items = list(ReviewItem.objects.filter(plan__audit=audit).exclude(kind=ReviewItem.Kind.GOLD))
    rows = Claim.objects.filter(audit=audit).values_list("pk", "sample", "decision", "vague")
    return outcomes_of(rows, items, settled_items(audit, items))


def outcomes_of(
    claims: Iterable[tuple[int, int, str, bool]], items: Sequence[ReviewItem], said: Mapping[int, Label | None]
) -> list[Outcome]:
    """The same from rows alone. claims: (claim, sample, decision, vague); items: none with a known label; said: what
    experts settled of each item."""
    parts: dict[int, list[ReviewItem]] = defaultdict(list)
    for item in items:
        if item.parent_id is not None:
            parts[item.parent_id].append(item)
    experts = {
        item.claim_id: _worst([said[part.pk] for part in parts[item.pk]]) if item.replaced_at else said[item.pk]
        for item in items
    }
    left = {item.claim_id for item in items if _is_left(parts[item.pk] if item.replaced_at else [item], said)}
    drawn = {item.claim_id for item in items if item.kind == ReviewItem.Kind.SPOT_CHECK}
    return [
        Outcome(
            claim=pk,
            sample=sample,
            decision=decision,
            stratum=stratum_of(decision, vague) if decision else str(Stratum.DISPUTED),
            drawn=pk in drawn,
            expert=experts.get(pk),
            given_up=pk in left,
        )
        for pk, sample, decision, vague in claims
    ]


def settled_items(
    audit: Audit, items: Sequence[ReviewItem], until: datetime | None = None
) -> dict[int, Label | None]:
    """The experts' label of every item. until: as it was at that time."""
    words: dict[int, list[Word]] = defaultdict(list)
    rows = Adjudication.objects.filter(item__plan__audit=audit, slot__isnull=False).order_by("pk")
    if until is not None:
        rows = rows.filter(created__lte=until)
    columns = ("item", "reviewer", "slot__arbitrates", "label", "blind")
    for item, *word in rows.values_list(*columns).iterator(chunk_size=5000):
        words[item].append(Word(*word))
    found = {item.pk: settled(item.needed, words[item.pk]) for item in items}
    return {item: Label(label) if label else None for item, label in found.items()}


def _is_left(items: Sequence[ReviewItem], said: Mapping[int, Label | None]) -> bool:
    """True when no label of these items, a claim or all its parts, is wanted any more and one was never given."""
    unsaid = [item for item in items if said[item.pk] is None]
    return bool(unsaid) and all(item.given_up_at is not None for item in unsaid)


def _worst(labels: Sequence[Label | None]) -> Label | None:
    if not labels or None in labels:
        return None
    return next(label for label in _WORST if label in labels)


def audited_claims(found: Sequence[Outcome]) -> list[AuditedClaim]:
    """The outcomes as the audited estimators take them."""
    return [
        AuditedClaim(
            answer=outcome.sample,
            stratum=outcome.stratum,
            truth=None if outcome.expert is None else outcome.expert in HALLUCINATED,
            drawn=outcome.drawn,
            given_up=outcome.given_up,
        )
        for outcome in found
    ]


def audited(found: Sequence[Outcome], confidence: float) -> AuditedEstimate:
    """The corrected hallucination rate over these outcomes."""
    return estimate(audited_claims(found), confidence=confidence)
