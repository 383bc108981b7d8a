"""Bars that count things: they start at zero, keep what is small in sight, and have their numbers beside them."""

import re

import pytest
from django.template import Context, Template

from audits.templatetags import charts_counts
from audits.templatetags.charts import LEAST_WIDTH


def render(source: str, **context: object) -> str:
    return Template("{% load assay %}" + source).render(Context(context))


def test_lying_bars_are_as_long_as_their_counts() -> None:
    found = charts_counts.bars([("a", 40), ("b", 10), ("c", 0), ("d", 0.001)])
    assert [row.width for row in found.rows] == ["100", "25", "0", str(LEAST_WIDTH)]
    assert [row.share for row in found.rows[:2]] == ["80.0 %", "20.0 %"]


def test_standing_bars_share_a_baseline() -> None:
    found = charts_counts.columns([("Mon", 10), ("Tue", 5), ("Wed", 0)])
    heights = [float(column.height) for column in found.columns]
    assert heights[0] == pytest.approx(2 * heights[1]) and heights[2] == 0
    assert {float(column.y) + float(column.height) for column in found.columns} == {100.0}
    assert [column.number for column in found.columns] == ["10", "5", ""]


def test_many_columns_name_some_and_number_the_highest() -> None:
    found = charts_counts.columns([(f"day {i}", 3 if i in {7, 9} else 1) for i in range(30)])
    assert [column.name for column in found.columns if column.label] == [
        "day 0",
        "day 7",
        "day 14",
        "day 22",
        "day 29",
    ]
    assert [column.name for column in found.columns if column.number] == ["day 7"]
    assert (found.columns[0].anchor, found.columns[-1].anchor) == ("start", "end")


def test_nothing_below_zero_is_counted() -> None:
    with pytest.raises(ValueError, match="below zero"):
        charts_counts.bars([("a", -1)])


@pytest.mark.parametrize("rows", [[], [("<b>", 0)], [("<b>", 1_234_567)]])
def test_both_are_drawn_with_hostile_names_or_nothing(rows: list[tuple[str, int]]) -> None:
    html = render(
        "{% bar_chart rows 'Reason' share=True %}{% column_chart rows 'Day' 'Labels' 'Labels per day' %}", rows=rows
    )
    assert "<b>" not in html and html.count("<table") == 2
    assert 'role="img"' in html and "<desc" in html
    for number in re.findall(r'\s(?:x|y|width|height)="([^"]*)"', html):
        assert re.fullmatch(r"\d+(\.\d+)?%?", number), "no locale touches a position"
