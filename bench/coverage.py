"""How often the product's limits hold: its own estimator and its own rule, on audits whose truth is known.

Writes docs/coverage.md and prints one JSON line. Fixed seed: every run gives the same table. Takes about a quarter
of an hour on two cores; BENCH_QUICK=1 runs a tenth of the replications and writes nothing. Cells that come out below
DOUBTFUL are run again with MORE replications and another seed, and only that second figure is shown: with 1,000
replications the standard error of a coverage of 95 % is 0.7 points, so of a thousand cells some look low by chance.

Then, counted from arrays since claims one by one take eight times as long: larger audits (LARGE), and the cell with
most false accepts once more with other seeds (CLOSER), since the worst of so many looks worse than it is.
"""

import itertools
import json
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from audits.stats.acceptance import PASS, decide
from audits.stats.audited import AuditedEstimate, estimate
from audits.stats.proportions import wilson_estimate
from bench.simulated_audits import GOOD, LEAKY, NOISY, Judges, MadeUp, counted, make_up, spot_checked

SEED = 20261201
TABLE = Path(__file__).resolve().parents[1] / "docs" / "coverage.md"
TEMPLATE = Path(__file__).with_name("coverage_table.md")  # of the words around the tables
RATES = (0.005, 0.01, 0.02, 0.05, 0.10, 0.20)
CLAIMS = (200, 1000)
SHARED = (0.0, 0.9)
ICC = (0.0, 0.3)
SIZES = (0, 30, 60, 150, 300)
REPLICATIONS, MORE, DOUBTFUL = 1000, 8000, 0.95
NAMES = ("traffic", "traffic_high", "traffic_low", "dataset", "dataset_high", "dataset_low")
ERROR = (0.05 * 0.95 / MORE) ** 0.5  # standard error of a share of 5 % over MORE audits
WANTED, ACCEPTED = 0.94, 0.05 + 2 * ERROR
COLUMNS = (
    "traffic",
    "upper",
    "lower",
    "data set",
    "upper",
    "lower",
    "PASS at the threshold",
    "upper limit above",
    "naive",
)


@dataclass(frozen=True)
class World:
    """What is true, and how large the audit is."""

    rate: float
    judges: Judges
    shared: float
    icc: float
    claims: int


LARGE = tuple(World(rate, judges, 0.9, 0.3, 5000) for rate in (0.05, 0.20) for judges in (NOISY, LEAKY))
LARGE_SIZES, LARGE_REPLICATIONS = (300, 1000), 1500
CLOSER, CLOSER_SIZE, CLOSER_REPLICATIONS = World(0.20, LEAKY, 0.9, 0.3, 1000), 300, 20_000
CLOSER_SEEDS = ((99, 31), (99, 32))


@dataclass(frozen=True)
class Cell:
    """One world under one spot check. held: share of audits in which each limit held. accepted: PASS although the
    true rate lies at the threshold (traffic) or just above it (data set). naive: share of audits in which the 95 %
    Wilson interval of the judges' own word held the data set's true rate. above: mean of upper limit - true rate."""

    world: World
    size: int
    replications: int
    held: dict[str, float]
    accepted: dict[str, float]
    naive: float
    naive_accepted: float
    above: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the grid, write the table, print a line. Returns the exit status: 1 when a supported cell misses."""
    quick = bool(os.environ.get("BENCH_QUICK"))
    replications = REPLICATIONS // 10 if quick else REPLICATIONS
    worlds = [World(*parts) for parts in itertools.product(RATES, (GOOD, NOISY, LEAKY), SHARED, ICC, CLAIMS)]
    with ProcessPoolExecutor() as pool:
        first = pool.map(_run, worlds, range(len(worlds)), [replications] * len(worlds), [SIZES] * len(worlds))
        cells = list(itertools.chain.from_iterable(first))
        if not quick:
            cells = _again(pool, cells)
            large, closer = _larger(pool), _closer(pool)
    line = summary(cells)
    if not quick:
        TABLE.write_text(table(cells) + larger(large) + closer_look(closer), encoding="utf-8")
        line |= {"large": summary(large)["lowest"], "worst_again": closer[0]}
    print(json.dumps({"bench": "coverage", "seed": SEED, "quick": quick} | line))
    return 0 if quick or (line["lowest"] >= WANTED and line["false_accepts"] <= ACCEPTED) else 1


def _again(pool: ProcessPoolExecutor, cells: list[Cell]) -> list[Cell]:
    doubtful = [number for number, cell in enumerate(cells) if cell.size and min(cell.held.values()) < DOUBTFUL]
    worlds = [cells[number].world for number in doubtful]
    seeds = range(100_000, 100_000 + len(doubtful))
    sizes = [(cells[number].size,) for number in doubtful]
    again = pool.map(_run, worlds, seeds, [MORE] * len(doubtful), sizes)
    for number, found in zip(doubtful, again, strict=True):
        cells[number] = found[0]
    return cells


def _larger(pool: ProcessPoolExecutor) -> list[Cell]:
    seeds = range(200_000, 200_000 + len(LARGE))
    found = pool.map(
        _run, LARGE, seeds, [LARGE_REPLICATIONS] * len(LARGE), [LARGE_SIZES] * len(LARGE), [counted] * len(LARGE)
    )
    return list(itertools.chain.from_iterable(found))


def _closer(pool: ProcessPoolExecutor) -> tuple[float, float]:
    """(share of false accepts of the traffic, share in which the upper limit held)."""
    count = len(CLOSER_SEEDS)
    found = pool.map(_passed, CLOSER_SEEDS, [CLOSER_REPLICATIONS] * count)
    accepted, held = zip(*found, strict=True)
    return sum(accepted) / count, sum(held) / count


def _passed(seed: tuple[int, int], replications: int) -> tuple[float, float]:
    random = np.random.Generator(np.random.PCG64(list(seed)))
    accepted = held = 0
    for _ in range(replications):
        audit = make_up(random, CLOSER.claims, CLOSER.rate, CLOSER.judges, CLOSER.shared, CLOSER.icc)
        found = counted(random, audit, CLOSER_SIZE)
        accepted += decide(found, CLOSER.rate, scope="traffic").decision == PASS
        held += CLOSER.rate <= (found.traffic_limits or (0.0, 1.0))[1] + 1e-12
    return accepted / replications, held / replications


def _by_claims(random: np.random.Generator, audit: MadeUp, size: int) -> AuditedEstimate:
    return estimate(spot_checked(random, audit, size))


def _run(
    world: World,
    seed: int,
    replications: int,
    sizes: Sequence[int],
    read: Callable[[np.random.Generator, MadeUp, int], AuditedEstimate] = _by_claims,
) -> list[Cell]:
    random = np.random.Generator(np.random.PCG64([SEED, seed]))
    counts = {size: np.zeros(len(NAMES) + 2) for size in sizes}
    above = dict.fromkeys(sizes, 0.0)
    naive = naive_accepted = 0
    for _ in range(replications):
        audit = make_up(random, world.claims, world.rate, world.judges, world.shared, world.icc)
        true = float(audit.truth.mean())
        word = wilson_estimate(int(audit.called.sum()), len(audit.called))
        naive += _within(word.low, true, word.high)
        naive_accepted += word.high is not None and word.high <= world.rate
        for size in sizes:
            found = read(random, audit, size)
            counts[size] += _outcome(found, world.rate, true)
            above[size] += (found.traffic_limits or (0.0, 1.0))[1] - world.rate
    return [
        Cell(
            world,
            size,
            replications,
            dict(zip(NAMES, (counts[size][:-2] / replications).tolist(), strict=True)),
            {"traffic": counts[size][-2] / replications, "dataset": counts[size][-1] / replications},
            naive / replications,
            naive_accepted / replications,
            above[size] / replications,
        )
        for size in sizes
    ]


def _outcome(found: AuditedEstimate, rate: float, true: float) -> np.ndarray:
    low, high = found.traffic_limits or (0.0, 1.0)
    data_low, data_high = found.dataset_limits or (0.0, 1.0)
    below = max(0.0, true - 1e-9)  # of these very claims more are hallucinated than this
    return np.array(
        [
            _within(found.traffic.low, rate, found.traffic.high),
            rate <= high + 1e-12,
            low - 1e-12 <= rate,
            _within(found.dataset.low, true, found.dataset.high),
            true <= data_high + 1e-12,
            data_low - 1e-12 <= true,
            decide(found, rate, scope="traffic").decision == PASS,
            true > 0 and decide(found, below, scope="dataset").decision == PASS,
        ],
        dtype=float,
    )


def _within(low: float | None, value: float, high: float | None) -> bool:
    return (0.0 if low is None else low) - 1e-12 <= value <= (1.0 if high is None else high) + 1e-12


def summary(cells: Sequence[Cell]) -> dict[str, float]:
    """The worst figures over the cells in which a decision is possible (a spot check of 30 or more)."""
    checked = [cell for cell in cells if cell.size]
    return {
        "cells": len(checked),
        "lowest": min(min(cell.held.values()) for cell in checked),
        "mean": float(np.mean([cell.held["traffic"] for cell in checked])),
        "false_accepts": max(max(cell.accepted.values()) for cell in checked),
        "passed_without_spot_check": max(max(cell.accepted.values()) for cell in cells if not cell.size),
        "naive_lowest": min(cell.naive for cell in cells),
        "naive_mean": float(np.mean([cell.naive for cell in checked])),
        "naive_false_accepts": max(cell.naive_accepted for cell in cells),
    }


def table(cells: Sequence[Cell]) -> str:
    """docs/coverage.md."""
    line = summary(cells)
    head = TEMPLATE.read_text(encoding="utf-8").format(
        seed=SEED,
        replications=REPLICATIONS,
        doubtful=DOUBTFUL,
        error=ERROR,
        more=MORE,
        rates=", ".join(f"{100 * rate:g}" for rate in RATES),
        claims=" and ".join(f"{claims:,}" for claims in CLAIMS),
        **line,
    )
    return (
        head
        + _rows(("claims", "spot check", *COLUMNS), _by(cells, lambda cell: (cell.world.claims, cell.size)))
        + _second(cells)
    )


def larger(cells: Sequence[Cell]) -> str:
    """The part of docs/coverage.md on LARGE."""
    keys = ("claims", "judges", "true rate", "spot check", *COLUMNS)
    rows = _by(
        cells,
        lambda cell: (cell.world.claims, cell.world.judges.name, f"{100 * cell.world.rate:g} %", cell.size),
    )
    error = (0.05 * 0.95 / LARGE_REPLICATIONS) ** 0.5
    head = (
        "\n## Larger audits\n\nOnly the kinds of worlds in which the limits are closest: errors shared in 90 %, "
        f"intraclass correlation 0.3. {LARGE_REPLICATIONS:,} audits each\n(standard error {error:.1%}), counted from "
        "arrays with the same functions for limits and design effect.\n\n"
    )
    return head + _rows(keys, rows)


def closer_look(found: tuple[float, float]) -> str:
    """The part of docs/coverage.md on CLOSER."""
    count = len(CLOSER_SEEDS) * CLOSER_REPLICATIONS
    error = (0.05 * 0.95 / count) ** 0.5
    return (
        f"\n## The worst cell once more\n\nThe cell with most false accepts ({CLOSER.judges.name} judges, rate "
        f"{CLOSER.rate:.0%}, errors shared in {CLOSER.shared:.0%}, correlation {CLOSER.icc:g}, {CLOSER.claims:,} "
        f"claims,\nspot check {CLOSER_SIZE}) with other seeds and {count:,} audits: PASS in {found[0]:.2%} (standard "
        f"error {error:.2%}), upper limit held in {found[1]:.2%}.\n"
    )


def _second(cells: Sequence[Cell]) -> str:
    columns = ("judges", "errors shared", "true rate", *COLUMNS)
    checked = [cell for cell in cells if cell.size >= 150]
    rows = _by(
        checked, lambda cell: (cell.world.judges.name, f"{cell.world.shared:.0%}", f"{100 * cell.world.rate:g} %")
    )
    return "\n## Worst cell by judges and rate, spot checks of 150 and 300\n\n" + _rows(columns, rows)


def _by(cells: Iterable[Cell], key: Callable[[Cell], tuple[object, ...]]) -> list[tuple[str, ...]]:
    groups: dict[tuple[object, ...], list[Cell]] = {}
    for cell in cells:
        groups.setdefault(key(cell), []).append(cell)
    found = []
    for name, group in groups.items():
        least = [min(cell.held[limit] for cell in group) for limit in NAMES]
        found.append(
            (
                *(f"{part:,}" if isinstance(part, int) else str(part) for part in name),
                *(f"{share:.3f}" for share in least),
                f"{max(max(cell.accepted.values()) for cell in group):.3f}",
                f"{100 * np.mean([cell.above for cell in group]):.1f} points",
                f"{min(cell.naive for cell in group):.3f}",
            )
        )
    return found


def _rows(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
