"""Whether the length of an answer moves a judge, and what every measure of a bias says.

Claims were reviewed because of what the judges said of them, and what they said is measured here. So each reviewed
claim stands for N_h / n_h claims of its stratum; without these weights a slope that both judges share comes out half
as large. Claims of one answer go together in every variance.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from audits.stats.clustered import design_effect
from audits.stats.detectable import slope_seen
from audits.stats.estimate import Estimate, tail, undefined
from audits.stats.logit import NotEstimable, weighted_logit
from audits.stats.weighting import weight_inflation, weighted_share, weights_of

FEW_ERRORS = 10  # below, a slope that is not there was found in up to 15 % of simulated audits instead of 5 %
FEW_ANSWERS = 10


@dataclass(frozen=True)
class Strata:
    """sizes: N_h, all claims of each stratum. checked: n_h, those with an expert's label, at random within agreed
    strata. open: disputed claims that experts have not settled; they come in an order that is not random."""

    sizes: Mapping[str, int]
    checked: Mapping[str, int]
    open: int = 0

    @property
    def missing(self) -> str:
        """Why nothing can be said of all claims: "" | "disputed_open" | "stratum_not_checked"."""
        if self.open:
            return "disputed_open"
        unchecked = any(size and not self.checked.get(name) for name, size in self.sizes.items())
        return "stratum_not_checked" if unchecked else ""


@dataclass(frozen=True)
class Reviewed:
    """A claim that experts settled and the judge labelled. claims: of its answer, itself among them."""

    answer: Hashable
    stratum: str
    hallucinated: bool
    supported: bool  # what the judge said
    claims: int = 1
    vague: bool = False

    @property
    def wrong(self) -> bool:
        """The judge called what is hallucinated supported, or the other way round."""
        return self.supported is self.hallucinated


@dataclass(frozen=True)
class Finding:
    """What was measured. p: two-sided, None where nothing was tested.

    detectable: the smallest effect that would be seen with a chance of 80 % at 5 %; None where none would.
    inflation: how many times more claims that takes than independent claims of equal weight.
    """

    estimate: Estimate
    p: float | None = None
    detectable: float | None = None
    inflation: float = 1.0


def nothing(reason: str, n: int = 0, confidence: float = 0.95) -> Finding:
    """A measure that is undefined, with the code of the reason."""
    return Finding(undefined(reason, n, confidence))


def length_slope(
    rows: Sequence[Reviewed], strata: Strata, lengths: Sequence[int], confidence: float = 0.95
) -> Finding:
    """Log odds ratio of "the judge says supported" per standard deviation of the log of an answer's claims.

    Held against the experts' truth, so that answers that are in fact better or worse do not count as bias. Above 0:
    claims of longer answers are called supported more often. lengths: claims of the answer of each claim of the
    audit; it sets the standard deviation.

    Weighted logit, clustered by answer, with t of the smaller of answers and errors, minus 1. Undefined: as
    Strata.missing, "same_length", "too_few_errors" (under 10), "too_few_answers" (under 10), "separation" (a perfect
    split, where no slope is finite).
    """
    n = len(rows)
    logs = [math.log(length) for length in lengths]
    mean = math.fsum(logs) / len(logs) if logs else 0.0
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in logs) / len(logs)) if logs else 0.0
    errors, answers = sum(row.wrong for row in rows), [row.answer for row in rows]
    reason = strata.missing or ("no_shared_items" if not n else "") or ("" if deviation > 1e-9 else "same_length")
    reason = reason or ("too_few_answers" if len(set(answers)) < FEW_ANSWERS else "")
    if reason := reason or ("too_few_errors" if errors < FEW_ERRORS else ""):
        return nothing(reason, n, confidence)
    scaled = [(math.log(row.claims) - mean) / deviation for row in rows]
    weights = weights_of([row.stratum for row in rows], strata.sizes, strata.checked)
    truth = [float(row.hallucinated) for row in rows]
    columns = [scaled, truth] if 0 < sum(truth) < n else [scaled]
    try:
        fit = weighted_logit(columns, [row.supported for row in rows], weights, answers)
    except NotEstimable as error:
        return nothing({"collinear": "same_length"}.get(error.code, error.code), n, confidence)
    inflation = weight_inflation(weights) * design_effect([float(row.wrong) for row in rows], answers)
    share = math.fsum(w for w, row in zip(weights, rows, strict=True) if row.wrong) / math.fsum(weights)
    seen = slope_seen(share, n / inflation, r2=_shared(scaled, truth, weights))
    estimate, p = _by_t(fit.beta[1], fit.se[1], min(fit.answers, errors) - 1, n, confidence)
    return Finding(estimate, p, seen, inflation)


def _by_t(value: float, error: float, freedom: int, n: int, confidence: float) -> tuple[Estimate, float]:
    from scipy.special import stdtr, stdtrit

    reach = float(stdtrit(freedom, 1 - tail(confidence))) * error
    return Estimate(value, value - reach, value + reach, n, confidence), float(
        2 * stdtr(freedom, -abs(value) / error)
    )


def _shared(first: Sequence[float], second: Sequence[float], weights: Sequence[float]) -> float:
    """Squared weighted correlation."""
    import numpy as np

    covariance = np.cov(np.array([first, second]), aweights=np.asarray(weights))
    spread = covariance[0, 0] * covariance[1, 1]
    return float(covariance[0, 1] ** 2 / spread) if spread > 0 else 0.0


@dataclass(frozen=True)
class Third:
    """A third of the claims by the length of their answers: from `least` to `most` claims. wrong: the judge's share
    of wrong labels."""

    least: int
    most: int
    wrong: Estimate


def wrong_by_length(
    rows: Sequence[Reviewed], strata: Strata, lengths: Sequence[int], confidence: float = 0.95
) -> list[Third]:
    """Wrong labels in short, middle and long answers, weighted. Answers of one length stay together, so there may be
    fewer than three parts, and they are thirds only about."""
    ordered = sorted(lengths)
    cuts = sorted({ordered[len(ordered) // 3], ordered[2 * len(ordered) // 3]}) if ordered else []
    found = []
    for number, least in enumerate([0, *cuts]):
        above = [*cuts, math.inf][number]
        inside = [length for length in lengths if least <= length < above]
        if not inside:
            continue
        part = [row for row in rows if least <= row.claims < above]
        share = undefined(strata.missing, len(part), confidence)
        if not strata.missing:
            weights = weights_of([row.stratum for row in part], strata.sizes, strata.checked)
            share = weighted_share(
                [row.wrong for row in part], weights, [row.answer for row in part], confidence, "not_checked"
            )
        found.append(Third(min(inside), max(inside), share))
    return found
