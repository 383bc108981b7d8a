"""The audited estimator: the judges' strata, corrected by a random blind spot check, with bounds that hold.

Post-stratified mean with MOVER-exact bounds (Zou, Huang & Zhang 2009): the exact hypergeometric limit of every
spot-checked stratum, the distances added in quadrature. Nothing is assumed about the judges; the spot check must be a
simple random draw inside each stratum, and the expert's label is the truth by definition.

A claim that no expert could decide has no truth to be missing at random: whoever gives it up may know why. So it
counts against the system wherever a limit is concerned (worst-case imputation, Manski 1990): every upper limit is the
one that experts would have given by calling all such claims hallucinated, every lower limit the one by calling them
supported, and both hold whatever the claims are. The rate itself is of what experts decided: an invented label would
move it, and nobody could tell by how much.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from audits.stats.clustered import design_effect, korn_graubard
from audits.stats.estimate import ICC_FLOOR, MIN_ANSWERS, Estimate, beyond, moved, tail, undefined
from audits.stats.hypergeometric import lower_count, upper_count
from audits.stats.proportions import clopper_pearson

SUPPORTED_STRATA = ("supported", "supported_vague")
DISPUTED = "disputed"
SCOPES = ("dataset", "traffic")


@dataclass(frozen=True)
class AuditedClaim:
    """One claim. truth: an expert's word, True = hallucinated, None = none yet. drawn: by the random spot check.

    given_up: no expert can decide it. With a truth, the truth counts.
    """

    answer: object
    stratum: str
    truth: bool | None
    drawn: bool
    given_up: bool = False


@dataclass(frozen=True)
class Stratum:
    """Counts of one stratum, frozen when the spot check is drawn.

    claims N_h; checked n_h with an expert's label that counts; hallucinated x_h among the checked.
    owed: labels still missing (drawn claims without one; for a disputed stratum every claim without one).
    given_up: claims that would be checked had an expert been able to decide them; neither checked nor owed.
    presumed: the share of hallucinated claims by the judges' own verdict, used only where nothing was checked.
    drawn: True when the checked claims are a random draw; False where all are to be reviewed, so that a partial
    review says nothing about the rest.
    """

    name: str
    claims: int
    checked: int
    hallucinated: int
    owed: int = 0
    presumed: float = 0.0
    drawn: bool = True
    given_up: int = 0

    def imputed(self, hallucinated: bool) -> "Stratum":
        """The stratum as if experts had found every claim that was given up hallucinated, or every one supported."""
        if not self.given_up:
            return self
        return replace(
            self,
            checked=self.checked + self.given_up,
            hallucinated=self.hallucinated + (self.given_up if hallucinated else 0),
            given_up=0,
        )

    @property
    def share(self) -> float:
        """p_h: hallucinated among checked, or the judges' own verdict where nothing was checked."""
        return self.hallucinated / self.checked if self.checked else self.presumed

    @property
    def expected(self) -> float:
        """N_h p_h, whole where all claims were checked: 25 * (7 / 25) would be more than 7 by a last digit."""
        return self.claims * self.hallucinated / self.checked if self.checked else self.claims * self.presumed

    def limits(self, tail: float) -> tuple[float, float]:
        """One-sided limits of the stratum's share: exact, or certain (0 and all) where no random draw speaks."""
        if self.given_up:
            return self.imputed(False).limits(tail)[0], self.imputed(True).limits(tail)[1]
        if self.checked == self.claims:
            return self.share, self.share
        if not self.checked or not self.drawn:
            open_claims = self.claims - self.checked
            return self.hallucinated / self.claims, (self.hallucinated + open_claims) / self.claims
        high = upper_count(self.hallucinated, self.checked, self.claims, tail) / self.claims
        low = lower_count(self.hallucinated, self.checked, self.claims, tail) / self.claims
        # A hypergeometric lower limit sits on a whole claim and under-covers when added in quadrature.
        return min(low, clopper_pearson(self.hallucinated, self.checked, tail)[0]), high

    def estimate(self, confidence: float = 0.95) -> Estimate:
        """The share of the stratum, two-sided; undefined ("not_checked") while no expert has spoken."""
        if not self.checked:
            return undefined("not_checked" if self.claims else "no_claims", 0, confidence)
        low, high = self.limits(tail(confidence))
        return Estimate(self.share, low, high, self.checked, confidence)


@dataclass(frozen=True)
class AuditedEstimate:
    """The corrected rate and what it rests on.

    rate: theta, None without claims. dataset, traffic: two-sided at 95 % unless asked otherwise.
    dataset_limits, traffic_limits: (low, high), each one-sided at the same confidence: what acceptance uses;
    None where nothing can be stated. blocking: codes of what forbids a decision in either scope.
    warnings: codes worth printing that forbid nothing.
    """

    strata: tuple[Stratum, ...]
    claims: int
    answers: int
    deff: float
    confidence: float
    rate: float | None
    dataset: Estimate
    traffic: Estimate
    dataset_limits: tuple[float, float] | None
    traffic_limits: tuple[float, float] | None
    blocking: tuple[str, ...]
    warnings: tuple[str, ...]

    def limits(self, scope: str, confidence: float) -> tuple[float, float] | None:
        """One-sided limits, each with `confidence`, for "dataset" or "traffic"; None where nothing can be stated."""
        tail(confidence)
        if scope not in SCOPES:
            raise ValueError(f"scope is dataset or traffic, not {scope}")
        if not self.claims or (scope == "traffic" and self.answers < MIN_ANSWERS):
            return None
        if scope == "traffic":
            return traffic_limits(self.strata, self.answers, self.deff, beyond(confidence))
        return dataset_limits(self.strata, beyond(confidence))


def theta(strata: Sequence[Stratum]) -> float:
    """Sum of W_h p_h. ValueError without claims."""
    total = sum(s.claims for s in strata)
    if not total:
        raise ValueError("no claims")
    return math.fsum(s.expected for s in strata) / total


def _reach(strata: Sequence[Stratum], tail: float) -> tuple[float, float, float, float]:
    """How far the rate of these claims may lie from theta: (certain down, certain up, random down, random up)."""
    total = sum(s.claims for s in strata)
    certain_down = certain_up = random_down = random_up = 0.0
    for s in strata:
        if not s.claims or s.checked == s.claims:
            continue
        weight = s.claims / total
        low, high = s.limits(tail)
        down, up = weight * (s.share - low), weight * (high - s.share)
        if s.checked and s.drawn:
            random_down, random_up = math.hypot(random_down, down), math.hypot(random_up, up)
        else:
            certain_down, certain_up = certain_down + down, certain_up + up
    return certain_down, certain_up, random_down, random_up


def dataset_limits(strata: Sequence[Stratum], tail: float) -> tuple[float, float]:
    """One-sided limits, each at `tail`, for the rate of exactly these claims."""
    best, worst = _imputed(strata)
    certain_down, _, random_down, _ = _reach(best, tail)
    _, certain_up, _, random_up = _reach(worst, tail)
    return moved(theta(best), -(certain_down + random_down)), moved(theta(worst), certain_up + random_up)


def _imputed(strata: Sequence[Stratum]) -> tuple[list[Stratum], list[Stratum]]:
    """The strata for the lower and for the upper limit: claims that were given up as supported, as hallucinated."""
    return [s.imputed(False) for s in strata], [s.imputed(True) for s in strata]


def traffic_limits(strata: Sequence[Stratum], answers: int, deff: float, tail: float) -> tuple[float, float]:
    """One-sided limits, each at `tail`, for the traffic that the answers are a random sample of.

    The sampling of answers (Korn-Graubard at theta) joins the spot check in quadrature; with fewer than two answers
    the limits are 0 and 1.
    """
    if answers < 2:
        return 0.0, 1.0
    best, worst = _imputed(strata)
    lowest, highest, claims = theta(best), theta(worst), sum(s.claims for s in strata)
    certain_down, _, random_down, _ = _reach(best, tail)
    _, certain_up, _, random_up = _reach(worst, tail)
    low, _ = korn_graubard(lowest, claims, deff, answers, tail)
    _, high = korn_graubard(highest, claims, deff, answers, tail)
    return (
        moved(lowest, -(certain_down + math.hypot(random_down, lowest - low))),
        moved(highest, certain_up + math.hypot(random_up, high - highest)),
    )


def estimate(
    rows: Sequence[AuditedClaim],
    *,
    confidence: float = 0.95,
    supported: Collection[str] = SUPPORTED_STRATA,
    disputed: str = DISPUTED,
    disputed_drawn: bool = False,
    icc_floor: float = ICC_FLOOR,
) -> AuditedEstimate:
    """The audited estimate over all claims of an audit; strata may have any names.

    supported: strata that the judges call supported; each of them must be spot-checked before anything is decided.
    disputed: the stratum that experts review whole (`drawn` is ignored there), unless disputed_drawn says that its
    reviewed part is a random draw. In drawn strata an expert's label counts only on a claim that was drawn: a claim
    that somebody picked is no random sample.
    """
    each = tail(confidence)
    strata = _count(rows, supported, disputed, disputed_drawn)
    answers = len({row.answer for row in rows})
    if not rows:
        nothing = undefined("no_claims", 0, confidence)
        return AuditedEstimate(strata, 0, 0, 1.0, confidence, None, nothing, nothing, None, None, ("no_claims",), ())
    deff = _deff(rows, strata, disputed, icc_floor)
    rate, n = theta(strata), len(rows)
    traffic = Estimate(rate, None, None, n, confidence, "few_answers")
    one_sided = None
    if answers >= MIN_ANSWERS:
        traffic = Estimate(rate, *traffic_limits(strata, answers, deff, each), n, confidence)
        one_sided = traffic_limits(strata, answers, deff, beyond(confidence))
    return AuditedEstimate(
        strata=strata,
        claims=n,
        answers=answers,
        deff=deff,
        confidence=confidence,
        rate=rate,
        dataset=Estimate(rate, *dataset_limits(strata, each), n, confidence),
        traffic=traffic,
        dataset_limits=dataset_limits(strata, beyond(confidence)),
        traffic_limits=one_sided,
        blocking=_blocking(strata, supported, disputed),
        warnings=() if any(s.name == disputed and s.claims for s in strata) else ("judges_never_disagree",),
    )


def _counts(row: AuditedClaim, disputed: str, disputed_drawn: bool) -> bool:
    """True when an expert's label on this claim enters the estimate."""
    return row.drawn or (row.stratum == disputed and not disputed_drawn)


def _count(
    rows: Sequence[AuditedClaim], supported: Collection[str], disputed: str, disputed_drawn: bool
) -> tuple[Stratum, ...]:
    order = [*supported, "contradicted", "unverified", disputed]
    names = sorted({row.stratum for row in rows}, key=lambda name: ([*order, name].index(name), name))
    found = []
    for name in names:
        own = [row for row in rows if row.stratum == name]
        asked = [row for row in own if _counts(row, disputed, disputed_drawn)]
        truths = [row.truth for row in asked if row.truth is not None]
        given_up = sum(row.given_up for row in asked if row.truth is None)
        found.append(
            Stratum(
                name=name,
                claims=len(own),
                checked=len(truths),
                hallucinated=sum(truths),
                owed=len(asked) - len(truths) - given_up,
                presumed=0.0 if name in supported else 1.0,
                drawn=name != disputed or disputed_drawn,
                given_up=given_up,
            )
        )
    return tuple(found)


def _deff(rows: Sequence[AuditedClaim], strata: Sequence[Stratum], disputed: str, icc_floor: float) -> float:
    """The design effect; the largest of what is found with the claims that were given up left out, hallucinated, and
    supported, so that no imputation hides a clustering."""
    answers = [row.answer for row in rows]
    found = design_effect(_expected(rows, strata, disputed, None), answers, icc_floor)
    if any(s.given_up for s in strata):
        for word in (True, False):
            imputed = [s.imputed(word) for s in strata]
            found = max(found, design_effect(_expected(rows, imputed, disputed, word), answers, icc_floor))
    return found


def _expected(
    rows: Sequence[AuditedClaim], strata: Sequence[Stratum], disputed: str, given_up: bool | None
) -> list[float]:
    """Per claim its stratum's share, or the expert's word where the judges disagreed: what shows the clustering.

    given_up: the word to put in for disputed claims that no expert could decide; None: their stratum's share.
    """
    share = {s.name: s.share for s in strata}

    def expected(row: AuditedClaim) -> float:
        truth = given_up if row.truth is None and row.given_up else row.truth
        return float(truth) if row.stratum == disputed and truth is not None else share[row.stratum]

    return [expected(row) for row in rows]


def _blocking(strata: Sequence[Stratum], supported: Collection[str], disputed: str) -> tuple[str, ...]:
    codes = []
    if any(s.claims and not s.checked and s.name in supported for s in strata):
        codes.append("supported_not_checked")
    if any(s.owed for s in strata if s.drawn):
        codes.append("spot_check_incomplete")
    if any(s.owed for s in strata if not s.drawn) or any(
        s.name == disputed and s.claims and not s.checked and not s.given_up for s in strata
    ):
        codes.append("disputed_open")
    return tuple(codes)
