"""Flip rates: counts, pairs and an interval that respects answers, against numbers worked out by hand."""

import pytest
from scipy.stats import beta, t

from audits.labels import Label
from audits.stats.flips import flips

S, C, U = Label.SUPPORTED, Label.CONTRADICTED, Label.UNVERIFIED


def test_flips_are_counted_by_pair_and_the_unscored_apart():
    found = flips([(1, S, S), (1, S, U), (2, U, S), (2, C, C), (3, S, U), (3, C, None), (4, U, U)])
    assert (found.n, found.flips, found.unscored) == (6, 3, 1)
    assert found.table == ((1, 0, 2), (0, 1, 0), (1, 0, 1))  # rows first, columns second: S, C, U
    assert found.changes == {(S, U): 2, (U, S): 1}
    assert found.rate.value == pytest.approx(3 / 6) and found.rate.n == 6


def test_interval_of_claims_that_flip_together():
    # Four answers of three claims; two flips, both in the first answer. Rate 2/12 = 1/6.
    # Sums of deviations by answer: 1.5, -0.5, -0.5, -0.5. Their squares sum to 3; V = 4/3 * 3/12^2 = 1/36.
    # Independent: s^2/N = (2 * 10/12 / 11) / 12 = 5/396. Design effect (1/36) / (5/396) = 2.2, above 1 + 0.2 * 2.
    # Effective size 12 / 2.2 * (1.959964 / 3.182446)^2 = 2.06887, of which 1/6 flipped.
    rows = [("q1", S, U), ("q1", S, C), ("q1", S, S), *((f"q{2 + n // 3}", S, S) for n in range(9))]
    rate = flips(rows).rate
    effective = 12 / 2.2 * (1.959963985 / t.ppf(0.975, 3)) ** 2
    assert effective == pytest.approx(2.06887, abs=1e-5)
    x = effective / 6
    assert rate.value == pytest.approx(1 / 6)
    assert rate.low == pytest.approx(beta.ppf(0.025, x, effective - x + 1))
    assert rate.high == pytest.approx(beta.ppf(0.975, x + 1, effective - x))


def test_a_judge_that_never_flips_has_an_upper_limit():
    # 20 answers of one claim: design effect 1, effective size 20 * (1.959964 / 2.093024)^2 = 17.5379.
    # No flip: 1 - 0.025^(1 / 17.5379) = 0.1897.
    rate = flips([(answer, U, U) for answer in range(20)]).rate
    assert (rate.value, rate.low, rate.n) == (0.0, 0.0, 20)
    assert rate.high == pytest.approx(0.1897, abs=1e-4)


def test_the_confidence_is_that_of_the_audit():
    rows = [(answer, S, U if answer < 3 else S) for answer in range(30)]
    narrow, wide = flips(rows, confidence=0.8).rate, flips(rows, confidence=0.99).rate
    assert narrow.value == wide.value == pytest.approx(0.1)
    assert wide.low < narrow.low < 0.1 < narrow.high < wide.high


def test_without_a_pair_of_labels_the_rate_is_undefined():
    for rows, unscored in (([], 0), ([(1, S, None), (2, C, None)], 2)):
        found = flips(rows)
        assert (found.n, found.flips, found.unscored, found.changes) == (0, 0, unscored, {})
        assert (found.rate.value, found.rate.low, found.rate.reason) == (None, None, "not_judged_again")


def test_one_answer_alone_has_a_rate_without_limits():
    rate = flips([("a", S, U), ("a", S, S)]).rate
    assert (rate.value, rate.low, rate.reason) == (0.5, None, "one_answer")
