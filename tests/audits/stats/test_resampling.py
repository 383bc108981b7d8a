"""Answers drawn again: repeatable, indifferent to order, as wide as theory says."""

import numpy as np
import pytest

from audits.stats.resampling import DRAWS, GROUPS, by_answer, draws, floor, percentiles


def shares(sums):
    drawn = draws(sums)
    return drawn[:, 0] / drawn[:, 1]


def test_sums_within_answers():
    values = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    assert by_answer(values, ["b", "a", "b"]).tolist() == [[6.0, 8.0], [3.0, 4.0]]


@pytest.mark.parametrize("answers", [300, GROUPS, 3 * GROUPS + 7])
def test_the_spread_is_that_of_a_ratio(answers):
    random = np.random.default_rng(5)
    sizes = random.poisson(4, answers) + 1
    sums = np.stack([random.binomial(sizes, random.beta(8, 2, answers)), sizes], axis=1).astype(float)
    share = sums[:, 0].sum() / sums[:, 1].sum()
    expected = np.sqrt(((sums[:, 0] - share * sums[:, 1]) ** 2).sum()) / sums[:, 1].sum()
    found = shares(sums)
    assert found.shape == (DRAWS,)
    assert found.mean() == pytest.approx(share, abs=3 * expected / 30)
    assert found.std() == pytest.approx(expected, rel=0.08)


def test_the_same_answers_in_another_order_give_the_same_draws():
    sums = np.random.default_rng(1).integers(0, 5, size=(3000, 4)).astype(float)
    assert np.array_equal(draws(sums), draws(sums[::-1]))
    assert np.array_equal(draws(sums), draws(sums))


def test_few_answers_reach_further_out():
    values = np.linspace(0, 1, 2001)
    low, high = percentiles(values, 10_000, 0.025)
    assert (low, high) == pytest.approx((0.025, 0.975), abs=1e-4)
    # ten answers: Phi(-2.2622 sqrt(10 / 9)) = 0.00855
    assert percentiles(values, 10, 0.025) == pytest.approx((0.00855, 0.99145), abs=1e-4)


def test_undefined_draws_are_left_out():
    values = np.array([np.nan] * 500 + [0.5] * 1500)
    assert percentiles(values, 100, 0.025) == (0.5, 0.5)
    assert percentiles(np.full(2000, np.nan), 100, 0.025) is None


def test_the_floor_is_the_share_carried_over():
    # no disagreement in 100 answers of one claim: Clopper-Pearson's 0.9638 at t for z, chance agreement one half
    low, high = floor(1.0, 0.5, 100, 100, deff=1.0, tail=0.025)
    assert high == 1.0
    assert low == pytest.approx(2 * 0.025 ** (1 / (100 * (1.959964 / 1.984217) ** 2)) - 1, abs=1e-6)
