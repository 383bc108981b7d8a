"""Who lets hallucination pass: vague claims against specific ones, and one judge against the other.

What both judges miss lies among the claims that they agree to call supported, of which experts see the smallest part.
So the number of hallucinated claims is itself an estimate, and its exact limits per stratum go into every interval.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from audits.stats.audited import DISPUTED, SUPPORTED_STRATA
from audits.stats.bias import FEW_ANSWERS, Finding, Reviewed, Strata, nothing
from audits.stats.clustered import design_effect
from audits.stats.detectable import difference_seen, gap_seen, shift_seen
from audits.stats.difference import mover
from audits.stats.estimate import Estimate, tail, undefined
from audits.stats.gaps import difference_in_differences, weighted_mean
from audits.stats.hypergeometric import share_limits
from audits.stats.paired import agresti_min, swapped
from audits.stats.proportions import wilson
from audits.stats.weighting import weight_inflation, weights_of


@dataclass(frozen=True)
class FalseSupport:
    """rate: of hallucinated claims, the share that the judge calls supported, weighted. n: hallucinated claims seen.

    effective: their number after weights and answers.
    """

    rate: Estimate
    effective: float


def false_support(
    rows: Sequence[Reviewed], strata: Strata, sizes: dict[str, int], confidence: float = 0.95
) -> FalseSupport:
    """The false-support rate among these claims. sizes: claims of this kind in each stratum.

    A stratum brings N_h / n_h claims for each hallucinated one that was seen. Limits: each stratum's share of missed
    and of found claims goes to its exact limit (never beyond the claims of this kind); Wilson's limits at the
    number of hallucinated claims over the design effect stand for the chance that these came up; all in quadrature.
    Undefined: as Strata.missing, "none_hallucinated".
    """
    seen = [row for row in rows if row.hallucinated]
    if strata.missing:
        return FalseSupport(undefined(strata.missing, len(seen), confidence), 0.0)
    if not seen:
        return FalseSupport(undefined("none_hallucinated", 0, confidence), 0.0)
    each = tail(confidence)
    cells = [
        _Cell.of(name, supported, seen, strata, sizes, each) for name in strata.sizes for supported in (True, False)
    ]
    cells = [cell for cell in cells if cell.high > 0]
    value = _ratio([cell.value for cell in cells], cells)
    weights = weights_of([row.stratum for row in seen], strata.sizes, strata.checked)
    deff = design_effect([float(row.supported) for row in seen], [row.answer for row in seen])
    effective = len(seen) / (weight_inflation(weights) * deff)
    size = math.fsum(cell.value for cell in cells) / deff
    floor, top = wilson(value * size, size, each)
    down, up = value - floor, top - value
    for number, cell in enumerate(cells):
        for limit in (cell.low, cell.high):
            moved = [limit if k == number else other.value for k, other in enumerate(cells)]
            step = _ratio(moved, cells) - value
            down, up = (math.hypot(down, step), up) if step < 0 else (down, math.hypot(up, step))
    low, high = max(0.0, value - down), min(1.0, value + up)
    return FalseSupport(Estimate(value, low, high, len(seen), confidence), effective)


@dataclass(frozen=True)
class _Cell:
    """Hallucinated claims of one stratum that the judge calls supported, or not so: how many, with exact limits."""

    supported: bool
    value: float
    low: float
    high: float

    @classmethod
    def of(
        cls, name: str, supported: bool, seen: Sequence[Reviewed], strata: Strata, sizes: dict[str, int], tail: float
    ) -> "_Cell":
        size, drawn, kind = strata.sizes[name], strata.checked.get(name, 0), sizes.get(name, 0)
        count = sum(row.stratum == name and row.supported is supported for row in seen)
        possible = count or _may_hold(name, supported)
        if not drawn or not kind or not possible:
            return cls(supported, 0.0, 0.0, 0.0)
        low, high = share_limits(count, drawn, size, tail)
        value = size * count / drawn
        return cls(supported, value, min(value, size * low), max(value, min(float(kind), size * high)))


def _may_hold(name: str, supported: bool) -> bool:
    """Whether claims that nobody saw there can be of that sort: in an agreed stratum the judge said one thing."""
    return name == DISPUTED or (name in SUPPORTED_STRATA) is supported


def _ratio(values: Sequence[float], cells: Sequence[_Cell]) -> float:
    total = math.fsum(values)
    missed = math.fsum(value for value, cell in zip(values, cells, strict=True) if cell.supported)
    return missed / total if total > 0 else 0.0


def vagueness(
    rows: Sequence[Reviewed], strata: Strata, kinds: tuple[dict[str, int], dict[str, int]], confidence: float = 0.95
) -> tuple[Finding, FalseSupport, FalseSupport]:
    """False-support rate of vague claims minus that of specific ones, and both rates.

    kinds: vague and specific claims of each stratum. The limits of the two rates are joined as Newcombe's are (1998,
    Statistics in Medicine 17:873, method 10: distances in quadrature). p: see p_of.
    """
    vague, specific = (
        false_support([row for row in rows if row.vague is kind], strata, sizes, confidence)
        for kind, sizes in zip((True, False), kinds, strict=True)
    )
    n = vague.rate.n + specific.rate.n
    one, other = vague.rate, specific.rate
    if one.value is None or other.value is None:
        reason = strata.missing or ("no_vague_hallucinated" if one.value is None else "no_specific_hallucinated")
        return nothing(reason, n, confidence), vague, specific
    low, high = mover(other, one)
    estimate = Estimate(one.value - other.value, max(-1.0, low), min(1.0, high), n, confidence)
    base = (other.value * specific.effective + 0.5) / (specific.effective + 1)
    seen = difference_seen(base, vague.effective, specific.effective)
    inflation = n / (vague.effective + specific.effective)
    return Finding(estimate, p_of(estimate), seen, inflation), vague, specific


def p_of(estimate: Estimate) -> float | None:
    """Two-sided p of 0 from an interval, by the normal curve on the side of 0 (Altman & Bland 2011, BMJ 343:d2304).

    None without an interval.
    """
    from scipy.special import ndtr, ndtri

    if estimate.value is None or estimate.low is None or estimate.high is None:
        return None
    reach = estimate.value - estimate.low if estimate.value > 0 else estimate.high - estimate.value
    if estimate.value == 0 or reach <= 0:
        return 1.0
    z = -float(ndtri(tail(estimate.confidence)))
    return float(2 * ndtr(-abs(estimate.value) / reach * z))


@dataclass(frozen=True)
class Both:
    """A claim that two judges labelled. gap: 1 when only the first says supported, -1 when only the second does."""

    answer: Hashable
    stratum: str
    gap: int
    hallucinated: bool = True


def leniency_gap(rows: Sequence[Both], strata: Strata, confidence: float = 0.95) -> Finding:
    """How much more often the first judge calls hallucinated claims supported than the second does, weighted.

    rows: reviewed claims. Judges differ on disputed claims only, so p comes from these: exact, answers swapped as
    wholes (paired.swapped). The interval takes the larger of the clustered error and of Agresti-Min's at the
    effective number of claims, and in quadrature the exact limits of how many hallucinated claims there are.
    Undefined: as Strata.missing, "none_hallucinated", "one_answer".
    """
    seen = [row for row in rows if row.hallucinated]
    answers, gaps = [row.answer for row in seen], [row.gap for row in seen]
    reason = strata.missing or ("none_hallucinated" if not seen else "")
    if reason := reason or ("one_answer" if len(set(answers)) < 2 else ""):
        return nothing(reason, len(seen), confidence)
    each = tail(confidence)
    weights = weights_of([row.stratum for row in seen], strata.sizes, strata.checked)
    value, error = weighted_mean([float(gap) for gap in gaps], weights, answers)
    inflation = weight_inflation(weights) * design_effect([float(gap) for gap in gaps], answers)
    effective, total = len(seen) / inflation, math.fsum(weights)
    shares = [math.fsum(w for w, g in zip(weights, gaps, strict=True) if g == side) / total for side in (-1, 1)]
    low, high = agresti_min(shares[0] * effective, shares[1] * effective, effective, each)
    reach = max(_t_reach(len(set(answers)), each) * error, value - low, high - value)
    inward, outward = _moves(value, seen, strata, each)
    toward, away = math.hypot(reach, inward), math.hypot(reach, outward)
    down, up = (toward, away) if value > 0 else (away, toward)
    estimate = Estimate(value, max(-1.0, value - down), min(1.0, value + up), len(seen), confidence)
    sums: dict[Hashable, int] = {}
    for answer, gap in zip(answers, gaps, strict=True):
        sums[answer] = sums.get(answer, 0) + gap
    discordant = (sum(shares) * effective + 1) / (effective + 2)
    return Finding(estimate, swapped(list(sums.values())), shift_seen(discordant, effective), inflation)


def _moves(value: float, seen: Sequence[Both], strata: Strata, tail: float) -> tuple[float, float]:
    """How far the gap moves to 0, and away from it, if there are as many or as few hallucinated claims as may be."""
    more = fewer = total = 0.0
    for name, size in strata.sizes.items():
        if size:
            drawn, count = strata.checked[name], sum(row.stratum == name for row in seen)
            low, high = share_limits(count, drawn, size, tail)
            total += size * count / drawn
            more, fewer = (
                math.hypot(more, size * (high - count / drawn)),
                math.hypot(fewer, size * (count / drawn - low)),
            )
    least = max(total - fewer, total * abs(value), 1e-9)  # no gap exceeds 1
    return abs(value) * (1 - total / (total + more)), abs(value) * (total / least - 1)


def _t_reach(answers: int, tail: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(answers - 1, 1 - tail))


def generator_gap(rows: Sequence[tuple[Both, bool]], confidence: float = 0.95) -> Finding:
    """The gap of two judges in answers of one generator minus that in answers of the others; the truth cancels.

    rows: (claim, whether the one generator wrote it), all claims that both judges labelled, so nothing is weighted.
    Clustered t interval, no narrower than Agresti-Min's variance with the design effect of answers would make it.
    Undefined: "no_shared_items", "one_generator", "too_few_answers" (under 10 in either group).
    """
    from scipy.special import stdtr

    n = len(rows)
    groups = [[row for row, own in rows if own is side] for side in (True, False)]
    reason = "no_shared_items" if not n else "" if all(groups) else "one_generator"
    counts = [len({row.answer for row in group}) for group in groups]
    if reason := reason or ("too_few_answers" if min(counts) < FEW_ANSWERS else ""):
        return nothing(reason, n, confidence)
    value, error = difference_in_differences(
        [float(row.gap) for row, _ in rows], [own for _, own in rows], [row.answer for row, _ in rows]
    )
    parts = [_group(group) for group in groups]
    floor = math.sqrt(math.fsum((share - mean**2) / size for share, mean, size in parts))
    error = max(error, floor)
    reach = _t_reach(2 * min(counts), tail(confidence)) * error
    estimate = Estimate(value, max(-2.0, value - reach), min(2.0, value + reach), n, confidence)
    (one, _, size), (other, _, others) = parts
    p = float(2 * stdtr(2 * min(counts) - 1, -abs(value) / error))
    return Finding(estimate, p, gap_seen(one, size, other, others), n / (size + others))


def _group(rows: Sequence[Both]) -> tuple[float, float, float]:
    """(share on which the judges differ, mean gap, effective claims), half a claim added to each side."""
    gaps = [row.gap for row in rows]
    size = len(gaps) / design_effect([float(gap) for gap in gaps], [row.answer for row in rows])
    lost, won = (gaps.count(side) * size / len(gaps) + 0.5 for side in (-1, 1))
    return (lost + won) / (size + 2), (won - lost) / (size + 2), size
