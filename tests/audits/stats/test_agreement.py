"""Agreement of two judges, against published tables."""

import math

import pytest

from audits.labels import Label
from audits.stats.agreement import LABELS, agreement
from audits.stats.coefficients import chance, coefficient, influence, observed

S, C, U = LABELS

# table, observed, kappa, AC1. Sources: statsmodels cohens_kappa, R irrCAC gwet.ac1.table.
TABLES = {
    # Wikipedia, "Cohen's kappa", first worked example
    "wikipedia": ([[20, 5], [10, 15]], 0.70, 0.40, None),
    # SAS PROC FREQ print-out: 0.4842
    "sas": ([[0, 4, 1], [0, 8, 0], [0, 1, 5]], None, 0.484163, None),
    # R irrCAC cont3x3abstractors: kappa 0.7964094, AC1 0.8493305
    "abstractors": ([[13, 0, 0], [0, 20, 7], [0, 4, 56]], 0.89, 0.7964094, 0.8493305),
    # the paradox of Feinstein & Cicchetti 1990: the same agreement, another prevalence
    "balanced": ([[40, 9], [6, 45]], 0.85, 0.699519, 0.70075),
    "skewed": ([[80, 10], [5, 5]], 0.85, 0.318182, 0.808),
    "98 percent": ([[970, 10], [10, 10]], 0.98, 0.489796, 0.97918),
    "one rater constant": ([[48, 2], [0, 0]], 0.96, 0.0, None),
}


@pytest.mark.parametrize("case", TABLES.values(), ids=TABLES)
def test_published_coefficients(case):
    table, share, kappa, ac1 = case
    assert coefficient(table, "kappa") == pytest.approx(kappa, abs=1e-6)
    if share is not None:
        assert observed(table) == pytest.approx(share)
    if ac1 is not None:
        assert coefficient(table, "ac1") == pytest.approx(ac1, abs=6e-6)


@pytest.mark.parametrize(
    ("table", "kind", "error"),
    [
        # SAS: ASE 0.1380; R irrCAC: kappa SE 0.05891072, AC1 SE 0.04321747
        ([[0, 4, 1], [0, 8, 0], [0, 1, 5]], "kappa", 0.138014),
        ([[13, 0, 0], [0, 20, 7], [0, 4, 56]], "kappa", 0.05891072),
        ([[13, 0, 0], [0, 20, 7], [0, 4, 56]], "ac1", 0.04321747),
    ],
)
def test_published_standard_errors(table, kind, error):
    effect = influence(table, kind)
    n = sum(map(sum, table))
    cells = [(count, effect[a][b]) for a, row in enumerate(table) for b, count in enumerate(row)]
    mean = sum(count * g for count, g in cells) / n
    variance = sum(count * (g - mean) ** 2 for count, g in cells) / n
    assert math.sqrt(variance / n) == pytest.approx(error, abs=1e-6)


def pairs(table, per_answer=1):
    cells = [(LABELS[a], LABELS[b]) for a, row in enumerate(table) for b, n in enumerate(row) for _ in range(n)]
    return [(number // per_answer, a, b) for number, (a, b) in enumerate(cells)]


def test_table_and_intervals():
    table = [[880, 6, 14], [4, 31, 9], [12, 5, 39]]
    result = agreement(pairs(table))
    assert result.table == tuple(tuple(map(float, row)) for row in table)
    assert (result.n, result.excluded) == (1000, 0)
    assert result.percent.value == pytest.approx(0.95)
    assert result.kappa.value == pytest.approx(0.734438, abs=1e-6)
    # statsmodels, independent claims: 0.668579 to 0.800297; here t instead of z, and never narrower than by the share
    assert result.kappa.low <= 0.6687
    assert result.kappa.high >= 0.8002
    assert result.kappa.high - result.kappa.low < 0.16


def test_claims_of_one_answer_widen_the_interval():
    table = [[880, 6, 14], [4, 31, 9], [12, 5, 39]]
    alone, together = agreement(pairs(table)), agreement(pairs(table, per_answer=10))
    for name in ("percent", "kappa", "ac1"):
        one, many = getattr(alone, name), getattr(together, name)
        assert one.value == many.value
        assert many.low < one.low
        assert many.high >= one.high


def test_missing_labels_are_counted_not_guessed():
    result = agreement([(1, S, S), (2, S, None), (3, None, U), (4, None, None), (5, U, U)])
    assert (result.n, result.excluded) == (2, 3)
    assert result.percent.value == 1.0


def test_no_shared_item_is_undefined():
    for rows in ([], [(1, S, None)]):
        result = agreement(rows)
        assert result.percent.value is result.kappa.value is result.ac1.value is None
        assert result.kappa.reason == result.percent.reason == "no_shared_items"


def test_one_label_leaves_kappa_undefined():
    result = agreement(pairs([[50, 0, 0], [0, 0, 0], [0, 0, 0]]))
    assert (result.kappa.value, result.kappa.reason) == (None, "one_label")
    assert result.percent.value == 1.0
    assert result.ac1.value == 1.0
    assert result.ac1.low < 1.0  # fifty claims prove no perfect agreement
    assert result.note == ""


def test_a_constant_rater_is_noted():
    result = agreement(pairs([[48, 2, 0], [0, 0, 0], [0, 0, 0]]))
    assert result.kappa.value == pytest.approx(0.0)
    assert result.note == "constant_rater"


def test_perfect_agreement_has_a_lower_limit():
    result = agreement(pairs([[40, 0, 0], [0, 5, 0], [0, 0, 5]]))
    assert result.kappa.value == result.kappa.high == 1.0
    assert 0.5 < result.kappa.low < 1.0


def test_one_answer_has_values_without_limits():
    result = agreement([("a", S, S), ("a", C, U)])
    assert result.percent.value == 0.5
    assert result.kappa.low is None
    assert result.kappa.reason == result.percent.reason == "one_answer"


def test_unused_labels_still_count_in_ac1():
    # q is 3 whatever was used: pe = (0.5 * 0.5 + 0.5 * 0.5) / 2
    assert chance([[5, 0, 0], [0, 5, 0], [0, 0, 0]], "ac1") == pytest.approx(0.25)
    with pytest.raises(ValueError, match="kind"):
        chance([[1]], "pi")


def test_labels_are_those_of_the_product():
    assert set(LABELS) == set(Label)
