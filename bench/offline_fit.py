"""Fits what the offline judges know: one threshold of rules-1, two ridge logistic regressions of vector-1.

Every set weighs the same, and every class within a set. `python -m bench.offline_fit` writes the weights.
"""

from pathlib import Path
from typing import Any

import numpy as np

from audits.judges.offline import rules, vector
from audits.labels import Label
from bench.open_sets import NOT_FOR_FITTING, Item, items

WEIGHTS = Path(__file__).resolve().parents[1] / "audits/judges/offline/weights.py"
RIDGE = 100.0
Array = Any  # numpy arrays of floats, booleans or text, one entry per claim


def feature_table(claims: list[Item]) -> Array:
    """One row per claim, one column per feature of vector-1; zeros where no passage comes near."""
    none = (0.0,) * len(vector.FEATURES)
    return np.array([vector.features(c.reading) if c.reading.nearest else none for c in claims])


def logistic(values: Array, positive: Array, weights: Array) -> Array:
    """Bias and coefficients of a ridge logistic regression by Newton's method (Hastie et al., ESL, section 4.4.1)."""
    x = np.c_[np.ones(len(values)), values]
    ridge = np.eye(x.shape[1]) * RIDGE
    ridge[0, 0] = 0.0
    weights = weights / weights.mean()
    beta = np.zeros(x.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-np.clip(x @ beta, -30, 30)))
        gradient = x.T @ (weights * (p - positive)) + ridge @ beta
        step = np.linalg.solve((x * (weights * p * (1 - p) + 1e-9)[:, None]).T @ x + ridge, gradient)
        beta -= step
        if abs(step).max() < 1e-8:
            break
    return beta


def even_weights(sets: Array, positive: Array) -> Array:
    """The same total weight for both classes of every set."""
    weights = np.zeros(len(sets))
    for name in set(sets):
        for value in (True, False):
            here = (sets == name) & (positive == value)
            if here.any():
                weights[here] = 1 / here.sum()
    return weights


def with_both(sets: Array, positive: Array) -> Array:
    """Which claims belong to a set that has both classes."""
    both = [name for name in set(sets) if 0 < positive[sets == name].mean() < 1]
    return np.isin(sets, both)


def fit(values: Array, gold: Array, sets: Array, use: Array) -> tuple[Array, Array]:
    """The two regressions on scaled values: supported or not; contradicted or unverified."""
    supported = gold == "SUPPORTED"
    first = use & with_both(sets, supported)
    second = use & np.isin(gold, ("CONTRADICTED", "UNVERIFIED"))
    contradicted = gold == "CONTRADICTED"
    return (
        logistic(values[first], supported[first], even_weights(sets[first], supported[first])),
        logistic(values[second], contradicted[second], even_weights(sets[second], contradicted[second])),
    )


def best_threshold(scores: Array, supported: Array, sets: Array, use: Array) -> float:
    """The threshold with the best mean balanced accuracy over the sets in use that have both classes."""
    use = use & with_both(sets, supported)
    names = sorted(set(sets[use]))

    def mean_accuracy(threshold: float) -> float:
        told = scores >= threshold
        return float(np.mean([balanced(told[sets == name], supported[sets == name]) for name in names]))

    return max(np.quantile(scores[use], np.linspace(0.02, 0.98, 97)), key=mean_accuracy)


def balanced(told: Array, true: Array) -> float:
    """Mean of sensitivity and specificity; both classes must occur."""
    return float((told[true].mean() + (1 - told[~true].mean())) / 2)


def arrays(claims: list[Item]) -> tuple[Array, Array, Array]:
    """Labels, sets and families of the claims."""
    return tuple(np.array([getattr(claim, name) for claim in claims]) for name in ("label", "set", "family"))  # type: ignore[return-value]


def left_out(claims: list[Item], values: Array) -> dict[str, Array]:
    """What each judge would say of every set had it been fitted on the sets of other origin only."""
    gold, sets, families = arrays(claims)
    scaled = (values - values.mean(0)) / (values.std(0) + 1e-9)
    shipped = np.array([str(rules.judge(claim.reading).label) for claim in claims])
    scores = np.array([support_score(claim) for claim in claims])
    by_vector, by_rules = np.empty(len(claims), dtype="<U12"), shipped.copy()
    free = ~np.isin(sets, NOT_FOR_FITTING)
    for family in sorted(set(families)):
        here, use = families == family, (families != family) & free
        first, second = fit(scaled, gold, sets, use)
        yes = first[0] + scaled[here] @ first[1:] >= 0
        against = second[0] + scaled[here] @ second[1:] >= 0
        by_vector[here] = np.where(yes, "SUPPORTED", np.where(against, "CONTRADICTED", "UNVERIFIED"))
        threshold = best_threshold(scores, gold == "SUPPORTED", sets, use)
        denied = np.where(shipped[here] == "SUPPORTED", "UNVERIFIED", shipped[here])
        by_rules[here] = np.where(scores[here] >= threshold, "SUPPORTED", denied)
    return {"rules": by_rules, "vector": by_vector}


def support_score(claim: Item) -> float:
    """The score of rules-1, below every threshold where a rule forbids support."""
    finding = rules.judge(claim.reading)
    forbidden = finding.reason in ("number", "negation", "opposite", "no_context")
    forbidden = forbidden or bool(claim.reading.missing_quantities) or not claim.reading.nearest
    return -1.0 if forbidden and finding.label is not Label.SUPPORTED else rules.score(claim.reading)


def main() -> None:
    """Fit on all sets whose terms allow it, and write the weights into the product."""
    claims = list(items())
    values = feature_table(claims)
    gold, sets, _ = arrays(claims)
    mean, scale = values.mean(0), values.std(0) + 1e-9
    first, second = fit((values - mean) / scale, gold, sets, ~np.isin(sets, NOT_FOR_FITTING))
    lines = ['"""Weights of vector-1: numbers only, written by `python -m bench.offline_fit`."""', ""]
    for name, numbers in (("MEAN", mean), ("SCALE", scale), ("SUPPORTED", first), ("CONTRADICTED", second)):
        lines.append(f"{name} = (")
        lines += [f"    {number:.4f}," for number in numbers]
        lines.append(")")
    WEIGHTS.write_text("\n".join(lines) + "\n", encoding="utf-8")
    scores = np.array([support_score(claim) for claim in claims])
    threshold = best_threshold(scores, gold == "SUPPORTED", sets, ~np.isin(sets, NOT_FOR_FITTING))
    print(f"Weights written. The best threshold of rules-1 would be {threshold:.3f} (it is {rules.SUPPORTED_FROM}).")


if __name__ == "__main__":
    main()
