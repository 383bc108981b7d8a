"""Cells that a spreadsheet would run are made harmless; everything else is left alone."""

import pytest

from audits.exporting import safe_cell


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+cmd|' /C calc'!A0",
        "-1+1",
        "@SUM(A1)",
        "\t=1",
        "\rtext",
        "\ntext",
        "  =1+1",
        "＝1+1",
        "＋1+A1",
        "－A1",
        "＠SUM(A1)",
        "﹦1+1",
        "\u200b=1+1",
        "\ufeff=HYPERLINK(1)",
        "\u2060\u200d＝1",
        "\x00=1",
        "--1",
        "-1e5x",
        "-",
    ],
)
def test_a_formula_is_quoted(text):
    assert safe_cell(text) == "'" + text


@pytest.mark.parametrize("text", ["-1", "+3.5", "-1,234.50", "1e-5", "-2.5E+3", "12%", "0", "-0.02"])
def test_a_number_stays_a_number(text):
    assert safe_cell(text) == text


@pytest.mark.parametrize("text", ["", " ", "贷款利率为 4.2%。", "a=b", "1 = 1", "'quoted", "\u200b", "😀=1"])
def test_other_text_is_untouched(text):
    assert safe_cell(text) == text


def test_the_digits_of_other_scripts_are_no_licence():
    assert safe_cell("-１+１") == "'-１+１"
