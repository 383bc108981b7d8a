"""Agreement over time: windows and one test."""

import numpy as np
import pytest
from scipy.stats import t

from audits.stats.drift import drift


def rows(agreed, per_answer=1):
    return [(number, bool(value), number // per_answer) for number, value in enumerate(agreed)]


def test_windows_are_of_equal_size_and_in_order():
    found = drift(rows([True] * 90 + [False] * 10))
    assert [window.share.n for window in found.windows] == [20] * 5
    assert [(window.first, window.last) for window in found.windows] == [
        (0, 19),
        (20, 39),
        (40, 59),
        (60, 79),
        (80, 99),
    ]
    assert [window.share.value for window in found.windows] == [1, 1, 1, 1, 0.5]
    assert found.windows[0].share.low < 1
    many = drift(rows([True, False] * 5000))
    assert len(many.windows) == 8
    assert sum(window.share.n for window in many.windows) == many.n == 10_000


def test_a_fall_and_a_rise_are_told():
    falling = [True] * 100 + [True, False] * 50
    fall, rise = drift(rows(falling)), drift(rows(falling[::-1]))
    assert (fall.trend, fall.p < 0.001) == ("fell", True)
    assert (rise.trend, rise.p) == ("rose", pytest.approx(fall.p))
    none = drift(rows([True, True, True, False] * 50))
    assert none.trend == "none"
    assert none.p > 0.5


def test_the_published_example_of_cochran_and_armitage():
    # smokers in four groups of lung patients (Fleiss 1981): R prop.trend.test gives p = 0.0041 scored by group
    smokers = [(83, 86), (90, 93), (129, 136), (70, 82)]
    agreed = [np.random.default_rng(1).permutation(size) < yes for yes, size in smokers]
    found = drift(rows(np.concatenate(agreed).tolist()))
    assert found.trend == "fell"
    assert 0.001 < found.p < 0.02


def test_rows_of_their_own_answer_are_as_independent_ones():
    # the statistic of Cochran and Armitage is (n - 1) r^2, r the correlation with the score
    agreed = np.random.default_rng(2).random(400) < np.linspace(0.9, 0.8, 400)
    r = np.corrcoef(agreed, np.arange(400))[0, 1]
    found = drift(rows(agreed.tolist()))
    assert found.p == pytest.approx(2 * t.sf(abs(r) * np.sqrt(399), 399), rel=0.3)


def test_what_is_not_tested():
    few = drift(rows([True] * 39))
    assert (few.trend, few.p, len(few.windows), few.n) == ("too_few", None, 1, 39)
    assert drift(rows([True, False] * 50, per_answer=20)).trend == "too_few"
    assert drift(rows([True] * 60)).trend == "no_variation"
    assert drift(rows([False] * 60)).p is None
    empty = drift([])
    assert (empty.windows, empty.n, empty.trend) == ((), 0, "too_few")


def test_no_drift_is_seldom_called_one():
    # 600 histories without drift, whole answers hard or easy, labelled one after the other
    random, told, naive = np.random.default_rng(8), 0, 0
    for _ in range(600):
        right = np.repeat(random.beta(6, 2, 40), 5)  # correlation within answers: 1 / 9
        agreed = random.random(200) < right
        told += drift(rows(agreed, per_answer=5)).trend in ("fell", "rose")
        naive += drift(rows(agreed)).trend in ("fell", "rose")
    assert told <= 0.07 * 600
    assert naive > told
