"""A rule, its limits and the plan of an audit on a page: {% load planning %}."""

from dataclasses import dataclass
from typing import Any

from django import template
from django.utils.translation import gettext as _

from audits.planning import Outlook
from audits.templatetags.charts import svg_number
from audits.templatetags.figures import chosen_text, lower_limit_text, percent_text, upper_limit_text

register = template.Library()
register.filter("chosen_rate", chosen_text)
register.filter("lower_limit", lower_limit_text)
register.filter("upper_limit", upper_limit_text)
SURE = 0.999  # a plan is never surer than "> 99 %"


@register.filter
def chance(fraction: float, never: bool = False) -> str:
    """0.879 -> "88 %". A chance that a plan reckons is neither 0 nor 1, unless nothing can happen at all (never)."""
    return percent_text(0.0 if never else min(max(fraction, 1 - SURE), SURE), 0)


@dataclass(frozen=True)
class ChanceBar:
    """One true rate. width: percent of the room as text."""

    rate: str
    note: str
    width: str
    chance: str


@register.inclusion_tag("audits/audit_plan_chances.html")
def chance_bars(plan: Outlook) -> dict[str, Any]:
    """{% chance_bars plan %}: the chance to pass at several true rates; the table is the chart."""
    expected, threshold = float(plan.expected_rate), float(plan.threshold)
    notes = {expected: _("expected"), threshold: _("accepted at most")}
    rows = [
        ChanceBar(
            rate=chosen_text(rate),
            note=notes.get(rate, ""),
            width=svg_number(100 * found),
            chance=chance(found, plan.never),
        )
        for rate, found in plan.chances
    ]
    return {"rows": rows, "plan": plan}
