"""The desk: an expert takes a claim, and sees what waits."""

from collections.abc import Iterable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import add_never_cache_headers
from django.views.decorators.http import require_POST, require_safe

from audits.access import project_for
from audits.models import Project, Role
from audits.parts import render_parts
from review.access import projects_for
from review.adjudication import undoable
from review.desk import Empty, Reveal, Work, work_on
from review.models import Slot
from review.progress import progress
from review.queue import counts, expert_projects, held, take

GO_ON = "review_go_on"  # in the session: after a label the next claim comes at once, without the judges' verdicts


@require_safe
def desk(request: HttpRequest) -> HttpResponse:
    """The claim in hand, or how many wait, over all projects in which the person is an expert."""
    projects = list(expert_projects(request.user))
    return render_desk(request, projects, "", slot=held(request.user, projects))


@require_safe
def project_review(request: HttpRequest, slug: str) -> HttpResponse:
    """The desk of one project for its experts; for everybody else how far the review is."""
    project = project_for(request, slug)
    if Role.EXPERT in project.roles_of(request.user):
        return render_desk(request, [project], slug, slot=held(request.user, [project]))
    return render(request, "review/progress.html", {"project": project, "audits": progress(project)})


@require_POST
def take_claim(request: HttpRequest) -> HttpResponse:
    """Take the next claim, or the one in hand."""
    slug = request.POST.get("project", "")
    projects = list(projects_for(request, slug))
    again = request.POST.get("again") == "1"
    slot = take(request.user, projects, again=again)
    return answer(request, projects, slug, slot=slot, again=again)


@require_POST
def pace(request: HttpRequest) -> HttpResponse:
    """Switch between "show what the judges said" and "go on at once"."""
    slug = request.POST.get("project", "")
    projects = list(projects_for(request, slug))
    request.session[GO_ON] = request.POST.get("go_on") == "1"
    return answer(request, projects, slug, slot=held(request.user, projects))


def answer(
    request: HttpRequest,
    projects: Iterable[Project],
    slug: str,
    *,
    slot: Slot | None = None,
    reveal: Reveal | None = None,
    **more: Any,
) -> HttpResponse:
    """What follows an act: the new content of the desk for HTMX, else a redirect to a page that shows it."""
    if getattr(request, "htmx", False):
        return render_desk(request, list(projects), slug, slot=slot, reveal=reveal, **more)
    if reveal is not None:
        return redirect(
            reverse("review_saved", args=(reveal.adjudication.pk,), query={"project": slug} if slug else None)
        )
    return redirect(desk_url(slug))


def desk_url(slug: str) -> str:
    """The desk of one project, or of all."""
    return reverse("project_review", args=(slug,)) if slug else reverse("review_desk")


def render_desk(
    request: HttpRequest,
    projects: list[Project],
    slug: str,
    *,
    slot: Slot | None = None,
    reveal: Reveal | None = None,
    **more: Any,
) -> HttpResponse:
    """The desk with a claim (slot), with what the judges said (reveal), or with the reason why there is neither."""
    work: Work | None = work_on(slot) if slot is not None and reveal is None else None
    now = counts(request.user, projects)
    context = {
        "project_slug": slug,
        "work": work,
        "reveal": reveal,
        "sheet": work.sheet if work else reveal.sheet if reveal else None,
        "empty": None if work or reveal else Empty(now, bool(projects)),
        "counts": now,
        "last": undoable(request.user),
        "go_on": request.session.get(GO_ON, False),
        "desk_url": desk_url(slug),
        **more,
    }
    response = render_parts(request, "review/desk.html", context, parts={"desk"})
    add_never_cache_headers(response)  # going back must not show a claim that is settled by now
    return response
