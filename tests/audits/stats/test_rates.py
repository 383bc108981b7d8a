"""The rate over the claims of an audit: the denominator is what was asked."""

import pytest

from audits.labels import Decision
from audits.stats.clustered import design_effect, korn_graubard
from audits.stats.rates import judged_rate, outcome_rate

S, C, U, D = Decision.SUPPORTED, Decision.CONTRADICTED, Decision.UNVERIFIED, Decision.DISPUTED


def rows(text, per_answer=3):
    """One claim per letter, so many to an answer."""
    letter = {"S": S, "C": C, "U": U, "D": D}
    return [(number // per_answer, letter[each]) for number, each in enumerate(text)]


def test_counts_coverage_and_bounds():
    result = judged_rate(rows("SSSSSSSCUUDD"), unscored=1)
    assert (result.supported, result.contradicted, result.unverified, result.disputed) == (7, 1, 2, 2)
    assert (result.total, result.decided, result.unscored, result.answers) == (12, 10, 1, 4)
    assert result.coverage == pytest.approx(10 / 12)
    assert result.rate.value == pytest.approx(3 / 10)
    assert result.rate.n == 10
    assert result.faithfulness.value == pytest.approx(7 / 10)
    assert result.faithfulness.low == pytest.approx(1 - result.rate.high)
    assert (result.bounds.low, result.bounds.high) == (pytest.approx(3 / 12), pytest.approx(5 / 12))
    assert result.provisional


def test_interval_is_clustered_by_answer():
    text = "SSSCUUSSSSSS" * 5
    result = judged_rate(rows(text))
    wrong = [float(each in "CU") for each in text]
    deff = design_effect(wrong, [answer for answer, _ in rows(text)])
    assert deff > 2  # hallucinations sit together
    assert (result.rate.low, result.rate.high) == korn_graubard(0.25, 60, deff, 20, 0.025)
    assert not result.provisional


def test_no_claims_is_undefined():
    result = judged_rate([])
    assert result.rate.value is None
    assert result.rate.reason == "no_claims"
    assert result.faithfulness.value is None
    assert result.coverage is None
    assert result.bounds is None


def test_all_open_is_undefined_with_the_widest_bounds():
    result = outcome_rate(rows("DDD"))
    assert result.rate.value is None
    assert result.rate.reason == "no_decided_claims"
    assert result.coverage == 0.0
    assert (result.bounds.low, result.bounds.high) == (0.0, 1.0)


def test_review_closes_the_open_claims():
    before, after = judged_rate(rows("SSSSDD")), outcome_rate(rows("SSSSSU"))
    assert (before.bounds.low, before.bounds.high) == (0.0, pytest.approx(2 / 6))
    assert after.rate.value == pytest.approx(1 / 6)
    assert after.bounds.low == after.bounds.high == pytest.approx(1 / 6)
