"""Estimates over time: each with its interval, on an axis that does not move with the data, and as a table."""

import pytest
from django.template import Context, Template
from django.utils import translation

from audits.stats.estimate import Estimate, undefined
from audits.templatetags.charts_time import BOTTOM, TOP, timeline


def test_a_window_has_its_dot_between_the_ends_of_its_interval() -> None:
    rows = [("May", "5", Estimate(0.8, 0.6, 0.9, 40, 0.95)), ("June", "6", undefined("no_shared_items"))]
    plot = timeline(rows, Estimate(0.5, None, None, 40, 0.95))
    may, june = plot.points
    assert float(may.high) < float(may.y) < float(may.low), "upwards is more"
    assert (june.y, june.low, june.high) == ("", "", "")
    assert float(plot.overall) == (TOP + BOTTOM) / 2
    assert [tick["text"] for tick in plot.ticks] == ["0 %", "25 %", "50 %", "75 %", "100 %"]


def test_a_coefficient_below_zero_lowers_the_axis() -> None:
    plot = timeline([("May", "5", Estimate(0.2, -0.4, 0.6, 9, 0.95))], unit="number")
    assert (plot.ticks[0]["text"], plot.ticks[-1]["text"]) == ("-1.0", "1.0")


def test_few_windows_of_many_are_named() -> None:
    plot = timeline([(f"window {i}", f"w{i}", undefined("no_claims")) for i in range(12)])
    assert [point.label for point in plot.points if point.label] == ["w0", "w4", "w7", "w11"]


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_it_is_a_picture_with_words_and_a_table(language: str) -> None:
    rows = [
        ("<b>", "<b>", Estimate(0.8, 0.6, 0.9, 40, 0.95)),
        ("June", "6", Estimate(0.5, None, None, 2, 0.95, "one_answer")),
    ]
    with translation.override(language):
        html = Template("{% load assay %}{% timeline rows caption 'agreement' %}").render(
            Context({"rows": rows, "caption": "By month"})
        )
    assert "<b>" not in html and 'role="img"' in html and "n = 40" in html
    assert html.count('class="interval-line"') == 1 and html.count("<circle") == 2 and html.count("<tr") == 3
