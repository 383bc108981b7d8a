"""For managers: the looks at the spot check, and claims that no expert can decide."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST, require_safe

from audits.access import audit_for, project_for, verdicts_for
from audits.blindness import shows_verdicts
from audits.models import Audit, Role
from review.forms.looks import GiveUpForm, LookForm
from review.giving_up import NotGivenUp, give_up, given_up, is_expert, take_up, undecidable
from review.looks import NoLook, extend, looks_left, obstacle, taken, unseen
from review.models import ReviewItem, ReviewPlan
from review.readiness import readiness
from review.undecided import more_for

SHOWN = 50  # claims that could be given up, on the page; the next come when these are settled

NO_LOOK: dict[str, Promise] = {
    "closed": gettext_lazy("The audit is not under review."),
    "one_look": gettext_lazy(
        "One look was registered, so this spot check cannot be extended. Checking a few claims more, and again, "
        "until it passes would let 10 to 14 in a hundred systems through that should not pass, instead of 5. Start "
        "a new audit, with a larger spot check or with more looks in its rule."
    ),
    "used": gettext_lazy(
        "All looks that were registered are taken. Start a new audit, with a larger spot check or with more looks in "
        "its rule."
    ),
    "rule_changed": gettext_lazy(
        "The rule was changed after the first label, so a further look could not lead to a decision. Start a new "
        "audit."
    ),
    "certified": gettext_lazy("A valid certificate rests on the looks that were taken."),
    "incomplete": gettext_lazy("The look under way is not complete. Until it is, nobody sees its figures."),
    "all_seen": gettext_lazy("Experts have seen every claim. More answers are needed, in a new audit."),
    "stale": gettext_lazy("Claims were judged after the spot check was drawn. Start a new audit of this dataset."),
    "decided": gettext_lazy("The last look decided. What follows is the certificate."),
}

NOT_GIVEN_UP: dict[str, Promise] = {
    "reason": gettext_lazy("A claim is given up with a reason. Nothing was changed."),
    "closed": gettext_lazy("This audit is not under review any more. Nothing was changed."),
    "known": gettext_lazy("This claim cannot be given up. Nothing was changed."),
    "replaced": gettext_lazy("This claim was cut anew; its parts stand for it. Nothing was changed."),
    "settled": gettext_lazy("No label of this claim is missing any more. Nothing was changed."),
    "certified": gettext_lazy("A valid certificate rests on this claim. Nothing was changed."),
}


@require_safe
@shows_verdicts
def review_looks(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Which look is under way, whether there is a further one, what was given up and what may have to be."""
    return _page(request, verdicts_for(request, slug, pk))


@require_POST
def review_look_extend(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Take the next look."""
    audit = audit_for(request, slug, pk, Role.MANAGER)
    plan = get_object_or_404(ReviewPlan, audit=audit)
    form = LookForm(request.POST, unseen=unseen(plan))
    if not form.is_valid():
        return _page(request, audit, form)
    try:
        added = extend(plan, request.user, form.cleaned_data["more"])
        said = ngettext("%(n)d claim goes to the experts.", "%(n)d claims go to the experts.", added)
        messages.success(request, said % {"n": added})
    except NoLook as refusal:
        messages.error(request, f"{NO_LOOK[refusal.code]} {_('Nothing was changed.')}")
    return redirect("review_looks", slug, pk)


@require_POST
def review_give_up(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Close a claim that no expert can decide."""
    item = _item(request, slug, pk)
    form = GiveUpForm(request.POST)
    try:
        if give_up(item, request.user, form.cleaned_data["reason"] if form.is_valid() else ""):
            messages.success(request, _("The claim is given up. It counts against the system."))
        else:
            messages.info(request, _("The claim had been given up before. Nothing was changed."))
    except NotGivenUp as refusal:
        _refuse(request, refusal)
    return redirect("review_looks", slug, item.plan.audit_id)


@require_POST
def review_take_up(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Give a claim back to the experts."""
    item = _item(request, slug, pk)
    try:
        if take_up(item, request.user):
            messages.success(request, _("The claim is with the experts again."))
        else:
            messages.info(request, _("The claim was with the experts already. Nothing was changed."))
    except NotGivenUp as refusal:
        _refuse(request, refusal)
    return redirect("review_looks", slug, item.plan.audit_id)


def _item(request: HttpRequest, slug: str, pk: int) -> ReviewItem:
    project = project_for(request, slug, Role.MANAGER)
    rows = ReviewItem.objects.select_related("plan__audit__project")
    found: ReviewItem = get_object_or_404(rows, pk=pk, plan__audit__project=project)
    return found


def _refuse(request: HttpRequest, refusal: NotGivenUp) -> None:
    if refusal.code == "expert":
        raise PermissionDenied(_("Who labels claims of this project gives none up. Another manager can."))
    messages.error(request, str(NOT_GIVEN_UP[refusal.code]))


def _page(request: HttpRequest, audit: Audit, sent: LookForm | None = None) -> HttpResponse:
    plan = ReviewPlan.objects.filter(audit=audit).first()
    manager = Role.MANAGER in audit.project.roles_of(request.user)
    expert = is_expert(audit, request.user)
    context: dict[str, Any] = {"project": audit.project, "audit": audit, "tab": "certificate", "plan": plan}
    context |= {"may_act": manager, "expert": expert}
    if plan is not None:
        plan.audit = audit
        context |= {"taken": taken(plan), "left": looks_left(plan), "unseen": unseen(plan), **_next(plan, sent)}
    if not expert:
        rows = undecidable(audit).select_related("claim").prefetch_related("skips__reviewer")
        context |= {"undecidable": rows[:SHOWN], "given_up": given_up(audit).select_related("claim")}
    return render(request, "review/looks.html", context, status=422 if sent else 200)


def _next(plan: ReviewPlan, sent: LookForm | None) -> dict[str, Any]:
    """The form of the next look, or why there is none."""
    code, suggested = obstacle(plan), None
    if not code:
        state = readiness(plan.audit)
        if state.acceptance is not None and state.acceptance.decision != "INSUFFICIENT":
            code = "decided"
        else:
            suggested = more_for(plan.audit, state.estimate).claims
    if code:
        return {"why_not": NO_LOOK[code]}
    return {
        "form": sent or LookForm(unseen=unseen(plan), initial={"more": suggested or unseen(plan)}),
        "suggested": suggested,
    }
