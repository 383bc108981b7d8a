import pytest

from audits.text.quantities import figures, quantities


def read(text):
    return [(quantity.value, quantity.unit) for quantity in quantities(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$4.5 billion", [(4.5e9, "$")]),
        ("1,437.5 units", [(1437.5, "unit")]),
        ("12 % and 12 percent and 百分之十二 and １２％", [(12.0, "%")] * 4),
        ("3 个百分点", [(3.0, "%")]),
        ("twenty-five people, five hundred cars", [(25.0, "people"), (500.0, "car")]),
        ("三家公司，二十五年，三万五千元", [(3.0, "家"), (25.0, "年"), (35000.0, "元")]),
        ("二〇二三年", [(2023.0, "年")]),
        ("1.2万亿元，3万人", [(1.2e12, "元"), (3e4, "人")]),
        ("一百二十天，两次，第三", [(120.0, "天"), (2.0, "次"), (3.0, "")]),
        ("十分重要的一些统一问题", []),
        ("5k users", [(5000.0, "user")]),
        ("in 2019, 12 of 30", [(2019.0, ""), (12.0, ""), (30.0, "")]),
        ("2019，１２％", [(2019.0, ""), (12.0, "%")]),
        ("no number here", []),
    ],
)
def test_numbers_are_read_as_meant(text, expected):
    assert read(text) == expected


def test_only_numbers_of_one_kind_exclude_each_other():
    money, other, percent, year, later = quantities("$5 million, $6 million, 5%, 1999 and 2001")
    assert money.is_comparable(other) and year.is_comparable(later)
    assert not money.is_comparable(percent) and not percent.is_comparable(year)


def test_figures_are_compared_as_written():
    assert figures("1,437.5 of three 三") == ["1437.5", "three", "三"]
    assert figures("１２％") == figures("12%") != figures("13%")
