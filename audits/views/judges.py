"""The judges that a project may put on a panel."""

import os
from dataclasses import dataclass

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from audits import judges as vendors
from audits.access import project_for
from audits.forms.judges import JudgeForm, plain
from audits.judges.base import JudgeSpec
from audits.judges.offline_accuracy import measured
from audits.models import Judge, Project, Role


@dataclass(frozen=True)
class Card:
    """A judge as its row on the page says it."""

    judge: Judge
    vendor: str  # the vendor's own name
    offline: bool
    address: str
    prices: str  # "in / out" in US dollars per million tokens, "" when one is unknown
    key: str  # "stored" | "environment" | "missing" | "none": the vendor needs no key
    may_change: bool


@require_safe
def judges(request: HttpRequest, slug: str) -> HttpResponse:
    """Judges of this project and those shared by all, in use and put aside."""
    project = project_for(request, slug)
    usable = Judge.objects.usable_in(project)
    context = {
        "project": project,
        "cards": [_card(request, project, judge) for judge in usable],
        "put_aside": [_card(request, project, judge) for judge in project.judges.filter(active=False)],
        "accuracy": measured(),
        "may_add": _may_write(project),
    }
    return render(request, "audits/judges.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def judge_new(request: HttpRequest, slug: str) -> HttpResponse:
    """Add a judge to the project."""
    project = project_for(request, slug, Role.ANALYST, Role.MANAGER)
    form = JudgeForm(request.POST or None, project=project)
    if request.method == "POST" and form.is_valid():
        judge = Judge.objects.add(project=project, user=request.user, **form.cleaned_data)
        messages.success(request, _("%(judge)s can now be put on a panel.") % {"judge": judge})
        return redirect("judges", project.slug)
    context = {"project": project, "form": form}
    return render(request, "audits/judge_form.html", context, status=422 if form.is_bound else 200)


@require_http_methods(["GET", "HEAD", "POST"])
def judge_edit(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Change a judge's address, key, prices or concurrency."""
    project, judge = _judge_to_change(request, slug, pk)
    if vendors.VENDORS[judge.vendor].offline:
        raise Http404  # there is nothing to change
    form = JudgeForm(request.POST or None, project=project, judge=judge)
    if request.method == "POST" and form.is_valid():
        judge.change(project=project, user=request.user, **form.cleaned_data)
        messages.success(request, _("%(judge)s is saved. Audits that run keep the old values.") % {"judge": judge})
        return redirect("judges", project.slug)
    context = {"project": project, "form": form, "judge": judge}
    return render(request, "audits/judge_form.html", context, status=422 if form.is_bound else 200)


@require_POST
def judge_switch(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Offer a judge for new audits (active=1) or put it aside (active=0); says which, so twice is once."""
    project, judge = _judge_to_change(request, slug, pk)
    active = request.POST.get("active") == "1"
    if judge.switch(project=project, user=request.user, active=active):
        said = _("%(judge)s can be put on a panel again.") if active else _("%(judge)s is not offered any more.")
        messages.success(request, said % {"judge": judge})
    return redirect("judges", project.slug)


def _judge_to_change(request: HttpRequest, slug: str, pk: int) -> tuple[Project, Judge]:
    """A judge of this project, or a shared one for an administrator. Others' judges do not exist (404)."""
    project = project_for(request, slug, Role.ANALYST, Role.MANAGER)
    judge = get_object_or_404(Judge, pk=pk)
    if judge.project_id is None:
        if not request.user.is_superuser:
            raise PermissionDenied(_("Judges shared by all projects are changed by an administrator."))
    elif judge.project_id != project.pk:
        raise Http404
    return project, judge


def _may_write(project: Project) -> bool:
    return bool({Role.ANALYST, Role.MANAGER} & set(getattr(project, "roles", ())))


def _card(request: HttpRequest, project: Project, judge: Judge) -> Card:
    vendor = vendors.VENDORS.get(judge.vendor)
    spec = JudgeSpec(vendor=judge.vendor, model=judge.model, base_url=judge.base_url)
    shared_and_closed = judge.project_id is None and not request.user.is_superuser
    return Card(
        judge=judge,
        vendor=vendor.label if vendor else judge.vendor,
        offline=bool(vendor and vendor.offline),
        address="" if vendor is None or vendor.offline else vendors.base_url_of(spec),
        prices=_prices(judge),
        key=_key(judge, vendor),
        may_change=_may_write(project) and not shared_and_closed,
    )


def _prices(judge: Judge) -> str:
    if judge.price_in is None or judge.price_out is None:
        return ""
    return f"{plain(judge.price_in)} / {plain(judge.price_out)}"


def _key(judge: Judge, vendor: vendors.Vendor | None) -> str:
    if judge.key_encrypted:
        return "stored"
    if vendor is not None and vendor.key_env and os.environ.get(vendor.key_env):
        return "environment"
    return "missing" if vendor is None or vendor.key_required else "none"
