"""The evidence package of a certificate, for those who may see verdicts."""

from django.http import FileResponse, HttpRequest
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from audits.access import VerdictsHidden, verdicts_for
from audits.blindness import shows_verdicts
from review.access import certificate_for
from review.package.archive import evidence_package as made
from review.package.options import Options
from review.withheld import withheld_from


@require_safe
@shows_verdicts
def evidence_package(request: HttpRequest, slug: str, pk: int) -> FileResponse:
    """Everything that the figures were made from, as a ZIP. pseudonymised=1: without names; contexts=0: without
    the texts of contexts, questions and answers."""
    certificate = certificate_for(request, slug, pk)
    certificate.audit = verdicts_for(request, slug, certificate.audit_id)
    if withheld_from(request.user, certificate.audit.project).claims:
        raise VerdictsHidden(
            _(
                "Claims wait that you may be given. What others wrote about them is hidden from you until you have "
                "labelled them, so that your labels stay your own."
            )
        )
    options = Options(
        pseudonymised=request.GET.get("pseudonymised") == "1", contexts=request.GET.get("contexts", "1") != "0"
    )
    name = f"{certificate.number}-evidence{options.suffix}.zip"
    response = FileResponse(
        made(certificate, options), content_type="application/zip", as_attachment=True, filename=name
    )
    response["Cache-Control"] = "private, no-store"
    return response
