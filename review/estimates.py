"""The audited figures of one audit as its page shows them, and what is shown before there are any.

Only when nothing of the spot check is open are there corrected figures: whoever sees them before could stop when they
please. What decides is review.readiness; nothing here decides again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Count, Q

from audits.labels import Decision
from audits.models import Audit, Claim, Extraction
from audits.stats.acceptance import Acceptance
from audits.stats.audited import DISPUTED, SCOPES, AuditedEstimate, Stratum
from audits.stats.estimate import Estimate
from audits.stats.macro import MacroEstimate, macro
from audits.stats.proportions import wilson_estimate
from audits.stats.rates import JudgedRate, judged_rate
from review.checks import BLOCKS, OPEN, Check
from review.outcomes import Outcome, audited_claims, outcomes
from review.readiness import Readiness, readiness


@dataclass(frozen=True)
class Apart:
    """Answers that are in no rate. samples = cut + failed + waiting, cut = with claims + without claims.

    without_claims_rate, refusal_rate: of the cut answers, with Wilson intervals: answers are taken to be independent.
    A refusal is an answer without claims that declines to answer.
    """

    samples: int
    cut: int
    without_claims: int
    refusals: int
    failed: int
    waiting: int
    without_claims_rate: Estimate
    refusal_rate: Estimate


@dataclass(frozen=True)
class Figures:
    """The corrected figures, over all claims of the audit.

    rate: as audits.stats.audited, per claim. macro: per answer. acceptance: the rule applied to the one that decides.
    limits: "dataset" and "traffic" -> (low, high), each one-sided at acceptance.level; None where nothing can be
    stated. any_high: a bound, not an estimate: at most this share of these answers has a hallucination; None where
    the bound says nothing.
    """

    rate: AuditedEstimate
    macro: MacroEstimate
    acceptance: Acceptance
    limits: Mapping[str, tuple[float, float] | None]
    any_high: float | None

    @property
    def headline(self) -> Estimate:
        """The rate per claim in the scope of the rule."""
        return self.rate.traffic if self.acceptance.scope == "traffic" else self.rate.dataset

    @property
    def strata(self) -> tuple[Stratum, ...]:
        """Counts by what the judges said, frozen when the spot check was drawn."""
        return self.rate.strata

    @property
    def spot_checked(self) -> int:
        """Agreed claims that were drawn and have an expert's label."""
        return sum(s.checked for s in self.strata if s.name != DISPUTED)

    @property
    def disputes_reviewed(self) -> int:
        """Disputed claims that have an expert's label."""
        return sum(s.checked for s in self.strata if s.name == DISPUTED)

    @property
    def given_up(self) -> int:
        """Claims that no expert could decide."""
        return sum(s.given_up for s in self.strata)

    @property
    def presumed(self) -> tuple[Stratum, ...]:
        """Groups of which experts saw nothing, so that the rate takes them as the judges call them."""
        return tuple(s for s in self.strata if s.claims and not s.checked)


@dataclass(frozen=True)
class Report:
    """judged: the judges' own verdict, over the claims that they decided. figures: None while nobody may see them,
    or where no expert checked what the judges call supported; missing then says what is open."""

    state: Readiness
    judged: JudgedRate
    apart: Apart
    figures: Figures | None

    @property
    def missing(self) -> list[Check]:
        """What stands between the audit and its figures, or between the figures and a decision."""
        return [check for check in self.state.checks if check.state in (OPEN, BLOCKS)]

    @property
    def complete(self) -> bool:
        """True when nothing is open any more, whether or not there are figures."""
        return self.state.acceptance is not None


def report(audit: Audit) -> Report:
    """Read it. A fixed number of queries; no text is loaded."""
    found = outcomes(audit)
    state = readiness(audit, found)
    decided = [(one.sample, Decision(one.decision or Decision.DISPUTED)) for one in found]
    judged = judged_rate(decided, unscored=state.outcome.unscored, confidence=float(audit.confidence))
    return Report(state, judged, _apart(audit), _figures(state, found))


def _figures(state: Readiness, found: Sequence[Outcome]) -> Figures | None:
    acceptance, rate = state.acceptance, state.estimate
    if acceptance is None or not rate.claims or "supported_not_checked" in rate.blocking:
        return None
    limits = {scope: rate.limits(scope, acceptance.level) for scope in SCOPES}
    return Figures(
        rate=rate,
        macro=macro(audited_claims(found), confidence=rate.confidence),
        acceptance=acceptance,
        limits=limits,
        any_high=_any_high(rate, limits["dataset"]),
    )


def _any_high(rate: AuditedEstimate, limits: tuple[float, float] | None) -> float | None:
    """Answers with a hallucination are at most as many as hallucinated claims (Markov): claims / answers times the
    upper limit of the rate per claim.

    Of these answers only: for the traffic the mean number of claims is itself an estimate.
    """
    if limits is None:
        return None
    high = rate.claims / rate.answers * limits[1]
    return high if high < 1 else None


def _apart(audit: Audit) -> Apart:
    status = Extraction.Status
    bare = Q(status=status.DONE) & ~Q(pk__in=Claim.objects.filter(audit=audit).values("extraction"))
    counts = Extraction.objects.filter(audit=audit).aggregate(
        samples=Count("pk"),
        cut=Count("pk", filter=Q(status=status.DONE)),
        without_claims=Count("pk", filter=bare),
        refusals=Count("pk", filter=bare & Q(is_refusal=True)),
        failed=Count("pk", filter=Q(status=status.FAILED)),
        waiting=Count("pk", filter=Q(status=status.PENDING)),
    )
    confidence = float(audit.confidence)
    return Apart(
        **counts,
        without_claims_rate=wilson_estimate(counts["without_claims"], counts["cut"], confidence),
        refusal_rate=wilson_estimate(counts["refusals"], counts["cut"], confidence),
    )
