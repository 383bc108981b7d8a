"""Agreement of two raters: tables, intervals that respect answers, and what is undefined."""

import math

import numpy as np
import pytest

from audits.labels import Label
from audits.stats.agreement import LABELS, agreement
from audits.stats.coefficients import coefficient
from audits.stats.estimate import Estimate

S, C, U = LABELS
COEFFICIENTS = ("kappa", "ac1", "alpha")
CLAIMS = [[880, 6, 14], [4, 31, 9], [12, 5, 39]]


def pairs(table, per_answer=1):
    cells = [(LABELS[a], LABELS[b]) for a, row in enumerate(table) for b, n in enumerate(row) for _ in range(n)]
    return [(number // per_answer, a, b) for number, (a, b) in enumerate(cells)]


def test_table_and_intervals():
    result = agreement(pairs(CLAIMS))
    assert result.table == tuple(tuple(map(float, row)) for row in CLAIMS)
    assert (result.n, result.excluded) == (1000, 0)
    assert result.percent.value == pytest.approx(0.95)
    assert result.kappa.value == pytest.approx(0.734438, abs=1e-6)
    # statsmodels, independent claims: 0.668579 to 0.800297; here t instead of z, and never narrower than by the share
    assert result.kappa.low <= 0.6687
    assert result.kappa.high >= 0.8002
    assert result.kappa.high - result.kappa.low < 0.16
    assert result.alpha.value == pytest.approx(
        0.7345, abs=1e-3
    )  # with many items next to Scott's pi, here near kappa
    assert result.alpha.high - result.alpha.low == pytest.approx(result.kappa.high - result.kappa.low, abs=0.02)


def test_base_rates():
    first, second = agreement(pairs(CLAIMS)).rates
    assert first == pytest.approx((0.900, 0.044, 0.056))
    assert second == pytest.approx((0.896, 0.042, 0.062))
    assert agreement([]).rates == ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


def test_claims_of_one_answer_widen_the_interval():
    alone, together = agreement(pairs(CLAIMS)), agreement(pairs(CLAIMS, per_answer=10))
    for name in ("percent", *COEFFICIENTS):
        one, many = getattr(alone, name), getattr(together, name)
        assert one.value == many.value
        assert many.low < one.low
        assert many.high >= one.high


def test_the_order_of_claims_does_not_matter():
    rows = pairs(CLAIMS, per_answer=3)
    result, other = agreement(rows), agreement(rows[::-1])
    assert result.table == other.table
    for name in ("percent", *COEFFICIENTS):
        for limit in ("value", "low", "high"):
            assert getattr(getattr(result, name), limit) == pytest.approx(getattr(getattr(other, name), limit))


def test_missing_labels_are_counted_not_guessed():
    result = agreement([(1, S, S), (2, S, None), (3, None, U), (4, None, None), (5, U, U)])
    assert (result.n, result.excluded) == (2, 3)
    assert result.percent.value == 1.0


def test_no_shared_item_is_undefined():
    for rows in ([], [(1, S, None)]):
        result = agreement(rows)
        for name in ("percent", *COEFFICIENTS):
            assert getattr(result, name) == Estimate(None, None, None, 0, 0.95, "no_shared_items")


def test_one_label_leaves_kappa_and_alpha_undefined():
    result = agreement(pairs([[50, 0, 0], [0, 0, 0], [0, 0, 0]]))
    assert (result.kappa.value, result.kappa.reason) == (None, "one_label")
    assert (result.alpha.value, result.alpha.reason) == (None, "one_label")
    assert result.percent.value == 1.0
    assert result.ac1.value == 1.0
    assert result.ac1.low < 1.0  # fifty claims prove no perfect agreement
    assert result.note == ""


def test_nearly_one_label_shows_the_paradox_and_its_base_rates():
    # 200 claims, 92 % agreement, nearly all supported: kappa says nothing is agreed on, AC1 and percent stand beside
    result = agreement(pairs([[184, 4, 4], [4, 0, 0], [4, 0, 0]]))
    assert result.percent.value == pytest.approx(0.92)
    assert -0.1 < result.kappa.value < 0
    assert -0.1 < result.alpha.value < 0
    assert result.ac1.value > 0.9
    assert result.rates[0][0] == result.rates[1][0] == pytest.approx(0.96)


def test_a_constant_rater_is_noted():
    result = agreement(pairs([[48, 2, 0], [0, 0, 0], [0, 0, 0]]))
    assert result.kappa.value == pytest.approx(0.0)
    assert result.note == "constant_rater"


def test_perfect_agreement_has_a_lower_limit():
    result = agreement(pairs([[40, 0, 0], [0, 5, 0], [0, 0, 5]]))
    for name in COEFFICIENTS:
        estimate = getattr(result, name)
        assert estimate.value == estimate.high == 1.0
        assert 0.5 < estimate.low < 1.0


def test_few_items_have_limits_of_percent_only():
    few, enough = (
        agreement(pairs([[20, 2, 0], [0, 5, 0], [0, 0, 2]])),
        agreement(pairs([[20, 2, 0], [0, 5, 0], [0, 0, 3]])),
    )
    assert (few.n, enough.n) == (29, 30)
    assert 0.7 < few.percent.low < few.percent.value < few.percent.high < 1
    for name in COEFFICIENTS:
        estimate = getattr(few, name)
        assert estimate.value is not None
        assert (estimate.low, estimate.high, estimate.reason) == (None, None, "few_items")
        assert getattr(enough, name).low is not None
        assert getattr(enough, name).reason == ""


def test_one_answer_has_values_without_limits():
    result = agreement([("a", S, S), ("a", C, U)])
    assert result.percent.value == 0.5
    for name in COEFFICIENTS:
        assert getattr(result, name).low is None
        assert getattr(result, name).reason == result.percent.reason == "one_answer"


def test_intervals_hold_where_answers_are_few_and_claims_of_one_answer_alike():
    # 100 worlds of 12 answers with some 60 claims each; whole answers are hard to judge or easy.
    truths, flip, alike = np.array([0.6, 0.2, 0.2]), 0.2, 0.2
    mean_square = flip**2 + flip * (1 - flip) * alike
    table = sum(
        share
        * (
            (1 - 2 * flip + mean_square) * np.outer(own, own)
            + (flip - mean_square) * (np.outer(own, truths) + np.outer(truths, own))
            + mean_square * np.outer(truths, truths)
        )
        for share, own in zip(truths, np.eye(3), strict=True)
    )
    expected = {name: coefficient(table * 1e9, name) for name in ("percent", *COEFFICIENTS)}
    random, held = np.random.default_rng(11), dict.fromkeys(expected, 0)
    for _ in range(100):
        answers = np.repeat(np.arange(12), random.poisson(4, 12) + 1)
        hard = random.beta(flip * (1 / alike - 1), (1 - flip) * (1 / alike - 1), 12)[answers]
        mixes = random.dirichlet(truths * (1 / alike - 1), 12)
        truth = [int(random.choice(3, p=mixes[answer])) for answer in answers]
        told = [
            np.where(random.random(len(truth)) < hard, random.choice(3, len(truth), p=truths), truth) for _ in "ab"
        ]
        result = agreement([(at, LABELS[a], LABELS[b]) for at, a, b in zip(answers.tolist(), *told, strict=True)])
        for name, value in expected.items():
            held[name] += getattr(result, name).low <= value <= getattr(result, name).high
    assert min(held.values()) >= 93, held


def test_labels_are_those_of_the_product():
    assert set(LABELS) == set(Label)
    assert math.isclose(sum(agreement(pairs(CLAIMS)).rates[0]), 1)
