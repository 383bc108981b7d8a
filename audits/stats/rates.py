"""The hallucination rate over the claims of an audit, before and after review."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from audits.labels import HALLUCINATED, Decision
from audits.stats.clustered import clustered_share
from audits.stats.estimate import Estimate

_HALLUCINATED = frozenset(Decision(str(label)) for label in HALLUCINATED)


@dataclass(frozen=True)
class Bounds:
    """Where the rate over all claims must end: low if all open claims are supported, high if all are hallucinated."""

    low: float
    high: float


@dataclass(frozen=True)
class JudgedRate:
    """Counts over all claims and the rate over the decided. supported + contradicted + unverified + disputed = total.

    unscored: claims for which a judge gave no usable label; they are among the disputed, never beside them.
    answers: answers with at least one claim. coverage: (total - disputed) / total, None without claims.
    rate: hallucinated / decided, two-sided interval clustered by answer; provisional while disputed is not 0.
    bounds: None without claims.
    """

    supported: int
    contradicted: int
    unverified: int
    disputed: int
    unscored: int
    total: int
    answers: int
    coverage: float | None
    rate: Estimate
    faithfulness: Estimate
    bounds: Bounds | None

    @property
    def decided(self) -> int:
        """Claims that have a label."""
        return self.total - self.disputed

    @property
    def provisional(self) -> bool:
        """True while some claim is open, so that the rate may not stand without coverage and bounds."""
        return self.disputed > 0


def judged_rate(
    rows: Sequence[tuple[object, Decision]], *, unscored: int = 0, confidence: float = 0.95
) -> JudgedRate:
    """The rate by the judges' decisions alone. rows: (answer id, decision), one per claim of the audit.

    Interval: Korn-Graubard at an effective sample size with an assumed within-answer correlation of at least 0.2.
    It covers the sampling of answers, not errors that the judges share: only a spot check shows those.
    """
    return _rate(rows, unscored, confidence)


def outcome_rate(
    rows: Sequence[tuple[object, Decision]], *, unscored: int = 0, confidence: float = 0.95
) -> JudgedRate:
    """The rate by outcomes: an expert's label where there is one, else the decision. DISPUTED means still open."""
    return _rate(rows, unscored, confidence)


def _rate(rows: Sequence[tuple[object, Decision]], unscored: int, confidence: float) -> JudgedRate:
    counts = Counter(decision for _, decision in rows)
    total, disputed = len(rows), counts[Decision.DISPUTED]
    decided = [(answer, decision in _HALLUCINATED) for answer, decision in rows if decision != Decision.DISPUTED]
    rate = clustered_share(
        [float(wrong) for _, wrong in decided],
        [answer for answer, _ in decided],
        confidence,
        empty="no_decided_claims" if total else "no_claims",
    )
    wrong = counts[Decision.CONTRADICTED] + counts[Decision.UNVERIFIED]
    return JudgedRate(
        supported=counts[Decision.SUPPORTED],
        contradicted=counts[Decision.CONTRADICTED],
        unverified=counts[Decision.UNVERIFIED],
        disputed=disputed,
        unscored=unscored,
        total=total,
        answers=len({answer for answer, _ in rows}),
        coverage=(total - disputed) / total if total else None,
        rate=rate,
        faithfulness=rate.complement(),
        bounds=Bounds(wrong / total, (wrong + disputed) / total) if total else None,
    )
