"""What managers (and, for cuts, analysts) do about a review: release, assign, decide on cuts, set rules."""

import uuid
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from audits.access import audit_for, project_for
from audits.models import Membership, Project, Role
from review.assigning import Change, assign, tags_by_expert
from review.forms.manage import RulesForm, TagsForm
from review.models import Recut, Slot
from review.progress.people import tags_of
from review.queue import free_lease
from review.recut import RecutError, accept, decline
from review.rules import set_rules
from review.settling import waive_second
from review.views.manage import RUNNERS, page, rules_page
from review.withheld import withheld_from


@require_POST
def review_free(request: HttpRequest, slug: str, code: uuid.UUID) -> HttpResponse:
    """Release a claim that somebody holds, if it is still the same person who holds it."""
    project = project_for(request, slug, Role.MANAGER)
    rows = Slot.objects.in_projects([project]).select_related("reviewer")
    slot = get_object_or_404(rows, code=code)
    holder = slot.reviewer
    if holder is None or str(holder.pk) != request.POST.get("holder"):
        messages.info(request, _("The claim is not with this person any more. Nothing was changed."))
    elif free_lease(slot, request.user):
        messages.success(request, _("The claim that %(name)s held is free again.") % {"name": holder.get_username()})
    else:
        messages.info(request, _("The claim was given back or labelled meanwhile. Nothing was changed."))
    return redirect("review_manage", slug)


@require_http_methods(["GET", "HEAD", "POST"])
def review_assign(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Choose the tags that one expert looks at. A POST with `search` only looks for tags and keeps the ticks."""
    project = project_for(request, slug, Role.MANAGER)
    rows = Membership.objects.filter(project=project, role=Role.EXPERT).select_related("user")
    expert = get_object_or_404(rows, user=pk).user
    known = tags_of(project)
    posted = request.POST if request.method == "POST" else None
    form = TagsForm(posted, known=known, ticked=tags_by_expert(project).get(expert.pk, ()))
    if posted is None or "search" in posted:
        return _tags_page(request, project, expert, form, bool(known))
    if not form.is_valid():
        return _tags_page(request, project, expert, form, bool(known), status=422)
    change = assign(project=project, expert=expert, tags=form.cleaned_data["tags"], by=request.user)
    _tell(request, expert, change, form.cleaned_data["tags"])
    return redirect("review_manage_people", slug)


def _tags_page(
    request: HttpRequest, project: Project, expert: Any, form: TagsForm, known: bool, status: int = 200
) -> HttpResponse:
    return page(request, project, "tags", {"expert": expert, "form": form, "known": known}, status=status)


def _tell(request: HttpRequest, expert: Any, change: Change, tags: list[str]) -> None:
    name = {"name": expert.get_username()}
    if not change.added and not change.removed:
        messages.info(request, _("Nothing was changed: these were the tags already."))
    elif not tags:
        messages.success(request, _("%(name)s looks at everything now.") % name)
    else:
        said = ngettext(
            "%(name)s looks at claims with %(n)d tag now.", "%(name)s looks at claims with %(n)d tags now.", len(tags)
        )
        messages.success(request, said % (name | {"n": len(tags)}))


@require_POST
def review_recut_decide(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Accept or decline a proposal to cut a claim anew."""
    project = project_for(request, slug, *RUNNERS)
    rows = Recut.objects.select_related("item__claim__sample", "item__plan__audit__project")
    proposal = get_object_or_404(rows, item__plan__audit__project=project, pk=pk)
    if withheld_from(request.user, project).claims:
        raise PermissionDenied(_("Claims wait that you may be given, so proposals about claims are hidden from you."))
    decision = request.POST.get("decision", "")
    try:
        if decision == "accept":
            done = accept(proposal, request.user)
            told = _("Accepted. The new claims are with the experts.")
        elif decision == "decline":
            done = decline(proposal, request.user, request.POST.get("reply", ""))
            told = _("Declined. The claim stays as it is.")
        else:
            messages.error(request, _("No decision arrived. Nothing was changed."))
            return redirect("review_manage_skips", slug)
    except RecutError as error:
        messages.error(request, _cut_refusal(error.code))
        return redirect("review_manage_skips", slug)
    if done:
        messages.success(request, told)
    else:
        messages.info(request, _("This proposal was decided before. Nothing was changed."))
    return redirect("review_manage_skips", slug)


def _cut_refusal(code: str) -> str:
    words = {
        "closed": _("This audit is not under review any more. Nothing was changed."),
        "replaced": _("This claim was cut anew already. Decline the proposal; nothing was changed."),
        "certified": _("A valid certificate rests on this claim, so it stays. Nothing was changed."),
        "part": _("This claim is a part of one that was cut anew; it is not cut again. Nothing was changed."),
        "gold": _("This claim is in the list of known labels and is not cut. Nothing was changed."),
    }
    return words.get(code, _("Nothing was changed."))


@require_POST
def review_rules_set(request: HttpRequest, slug: str) -> HttpResponse:
    """Change the rules of the review."""
    project = project_for(request, slug, Role.MANAGER)
    form = RulesForm(request.POST)
    if not form.is_valid():
        return rules_page(request, project, form, status=422)
    if set_rules(project=project, by=request.user, **form.cleaned_data):
        messages.success(request, _("The rules are changed."))
    else:
        messages.info(request, _("Nothing was changed: these were the rules already."))
    return redirect("review_manage_rules", slug)


@require_POST
def review_waive(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Ask for no more second labels in this audit."""
    audit = audit_for(request, slug, pk, Role.MANAGER)
    waived = waive_second(audit, request.user)
    if waived.items:
        said = ngettext(
            "%(n)d second label is not asked for any more.", "%(n)d second labels are not asked for any more.",
            waived.items,
        )  # fmt: skip
        messages.success(request, said % {"n": waived.items})
    else:
        messages.info(request, _("No second label was missing. Nothing was changed."))
    if waived.in_hand:
        said = ngettext("%(n)d is on a desk now and stays.", "%(n)d are on desks now and stay.", waived.in_hand)
        messages.info(request, said % {"n": waived.in_hand})
    return redirect("review_manage_rules", slug)
