"""The difference of two rates: a published value, the limits' behaviour, and coverage on generated audits."""

import random

import pytest

from audits.stats.difference import mover, rate_difference
from audits.stats.estimate import Estimate


def estimate(value, low, high):
    return Estimate(value, low, high, 100, 0.95)


def test_newcombe_1998():
    # 56/70 - 48/80 = 0.2000 with Wilson limits (0.6918, 0.8769) and (0.4905, 0.7004): method 10 gives 0.0524 to
    # 0.3339 (Newcombe, Statistics in Medicine 17:873, table II).
    low, high = mover(estimate(48 / 80, 0.4905, 0.7004), estimate(56 / 70, 0.6918, 0.8769))
    assert (low, high) == (pytest.approx(0.0524, abs=0.0002), pytest.approx(0.3339, abs=0.0002))


def test_a_correlation_narrows_both_sides():
    first, second = estimate(0.1, 0.05, 0.17), estimate(0.05, 0.02, 0.1)
    wide, narrow = mover(first, second), mover(first, second, 0.8)
    assert wide[0] < narrow[0] < -0.05 < narrow[1] < wide[1]
    with pytest.raises(ValueError, match="limits"):
        mover(first, Estimate(0.1, None, None, 3, 0.95, "one_answer"))


def test_the_same_audit_twice_differs_by_nothing():
    rows = [(answer, answer % 7 == 0) for answer in range(60) for _ in range(3)]
    found = rate_difference(rows, rows)
    assert found.answers == 60 and found.correlation == pytest.approx(1.0)
    assert found.difference.value == 0
    assert -0.08 < found.difference.low <= 0 <= found.difference.high < 0.08


def test_few_shared_answers_count_as_none():
    rows = [(answer, answer % 4 == 0) for answer in range(20)]
    assert rate_difference(rows, rows).correlation == 0.0


def test_without_claims_it_is_undefined_and_says_so():
    found = rate_difference([], [(1, True)])
    assert (found.difference.value, found.difference.reason) == (None, "no_claims")
    alone = rate_difference([(1, True), (1, False)], [(1, False)]).difference
    assert (alone.value, alone.low, alone.reason) == (-0.5, None, "one_answer")


def generated(source, answers, rate_before, rate_after):
    """Two audits of the same answers, some of which are bad in both."""
    before, after = [], []
    for answer in range(answers):
        hard = source.random()
        for _ in range(source.randint(1, 6)):
            before.append((answer, source.random() < rate_before * 2 * hard))
            after.append((answer, source.random() < rate_after * 2 * hard))
    return before, after


@pytest.mark.parametrize(("before", "after"), [(0.1, 0.1), (0.2, 0.05), (0.02, 0.05)])
def test_coverage_on_generated_audits(before, after):
    source, hits, runs = random.Random(5), 0, 150
    for _ in range(runs):
        found = rate_difference(*generated(source, 80, before, after)).difference
        hits += found.low <= after - before <= found.high
    assert hits >= 0.93 * runs
