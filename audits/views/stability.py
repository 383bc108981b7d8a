"""The page that shows how often each judge of an audit changes its label when it is asked again."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from audits.access import verdicts_for
from audits.blindness import shows_verdicts
from audits.models import Audit, Probe
from audits.parts import render_parts
from audits.stability import Stability, flipped, stability
from audits.stats.estimate import Estimate

PAGE = 50


@require_safe
@shows_verdicts
def audit_stability(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Flip rates, what became what, and the flipped claims in pages. It asks for itself while probes are judged."""
    audit = verdicts_for(request, slug, pk)
    found = stability(audit)
    page = Paginator(flipped(audit), PAGE).get_page(request.GET.get("page"))
    context = {
        "project": audit.project,
        "tab": "stability",
        "audit": audit,
        "found": found,
        "rates": _rates(found),
        "kinds": Probe.Kind,
        "page": page,
        "running": audit.status == Audit.Status.JUDGING and bool(audit.probe_percent),
        "previous_url": f"?page={page.previous_page_number()}" if page.has_previous() else "",
        "next_url": f"?page={page.next_page_number()}" if page.has_next() else "",
    }
    return render_parts(request, "audits/stability.html", context, parts=("stability",))


def _rates(found: Stability) -> list[tuple[str, Estimate]]:
    """(judge and what was varied, flip rate): the rows of the chart."""
    return [
        (f"{row.member.letter} · {kind.label}", flips.rate)
        for row in found.judges
        for kind, flips in ((Probe.Kind.REPEAT, row.repeat), (Probe.Kind.REORDER, row.reorder))
    ]
