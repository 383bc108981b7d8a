"""The rate of an audit: what the experts' labels make of the judges' verdict, with everything it rests on."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from audits.access import verdicts_for
from audits.blindness import shows_verdicts
from audits.models import Audit
from audits.parts import render_parts
from audits.stats.estimate import Estimate
from audits.templatetags.explanations import what_text
from audits.templatetags.figures import EstimateText, number_text
from review.estimates import Figures, Report, report
from review.models import Stratum


@require_safe
@shows_verdicts
def review_estimate(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The figures as a page, and for HTMX as the part that the result page loads."""
    audit = verdicts_for(request, slug, pk)
    found = report(audit)
    context = {
        "project": audit.project,
        "audit": audit,
        "tab": "estimate",
        "alone": not getattr(request, "htmx", None),  # the result page has the judges' figures already
        "found": found,
        "figures": found.figures,
    }
    if found.figures is not None:
        context |= _shown(audit, found, found.figures)
    return render_parts(request, "review/estimate.html", context, parts=("audit-estimate",))


def _shown(audit: Audit, found: Report, figures: Figures) -> dict[str, Any]:
    names = dict(Stratum.choices)
    confidence = float(audit.confidence)
    return {
        "rows": _rows(figures),
        "chart": _chart(found, figures),
        "threshold": figures.acceptance.threshold,
        "strata": [{"name": names[s.name], "stratum": s, "share": s.estimate(confidence)} for s in figures.strata],
        "presumed": [str(names[s.name]) for s in figures.presumed],
        "headline_what": "traffic_rate" if figures.acceptance.scope == "traffic" else "corrected_rate",
        "deff": _design_effect(figures),
    }


def _rows(figures: Figures) -> list[dict[str, Any]]:
    """One row for each thing that is estimated. limits: one-sided, of those to which the rule could apply."""
    rate, macro, scope = figures.rate, figures.macro, figures.acceptance.scope
    found: list[tuple[str, str, Estimate, str]] = [
        ("dataset", _("Per claim, these answers"), rate.dataset, "corrected_rate"),
        ("traffic", _("Per claim, the traffic"), rate.traffic, "traffic_rate"),
        ("", _("Per answer, these answers"), macro.dataset, "macro_rate"),
        ("", _("Per answer, the traffic"), macro.traffic, "macro_rate"),
    ]
    return [
        {
            "name": name,
            "estimate": estimate,
            "what": what,
            "per_claim": bool(key),
            "limits": figures.limits[key] if key else None,
            "decides": key == scope,
        }
        for key, name, estimate, what in found
    ]


def _chart(found: Report, figures: Figures) -> list[tuple[str, Estimate]]:
    """The judges' verdict above what the experts make of it; what has no interval stands in the table alone."""
    macro = figures.macro.traffic if figures.acceptance.scope == "traffic" else figures.macro.dataset
    rows = [
        (_("Judges' verdict, not audited"), found.judged.rate),
        (_("Corrected, these answers"), figures.rate.dataset),
        (_("Corrected, the traffic"), figures.rate.traffic),
        (_("Corrected, per answer"), macro),
    ]
    return [(name, estimate) for name, estimate in rows if estimate.low is not None]


def _design_effect(figures: Figures) -> dict[str, Any]:
    """The design effect as the component of estimates takes it, with what it means for these claims."""
    title, explanation = what_text("design_effect")
    rate = figures.rate
    words = _("({claims} claims tell as much as about {independent} claims, each of an answer of its own)")
    rest = words.format(claims=number_text(rate.claims), independent=number_text(round(rate.claims / rate.deff)))
    return {"text": EstimateText(number_text(rate.deff, 2), rest, True), "title": title, "explanation": explanation}
