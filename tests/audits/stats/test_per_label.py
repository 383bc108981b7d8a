"""Agreement on each label alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audits.stats.agreement import LABELS, agreement
from audits.stats.coefficients import coefficient
from audits.stats.estimate import Estimate
from audits.stats.per_label import per_label
from tests.audits.stats.test_agreement import pairs

S, C, U = LABELS
COEFFICIENTS = ("kappa", "ac1", "alpha")


def test_a_rare_label_is_seen_alone():
    table = [[880, 6, 14], [4, 31, 9], [12, 5, 39]]
    supported, contradicted, unverified = per_label(pairs(table, per_answer=2))
    assert [one.label for one in (supported, contradicted, unverified)] == list(LABELS)
    assert contradicted.n == 1000
    assert contradicted.either == 31 + 13 + 11
    assert contradicted.first.value == pytest.approx(44 / 1000)
    assert contradicted.second.value == pytest.approx(42 / 1000)
    # Cicchetti & Feinstein 1990: 2a / (2a + b + c)
    assert contradicted.specific.value == pytest.approx(62 / (62 + 13 + 11))
    assert supported.specific.value == pytest.approx(1760 / (1760 + 20 + 16))
    against_rest = [[31, 13], [11, 945]]
    assert contradicted.percent.value == pytest.approx(976 / 1000)
    for name in COEFFICIENTS:
        assert getattr(contradicted, name).value == pytest.approx(coefficient(against_rest, name))
    for name in ("first", "second", "specific", "percent", *COEFFICIENTS):
        for one in (supported, contradicted, unverified):
            estimate = getattr(one, name)
            assert estimate.low < estimate.value < estimate.high


def test_a_label_that_nobody_gave():
    supported, contradicted, unverified = per_label(pairs([[40, 0, 2], [0, 0, 0], [1, 0, 7]]))
    assert contradicted.specific == Estimate(None, None, None, 0, 0.95, "label_not_used")
    assert (contradicted.kappa.value, contradicted.kappa.reason) == (None, "one_label")
    assert (contradicted.alpha.value, contradicted.alpha.reason) == (None, "one_label")
    assert contradicted.first.value == contradicted.second.value == 0
    assert 0 < contradicted.first.high < 0.1
    assert contradicted.ac1.value == 1
    assert supported.kappa.value == pytest.approx(unverified.kappa.value)


def test_a_label_that_one_rater_never_gives():
    contradicted = per_label(pairs([[40, 0, 0], [3, 0, 0], [0, 0, 7]]))[1]
    assert contradicted.specific.value == 0
    assert 0 < contradicted.specific.high < 1
    assert contradicted.kappa.value == pytest.approx(0)
    assert contradicted.note == "constant_rater"


def test_full_agreement_is_no_certainty():
    for one in per_label(pairs([[40, 0, 0], [0, 5, 0], [0, 0, 5]])):
        for name in ("specific", "percent", *COEFFICIENTS):
            estimate = getattr(one, name)
            assert estimate.value == estimate.high == 1
            assert estimate.low < 0.97


def test_few_items_and_none():
    few = per_label(pairs([[10, 1, 0], [0, 5, 0], [0, 0, 2]]))[1]
    assert few.kappa.value is not None
    assert {getattr(few, name).reason for name in COEFFICIENTS} == {"few_items"}
    assert few.specific.low < few.specific.value < few.specific.high
    for one in per_label([(1, S, None)]):
        names = ("first", "second", "specific", "percent", *COEFFICIENTS)
        assert {getattr(one, name).reason for name in names} == {"no_shared_items"}
        assert (one.n, one.either) == (0, 0)


@given(
    st.lists(st.tuples(st.integers(0, 6), st.sampled_from(LABELS), st.sampled_from(LABELS)), min_size=1, max_size=60)
)
def test_swapped_raters_and_the_table_agree(rows):
    found, swapped = per_label(rows), per_label([(answer, b, a) for answer, a, b in rows])
    for one, other in zip(found, swapped, strict=True):
        assert one.first == other.second
        assert one.specific == other.specific
        for name in COEFFICIENTS:
            value = getattr(one, name).value
            assert getattr(other, name).value == (None if value is None else pytest.approx(value))
    disagreements = sum(1 - one.percent.value for one in found)
    assert disagreements == pytest.approx(2 * (1 - agreement(rows).percent.value))  # each one misses two labels
    assert np.allclose(sum(one.first.value for one in found), 1)
