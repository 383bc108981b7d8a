"""The switch on one batch of an audit."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from audits.access import audit_for
from audits.models import Role
from audits.pipeline.batching import cancel_batch


@require_POST
def audit_batch_cancel(request: HttpRequest, slug: str, pk: int, batch_pk: int) -> HttpResponse:
    """Have the vendor stop a batch; what it has not answered is asked directly."""
    audit = audit_for(request, slug, pk, Role.ANALYST, Role.MANAGER)
    batch = get_object_or_404(audit.batches.select_related("audit__project", "member"), pk=batch_pk)
    if cancel_batch(batch, request.user):
        messages.success(
            request, _("The batch is being cancelled. What it has answered is kept; the rest is asked directly.")
        )
    else:
        messages.info(request, _("Nothing was changed: the audit is no longer in the state this button was for."))
    return redirect("audit", slug, pk)
