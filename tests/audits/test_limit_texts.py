"""A threshold and the limits that are held against it, as pages write them."""

from types import SimpleNamespace

import pytest
from django.template.loader import render_to_string

from audits.stats.acceptance import Acceptance
from audits.stats.estimate import Estimate
from audits.templatetags.charts import interval_chart
from audits.templatetags.figures import chosen_text, lower_limit_text, upper_limit_text


@pytest.mark.parametrize(
    ("fraction", "shown"), [(0.0025, "0.25 %"), (0.0475, "4.75 %"), (0.05, "5 %"), (0.0001, "0.01 %"), (0.5, "50 %")]
)
def test_a_threshold_keeps_all_its_decimals(fraction, shown):
    assert chosen_text(fraction) == shown
    assert interval_chart([("a", Estimate(0.01, 0.0, 0.02, 9, 0.95))], limit=fraction).limit_text == shown


def test_a_level_is_never_rounded_up():
    assert chosen_text(1 - 0.05 / 4) == "98.75 %"
    assert chosen_text(1 - 0.01 / 4) == "99.75 %"
    assert chosen_text(1 - 0.05 / 3) == "98.3333 %"


@pytest.mark.parametrize(
    ("fraction", "low", "high"),
    [
        (0.0504, "5.04 %", "5.04 %"),
        (0.050001, "5.00 %", "5.01 %"),
        (0.049999, "4.99 %", "5.00 %"),
        (0.05, "5.00 %", "5.00 %"),
        (0.0, "0.00 %", "0.00 %"),
        (0.00001, "0.0010 %", "0.0010 %"),
        (1.0, "100.00 %", "100.00 %"),
        (0.99995, "99.9950 %", "99.9950 %"),
        (None, "undefined", "undefined"),
    ],
)
def test_a_limit_is_rounded_away_from_the_rate(fraction, low, high):
    assert (lower_limit_text(fraction), upper_limit_text(fraction)) == (low, high)


def test_a_limit_just_above_the_threshold_is_not_shown_as_the_threshold():
    """5.004 % is above 5 %, and says so beside INSUFFICIENT EVIDENCE; a threshold of 0.25 % is not 0.2 %."""
    acceptance = Acceptance("INSUFFICIENT", (), 0.01234, 0.05004, 0.0025, "dataset", 0.95, 0.9875)
    figures = SimpleNamespace(
        acceptance=acceptance,
        rate=SimpleNamespace(answers=9, claims=9),
        headline=None,
        spot_checked=0,
        disputes_reviewed=0,
    )
    found = SimpleNamespace(judged=SimpleNamespace(rate=None))
    shown = {"figures": figures, "found": found, "audit": SimpleNamespace(pk=1), "project": SimpleNamespace(slug="p")}
    page = render_to_string("review/estimate_headline.html", shown)
    assert "Accepted: at most 0.25 %" in page
    assert "at least 1.23 %, at most 5.01 %, each with 98.75 % confidence" in page
