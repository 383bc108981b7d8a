"""How far one judge agrees with the experts, from reviewed claims: weights are compulsory.

Disputed claims are all reviewed and agreed ones only sampled, so the reviewed claims over-represent disagreement:
without weights kappa is off by as much as 0.55. Each claim counts for N_h / n_h claims of its stratum.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from audits.labels import Label
from audits.stats.agreement import INDEX, LABELS, Agreement, constant_rater
from audits.stats.audited import DISPUTED
from audits.stats.coefficients import coefficient
from audits.stats.estimate import Estimate, tail, undefined
from audits.stats.hypergeometric import share_limits


@dataclass(frozen=True)
class ReviewedClaim:
    """A claim with an expert's label, from the spot check or the disputed ones; judge: None when unscored."""

    stratum: str
    judge: Label | None
    expert: Label


@dataclass(frozen=True)
class _Cell:
    """The claims of one stratum with one label of the judge: how many there are, what experts said of those seen.

    drawn: those seen are a random draw; else nothing is known of the others.
    """

    label: int
    claims: int
    seen: tuple[int, ...]
    drawn: bool = True


def judge_expert(rows: Sequence[ReviewedClaim], sizes: Mapping[str, int], *, confidence: float = 0.95) -> Agreement:
    """Weighted agreement of one judge with the experts over all claims of the audit.

    rows: reviewed claims, a random part (or all) of each agreed stratum. sizes: claims of every stratum. The table
    holds shares. Intervals: MOVER-exact on the coefficient, for these claims (each cell's share of agreement goes to
    its exact limit, the moves are added in quadrature). Disputed claims come in an order that is not random, so those
    without an expert's label may be anything: the limits allow for the worst, added in full. All undefined, reason
    "stratum_not_checked", when a stratum that has claims has no reviewed one: then the table is not known.
    """
    excluded = sum(row.judge is None for row in rows)
    n = len(rows) - excluded
    reviewed = {row.stratum for row in rows}
    reason = "no_shared_items" if not n else ""
    if any(size and name not in reviewed for name, size in sizes.items()):
        reason = "stratum_not_checked"
    if reason:
        nothing = undefined(reason, n, confidence)
        empty = tuple((0.0,) * len(LABELS) for _ in LABELS)
        return Agreement(n, excluded, empty, nothing, nothing, nothing, nothing)
    cells = _cells(rows, sizes)
    table = _table(cells)
    total = math.fsum(math.fsum(row) for row in table)
    kinds = {kind: _moved(cells, table, kind, n, confidence) for kind in ("percent", "kappa", "ac1", "alpha")}
    return Agreement(
        n=n,
        excluded=excluded,
        table=tuple(tuple(value / total for value in row) for row in table),
        percent=kinds["percent"],
        kappa=kinds["kappa"],
        ac1=kinds["ac1"],
        alpha=kinds["alpha"],
        note=constant_rater(table),
    )


def _cells(rows: Sequence[ReviewedClaim], sizes: Mapping[str, int]) -> list[_Cell]:
    cells = []
    for name, size in sizes.items():
        own = [row for row in rows if row.stratum == name]
        for label in LABELS:
            seen = [0] * len(LABELS)
            for row in own:
                if row.judge == label:
                    seen[INDEX[row.expert]] += 1
            if any(seen):
                claims = max(sum(seen), round(size * sum(seen) / len(own)))
                cells.append(_Cell(INDEX[label], claims, tuple(seen), drawn=name != DISPUTED))
    return cells


def _table(cells: Sequence[_Cell]) -> list[list[float]]:
    table = [[0.0] * len(LABELS) for _ in LABELS]
    for cell in cells:
        for k, count in enumerate(cell.seen):
            table[cell.label][k] += cell.claims * count / sum(cell.seen)
    return table


def _moved(cells: Sequence[_Cell], table: list[list[float]], kind: str, n: int, confidence: float) -> Estimate:
    """The coefficient of the weighted table, with MOVER-exact limits."""
    value = coefficient(table, kind)
    if value is None:
        return undefined("one_label", n, confidence)
    down = up = certain_down = certain_up = 0.0
    for cell in cells:
        tables = [_with_agreed(table, cell, agreed) for agreed in _extremes(cell, tail(confidence))]
        if not cell.drawn:
            tables = [_with_open(table, cell, label) for label in range(len(LABELS))]
        moves = (coefficient(moved, kind) for moved in tables)
        steps = [0.0 if moved is None else moved - value for moved in moves]
        if not cell.drawn:
            certain_down, certain_up = certain_down + min(0.0, *steps), certain_up + max(0.0, *steps)
            continue
        for step in steps:
            down, up = (math.hypot(down, step), up) if step < 0 else (down, math.hypot(up, step))
    low, high = value - down + certain_down, value + up + certain_up
    return Estimate(value, max(-1.0 if kind != "percent" else 0.0, low), min(1.0, high), n, confidence)


def _extremes(cell: _Cell, tail: float) -> tuple[float, ...]:
    """The least and the most claims of the cell on which experts may agree; nothing when all were seen."""
    seen, agreed = sum(cell.seen), cell.seen[cell.label]
    if seen >= cell.claims:
        return ()
    low, high = share_limits(agreed, seen, cell.claims, tail)
    return low * cell.claims, high * cell.claims


def _with_open(table: list[list[float]], cell: _Cell, label: int) -> list[list[float]]:
    """The table if experts gave all claims of the cell that they have not settled this label."""
    seen = sum(cell.seen)
    moved = [list(row) for row in table]
    for k, count in enumerate(cell.seen):
        moved[cell.label][k] += count + (cell.claims - seen if k == label else 0) - cell.claims * count / seen
    return moved


def _with_agreed(table: list[list[float]], cell: _Cell, agreed: float) -> list[list[float]]:
    """The table if `agreed` claims of the cell were agreed on; the others keep the split seen, plus a half each."""
    others = [0.0 if k == cell.label else count + 0.5 for k, count in enumerate(cell.seen)]
    split = [part / sum(others) * (cell.claims - agreed) for part in others]
    split[cell.label] = agreed
    moved = [list(row) for row in table]
    for k, count in enumerate(cell.seen):
        moved[cell.label][k] += split[k] - cell.claims * count / sum(cell.seen)
    return moved
