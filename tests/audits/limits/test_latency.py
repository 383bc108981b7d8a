"""What counts as far slower than usual, and what is natural."""

import random

import pytest

from audits.limits.base import Tuning
from audits.limits.latency import LatencyWatch

BLOCK = 16


def blocks(watch: LatencyWatch, latencies: list[float]) -> list[bool]:
    """Feed latencies with rounds of 8 calls; the verdict on each block that closed."""
    verdicts = [watch.add(latency, 8) for latency in latencies]
    return [verdict for verdict in verdicts if verdict is not None]


def acquainted(latencies: list[float]) -> LatencyWatch:
    watch = LatencyWatch(Tuning())
    assert not any(blocks(watch, latencies))
    return watch


def test_a_block_is_as_long_as_a_round() -> None:
    watch = LatencyWatch(Tuning())
    assert [watch.add(1.0, 40) for _ in range(40)] == [None] * 39 + [False]


def test_a_general_rise_is_slow() -> None:
    watch = acquainted([2.0, 2.5, 3.0, 2.2] * 16)
    assert blocks(watch, [8.0, 9.0, 12.0, 8.5] * 4) == [True]


def test_single_slow_calls_are_not() -> None:
    watch = acquainted([2.0] * 64)
    assert blocks(watch, ([2.0] * 10 + [60.0] * 6) * 8) == [False] * 8


def test_a_block_of_mostly_long_calls_is_not() -> None:
    watch = acquainted([2.0] * 64)
    assert blocks(watch, [20.0] * 14 + [1.5] * 2) == [False]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("spread", [0.3, 0.6, 1.0])
def test_natural_variance_is_not(seed: int, spread: float) -> None:
    chance = random.Random(seed)
    watch = LatencyWatch(Tuning())
    assert not any(blocks(watch, [3.0 * chance.lognormvariate(0, spread) for _ in range(BLOCK * 200)]))


@pytest.mark.parametrize("seed", range(5))
def test_short_verdicts_mixed_with_long_extractions_are_not(seed: int) -> None:
    chance = random.Random(seed)
    usual = [(12.0 if chance.random() < 0.3 else 2.0) * chance.lognormvariate(0, 0.4) for _ in range(BLOCK * 200)]
    assert not any(blocks(LatencyWatch(Tuning()), usual))


def test_small_differences_are_our_own_machines() -> None:
    watch = acquainted([0.2] * 64)
    assert blocks(watch, [1.1] * BLOCK) == [False]
    assert blocks(watch, [1.3] * BLOCK) == [True]


def test_a_lasting_level_becomes_usual() -> None:
    watch = acquainted([2.0] * 16 * 32)
    verdicts = blocks(watch, [9.0] * 16 * 40)
    assert verdicts[0] is True
    assert verdicts[-20:] == [False] * 20


def test_the_first_blocks_make_acquaintance() -> None:
    assert blocks(LatencyWatch(Tuning()), [1.0] * 32 + [50.0] * 32) == [False] * 4


def test_an_open_block_can_be_dropped() -> None:
    watch = acquainted([2.0] * 64)
    blocks(watch, [30.0] * 15)
    watch.begin_anew()
    assert blocks(watch, [2.0] * 16) == [False]
