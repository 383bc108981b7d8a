"""The page that shows how often each judge changes its label when asked again, and what it said of planted claims."""

from typing import Any

from django.core.paginator import Page, Paginator
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from audits.access import verdicts_for
from audits.blindness import shows_verdicts
from audits.models import Audit, Probe
from audits.parts import render_parts
from audits.planted import planted_variants, said_of
from audits.stability import Stability, flipped, stability
from audits.stats.estimate import Estimate

PAGE = 50


@require_safe
@shows_verdicts
def audit_stability(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Flip rates, what became what, flipped and planted claims in pages. It fetches itself while judges are asked."""
    audit = verdicts_for(request, slug, pk)
    found = stability(audit)
    page = Paginator(flipped(audit), PAGE).get_page(request.GET.get("page"))
    planted = Paginator(planted_variants(audit), PAGE).get_page(request.GET.get("planted"))
    context = {
        "project": audit.project,
        "tab": "stability",
        "audit": audit,
        "found": found,
        "rates": _rates(found),
        "kinds": Probe.Kind,
        "page": page,
        "planted": planted,
        "planted_rows": said_of(list(planted), found.judges),
        "running": audit.status == Audit.Status.JUDGING and audit.has_probes,
        **_turns(page, planted),
    }
    return render_parts(request, "audits/stability.html", context, parts=("stability",))


def _turns(page: Page[Any], planted: Page[Any]) -> dict[str, Any]:
    """Where the two lists go on; the other one stays where it is."""

    def there(number: int, planted_number: int) -> str:
        return f"?page={number}" + (f"&planted={planted_number}" if planted_number > 1 else "")

    here = page.number, planted.number
    return {
        "here": there(*here),
        "previous_url": there(page.previous_page_number(), here[1]) if page.has_previous() else "",
        "next_url": there(page.next_page_number(), here[1]) if page.has_next() else "",
        "planted_previous": there(here[0], planted.previous_page_number()) if planted.has_previous() else "",
        "planted_next": there(here[0], planted.next_page_number()) if planted.has_next() else "",
    }


def _rates(found: Stability) -> list[tuple[str, Estimate]]:
    """(judge and what was varied, flip rate): the rows of the chart."""
    return [
        (f"{row.member.letter} · {kind.label}", flips.rate)
        for row in found.judges
        for kind, flips in ((Probe.Kind.REPEAT, row.repeat), (Probe.Kind.REORDER, row.reorder))
    ]
