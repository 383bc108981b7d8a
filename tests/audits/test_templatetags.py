"""The page's tags: how numbers, labels and hostile text come out; and that the colours can be read."""

import datetime as dt
import re
from pathlib import Path

import pytest
from django.conf import settings
from django.template import Context, Template
from django.test import override_settings
from django.utils import translation

from audits.labels import Decision, Label, Unscored
from audits.stats.estimate import Estimate, undefined
from audits.templatetags import charts
from audits.templatetags.explanations import REASONS, reason_text
from audits.templatetags.figures import duration_text, estimate_text, money_text, number_text, percent_text
from audits.templatetags.labelling import KEYS, UNSCORED_REASONS, label_key, label_word
from audits.templatetags.marking import mark_text

ZH = "民法典规定，诉讼时效期间为三年。"
STATIC = Path(settings.BASE_DIR) / "static"


@pytest.fixture(autouse=True)
def plain_static_files():
    """Tags ask for addresses of static files; no manifest is built for the tests."""
    storage = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }
    with override_settings(STORAGES=storage), translation.override("en"):
        yield


def render(source: str, **context: object) -> str:
    return Template("{% load assay %}" + source).render(Context(context))


def text_of(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", html)).strip()


# --- numbers ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("fraction", "shown"),
    [
        (0.0274, "2.7 %"),
        (0, "0 %"),
        (1, "100 %"),
        (0.0004, "0.04 %"),
        (0.9996, "99.96 %"),
        (0.000001, "< 0.001 %"),
        (0.9999999, "> 99.999 %"),
        (None, "undefined"),
        (float("nan"), "undefined"),
    ],
)
def test_a_share_is_never_rounded_to_nothing_or_to_all(fraction, shown):
    assert percent_text(fraction) == shown


def test_an_estimate_is_written_in_one_way():
    estimate = Estimate(0.0274, 0.0191, 0.0362, 11482, 0.95)
    assert str(estimate_text(estimate)) == "2.7 % (1.9 to 3.6, n = 11,482)"
    assert (
        str(estimate_text(Estimate(0.487, -0.08, 0.583, 1204, 0.95), "number")) == "0.49 (-0.08 to 0.58, n = 1,204)"
    )
    assert str(estimate_text(Estimate(0, 0, 0.0004, 9000, 0.95))) == "0 % (0 to 0.04, n = 9,000)"
    wide = estimate_text(Estimate(2 / 3, 0.000001, 1, 3, 0.95))
    assert str(wide) == "66.7 % (< 0.1 to 100, n = 3)"  # a limit near 0 must not make three claims look exact


def test_an_undefined_estimate_says_why_and_is_not_zero():
    shown = estimate_text(undefined("no_claims"))
    assert str(shown) == "undefined (there are no claims; n = 0)"
    assert not shown.defined
    assert str(estimate_text(None)) == "undefined (no data; n = 0)"


def test_an_estimate_without_limits_says_why():
    shown = estimate_text(Estimate(0.02, None, None, 312, 0.95, "one_answer"))
    assert str(shown) == "2.0 % (no interval: all claims come from one answer; n = 312)"


def test_an_unknown_reason_stays_readable():
    assert reason_text("planned_never_drawn") == "planned never drawn"


def test_the_estimate_tag_explains_itself():
    html = render("{% estimate e 'kappa' unit='number' %}", e=Estimate(0.5, 0.4, 0.6, 90, 0.95))
    assert "0.50 (0.40 to 0.60, n = 90)" in text_of(html)
    assert "Agreement beyond chance" in html
    assert "95 % of cases" in html
    (target,) = re.findall(r'popovertarget="([^"]+)"', html)
    assert f'id="{target}"' in html


@pytest.mark.parametrize(
    ("amount", "currency", "shown"),
    [(12.5, "CNY", "CNY 12.50"), (0.0042, "USD", "USD 0.0042"), (0, "USD", "USD 0.00"), (None, "USD", "unknown")],
)
def test_money(amount, currency, shown):
    assert money_text(amount, currency) == shown


@pytest.mark.parametrize(
    ("span", "shown"),
    [
        (0.2, "under 1 s"),
        (200, "3 min 20 s"),
        (3600, "1 h"),
        (dt.timedelta(hours=2, minutes=5, seconds=3), "2 h 5 min"),
        (90_000, "1 day 1 h"),
        (2 * 86_400, "2 days"),
        (None, "unknown"),
    ],
)
def test_durations(span, shown):
    assert duration_text(span) == shown


def test_numbers_are_grouped_by_thousands_in_chinese_too():
    with translation.override("zh-hans"):
        assert number_text(11_482_000) == "11,482,000"
    assert number_text(2.5) == "2.50"


# --- labels -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("label", "key"),
    [(label, label.value.lower()) for label in Decision]
    + [(None, "unscored"), ("", "unscored"), (Label.SUPPORTED, "supported")],
)
def test_every_label_has_icon_and_word(label, key):
    html = render("{% label_badge label %}", label=label)
    assert label_key(label) == key
    assert f"icons.svg#{key}" in html
    assert label_word(label) in text_of(html)


def test_the_sprite_holds_every_icon_that_templates_use():
    symbols = set(re.findall(r'symbol id="(\w+)"', (STATIC / "img/icons.svg").read_text(encoding="utf-8")))
    templates = Path(settings.BASE_DIR, "templates").rglob("*.html")
    used = {
        name for path in templates for name in re.findall(r'{% icon "(\w+)" %}', path.read_text(encoding="utf-8"))
    }
    assert used | set(KEYS) <= symbols


def test_every_reason_for_no_label_has_words():
    assert set(UNSCORED_REASONS) == {reason.value for reason in Unscored}
    assert "the judge refused" in render("{% label_badge None reason='refused' %}")


def test_an_unknown_label_is_escaped():
    html = render("{% label_badge label %}", label="<b>x</b>")
    assert "<b>" not in html


def test_an_unknown_outcome_is_not_a_pass():
    assert "stamp-insufficient" in render("{% stamp None %}")
    assert "INSUFFICIENT EVIDENCE" in render("{% stamp 'INSUFFICIENT' %}")


# --- hostile text -----------------------------------------------------------------------------------------
def test_marked_text_is_escaped_inside_and_outside_of_marks():
    text = '<script>alert("x")</script> & <img onerror=1>'
    html = mark_text(text, [(0, 8, 'a" onclick="x', '"><b>', 'i"d')])
    assert "<script" not in html and "<img" not in html and "<b>" not in html
    assert 'onclick="' not in html
    assert html.startswith('<mark class="')
    assert text_of(html).startswith("&lt;script&gt;alert")


def test_offsets_are_code_points():
    assert mark_text("😀民法😀", [(1, 3, "x")]) == '😀<mark class="x">民法</mark>😀'


def test_overlapping_marks_carry_the_classes_of_all():
    html = mark_text("abcdef", [(0, 4, "one", "1", "c1"), (2, 6, "two", "2", "c2")])
    assert html == (
        '<mark class="one" id="c1" title="1">ab</mark>'
        '<mark class="one two" id="c2" title="1 · 2">cd</mark>'
        '<mark class="two" title="2">ef</mark>'
    )


def test_impossible_spans_lose_no_text():
    spans = [(-5, 2, "a"), (3, 3, "b"), (5, 4, "c"), (4, 99, "d"), (50, 60, "e")]
    assert mark_text("abcdef", spans) == '<mark class="a">ab</mark>cd<mark class="d">ef</mark>'


def test_two_marks_from_the_same_place_keep_one_anchor():
    html = mark_text("abc", [(0, 3, "x", "", "first"), (0, 1, "y", "", "second")])
    assert html.count("id=") == 1


def test_dataset_text_says_its_language():
    assert 'lang="zh-Hans"' in render("{% marked text spans %}", text=ZH, spans=[(0, 3, "mark-claim")])
    assert render("{{ text|lang_of }}", text="plain words") == "en"
    assert render("{{ code|html_lang }}", code="zh-hans") == "zh-Hans"
    assert 'lang="en"' in render("{% marked None %}")


def test_long_text_is_folded_and_whole():
    text = "条款<b>" * 300
    html = render("{% long_text text limit=100 %}", text=text)
    assert "All 1,500 characters" in html
    assert html.count("&lt;b&gt;") == 20 + 300
    assert "<b>" not in html
    assert "<details" not in render("{% long_text 'short' %}")


# --- charts -----------------------------------------------------------------------------------------------
def test_a_bar_fills_its_width_and_hides_nothing():
    segments, total = charts.bar_segments({"disputed": 1, Label.SUPPORTED: 99_998, Label.CONTRADICTED: 1, None: 0})
    assert total == 100_000
    assert [s.key for s in segments] == ["supported", "contradicted", "disputed", "unscored"]
    assert sum(float(s.width) for s in segments) == pytest.approx(100, abs=0.05)
    assert all(float(s.width) >= charts.LEAST_WIDTH for s in segments if s.count)
    html = render("{% bar counts %}", counts={Label.SUPPORTED: 3, None: 1})
    assert "75.0 %" in html and "<table" in html


def test_an_empty_bar_says_undefined():
    html = render("{% bar counts %}", counts={Label.SUPPORTED: 0})
    assert "undefined" in html and "<svg height" not in html


def test_intervals_share_an_axis_with_zero_and_the_limit():
    rows = [("a", Estimate(0.02, 0.01, 0.04, 9, 0.95)), ("b", undefined("no_claims"))]
    chart = charts.interval_chart(rows, limit=0.05)
    a, b = chart.rows
    assert float(chart.zero) < float(a.low) < float(a.value) < float(a.high) < float(chart.limit)
    assert b.value == b.low == ""
    assert chart.ticks[0] == {"x": chart.zero, "text": "0 %"}
    assert "undefined (there are no claims; n = 0)" in text_of(
        render("{% interval_chart rows limit=0.05 %}", rows=rows)
    )


def test_a_number_just_below_zero_has_no_sign_of_its_own():
    html = render("{% estimate e 'kappa' unit='number' %}", e=Estimate(-0.15, -0.27, -0.001, 21, 0.95))
    assert "(-0.27 to 0.00, n = 21)" in html


def test_intervals_of_kappa_may_be_negative():
    chart = charts.interval_chart([("k", Estimate(0.1, -0.3, 0.5, 9, 0.95))], unit="number")
    assert float(chart.rows[0].low) < float(chart.zero)


@pytest.mark.parametrize("estimates", [[], [("a", Estimate(0.0, None, None, 0, 0.95))]])
def test_an_interval_chart_of_nothing_is_drawn(estimates):
    assert "<table" in render("{% interval_chart rows %}", rows=estimates)


def test_where_all_estimates_are_undefined_no_axis_is_drawn():
    html = render("{% interval_chart rows %}", rows=[("a", undefined("no_claims"))])
    assert "undefined (there are no claims; n = 0)" in text_of(html)
    assert "<svg" not in html and "0 %" not in html


def test_a_matrix_from_rows_or_from_pairs():
    rows = ((8, 1, 0), (0, 2, 0), (3, 0, 4))
    pairs = {(a, b): rows[i][j] for i, a in enumerate(Label) for j, b in enumerate(Label)}
    assert charts.matrix(rows) == charts.matrix(pairs)
    grid = charts.matrix(rows)
    assert (grid.total, grid.totals, grid.rows[2].total) == ("18", ["11", "3", "4"], "7")
    assert grid.rows[0].cells[0].heat == 5 and grid.rows[1].cells[0].heat == 0
    html = render("{% matrix t name 'B' %}", t=rows, name="<i>A</i>")
    assert "<i>" not in html and html.count("same") == 3
    with pytest.raises(ValueError, match="3 rows"):
        charts.matrix(((1, 2), (3, 4)))


def test_codes_of_the_statistics_have_words():
    """Every reason code that audits/stats hands out as an estimate's reason is explained."""
    sources = Path(settings.BASE_DIR, "audits/stats").glob("*.py")
    codes = {code for path in sources for code in re.findall(r'undefined\("(\w+)"', path.read_text(encoding="utf-8"))}
    assert codes and codes <= set(REASONS)
