"""Claims with known labels: which there are, how experts met them, and which could be added."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from audits.access import audit_for, project_for
from audits.labels import Label
from audits.models import Claim, Event, Project, Role
from review.gold import GoldError, add, candidates, remove, results, suggestions
from review.models import ReviewItem
from review.progress.known import known
from review.progress.work import audits_under_review
from review.rules import rules_of
from review.views.manage import RUNNERS, page
from review.withheld import withheld_from

CHOICES = 20  # claims to choose from at once
REASON = 2_000  # characters


@require_safe
def review_manage_gold(request: HttpRequest, slug: str) -> HttpResponse:
    """The known labels of a project. Withheld from whoever labels here: only the reason is shown."""
    project = project_for(request, slug, *RUNNERS)
    if withheld_from(request.user, project).gold:
        return page(request, project, "gold", {})
    found = results(project)
    more: dict[str, Any] = {
        "bar": rules_of(project).gold_bar,
        "results": found,
        "intervals": [(one.expert.get_username(), one.share) for one in found],
        "limit": rules_of(project).gold_bar / 100,
        "items": known(project, request.GET.get("page")),
    }
    if Role.MANAGER in getattr(project, "roles", ()):
        more |= _choice(request, project)
    return page(request, project, "gold", more, parts=("gold-choice",))


def _choice(request: HttpRequest, project: Project) -> dict[str, Any]:
    """What could be added: of one audit, what the search finds, and what the dataset's own labels say."""
    audits = [audit for audit in audits_under_review(project) if hasattr(audit, "review_plan")]
    audit = next((one for one in audits if str(one.pk) == request.GET.get("audit")), audits[0] if audits else None)
    if audit is None:
        return {"audits": audits}
    wanted = request.GET.get("q", "").strip()[:200]
    claims = (
        candidates(audit, wanted).only("text", "audit", "sample__external_id") if wanted else Claim.objects.none()
    )
    offered = suggestions(audit)
    return {
        "audits": audits,
        "audit": audit,
        "q": wanted,
        "claims": claims[:CHOICES],
        "found": claims.count() if wanted else 0,
        "offered": offered[:CHOICES],
        "offers": len(offered),
        "labels": list(Label),
    }


@require_POST
def review_gold_add(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Mix a claim of this audit in, with the label that is known to be right."""
    audit = audit_for(request, slug, pk, Role.MANAGER)
    _refuse_experts(request, audit.project)
    number = request.POST.get("claim", "")
    if not (number.isascii() and number.isdecimal() and len(number) < 19):
        return _back(request, slug, error=_("No claim was chosen. Nothing was added."))
    claim = get_object_or_404(Claim, audit=audit, pk=int(number))
    reason = request.POST.get("reason", "").strip()[:REASON]
    if not reason:
        return _back(request, slug, error=_("Say why the label is certain. Nothing was added."))
    try:
        add(audit, claim, label=request.POST.get("label", ""), reason=reason, by=request.user)
    except GoldError as error:
        return _back(request, slug, error=_refusal(error.code))
    return _back(request, slug, done=_("Added. Every expert will meet this claim once, like any other."))


@require_POST
def review_gold_remove(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Take a claim with a known label out again, while nobody has labelled it."""
    project = project_for(request, slug, Role.MANAGER)
    rows = ReviewItem.objects.filter(plan__audit__project=project, kind=ReviewItem.Kind.GOLD)
    item = rows.select_related("plan__audit__project").filter(pk=pk).first()
    if item is None:
        get_object_or_404(Event, project=project, kind="gold_removed", data__item=pk)
        return _back(request, slug, done=_("It was taken out before. Nothing was changed."))
    _refuse_experts(request, project)
    try:
        taken = remove(item, request.user)
    except GoldError as error:
        return _back(request, slug, error=_refusal(error.code))
    return _back(request, slug, done=_("Taken out.") if taken else _("It was taken out before. Nothing was changed."))


def _refuse_experts(request: HttpRequest, project: Project) -> None:
    if withheld_from(request.user, project).gold:
        raise PermissionDenied(_("You label claims in this project yourself, so known labels are hidden from you."))


def _back(request: HttpRequest, slug: str, *, done: str = "", error: str = "") -> HttpResponse:
    if error:
        messages.error(request, error)
    else:
        messages.success(request, done)
    return redirect("review_manage_gold", slug)


def _refusal(code: str) -> str:
    words = {
        "closed": _("This audit is not under review, or its claims are not drawn yet. Nothing was changed."),
        "other_audit": _("This claim belongs to another audit. Nothing was added."),
        "not_judged": _("The judges have not settled this claim yet. Nothing was added."),
        "listed": _("Experts see this claim already. Nothing was added."),
        "label": _("No label was chosen. Nothing was added."),
        "used": _("An expert has this claim in hand or has labelled it, so it stays. Nothing was changed."),
    }
    return words.get(code, _("Nothing was changed."))
