"""Exact limits in a finite pile, against brute force with fractions and with scipy.stats."""

from fractions import Fraction
from math import comb

import pytest

from audits.stats.hypergeometric import at_most, lower_count, share_limits, upper_count

# (seen, drawn, population): largest and smallest count not excluded at 5 %, brute force with scipy.stats.hypergeom.
BRUTE_FORCE = [
    ((0, 60, 912), 42, 0),
    ((2, 120, 912), 44, 4),
    ((0, 150, 4500), 87, 0),
    ((5, 300, 45000), 1559, 298),
    ((3, 40, 40), 3, 3),
    ((1, 5, 12), 6, 1),
]


@pytest.mark.parametrize(("case", "upper", "lower"), BRUTE_FORCE)
def test_limits(case, upper, lower):
    assert upper_count(*case, 0.05) == upper
    assert lower_count(*case, 0.05) == lower


@pytest.mark.parametrize(("seen", "drawn", "population", "wrong"), [(0, 5, 12, 3), (2, 5, 12, 6), (4, 30, 60, 11)])
def test_probability_is_the_sum_of_binomial_coefficients(seen, drawn, population, wrong):
    exact = sum(
        Fraction(comb(wrong, k) * comb(population - wrong, drawn - k), comb(population, drawn))
        for k in range(seen + 1)
    )
    assert at_most(seen, drawn, population, wrong) == pytest.approx(float(exact), abs=1e-12)


def test_a_draw_of_nothing_excludes_nothing():
    assert upper_count(0, 0, 50, 0.05) == 50
    assert lower_count(0, 0, 50, 0.05) == 0


def test_a_probability_equal_to_the_tail_is_not_excluded():
    # One right unit drawn from 20: P = (20 - K) / 20 is exactly 0.05 at K = 19. The safe answer keeps 19.
    assert upper_count(0, 1, 20, 0.05) == 19


@pytest.mark.parametrize("case", [(3, 2, 10), (0, 11, 10), (-1, 2, 10)])
def test_impossible_counts_are_refused(case):
    with pytest.raises(ValueError, match="cannot see"):
        upper_count(*case, 0.05)


def test_limits_of_a_share_are_not_inside_those_of_a_binomial():
    # 0 of 60 among 912: hypergeometric 42 at 5 %, Clopper-Pearson 1 - 0.05 ** (1 / 60) = 0.0487
    low, high = share_limits(0, 60, 912, 0.05)
    assert (low, high) == (0.0, pytest.approx(1 - 0.05 ** (1 / 60)))
    assert high > 42 / 912
    assert share_limits(3, 12, 12, 0.05) == (0.25, 0.25)
    assert share_limits(0, 0, 12, 0.05) == (0.0, 1.0)
    assert share_limits(0, 0, 0, 0.05) == (0.0, 1.0)
