"""Who agrees with whom: judges with each other, each judge with the experts, the experts."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from audits.access import verdicts_for
from audits.blindness import shows_verdicts
from review.agreement import agreement_page
from review.models import ReviewPlan, Stratum


@require_safe
@shows_verdicts
def agreement(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The agreement page of one audit."""
    audit = verdicts_for(request, slug, pk)
    page = agreement_page(audit)
    names = dict(Stratum.choices)
    confidence = float(audit.confidence)
    context = {
        "project": audit.project,
        "audit": audit,
        "tab": "agreement",
        "page": page,
        "strata": [{"name": names[s.name], "stratum": s, "share": s.estimate(confidence)} for s in page.strata],
        "plan": ReviewPlan.objects.filter(audit=audit).first(),
    }
    return render(request, "review/agreement.html", context)
