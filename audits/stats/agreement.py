"""How far two raters agree, beyond one number: the table, the share, Cohen's kappa and Gwet's AC1.

At 98 % agreement and few hallucinations kappa is 0.49 and AC1 0.98, so kappa never stands alone; and agreement of two
judges is not accuracy: errors that they share raise it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from audits.labels import Label
from audits.stats.clustered import cluster_variance, clustered_share, design_effect, korn_graubard
from audits.stats.estimate import Estimate, tail, undefined

LABELS = (Label.SUPPORTED, Label.CONTRADICTED, Label.UNVERIFIED)
_INDEX = {label: number for number, label in enumerate(LABELS)}
Table = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Agreement:
    """n: items both labelled. excluded: items that one of them left without a label.

    table: rows the first rater, columns the second, in the order of LABELS; counts, or shares when weighted.
    Undefined coefficients carry a reason: "no_shared_items", "one_label" (both used one and the same),
    "stratum_not_checked". note: "constant_rater" when one rater used a single label: kappa is 0 then by arithmetic.
    """

    n: int
    excluded: int
    table: Table
    percent: Estimate
    kappa: Estimate
    ac1: Estimate
    note: str = ""


def observed(table: Sequence[Sequence[float]]) -> float:
    """Share of items on the diagonal. ValueError for an empty table."""
    total = math.fsum(math.fsum(row) for row in table)
    if total <= 0:
        raise ValueError("an empty table has no agreement")
    return math.fsum(row[i] for i, row in enumerate(table)) / total


def chance(table: Sequence[Sequence[float]], kind: str) -> float:
    """Agreement expected by chance. kind "kappa": sum r_k c_k (Cohen 1960); "ac1": sum p_k (1 - p_k) / (q - 1) with
    p_k the mean of the two margins (Gwet 2008), q the number of labels that exist, not of those used."""
    total = math.fsum(math.fsum(row) for row in table)
    size = len(table)
    rows = [math.fsum(row) / total for row in table]
    columns = [math.fsum(row[k] for row in table) / total for k in range(size)]
    if kind == "kappa":
        return math.fsum(r * c for r, c in zip(rows, columns, strict=True))
    if kind == "ac1":
        means = [(r + c) / 2 for r, c in zip(rows, columns, strict=True)]
        return math.fsum(p * (1 - p) for p in means) / (size - 1)
    raise ValueError(f"kind is kappa or ac1, not {kind}")


def coefficient(table: Sequence[Sequence[float]], kind: str) -> float | None:
    """(observed - chance) / (1 - chance); "percent" gives observed. None where chance leaves nothing to agree on."""
    share = observed(table)
    if kind == "percent":
        return share
    expected = chance(table, kind)
    return None if 1 - expected < 1e-12 else (share - expected) / (1 - expected)


def influence(table: Sequence[Sequence[float]], kind: str) -> list[list[float]]:
    """What one more item in each cell does to the coefficient: Fleiss, Cohen & Everitt 1969, for AC1 Gwet 2008.

    The variance of these values over the items, divided by their number, is the coefficient's variance.
    """
    total = math.fsum(math.fsum(row) for row in table)
    size = len(table)
    rows = [math.fsum(row) / total for row in table]
    columns = [math.fsum(row[k] for row in table) / total for k in range(size)]
    share, expected = observed(table), chance(table, kind)
    slope = [(1 - r - c) / (2 * (size - 1)) for r, c in zip(rows, columns, strict=True)]

    def moved(a: int, b: int) -> float:
        by_chance = columns[a] + rows[b] if kind == "kappa" else slope[a] + slope[b]
        return ((1 - expected) * (a == b) - (1 - share) * by_chance) / (1 - expected) ** 2

    return [[moved(a, b) for b in range(size)] for a in range(size)]


def agreement(pairs: Sequence[tuple[object, Label | None, Label | None]], *, confidence: float = 0.95) -> Agreement:
    """Agreement of two raters over (answer id, first label, second label), None where a rater gave no usable label.

    Percent: Korn-Graubard interval, clustered by answer. kappa and AC1: influence values clustered by answer with t,
    and never narrower than the interval of the observed share at fixed margins (with next to no disagreement the
    former shrinks to nothing).
    """
    both = [(answer, a, b) for answer, a, b in pairs if a is not None and b is not None]
    counts = [[0.0] * len(LABELS) for _ in LABELS]
    for _, a, b in both:
        counts[_INDEX[a]][_INDEX[b]] += 1
    answers = [answer for answer, _, _ in both]
    same = [float(a == b) for _, a, b in both]
    cells = [(_INDEX[a], _INDEX[b]) for _, a, b in both]
    return Agreement(
        n=len(both),
        excluded=len(pairs) - len(both),
        table=tuple(tuple(row) for row in counts),
        percent=clustered_share(same, answers, confidence, empty="no_shared_items"),
        kappa=_clustered(counts, "kappa", cells, answers, confidence),
        ac1=_clustered(counts, "ac1", cells, answers, confidence),
        note=constant_rater(counts),
    )


def constant_rater(table: Sequence[Sequence[float]]) -> str:
    """ "constant_rater" when exactly one of the two used a single label, else ""."""
    rows = sum(any(row) for row in table)
    columns = sum(any(row[k] for row in table) for k in range(len(table)))
    return "constant_rater" if (rows == 1) != (columns == 1) else ""


def _clustered(
    table: Sequence[Sequence[float]],
    kind: str,
    cells: Sequence[tuple[int, int]],
    answers: Sequence[object],
    confidence: float,
) -> Estimate:
    from scipy.special import stdtrit

    n, each = len(cells), tail(confidence)
    if not n:
        return undefined("no_shared_items", 0, confidence)
    value = coefficient(table, kind)
    if value is None:
        return undefined("one_label", n, confidence)
    count = len(set(answers))
    if count < 2:
        return Estimate(value, None, None, n, confidence, "one_answer")
    effect = influence(table, kind)
    variance = cluster_variance([effect[a][b] for a, b in cells], answers) or 0.0
    reach = float(stdtrit(count - 1, 1 - each)) * math.sqrt(variance)
    same = [float(a == b) for a, b in cells]
    expected = chance(table, kind)
    low, high = (
        (limit - expected) / (1 - expected)
        for limit in korn_graubard(observed(table), n, design_effect(same, answers), count, each)
    )
    return Estimate(value, max(-1.0, min(value - reach, low)), min(1.0, max(value + reach, high)), n, confidence)
