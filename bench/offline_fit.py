"""Fits what the offline judges know: one threshold of rules-1, two logistic regressions of vector-1.

Only on sets that are free with attribution (FREE_FOR_FITTING). Both languages weigh the same, both classes within a
language, and every origin within a class. `python -m bench.offline_fit` writes the weights.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from audits.judges.offline import rules, vector
from audits.labels import Label
from bench.altered import altered
from bench.open_sets import FREE_FOR_FITTING, Item, items

WEIGHTS = Path(__file__).resolve().parents[1] / "audits/judges/offline/weights.py"
RIDGE = 300.0  # strong: shares that tell nearly the same shall share the weight, which carries over to other texts
RIDGE_OF_TELLS = 10.0
ALTERED_SHARE = 0.5  # claims altered by machine weigh half as much as those that people wrote
PLATEAU = 0.005  # thresholds within this of the best mean accuracy are equally good
OVERLAPS = len(vector.OVERLAP)
Array = Any  # numpy arrays of floats, booleans or text, one entry per claim


class Fit(NamedTuple):
    """Both regressions of vector-1 on values scaled by mean and scale: each a bias, then one weight per feature."""

    mean: Array
    scale: Array
    supported: Array
    contradicted: Array

    def labels(self, claims: "Claims", here: Array) -> Array:
        """What vector-1 says with these weights."""
        x = (claims.values[here] - self.mean) / self.scale
        first, second = (model[0] + x @ model[1:] for model in (self.supported, self.contradicted))
        sure = np.log(vector.CONTRADICTED_FROM / (1 - vector.CONTRADICTED_FROM))
        labels = np.where(first >= 0, "SUPPORTED", np.where(second >= sure, "CONTRADICTED", "UNVERIFIED"))
        return np.where(claims.near[here], labels, "UNVERIFIED")


class Claims:
    """Claims as columns; altered ones have a set name with a plus sign."""

    def __init__(self, claims: list[Item]) -> None:
        self.values = feature_table(claims)
        self.gold, self.sets, self.families = arrays(claims)
        self.languages = np.array([claim.language for claim in claims])
        self.altered = np.char.find(self.sets, "+") >= 0
        self.near = np.array([bool(claim.reading.nearest) for claim in claims])  # the others need no regression


def feature_table(claims: list[Item]) -> Array:
    """One row per claim, one column per feature of vector-1; zeros where no passage comes near."""
    none = (0.0,) * len(vector.FEATURES)
    return np.array([vector.features(c.reading) if c.reading.nearest else none for c in claims])


def logistic(x: Array, positive: Array, weights: Array, ridge: Array, offset: Array, signs: Array) -> Array:
    """Coefficients of a ridge logistic regression by Newton's method (Hastie et al., ESL, section 4.4.1).

    A column whose coefficient would have another sign than asked for (+1, -1; 0 for either) is left out: more overlap
    must never speak against support, whatever a set's sampling suggests.
    """
    used, weights = np.arange(x.shape[1]), weights / weights.mean()
    while True:
        beta = _newton(x[:, used], positive, weights, ridge[used], offset)
        wrong = beta * signs[used]
        if (wrong >= 0).all():
            result = np.zeros(x.shape[1])
            result[used] = beta
            return result
        used = np.delete(used, wrong.argmin())


def _newton(x: Array, positive: Array, weights: Array, ridge: Array, offset: Array) -> Array:
    beta = np.zeros(x.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-np.clip(offset + x @ beta, -30, 30)))
        gradient = x.T @ (weights * (p - positive)) + ridge * beta
        step = np.linalg.solve((x * (weights * p * (1 - p) + 1e-9)[:, None]).T @ x + np.diag(ridge), gradient)
        beta -= step
        if abs(step).max() < 1e-8:
            break
    return beta


def even_weights(claims: Claims, positive: Array, use: Array) -> Array:
    """Weights that make languages, classes, origins and sets count the same; 0 for a language with one class."""
    weights = np.zeros(len(positive))
    for language in set(claims.languages[use]):
        spoken = use & (claims.languages == language)
        if not 0 < positive[spoken].mean() < 1:
            continue
        for value in (True, False):
            here = spoken & (positive == value)
            for family in set(claims.families[here]):
                own = here & (claims.families == family)
                for name in set(claims.sets[own & ~claims.altered]):
                    weights[own & (claims.sets == name)] = 1 / (own & (claims.sets == name)).sum()
                weights[own & ~claims.altered] /= max(1, weights[own].sum())
                weights[own & claims.altered] = ALTERED_SHARE / max(1, (own & claims.altered).sum())
            weights[here] /= weights[here].sum()
    return weights


def fit(claims: Claims, use: Array) -> Fit:
    """The two regressions: supported or not; contradicted or unverified. Tells are mostly 0 and not scaled."""
    use = use & claims.near
    supported = claims.gold == "SUPPORTED"
    weights = even_weights(claims, supported, use & ~claims.altered)
    mean = np.average(claims.values, axis=0, weights=weights)
    scale = np.sqrt(np.average((claims.values - mean) ** 2, axis=0, weights=weights)) + 1e-9
    mean[OVERLAPS:], scale[OVERLAPS:] = 0.0, 1.0
    scaled = (claims.values - mean) / scale
    negative = use & np.isin(claims.gold, ("CONTRADICTED", "UNVERIFIED"))
    return Fit(
        mean,
        scale,
        regression(claims, scaled, supported, use, tell_sign=-1),
        regression(claims, scaled, claims.gold == "CONTRADICTED", negative, tell_sign=1),
    )


def regression(claims: Claims, scaled: Array, positive: Array, use: Array, tell_sign: int) -> Array:
    """Overlap is weighed by what people wrote alone; then, on top of that, the tells by altered claims too.

    In one go the altered claims, nearly all of high overlap, would teach that overlap means little.
    """
    x = np.c_[np.ones(len(scaled)), scaled[:, :OVERLAPS]]
    weights = even_weights(claims, positive, use & ~claims.altered)
    of = weights > 0
    ridge, signs = np.r_[0.0, np.full(OVERLAPS, RIDGE)], np.r_[0, np.ones(OVERLAPS)]
    first = logistic(x[of], positive[of], weights[of], ridge, np.zeros(of.sum()), signs)
    weights = even_weights(claims, positive, use)
    of, tells = weights > 0, scaled[:, OVERLAPS:]
    count = tells.shape[1]
    ridge, signs = np.full(count, RIDGE_OF_TELLS), np.full(count, tell_sign)
    second = logistic(tells[of], positive[of], weights[of], ridge, (x @ first)[of], signs)
    return np.r_[first, second]


def best_threshold(scores: Array, supported: Array, sets: Array, use: Array, near: float = PLATEAU) -> float:
    """The middle of the (nearly) best thresholds by balanced accuracy: its mean over sets, then over languages."""
    groups: dict[bool, list[Array]] = {}
    for name in sorted(set(sets[use])):
        if 0 < supported[use & (sets == name)].mean() < 1:
            groups.setdefault("_zh" in name, []).append(use & (sets == name))
    thresholds = np.linspace(0.02, 1.0, 99)
    accuracies = np.array(
        [
            np.mean([np.mean([balanced(scores[s] >= t, supported[s]) for s in some]) for some in groups.values()])
            for t in thresholds
        ]
    )
    return float(np.median(thresholds[accuracies >= accuracies.max() - near]))


def balanced(told: Array, true: Array) -> float:
    """Mean of sensitivity and specificity; both classes must occur."""
    return float((told[true].mean() + (1 - told[~true].mean())) / 2)


def arrays(claims: list[Item]) -> tuple[Array, Array, Array]:
    """Labels, sets and families of the claims."""
    return tuple(np.array([getattr(claim, name) for claim in claims]) for name in ("label", "set", "family"))  # type: ignore[return-value]


def left_out(claims: list[Item], shipped: dict[str, Array]) -> dict[str, Array]:
    """What each judge would say of every set had it been fitted on the free sets of other origin only.

    For a set that may not be fitted on, that is what the shipped judge says.
    """
    told = {name: labels.copy() for name, labels in shipped.items()}
    free = [at for at, claim in enumerate(claims) if claim.set in FREE_FOR_FITTING]
    some = [claims[at] for at in free]
    columns = Claims([*some, *altered(some)])
    scores = np.array([support_score(claim) for claim in some])
    own, count = np.array(free), len(some)
    supported, sets = columns.gold[:count] == "SUPPORTED", columns.sets[:count]
    for family in sorted(set(columns.families)):
        use = columns.families != family
        here = ~use[:count]
        told["vector"][own[here]] = fit(columns, use).labels(columns, np.flatnonzero(here))
        threshold = best_threshold(scores, supported, sets, use[:count])
        denied = shipped["rules"][own[here]]
        denied = np.where(denied == "SUPPORTED", "UNVERIFIED", denied)
        told["rules"][own[here]] = np.where(scores[here] >= threshold, "SUPPORTED", denied)
    return told


def support_score(claim: Item) -> float:
    """The score of rules-1, below every threshold where a rule forbids support."""
    finding = rules.judge(claim.reading)
    forbidden = finding.reason in ("number", "negation", "opposite", "no_context")
    forbidden = forbidden or bool(claim.reading.missing_quantities) or not claim.reading.nearest
    return -1.0 if forbidden and finding.label is not Label.SUPPORTED else rules.score(claim.reading)


def main() -> None:
    """Fit on all sets whose licence allows it, and write the weights into the product."""
    claims = [claim for claim in items() if claim.set in FREE_FOR_FITTING]
    columns = Claims([*claims, *altered(claims)])
    lines = ['"""Weights of vector-1: numbers only, written by `python -m bench.offline_fit`."""', ""]
    fitted = fit(columns, columns.near)
    for name, numbers in fitted._asdict().items():
        lines += [f"{name.upper()} = (", *(f"    {number:.4f}," for number in numbers), ")"]
    WEIGHTS.write_text("\n".join(lines) + "\n", encoding="utf-8")
    scores = np.array([support_score(claim) for claim in claims])
    gold, sets, _ = arrays(claims)
    threshold = best_threshold(scores, gold == "SUPPORTED", sets, np.ones(len(claims), dtype=bool))
    print(f"Weights written. The best threshold of rules-1 would be {threshold:.3f} (it is {rules.SUPPORTED_FROM}).")


if __name__ == "__main__":
    main()
