"""Claims that stand for unequally many others: what that costs, and shares of them."""

import math
from collections.abc import Hashable, Mapping, Sequence

from audits.stats.clustered import design_effect, korn_graubard
from audits.stats.estimate import Estimate, tail, undefined


def weight_inflation(weights: Sequence[float]) -> float:
    """n * sum w^2 / (sum w)^2: how many times more claims are needed than of equal weight (Kish 1965). 1 for none."""
    total = math.fsum(weights)
    return len(weights) * math.fsum(weight**2 for weight in weights) / total**2 if total else 1.0


def weights_of(strata: Sequence[str], sizes: Mapping[str, int], checked: Mapping[str, int]) -> list[float]:
    """N_h / n_h for each claim by its stratum: how many claims it stands for."""
    return [sizes[name] / checked[name] for name in strata]


def weighted_share(
    values: Sequence[bool],
    weights: Sequence[float],
    answers: Sequence[Hashable],
    confidence: float = 0.95,
    empty: str = "no_claims",
) -> Estimate:
    """The weighted share of claims for which something holds (Hajek), with limits that respect weights and answers.

    Korn-Graubard at n / (design effect * inflation by weights). Undefined (reason `empty`) without claims, without
    limits ("one_answer") when all lie in one answer.
    """
    n, count = len(values), len(set(answers))
    if not n:
        return undefined(empty, 0, confidence)
    share = math.fsum(w for value, w in zip(values, weights, strict=True) if value) / math.fsum(weights)
    if count < 2:
        return Estimate(share, None, None, n, confidence, "one_answer")
    inflation = design_effect([float(value) for value in values], answers) * weight_inflation(weights)
    low, high = korn_graubard(share, n, inflation, count, tail(confidence))
    return Estimate(share, low, high, n, confidence)
