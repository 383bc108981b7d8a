"""Certificates for those who issue them: what is missing, issue, list, revoke."""

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from audits.access import audit_for, project_for, verdicts_for
from audits.blindness import shows_verdicts
from audits.models import Role
from review.access import certificate_for
from review.background import rule_set_at
from review.certify import NotReady, issue, next_version, revoke
from review.issuing import NeedsReason, labelled
from review.models import Certificate
from review.readiness import readiness


@require_safe
@shows_verdicts
def certificate(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """What stands between the audit and its certificate, and the versions there are."""
    audit = verdicts_for(request, slug, pk)
    context = {
        "project": audit.project,
        "audit": audit,
        "tab": "certificate",
        "state": readiness(audit),
        "offered": next_version(audit),
        "certificates": Certificate.objects.filter(audit=audit).select_related("issued_by"),
        "may_issue": Role.MANAGER in audit.project.roles_of(request.user),
        "needs_reason": labelled(audit, request.user),
        "rule_set_at": rule_set_at(audit),
    }
    return render(request, "review/certificate.html", context)


@require_POST
def issue_certificate(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Issue the version that the page offered; pressing twice issues once."""
    audit = audit_for(request, slug, pk, Role.MANAGER)
    offered = request.POST.get("version", "")
    try:
        made = issue(
            audit,
            request.user,
            version=int(offered) if offered.isdecimal() else next_version(audit),
            exception_reason=request.POST.get("exception_reason", ""),
        )
        messages.success(request, _("Certificate %(number)s is issued and signed.") % {"number": made.number})
    except NotReady:
        messages.error(request, _("The audit is not ready. Nothing was issued. The list says what is missing."))
    except NeedsReason:
        messages.error(request, _("You labelled claims of this audit. Say why you issue it all the same."))
    return redirect("certificate", slug, pk)


@require_POST
def revoke_certificate(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Revoke a certificate for good."""
    found = certificate_for(request, slug, pk, Role.MANAGER)
    number = {"number": found.number}
    try:
        if revoke(found, request.user, request.POST.get("reason", "")):
            messages.success(request, _("Certificate %(number)s is revoked.") % number)
        else:
            messages.info(request, _("Certificate %(number)s had been revoked before.") % number)
    except ValueError:
        messages.error(request, _("A revocation needs a reason. Nothing was revoked."))
    return redirect("certificate", slug, found.audit_id)


@require_safe
def certificates(request: HttpRequest, slug: str) -> HttpResponse:
    """Every certificate of the project, the newest first."""
    project = project_for(request, slug)
    rows = Certificate.objects.filter(audit__project=project).select_related("audit", "issued_by")
    return render(request, "review/certificates.html", {"project": project, "certificates": rows})


@login_not_required
@require_safe
def certificate_timestamp(request: HttpRequest, number: str) -> HttpResponse:
    """The reply of the time stamping authority, as openssl ts reads it."""
    found = Certificate.objects.numbered(number)
    if found is None or found.timestamp is None:
        raise Http404
    response = HttpResponse(bytes(found.timestamp), content_type="application/timestamp-reply")
    response["Content-Disposition"] = f'attachment; filename="{found.number}.tsr"'
    return response
