"""The desk: an expert takes a claim, and sees what waits."""

import uuid
from typing import Any, cast
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import add_never_cache_headers
from django.utils.translation import get_language
from django.views.decorators.http import require_POST, require_safe

from audits.access import project_for
from audits.models import Role
from audits.parts import render_parts
from review.access import scope_for
from review.desk import Change, Empty, Reveal, Sheet, Work, last_label, pace_of, work_on
from review.drafts import draft_name
from review.forms.desk_filter import LANGUAGES, DeskFilterForm
from review.guidelines import panel
from review.models import Slot
from review.preferences import preferences
from review.progress.work import run_by
from review.queue import Counts, counts, expert_projects, held, renew, resume, take
from review.scope import Scope


@require_safe
def desk(request: HttpRequest) -> HttpResponse:
    """The claim in hand, or how many wait, over all projects in which the person is an expert, or one of them."""
    scope = _scope_of_address(request)
    return render_desk(request, scope, slot=held(request.user, scope))


@require_safe
def project_review(request: HttpRequest, slug: str) -> HttpResponse:
    """The desk of one project for its experts; everybody else is led to how far the review is."""
    project = project_for(request, slug)
    if Role.EXPERT in project.roles_of(request.user):
        scope = Scope((project,), slug, request.GET.get("tag", ""), request.GET.get("language", ""))
        return render_desk(request, scope, slot=held(request.user, scope))
    return redirect("review_manage", slug=slug)


@require_safe
def desk_filter(request: HttpRequest) -> HttpResponse:
    """The form for a part of the queue: a page, and a dialog of the desk."""
    scope = _scope_of_address(request)
    form = DeskFilterForm(expert_projects(request.user), **scope.query)
    context = {"form": form, "scope": scope, "desk_url": desk_url(scope)}
    return render_parts(request, "review/desk_filter.html", context, parts={"desk-dialog-body"})


@require_POST
def take_claim(request: HttpRequest) -> HttpResponse:
    """Take the next claim, or the one in hand; a page that was loaded again first asks for the one it showed."""
    scope, shown = scope_for(request, request.POST), as_uuid(request.POST.get("shown"))
    if shown is not None:
        slot = resume(request.user, scope, shown, as_uuid(request.POST.get("shown_token")))
        if slot is not None:
            return answer(request, scope, slot=slot, again=_again(request))
    return go_on(request, scope)


@require_POST
def next_claim(request: HttpRequest) -> HttpResponse:
    """The claim after the one in hand (besides: its code), leased, for a page that keeps it ready; 204 for none."""
    scope = scope_for(request, request.POST)
    code, user = as_uuid(request.POST.get("besides")), cast(User, request.user)
    now = Slot.objects.filter(code=code, reviewer=user).first() if code else None
    slot = take(user, scope, again=_again(request), besides=now)
    if slot is None:
        return HttpResponse(status=204)
    pace = pace_of(request.user, scope, counts(request.user, scope))
    context = _context(request, scope, work=work_on(slot), again=_again(request), pace=pace)
    response = render(request, "review/desk.html#desk", context)
    add_never_cache_headers(response)
    return response


def go_on(request: HttpRequest, scope: Scope, **notes: Any) -> HttpResponse:
    """After an act, the next claim: for a page that has it ready only the line above it, else the claim itself."""
    again = _again(request)
    ready = _ready(request, scope)
    if ready is None:
        return answer(request, scope, slot=take(request.user, scope, again=again), again=again, **notes)
    sheet = {"project": ready.item.plan.audit.project}  # all that the line shows of it
    pace = pace_of(request.user, scope, None, as_number(request.POST.get("total")) or 0)
    last = notes.pop("last", None) or last_label(request.user, scope)
    context = _context(request, scope, sheet=sheet, again=again, pace=pace, last=last, **notes)
    response = render(request, "review/desk_meta.html", context)
    response["Assay-Next"] = str(ready.code)
    add_never_cache_headers(response)
    return response


def _ready(request: HttpRequest, scope: Scope) -> Slot | None:
    """The claim that the page has ready, if it is in the person's hands still; its lease is renewed."""
    code = as_uuid(request.POST.get("next"))
    if code is None or not getattr(request, "htmx", False):
        return None
    mine = scope.of(Slot.objects.open()).filter(code=code, reviewer=cast(User, request.user))
    slot = mine.select_related("item__plan__audit__project").first()
    return slot if slot is not None and renew(slot, as_uuid(request.POST.get("next_token"))) else None


def answer(
    request: HttpRequest,
    scope: Scope,
    *,
    slot: Slot | None = None,
    reveal: Reveal | None = None,
    change: Change | None = None,
    **notes: Any,
) -> HttpResponse:
    """What follows an act: the new content of the desk for HTMX, else a redirect to a page that shows it."""
    if getattr(request, "htmx", False) or change is not None:
        return render_desk(request, scope, slot=slot, reveal=reveal, change=change, **notes)
    if notes.get("outcome"):
        messages.info(request, notes["outcome"])
    if reveal is not None:
        return redirect(reverse("review_saved", args=(reveal.adjudication.pk,), query=scope.query or None))
    return redirect(desk_url(scope))


def desk_url(scope: Scope) -> str:
    """The desk of this part of the queue."""
    chosen = {name: value for name, value in scope.query.items() if name != "project"}
    if scope.slug:
        return reverse("project_review", args=(scope.slug,), query=chosen or None)
    return reverse("review_desk", query=chosen or None)


def render_desk(
    request: HttpRequest,
    scope: Scope,
    *,
    slot: Slot | None = None,
    reveal: Reveal | None = None,
    change: Change | None = None,
    **notes: Any,
) -> HttpResponse:
    """The desk with a claim, with what the judges said, with a label to change, or with the reason why with none."""
    work: Work | None = work_on(slot) if slot is not None and reveal is None and change is None else None
    counted = _counted(request, scope)
    empty = None if work or reveal or change else _empty(request, scope, counted["counts"])
    context = _context(request, scope, work=work, reveal=reveal, change=change, empty=empty, **(counted | notes))
    response = render_parts(request, "review/desk.html", context, parts={"desk"})
    add_never_cache_headers(response)  # going back must not show a claim that is settled by now
    return response


def _empty(request: HttpRequest, scope: Scope, now: Counts) -> Empty:
    return Empty(now, bool(scope.projects), run_by(request.user, scope.projects))


def _counted(request: HttpRequest, scope: Scope) -> dict[str, Any]:
    now = counts(request.user, scope)
    last = last_label(request.user, scope)
    return {"counts": now, "pace": pace_of(request.user, scope, now), "last": last}


def _context(request: HttpRequest, scope: Scope, **more: Any) -> dict[str, Any]:
    """What every part of the desk needs, whatever is on it."""
    shown: Work | Reveal | Change | None = more.get("work") or more.get("reveal") or more.get("change")
    sheet: Sheet | None = shown.sheet if shown else None
    chosen, query = preferences(request.user), urlencode(scope.query)
    last = more.get("last")
    return {
        "scope": scope,
        "scope_query": query,
        "scope_language": LANGUAGES.get(scope.language, scope.language),
        "preferences": chosen,
        "caps": chosen.caps,
        "sheet": sheet,
        "draft": draft_name(shown.item, request.user) if shown else "",
        "guidelines": panel(sheet.project, get_language() or "en") if sheet else None,
        "desk_url": desk_url(scope),
        "unfiltered_url": desk_url(Scope(scope.projects, scope.slug)),
        "settings_url": reverse("review_settings", query=scope.query or None),
        "change_url": reverse("review_change", args=(last.adjudication.pk,), query=scope.query or None)
        if last
        else "",
        **more,
    }


def _scope_of_address(request: HttpRequest) -> Scope:
    """As scope_for, but a person who is no expert anywhere gets an empty one: the page says so."""
    if request.GET.get("project"):
        return scope_for(request, request.GET)
    projects = tuple(expert_projects(request.user))
    return Scope(projects, "", request.GET.get("tag", ""), request.GET.get("language", ""))


def _again(request: HttpRequest) -> bool:
    return request.POST.get("again") == "1"


def as_number(text: str | None) -> int | None:
    """A small number that a form sent, if it is one."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else None


def as_uuid(text: str | None) -> uuid.UUID | None:
    """What a form sent, if it is one."""
    try:
        return uuid.UUID(text or "")
    except ValueError:
        return None
