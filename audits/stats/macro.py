"""The rate per answer: the mean over answers of each answer's hallucinated share, corrected by the spot check.

A claim of an answer with m claims weighs 1 / (A m), A answers. A stratum's share is a ratio of weights (Hajek 1971);
their exact limits are taken at Kish's effective number of claims and joined by MOVER, as in audits.stats.audited.
Answers without claims have no rate and are in no number here. Claims that no expert could decide count as supported
in every lower limit and as hallucinated in every upper one, as there, too.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from audits.stats.audited import DISPUTED, SUPPORTED_STRATA, AuditedClaim
from audits.stats.clustered import korn_graubard
from audits.stats.estimate import ICC_FLOOR, MIN_ANSWERS, Estimate, tail, undefined
from audits.stats.proportions import clopper_pearson


@dataclass(frozen=True)
class MacroEstimate:
    """answers: those with claims. dataset: of exactly these answers; traffic: of the traffic they were drawn from."""

    answers: int
    dataset: Estimate
    traffic: Estimate


@dataclass(frozen=True)
class _Stratum:
    """Sums of weights: of all claims, of those seen, of those seen and hallucinated; effective: Kish's number."""

    weight: float
    seen: float
    hallucinated: float
    effective: float
    presumed: float
    whole: bool  # nothing is left to be guessed: all were seen
    drawn: bool

    @property
    def share(self) -> float:
        return self.hallucinated / self.seen if self.seen else self.presumed

    def limits(self, each: float) -> tuple[float, float]:
        if self.whole:
            return self.share, self.share
        if not self.seen or not self.drawn:
            left = self.weight - self.seen
            return self.hallucinated / self.weight, (self.hallucinated + left) / self.weight
        return clopper_pearson(self.share * self.effective, self.effective, each)


def macro(
    rows: Sequence[AuditedClaim],
    *,
    confidence: float = 0.95,
    supported: Collection[str] = SUPPORTED_STRATA,
    disputed: str = DISPUTED,
    icc_floor: float = ICC_FLOOR,
    min_answers: int = MIN_ANSWERS,
) -> MacroEstimate:
    """The rate per answer over all claims of an audit. rows: as audits.stats.audited.estimate takes them.

    An expert's label counts on drawn claims and on disputed ones. Undefined ("no_claims") without claims; the traffic
    has no limits ("few_answers") below min_answers, at least 2.
    """
    sizes: dict[object, int] = defaultdict(int)
    for row in rows:
        sizes[row.answer] += 1
    answers, each = len(sizes), tail(confidence)
    if not answers:
        return MacroEstimate(0, undefined("no_claims", 0, confidence), undefined("no_claims", 0, confidence))
    said = _read(rows, sizes, supported, disputed, each, icc_floor)
    best = worst = said
    if any(row.given_up and row.truth is None for row in rows):
        best = _read(_imputed(rows, False), sizes, supported, disputed, each, icc_floor)
        worst = _read(_imputed(rows, True), sizes, supported, disputed, each, icc_floor)
    dataset = Estimate(
        said.rate,
        max(0.0, best.rate - best.certain_down - best.down),
        min(1.0, worst.rate + worst.certain_up + worst.up),
        answers,
        confidence,
    )
    traffic = Estimate(said.rate, None, None, answers, confidence, "few_answers")
    if answers >= max(2, min_answers):
        # The fewest effective answers of the three, so that no imputation hides how unlike the answers are.
        effective = min(said.effective, best.effective, worst.effective)
        low, _ = korn_graubard(best.rate, effective, 1.0, answers, each)
        _, high = korn_graubard(worst.rate, effective, 1.0, answers, each)
        traffic = Estimate(
            said.rate,
            max(0.0, best.rate - best.certain_down - math.hypot(best.down, best.rate - low)),
            min(1.0, worst.rate + worst.certain_up + math.hypot(worst.up, high - worst.rate)),
            answers,
            confidence,
        )
    return MacroEstimate(answers, dataset, traffic)


@dataclass(frozen=True)
class _Reading:
    """The rate of these rows, how far it may lie from the truth for certain and at random, and the effective number
    of answers."""

    rate: float
    certain_down: float
    certain_up: float
    down: float
    up: float
    effective: float


def _read(
    rows: Sequence[AuditedClaim],
    sizes: dict[object, int],
    supported: Collection[str],
    disputed: str,
    each: float,
    icc_floor: float,
) -> _Reading:
    strata = _strata(rows, sizes, supported, disputed)
    rate = math.fsum(part.weight * part.share for part in strata.values())
    return _Reading(rate, *_reach(strata.values(), each), _effective(rows, sizes, strata, rate, disputed, icc_floor))


def _imputed(rows: Sequence[AuditedClaim], hallucinated: bool) -> list[AuditedClaim]:
    """The rows as if experts had found every claim that was given up hallucinated, or every one supported."""
    return [replace(row, truth=hallucinated) if row.given_up and row.truth is None else row for row in rows]


def _known(row: AuditedClaim, disputed: str) -> bool:
    return row.truth is not None and (row.drawn or row.stratum == disputed)


def _strata(
    rows: Sequence[AuditedClaim], sizes: dict[object, int], supported: Collection[str], disputed: str
) -> dict[str, _Stratum]:
    groups: dict[str, list[AuditedClaim]] = defaultdict(list)
    for row in rows:
        groups[row.stratum].append(row)
    found = {}
    for name, group in groups.items():
        known = [row for row in group if _known(row, disputed)]
        weights = [1 / (len(sizes) * sizes[row.answer]) for row in known]
        seen = math.fsum(weights)
        found[name] = _Stratum(
            weight=math.fsum(1 / (len(sizes) * sizes[row.answer]) for row in group),
            seen=seen,
            hallucinated=math.fsum(w for w, row in zip(weights, known, strict=True) if row.truth),
            effective=seen**2 / math.fsum(w * w for w in weights) if weights else 0.0,
            presumed=0.0 if name in supported else 1.0,
            whole=len(known) == len(group),
            drawn=name != disputed,
        )
    return found


def _reach(strata: Collection[_Stratum], each: float) -> tuple[float, float, float, float]:
    certain_down = certain_up = down = up = 0.0
    for part in strata:
        low, high = part.limits(each)
        below, above = part.weight * (part.share - low), part.weight * (high - part.share)
        if part.seen and part.drawn:
            down, up = math.hypot(down, below), math.hypot(up, above)
        else:
            certain_down, certain_up = certain_down + below, certain_up + above
    return certain_down, certain_up, down, up


def _effective(
    rows: Sequence[AuditedClaim],
    sizes: dict[object, int],
    strata: dict[str, _Stratum],
    rate: float,
    disputed: str,
    icc_floor: float,
) -> float:
    """How many independent answers these stand for, to be used as Korn & Graubard 1998 do: by the variance of their
    expected shares, not below that of claims with an intraclass correlation of icc_floor."""
    answers = len(sizes)
    if answers < 2:
        return float(answers)
    expected: dict[object, float] = defaultdict(float)
    for row in rows:
        known = row.stratum == disputed and row.truth is not None
        expected[row.answer] += float(bool(row.truth)) if known else strata[row.stratum].share
    shares = [expected[answer] / size for answer, size in sizes.items()]
    mean = math.fsum(shares) / answers
    variance = math.fsum((share - mean) ** 2 for share in shares) / (answers - 1) / answers
    claims = len(rows) / answers
    least = rate * (1 - rate) / answers * max(icc_floor, (1 + icc_floor * (claims - 1)) / claims)
    variance = max(variance, least)
    return rate * (1 - rate) / variance if variance > 0 else float(answers)
