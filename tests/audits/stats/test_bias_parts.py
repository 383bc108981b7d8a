"""The parts of the bias report against published values and numbers worked out by hand."""

import math

import pytest

from audits.stats.detectable import (
    claims_for_difference,
    claims_for_shift,
    claims_for_slope,
    difference_seen,
    gap_seen,
    shift_seen,
    slope_seen,
)
from audits.stats.difference import mover
from audits.stats.gaps import difference_in_differences, weighted_mean
from audits.stats.holm import holm
from audits.stats.logit import NotEstimable, weighted_logit
from audits.stats.paired import agresti_min, paired_shift, swapped
from audits.stats.proportions import wilson_estimate
from audits.stats.weighting import weight_inflation, weighted_share

SAID = [int(c) for c in "10111101011011010111000110010001011100111000001100011000101000100001011110011010"]
LENGTHS = [
    2.041, -2.556, 0.418, -0.568, -0.453, -0.216, -2.02, -0.232, -0.865, 3.323, 0.226, -0.353, -0.281, -0.668, -1.055,
    -0.391, 0.482, -0.239, 0.958, -0.2, 0.024, 1.546, 0.545, -0.505, -0.183, 0.541, 1.935, -0.27, -0.244, 1.002,
    -0.886, -0.292, 0.883, 0.58, 0.092, 0.67, -2.828, 1.021, -0.96, -1.669, 0.276, 0.701, -0.445, -1.076, 0.026,
    -0.053, 1.406, 0.747, 0.194, 1.112, -0.206, -0.926, 0.584, 0.583, -0.215, -0.783, 0.229, -2.494, 0.69, 0.491,
    -1.639, 0.061, -0.964, 0.757, -2.034, -0.914, 0.71, 1.156, -2.158, -0.498, 0.328, -0.609, 1.591, -1.191, 0.355,
    -1.048, 1.406, -0.022, -0.372, -1.718,
]  # fmt: skip
TRUTH = [int(c) for c in "00010010100000101000110101101110100000000010110100101011000110111110010000100101"]
WEIGHTS = [float(c) for c in "11611611116616661166616161611161161116166611161116616111116616116666661616161661"]
ANSWERS = [n // 3 for n in range(80)]


def test_a_weighted_logit_with_clusters_equals_statsmodels():
    # statsmodels 0.15.0 GLM Binomial, freq_weights (mean 1), cov_type="cluster" without correction, * sqrt(G/(G-1))
    fit = weighted_logit([LENGTHS, TRUTH], SAID, WEIGHTS, ANSWERS)
    assert fit.beta == pytest.approx((0.753849, 0.189621, -2.369524), abs=1e-5)
    assert fit.se == pytest.approx((0.361407, 0.351078, 0.712144), abs=1e-5)
    assert fit.answers == 27
    many = weighted_logit([LENGTHS, TRUTH], SAID, [50 * w for w in WEIGHTS], ANSWERS)
    assert many.se == pytest.approx(fit.se)  # weights count relative to each other


@pytest.mark.parametrize(
    ("x", "y", "code"),
    [
        ([1, 2, 3, 4], [0, 0, 1, 1], "separation"),  # complete
        ([1, 2, 2, 3], [0, 0, 1, 1], "separation"),  # but for a tie
        ([1, 2, 3, 4], [1, 1, 1, 1], "one_outcome"),
        ([2, 2, 2, 2], [0, 1, 0, 1], "collinear"),
    ],
)
def test_a_slope_that_does_not_exist_is_refused(x: list[float], y: list[int], code: str):
    with pytest.raises(NotEstimable) as refused:
        weighted_logit([x], [bool(v) for v in y], [1.0] * 4, [1, 2, 3, 4])
    assert refused.value.code == code
    assert weighted_logit([[1, 2, 3, 4]], [False, True, False, True], [1.0] * 4, [1, 2, 3, 4]).answers == 4


def test_mcnemar_is_exact():
    # statsmodels mcnemar(exact=True): b = 9, c = 21
    assert swapped([-1] * 9 + [1] * 21) == pytest.approx(0.042774, abs=1e-6)
    assert swapped([]) == 1.0
    assert swapped([1, -1]) == 1.0
    # Answers move as wholes: sums 3, 1, 1 reach 5 or -5 in 2 of 8 ways.
    assert swapped([3, 1, 1]) == pytest.approx(2 / 8)


def test_a_net_shift_has_agresti_and_mins_interval():
    # b = 9, c = 21, n = 180: d = 12/182, se = sqrt(31 - 12^2/182) / 182
    low, high = agresti_min(9, 21, 180, 0.025)
    d, se = 12 / 182, math.sqrt(31 - 144 / 182) / 182
    assert (low, high) == pytest.approx((d - 1.959963985 * se, d + 1.959963985 * se))
    pairs = [(n, n < 9, 9 <= n < 30) for n in range(180)]  # each in an answer of its own
    found = paired_shift(pairs)
    assert (found.first_only, found.second_only, found.n) == (9, 21, 180) and found.inflation == pytest.approx(1)
    assert found.estimate.value == pytest.approx(12 / 180)
    assert (found.estimate.low, found.estimate.high) == pytest.approx((low, high))
    assert found.p == pytest.approx(0.042774, abs=1e-6)
    assert found.discordant == pytest.approx(31 / 182)


def test_answers_that_shift_together_widen_the_interval():
    alone = paired_shift([(n, False, n < 12) for n in range(60)])
    together = paired_shift([(n // 4, False, n < 12) for n in range(60)])  # three answers shift as wholes
    assert alone.p == pytest.approx(2 / 2**12) and together.p == pytest.approx(2 / 2**3)
    assert together.inflation > 3
    assert together.estimate.low < alone.estimate.low and together.estimate.high > alone.estimate.high


def test_nothing_paired_and_one_answer_are_said():
    assert paired_shift([]).estimate.reason == "nothing_paired" and paired_shift([]).p is None
    one = paired_shift([("a", True, False), ("a", True, False)])
    assert (one.estimate.value, one.estimate.low, one.estimate.reason, one.p) == (-1.0, None, "one_answer", None)


def test_a_difference_of_two_shares_is_newcombes():
    # Newcombe 1998, example a: 56/70 vs 48/80, 0.2 (0.0524 to 0.3339)
    limits = mover(wilson_estimate(48, 80), wilson_estimate(56, 70))
    assert limits == pytest.approx((0.052431, 0.333873), abs=1e-6)


def test_difference_in_differences_equals_statsmodels():
    # statsmodels OLS (a - b) ~ generator, clustered, * sqrt(20/19): -0.2, 0.164726
    first = [int(c) for c in "010100001100011010000100100000010101111000000001110010010110"]
    second = [int(c) for c in "100100001111101111101010011001110101001110101110001001000011"]
    gaps = [a - b for a, b in zip(first, second, strict=True)]
    own = [n < 30 for n in range(60)]
    found = difference_in_differences(gaps, own, [n // 3 for n in range(60)])
    assert found == pytest.approx((-0.2, 0.164726), abs=1e-6)
    with pytest.raises(ValueError, match="both groups"):
        difference_in_differences(gaps, [True] * 60, list(range(60)))


def test_a_weighted_mean_by_hand():
    # Weights 1, 3: mean (0 + 3) / 4. Parts 1 * -0.75 / 4 and 3 * 0.25 / 4 in two answers: se^2 = 2 * 2 * 0.1875^2
    mean, error = weighted_mean([0, 1], [1, 3], ["a", "b"])
    assert (mean, error) == pytest.approx((0.75, math.sqrt(4 * 0.1875**2)))


def test_holm_by_hand():
    # 0.01 * 4, then 0.02 * 3, then 0.03 * 2 is below 0.06 and is lifted to it, then 0.5
    assert holm([0.5, 0.01, None, 0.03, 0.02]) == pytest.approx([0.5, 0.04, None, 0.06, 0.06])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_planning_formulas_and_their_inverses():
    assert math.ceil(claims_for_slope(0.1, 1.5)) == 531  # Hsieh 1998
    assert math.ceil(claims_for_shift(0.06, 0.02)) == 1175  # Connor 1987
    assert math.ceil(claims_for_difference(0.1, 0.25)) == 100  # textbook
    assert slope_seen(0.1, claims_for_slope(0.1, 1.5)) == pytest.approx(math.log(1.5))
    assert slope_seen(0.1, claims_for_slope(0.1, 2, r2=0.4), r2=0.4) == pytest.approx(math.log(2))
    assert shift_seen(0.06, claims_for_shift(0.06, 0.02)) == pytest.approx(0.02)
    each = claims_for_difference(0.1, 0.25)
    assert difference_seen(0.1, each, each) == pytest.approx(0.15)
    # 2 * 0.08 * (1.96 + 0.84)^2 / 0.03^2 = 1396 claims per generator
    assert gap_seen(0.08, 1396, 0.08, 1396) == pytest.approx(0.03, abs=1e-4)


def test_what_no_effect_could_show_is_none():
    assert shift_seen(0.06, 20) is None  # even if all 6 % went one way
    assert difference_seen(0.5, 1, 1) is None
    assert slope_seen(0.0, 100) is None and gap_seen(0.1, 0, 0.1, 9) is None
    assert difference_seen(0.9, 60, 60) is not None  # downwards, where there is room


def test_weights_cost_claims():
    assert weight_inflation([1, 1, 1]) == 1.0 and weight_inflation([]) == 1.0
    assert weight_inflation([1, 3]) == pytest.approx(2 * 10 / 16)
    found = weighted_share([True, False], [1, 3], ["a", "b"])
    assert found.value == pytest.approx(0.25) and found.n == 2
    assert weighted_share([], [], []).reason == "no_claims"
    assert weighted_share([True], [2], ["a"]).reason == "one_answer"
