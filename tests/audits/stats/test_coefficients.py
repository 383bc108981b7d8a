"""Coefficients of one table, against published values and by what must hold of any table."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audits.stats.coefficients import chance, coefficient, coefficients, influence, observed

# table: kind, value. Sources beside each; irrCAC and statsmodels print five and six digits.
PUBLISHED = [
    ("Wikipedia, Cohen's kappa, 1", [[20, 5], [10, 15]], {"percent": 0.70, "kappa": 0.40}),
    ("Wikipedia, Cohen's kappa, 2", [[45, 15], [25, 15]], {"percent": 0.60, "kappa": 0.130435}),
    ("Wikipedia, Cohen's kappa, 3", [[25, 35], [5, 35]], {"percent": 0.60, "kappa": 0.259259}),
    ("SAS PROC FREQ", [[0, 4, 1], [0, 8, 0], [0, 1, 5]], {"kappa": 0.484163}),
    # R irrCAC cont3x3abstractors: kappa 0.7964094, AC1 0.8493305, alpha 0.797258 (krippen2.table)
    (
        "Gwet 2014, abstractors",
        [[13, 0, 0], [0, 20, 7], [0, 4, 56]],
        {"percent": 0.89, "kappa": 0.796409, "ac1": 0.849330, "alpha": 0.797258},
    ),
    (
        "Gwet 2014, diagnosis",
        [[40, 4, 4, 17], [6, 25, 2, 13], [4, 1, 21, 12], [15, 5, 9, 45]],
        {"kappa": 0.431501},
    ),
    # the paradox of Feinstein & Cicchetti 1990: the same agreement, another prevalence
    ("balanced", [[40, 9], [6, 45]], {"percent": 0.85, "kappa": 0.699519, "ac1": 0.700750}),
    ("skewed", [[80, 10], [5, 5]], {"percent": 0.85, "kappa": 0.318182, "ac1": 0.808000}),
    ("98 percent", [[970, 10], [10, 10]], {"percent": 0.98, "kappa": 0.489796, "ac1": 0.979180}),
    ("negative kappa at 94 percent", [[118, 5], [2, 0]], {"kappa": -0.023392, "ac1": 0.940776}),
    ("claims", [[880, 6, 14], [4, 31, 9], [12, 5, 39]], {"percent": 0.95, "kappa": 0.734438}),
    # krippendorff 0.9.0: two judges, ten claims
    ("two judges", [[5, 1, 0], [0, 2, 0], [1, 0, 1]], {"alpha": 0.657658}),
    ("one rater constant", [[48, 2], [0, 0]], {"percent": 0.96, "kappa": 0.0}),
    ("perfect", [[10, 0, 0], [0, 5, 0], [0, 0, 7]], {"percent": 1.0, "kappa": 1.0, "ac1": 1.0, "alpha": 1.0}),
    ("chance", [[25, 25], [25, 25]], {"percent": 0.5, "kappa": 0.0}),
    ("opposite", [[0, 10], [10, 0]], {"percent": 0.0, "kappa": -1.0}),
    # scikit-learn gives nan here, other tools 0 or 1: it is undefined
    ("one label", [[50, 0, 0], [0, 0, 0], [0, 0, 0]], {"percent": 1.0, "kappa": None, "ac1": 1.0, "alpha": None}),
]


@pytest.mark.parametrize(("table", "values"), [row[1:] for row in PUBLISHED], ids=[row[0] for row in PUBLISHED])
def test_published_coefficients(table, values):
    for kind, value in values.items():
        found = coefficient(table, kind)
        assert found == (value if value is None else pytest.approx(value, abs=6e-6)), kind


@pytest.mark.parametrize(
    ("table", "kind", "error"),
    [
        # SAS: ASE 0.1380; R irrCAC: kappa SE 0.05891072, AC1 SE 0.04321747; statsmodels: the other two
        ([[0, 4, 1], [0, 8, 0], [0, 1, 5]], "kappa", 0.138014),
        ([[13, 0, 0], [0, 20, 7], [0, 4, 56]], "kappa", 0.05891072),
        ([[13, 0, 0], [0, 20, 7], [0, 4, 56]], "ac1", 0.04321747),
        ([[20, 5], [10, 15]], "kappa", 0.126996),
        ([[880, 6, 14], [4, 31, 9], [12, 5, 39]], "kappa", 0.033602),
    ],
)
def test_published_standard_errors(table, kind, error):
    counts, effect = np.array(table, dtype=float), influence(table, kind)
    n = counts.sum()
    mean = (counts * effect).sum() / n
    assert math.sqrt((counts * (effect - mean) ** 2).sum() / n / n) == pytest.approx(error, abs=1e-6)


def test_unused_labels_still_count_in_ac1():
    # q is 3 whatever was used: pe = (0.5 * 0.5 + 0.5 * 0.5) / 2
    assert chance([[5, 0, 0], [0, 5, 0], [0, 0, 0]], "ac1") == pytest.approx(0.25)


def test_what_cannot_be_computed_is_refused():
    with pytest.raises(ValueError, match="kind"):
        chance([[1]], "pi")
    with pytest.raises(ValueError, match="kind"):
        influence([[1, 0], [0, 1]], "alpha")
    with pytest.raises(ValueError, match="empty"):
        observed([[0, 0], [0, 0]])
    with pytest.raises(ValueError, match="empty"):
        coefficient([[0, 0], [0, 0]], "kappa")


TABLES = st.lists(st.integers(0, 30), min_size=9, max_size=9).filter(any)


@given(TABLES, st.permutations(range(3)), st.sampled_from(["percent", "kappa", "ac1", "alpha"]))
def test_neither_the_order_of_raters_nor_the_names_of_labels_matter(counts, order, kind):
    table = np.array(counts, dtype=float).reshape(3, 3)
    value = coefficient(table, kind)
    for other in (table.T, table[np.ix_(order, order)]):
        assert coefficient(other, kind) == (None if value is None else pytest.approx(value))


@given(TABLES, st.sampled_from(["kappa", "ac1", "alpha"]))
def test_no_coefficient_is_above_one_and_one_means_no_disagreement(counts, kind):
    table = np.array(counts, dtype=float).reshape(3, 3)
    value = coefficient(table, kind)
    if value is not None:
        assert -1 - 1e-9 <= value <= 1 + 1e-9
        assert (value == pytest.approx(1, abs=1e-9)) == (np.trace(table) == table.sum())


@given(st.lists(TABLES, min_size=1, max_size=4), st.sampled_from(["kappa", "ac1", "alpha"]))
def test_many_tables_at_once_are_each_alone(many, kind):
    tables = np.array(many, dtype=float).reshape(-1, 3, 3)
    together = coefficients(tables, kind)
    alone = [coefficient(table, kind) for table in tables]
    assert [None if math.isnan(value) else pytest.approx(value) for value in together] == alone
