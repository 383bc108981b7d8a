import pytest

from audits.text.normalise import normalise
from audits.text.polarity import negated, negations, opposites


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("It is not so and isn't", 2),
        ("It won't, neither can it", 2),
        ("Notable knots", 0),
        ("未披露，没有盈利，不得转让", 3),
        ("不仅如此，无论如何，非常好，北非地区，区别很大", 0),
        ("", 0),
    ],
)
def test_negations_are_counted(text, count):
    assert negations(text) == count


def test_the_negated_units_follow_the_negation_within_its_clause():
    assert negated(normalise("The fee was not refunded, and paid later").text) == {"refund"}
    assert "披露" in negated(normalise("净利润未披露，已盈利").text)
    assert "盈利" not in negated(normalise("净利润未披露，已盈利").text)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("Revenue increased.", "Revenue fell.", ("increased", "fell")),
        ("an increase in revenue", "a decline in revenue", ("increase", "decline")),
        ("营收增长", "营收下降", ("增长", "下降")),
        ("Revenue rose and costs fell.", "Revenue fell.", None),
        ("Revenue rose.", "Revenue grew.", None),
        ("", "", None),
    ],
)
def test_opposites_count_only_where_neither_side_has_both(left, right, expected):
    assert opposites(left, right) == expected
