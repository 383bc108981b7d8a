"""Limits of a share, against published examples."""

import pytest

from audits.stats.estimate import Estimate, beyond, tail, undefined
from audits.stats.proportions import clopper_pearson, wilson, wilson_estimate

# Newcombe 1998, Table I (two-sided 95 %), to six places by statsmodels 0.15 proportion_confint.
PUBLISHED = [
    (81, 263, (0.255289, 0.366210), (0.252737, 0.367622)),
    (15, 148, (0.062386, 0.160487), (0.057844, 0.161650)),
    (0, 20, (0.0, 0.161125), (0.0, 0.168433)),
    (1, 29, (0.006113, 0.171755), (0.000873, 0.177644)),
]


@pytest.mark.parametrize(("x", "n", "score", "exact"), PUBLISHED)
def test_published_limits(x, n, score, exact):
    assert wilson(x, n, 0.025) == pytest.approx(score, abs=1e-6)
    assert clopper_pearson(x, n, 0.025) == pytest.approx(exact, abs=1e-6)


def test_no_error_in_300_gives_the_rule_of_three():
    # 1 - 0.05 ** (1 / 300) = 0.009936, about 3 / 300
    assert clopper_pearson(0, 300, 0.05)[1] == pytest.approx(1 - 0.05 ** (1 / 300), abs=1e-12)


def test_nothing_counted_says_nothing():
    assert wilson(0, 0, 0.025) == (0.0, 1.0)
    assert clopper_pearson(0, 0, 0.025) == (0.0, 1.0)
    assert wilson_estimate(0, 0) == Estimate(None, None, None, 0, 0.95, "nothing_counted")


def test_all_units_reach_one():
    assert clopper_pearson(20, 20, 0.025)[1] == 1.0
    assert wilson_estimate(20, 20).high == 1.0


def test_complement_swaps_the_limits():
    turned = Estimate(0.25, 0.125, 0.5, 8, 0.95).complement()
    assert (turned.value, turned.low, turned.high, turned.n) == (0.75, 0.5, 0.875, 8)
    assert undefined("no_claims").complement() == undefined("no_claims")


def test_confidence_must_be_a_fraction():
    assert tail(0.95) == 0.025
    assert beyond(0.95) == 0.05
    for wrong in (0, 1, 95):
        with pytest.raises(ValueError, match="confidence"):
            tail(wrong)
