"""The page's own tags: {% load assay %}. docs/interface.md lists them with examples."""

import datetime as dt
import secrets
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django import template
from django.conf import settings
from django.template import Context
from django.templatetags.static import static
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from audits.templatetags import charts, charts_counts, charts_time
from audits.templatetags.explanations import reason_text, what_text
from audits.templatetags.figures import (
    EstimateLike,
    Number,
    duration_text,
    estimate_text,
    money_text,
    number_text,
    percent_text,
)
from audits.templatetags.labelling import STAMPS, label_key, label_word, unscored_reason
from audits.templatetags.marking import Span, mark_text
from audits.text.language import html_lang as html_lang_of_language
from audits.text.language import language_of

register = template.Library()

register.filter("number", number_text)
register.filter("percent", percent_text)
register.filter("label_word", label_word)
register.filter("label_key", label_key)
register.filter("reason", reason_text)
register.filter("unscored_reason", unscored_reason)
register.simple_tag(percent_text, name="percent")


@register.simple_tag
def colon() -> str:
    """What stands between a name and its value: full-width and without a space in Chinese."""
    return _(": ")


@register.filter
def money(amount: Number | None, currency: str = "USD") -> str:
    """{{ cost|money:"CNY" }}"""
    return money_text(amount, currency)


@register.filter
def duration(span: dt.timedelta | Number | None) -> str:
    """{{ seconds|duration }}, also of a timedelta."""
    return duration_text(span)


@register.filter
def lang_of(text: object) -> str:
    """The value of the attribute lang for a piece of dataset text: "en" or "zh-Hans"."""
    return html_lang_of_language(language_of(str(text or "")))


@register.filter
def html_lang(code: str) -> str:
    """Django's language code as BCP 47 writes it: zh-hans -> zh-Hans."""
    language, _dash, rest = code.partition("-")
    return f"{language}-{rest.title()}" if rest else language


@register.simple_tag
def brand_name() -> str:
    """The product's name, also where no request and so no context processor is at hand (500.html)."""
    return str(settings.ASSAY_NAME)


@register.simple_tag
def static_quietly(path: str) -> str:
    """The address of a static file, plain where the manifest lacks it, so that an error page never fails in turn."""
    try:
        return static(path)
    except ValueError:
        return f"{settings.STATIC_URL}{path}"


@register.simple_tag
def icon(name: str) -> SafeString:
    """{% icon "download" %}: a symbol of static/img/icons.svg, hidden from screen readers; a word is beside it."""
    sprite = static("img/icons.svg")
    return format_html('<svg class="icon" aria-hidden="true"><use href="{}#{}"/></svg>', sprite, name)


@register.inclusion_tag("components/nav_link.html", takes_context=True)
def nav_link(context: Context, name: str, text: str, *args: object, count: int | None = None) -> dict[str, Any]:
    """{% nav_link "projects" _("Projects") %}, {% nav_link "project_audits" _("Audits") project.pk count=3 %}.

    Nothing where the address does not exist. The link to this page, or to a page above it, is marked as current.
    """
    try:
        url = reverse(name, args=args)
    except NoReverseMatch:
        return {"url": ""}
    path = getattr(context.get("request"), "path", "")
    current = "page" if path == url else "true" if url != "/" and path.startswith(url) else ""
    return {"url": url, "text": text, "current": current, "count": count}


@register.inclusion_tag("components/label_badge.html")
def label_badge(label: object, reason: object = "", size: str = "") -> dict[str, Any]:
    """{% label_badge claim.decision %}: a Label, a Decision, its code value, or None for unscored.

    reason: code of the reason why it is unscored. size: "", "large", or "plain" (no background).
    """
    return {"key": label_key(label), "word": label_word(label), "reason": unscored_reason(reason), "size": size}


@register.inclusion_tag("components/stamp.html")
def stamp(outcome: object, small: bool = False) -> dict[str, Any]:
    """{% stamp "PASS" %}: outcome of an acceptance rule (PASS, FAIL, INSUFFICIENT)."""
    key = str(outcome).split()[0].split("_")[0].lower() if outcome else "insufficient"
    return {"key": key, "word": STAMPS.get(key, str(outcome)), "small": small}


@register.inclusion_tag("components/estimate.html")
def estimate(
    value: EstimateLike | None, what: str = "", unit: str = "percent", headline: bool = False, note: str = ""
) -> dict[str, Any]:
    """{% estimate result.rate "hallucination_rate" %}: "2.7 % (1.9 to 3.6, n = 11,482)" and what it is.

    what: a key of explanations.WHAT. unit: "percent" or "number". headline: the page's one important number.
    note: one more sentence for the explanation.
    """
    title, explanation = what_text(what)
    lines = []
    if value is not None and value.low is not None:
        share = _("{number} %").format(number=f"{100 * value.confidence:g}")
        words = _("The interval is built so that it contains the true value in {share} of cases.")
        lines.append(words.format(share=share))
    if value is not None and value.reason:
        lines.append(_("Note: {reason}.").format(reason=reason_text(value.reason)))
    if note:
        lines.append(note)
    return {
        "text": estimate_text(value, unit),
        "title": title,
        "explanation": explanation,
        "lines": lines,
        "headline": headline,
        "id": f"what-{secrets.token_hex(4)}",  # not counted: parts fetched later stand in the same page
    }


@register.inclusion_tag("components/bar.html")
def bar(counts: Mapping[Any, float] | Iterable[tuple[Any, float]], caption: str = "") -> dict[str, Any]:
    """{% bar counts %}: label -> count as a stacked bar with its table."""
    segments, total = charts.bar_segments(counts)
    description = ", ".join(f"{s.word}: {number_text(s.count)} ({s.share})" for s in segments)
    return {"segments": segments, "total": total, "caption": caption, "description": description}


@register.inclusion_tag("components/bar_chart.html")
def bar_chart(rows: Iterable[tuple[Any, float]], name: str, caption: str = "", share: bool = False) -> dict[str, Any]:
    """{% bar_chart rows _("Reason") %}: rows are pairs (name, count), a lying bar each, from zero.

    name: what a row is, for those who hear the table. share: each row's part of all beside its count.
    """
    return {"bars": charts_counts.bars(rows), "name": name, "caption": caption, "share": share}


@register.inclusion_tag("components/column_chart.html")
def column_chart(rows: Iterable[tuple[Any, float]], name: str, what: str, caption: str) -> dict[str, Any]:
    """{% column_chart rows _("Day") _("Labels") _("Labels per day") %}: rows are pairs (day, count), left to right.

    name: what a column is; what: what it counts; caption: what the whole shows.
    """
    plot = charts_counts.columns(rows)
    words = _("From {first} to {last}, {total} in all, {most} at most. The table below has every number.")
    description = _("There is nothing to show.")
    if plot.columns:
        first, last = plot.columns[0].name, plot.columns[-1].name
        numbers = {"total": number_text(plot.total), "most": number_text(plot.largest)}
        description = words.format(first=first, last=last, **numbers)
    return {
        "plot": plot,
        "name": name,
        "what": what,
        "caption": caption,
        "description": description,
        "id": f"chart-{secrets.token_hex(4)}",
    }


@register.inclusion_tag("components/interval_chart.html")
def interval_chart(
    rows: Iterable[tuple[Any, EstimateLike]],
    limit: float | None = None,
    caption: str = "",
    unit: str = "percent",
    what: str = "",
) -> dict[str, Any]:
    """{% interval_chart rows limit=0.05 %}: rows are pairs (name, estimate). limit: a threshold to draw."""
    return {"chart": charts.interval_chart(rows, limit, unit), "caption": caption, "unit": unit, "what": what}


@register.inclusion_tag("components/timeline.html")
def timeline(
    rows: Iterable[tuple[Any, Any, EstimateLike]],
    caption: str,
    what: str = "",
    overall: EstimateLike | None = None,
    unit: str = "percent",
    table: bool = True,
) -> dict[str, Any]:
    """{% timeline rows _("Agreement by week") "agreement" %}: rows are (window, short name, estimate), by time.

    overall: the estimate over all windows, a dashed line. table: False where the page has the numbers in its own.
    """
    plot = charts_time.timeline(rows, overall, unit)
    description = "; ".join(f"{point.name}: {point.text}" for point in plot.points)
    return {
        "plot": plot,
        "caption": caption,
        "what": what,
        "what_title": what_text(what)[0],
        "unit": unit,
        "table": table,
        "description": description or _("There is nothing to show."),
        "id": f"chart-{secrets.token_hex(4)}",
    }


@register.inclusion_tag("components/matrix.html")
def matrix(
    table: Mapping[tuple[Any, Any], float] | Sequence[Sequence[float]],
    row_name: str,
    col_name: str,
    caption: str = "",
    labels: Sequence[object] | None = None,
    unit: str = "count",
) -> dict[str, Any]:
    """{% matrix agreement.table judge_a.name judge_b.name %}: see charts.matrix for the forms of the table."""
    grid = charts.matrix(table, labels, unit)
    return {"grid": grid, "row_name": row_name, "col_name": col_name, "caption": caption}


@register.simple_tag
def marked(text: object, spans: Iterable[Span | Sequence[object]] = ()) -> SafeString:
    """{% marked answer spans %}: hostile text, escaped, in its own language, with <mark> around the spans.

    spans: (start, end[, css class[, title[, id]]]) in code points; they may overlap.
    """
    plain = str(text or "")
    return format_html('<span class="data-text" lang="{}">{}</span>', lang_of(plain), mark_text(plain, spans or ()))


@register.inclusion_tag("components/long_text.html")
def long_text(text: object, limit: int = 600) -> dict[str, Any]:
    """{% long_text context limit=600 %}: dataset text; beyond `limit` code points the rest is folded."""
    plain = str(text or "")
    head = plain[:limit].rstrip() if len(plain) > limit * 1.2 else ""
    return {"text": plain, "head": head, "length": len(plain)}
