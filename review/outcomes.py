"""The one place where a human's word replaces the judges': one outcome per claim of an audit."""

from collections.abc import Sequence
from dataclasses import dataclass

from audits.labels import HALLUCINATED, Decision, Label
from audits.models import Audit, Claim
from audits.stats.audited import AuditedClaim, AuditedEstimate, estimate
from review.models import Adjudication, ReviewItem, Stratum
from review.spotcheck import stratum_of


@dataclass(frozen=True)
class Outcome:
    """What holds of one claim now.

    expert: the newest label that counts, None without one. label: expert's label, else the decision; None while the
    claim is open (disputed, or not yet judged by the whole panel). drawn: the spot check drew it. stratum: a claim
    that is not judged yet stands with the disputed ones: it is as open as they are.
    """

    claim: int
    sample: int
    decision: str
    stratum: str
    drawn: bool
    expert: Label | None

    @property
    def label(self) -> Label | None:
        """The outcome itself."""
        if self.expert is not None:
            return self.expert
        return None if self.decision in ("", Decision.DISPUTED) else Label(self.decision)


def outcomes(audit: Audit) -> list[Outcome]:
    """One outcome per claim, in the order of the answers. Three queries, whatever the size."""
    drawn = set(
        ReviewItem.objects.filter(plan__audit=audit, kind=ReviewItem.Kind.SPOT_CHECK).values_list("claim", flat=True)
    )
    words = Adjudication.objects.counting().filter(item__plan__audit=audit).order_by("pk")
    experts = dict(words.values_list("item__claim", "label"))  # the last of several wins
    rows = Claim.objects.filter(audit=audit).values_list("pk", "sample", "decision", "vague")
    return [
        Outcome(
            claim=pk,
            sample=sample,
            decision=decision,
            stratum=stratum_of(decision, vague) if decision else str(Stratum.DISPUTED),
            drawn=pk in drawn,
            expert=Label(experts[pk]) if pk in experts else None,
        )
        for pk, sample, decision, vague in rows
    ]


def audited(found: Sequence[Outcome], confidence: float) -> AuditedEstimate:
    """The corrected hallucination rate over these outcomes."""
    rows = [
        AuditedClaim(
            answer=outcome.sample,
            stratum=outcome.stratum,
            truth=None if outcome.expert is None else outcome.expert in HALLUCINATED,
            drawn=outcome.drawn,
        )
        for outcome in found
    ]
    return estimate(rows, confidence=confidence)
