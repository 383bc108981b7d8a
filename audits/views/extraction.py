"""The page that shows how well the answers of an audit were cut into claims."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from audits.access import audit_for
from audits.extraction_quality import answers_to_see, extraction_quality
from audits.models import Audit, Role

PAGE = 50


@require_safe
def audit_extraction(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Coverage of sentences, claims per answer, and the answers that a person should look at, in pages."""
    audit = audit_for(request, slug, pk, Role.ANALYST, Role.MANAGER)
    page = Paginator(answers_to_see(audit), PAGE).get_page(request.GET.get("page"))
    context = {
        "project": audit.project,
        "tab": "extraction",
        "audit": audit,
        "quality": extraction_quality(audit),
        "page": page,
        "running": audit.status == Audit.Status.JUDGING,
        "previous_url": f"?page={page.previous_page_number()}" if page.has_previous() else "",
        "next_url": f"?page={page.next_page_number()}" if page.has_next() else "",
    }
    return render(request, "audits/extraction.html", context)
