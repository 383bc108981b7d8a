"""Claims clustered in answers, against statsmodels and the survey formula."""

import math

import numpy as np
import pytest

from audits.stats.clustered import cluster_variance, clustered_share, design_effect, korn_graubard, mean_length

ANSWER = [0, 0, 0, 1, 1, 2, 2, 2, 2, 3, 4, 4, 4, 5, 5, 5, 6, 7, 7, 7]
WRONG = [0, 0, 1, 0, 0, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]


def test_cluster_variance():
    # statsmodels OLS on a constant, cov_type="cluster", use_correction=False, times sqrt(8 / 7): SE 0.137581
    assert math.sqrt(cluster_variance(WRONG, ANSWER)) == pytest.approx(0.137581, abs=1e-6)


def test_design_effect_and_limits():
    # R survey::svyciprop(method = "beta"): n_eff 7.859394; limits by scipy.stats.beta.ppf at 0.05 and 0.95
    assert mean_length(ANSWER) == pytest.approx(2.9)  # (9+4+16+1+9+9+1+9) / 20
    deff = design_effect(WRONG, ANSWER)
    assert deff == pytest.approx(1.918095, abs=1e-6)
    assert korn_graubard(0.25, 20, deff, 8, 0.05) == pytest.approx((0.045327, 0.603171), abs=1e-6)


def test_without_visible_variation_the_floor_remains():
    assert design_effect([0] * 20, ANSWER) == pytest.approx(1 + 0.2 * 1.9)
    assert design_effect([0] * 20, range(20)) == 1.0


def test_no_hallucination_seen_still_has_an_upper_limit():
    share = clustered_share([0.0] * 20, ANSWER)
    assert share.value == 0.0
    assert share.low == 0.0
    assert 0.1 < share.high < 1


def test_one_answer_has_a_value_and_no_limits():
    share = clustered_share([1.0, 0.0], ["a", "a"])
    assert (share.value, share.low, share.high, share.reason) == (0.5, None, None, "one_answer")
    with pytest.raises(ValueError, match="two answers"):
        korn_graubard(0.5, 2, 1.0, 1, 0.05)


def test_answers_may_have_any_name():
    letters = ["答" + str(a) for a in ANSWER]
    assert cluster_variance(WRONG, letters) == cluster_variance(WRONG, ANSWER)
    assert cluster_variance([1.0], ["a"]) is None


def test_answers_may_be_an_array_of_numbers_with_gaps():
    values, answers = [1.0, 0.0, 1.0, 1.0, 1.0, 0.0], [7, 7, 2, 9, 2, 0]
    numbers = np.array(answers)
    assert cluster_variance(values, numbers) == pytest.approx(cluster_variance(values, answers))
    assert design_effect(values, numbers) == pytest.approx(design_effect(values, answers))
    assert clustered_share(values, numbers) == clustered_share(values, answers)
