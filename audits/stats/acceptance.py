"""PASS, FAIL or INSUFFICIENT: a bound against a threshold that was set before the audit."""

from collections.abc import Sequence
from dataclasses import dataclass

from audits.stats.audited import AuditedEstimate
from audits.stats.estimate import beyond

PASS, FAIL, INSUFFICIENT = "PASS", "FAIL", "INSUFFICIENT"


@dataclass(frozen=True)
class Acceptance:
    """The decision, the codes that explain it, and the one-sided limits that it rests on.

    reasons: what blocked ("supported_not_checked", "few_answers" ...), or "threshold_inside_limits"; empty on PASS
    and FAIL.
    low, high: each holds alone with `level`; None where nothing can be stated.
    """

    decision: str
    reasons: tuple[str, ...]
    low: float | None
    high: float | None
    threshold: float
    scope: str
    confidence: float
    level: float


def decide(
    estimate: AuditedEstimate,
    threshold: float,
    confidence: float = 0.95,
    scope: str = "traffic",
    blocking: Sequence[str] = (),
    looks: int = 1,
) -> Acceptance:
    """PASS if the upper limit is at most the threshold, FAIL if the lower limit is above it, else INSUFFICIENT.

    Anything that blocks, in the estimate or in `blocking` (codes from the caller: "rule_changed" ...), means
    INSUFFICIENT whatever the limits say. looks: the number of looks registered beforehand; each has
    1 - (1 - confidence) / looks, so that the whole keeps `confidence` (Bonferroni).
    ValueError for a threshold outside 0..1, an unknown scope, or fewer than one look.
    """
    if not 0 <= threshold <= 1:
        raise ValueError(f"a threshold is a fraction between 0 and 1, not {threshold}")
    if looks < 1:
        raise ValueError("at least one look")
    level = 1 - beyond(confidence) / looks
    limits = estimate.limits(scope, level)
    reasons = list(dict.fromkeys([*estimate.blocking, *blocking]))
    if limits is None and estimate.claims:
        reasons.append("few_answers")
    low, high = limits or (None, None)
    decision = INSUFFICIENT
    if not reasons and low is not None and high is not None:
        if high <= threshold:
            decision = PASS
        elif low > threshold:
            decision = FAIL
        else:
            reasons.append("threshold_inside_limits")
    return Acceptance(decision, tuple(reasons), low, high, threshold, scope, confidence, level)
