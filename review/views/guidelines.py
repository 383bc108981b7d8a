"""The guidelines of a project: to read, with all their versions; to change."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from audits.access import project_for
from audits.models import Project, Role
from review.forms.guidelines import (
    PREFIX,
    ExampleFormSet,
    ExampleRows,
    GuidelinesForm,
    examples_in,
    rearranged,
    rows_of,
)
from review.guidelines import MOST_EXAMPLES, Guide, Overtaken, change_of, history, panel, publish


@require_safe
def guidelines(request: HttpRequest, slug: str) -> HttpResponse:
    """What holds now, and all versions; with ?version=3 what the third one changed."""
    project = project_for(request, slug)
    change = None
    if asked := request.GET.get("version", ""):
        number = _whole(asked)
        change = change_of(project, number) if number is not None else None
        if change is None:
            raise Http404
    context = {
        "project": project,
        "guide": panel(project, get_language() or ""),
        "versions": history(project),
        "change": change,
        "may_change": Role.MANAGER in getattr(project, "roles", ()),
    }
    return render(request, "review/guidelines.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def guidelines_edit(request: HttpRequest, slug: str) -> HttpResponse:
    """Write a new version. The buttons "add" and "remove" only change the rows of the form; nothing is saved."""
    project = project_for(request, slug, Role.MANAGER)
    if request.method != "POST":
        guide = panel(project, get_language() or "")
        form = GuidelinesForm(initial={"text": guide.text, "based_on": guide.version})
        return _page(request, project, form, rows_of(guide))
    form, rows = GuidelinesForm(request.POST), ExampleFormSet(request.POST, prefix=PREFIX)
    if "add" in request.POST or "remove" in request.POST:
        return _rearranged(request, project, form, rows)
    if not (form.is_valid() and rows.is_valid()):
        return _page(request, project, form, rows, status=422)
    try:
        made = publish(
            project,
            by=request.user,
            text=form.cleaned_data["text"],
            examples=examples_in(rows),
            based_on=form.cleaned_data["based_on"],
        )
    except Overtaken as overtaken:
        return _overtaken(request, project, form, rows, overtaken.newest)
    if made:
        messages.success(request, _("Version %(number)s holds from now on.") % {"number": made.version})
    else:
        messages.info(request, _("Nothing was changed, so no new version was made."))
    return redirect("guidelines", project.slug)


def _whole(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) < 9 else None


def _rearranged(request: HttpRequest, project: Project, form: GuidelinesForm, rows: ExampleRows) -> HttpResponse:
    """The form as it was typed, with one row more or one less."""
    typed = GuidelinesForm(initial={name: form[name].value() for name in ("text", "based_on")})
    changed = rearranged(rows, add="add" in request.POST, remove=_whole(request.POST.get("remove", "")))
    return _page(request, project, typed, changed, unsaved=True, added="add" in request.POST)


def _overtaken(
    request: HttpRequest,
    project: Project,
    form: GuidelinesForm,
    rows: ExampleRows,
    newest: Guide,
) -> HttpResponse:
    """Both: what the other manager saved, and what this one typed, which the next press saves on top of it."""
    typed = GuidelinesForm(initial={"text": form.cleaned_data["text"], "based_on": newest.version})
    return _page(request, project, typed, rearranged(rows), status=409, newest=newest)


def _page(
    request: HttpRequest,
    project: Project,
    form: GuidelinesForm,
    rows: ExampleRows,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    full = len(rows.forms) >= MOST_EXAMPLES
    context = {"project": project, "form": form, "rows": rows, "full": full, "most": MOST_EXAMPLES, **more}
    return render(request, "review/guidelines_edit.html", context, status=status)
