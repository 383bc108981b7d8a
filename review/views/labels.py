"""What an expert does with the claim in hand: label it, skip it, take the label back, hold it, give it up."""

import uuid
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from audits.labels import Label
from review.access import adjudication_for, projects_for, slot_for
from review.adjudication import Outcome, Refused, Saved, adjudicate, undo
from review.desk import reveal_after
from review.models import Skip
from review.queue import release, renew, skip, take
from review.views.desk import GO_ON, answer, desk_url, render_desk

REASON_LIMIT = 5000  # characters


@require_POST
def label(request: HttpRequest, code: uuid.UUID) -> HttpResponse:
    """Store the label; then show what the judges said, or go on at once."""
    slot = slot_for(request, code)
    slug = request.POST.get("project", "")
    projects = list(projects_for(request, slug))
    word, key = request.POST.get("label", ""), _uuid(request.POST.get("key"))
    if word not in set(Label) or key is None:
        return _bad(_("No label arrived. Nothing was saved. Choose one of the three labels."))
    go_on = bool(request.session.get(GO_ON, False))
    try:
        saved = adjudicate(
            slot,
            _uuid(request.POST.get("token")),
            user=request.user,
            label=word,
            reason=request.POST.get("reason", "").strip()[:REASON_LIMIT],
            idempotency_key=key,
            reveal=not go_on,
        )
    except Refused as refused:
        return _conflict(refused.code)
    notes: dict[str, Any] = {"saved": saved.adjudication, "outcome": _words(saved)}
    if saved.adjudication.revealed or saved.outcome == Outcome.TAKEN_BY_OTHER:
        return answer(request, projects, slug, reveal=reveal_after(saved.adjudication), **notes)
    again = request.POST.get("again") == "1"
    return answer(request, projects, slug, slot=take(request.user, projects, again=again), again=again, **notes)


@require_POST
def skip_claim(request: HttpRequest, code: uuid.UUID) -> HttpResponse:
    """Pass over the claim with a reason; the next one follows."""
    slot = slot_for(request, code)
    slug = request.POST.get("project", "")
    projects = list(projects_for(request, slug))
    reason = request.POST.get("skip_reason", "")
    if reason not in Skip.Reason.values:
        return _bad(_("No reason arrived. Nothing was skipped. Choose one of the reasons."))
    note = request.POST.get("reason", "").strip()[:REASON_LIMIT]
    done = skip(slot, _uuid(request.POST.get("token")), user=request.user, reason=reason, note=note)
    again = request.POST.get("again") == "1"
    told = _("Skipped. The claim comes back at the end.") if done else _("The claim was not in your hands any more.")
    slot_now = take(request.user, projects, again=again)
    return answer(request, projects, slug, slot=slot_now, again=again, outcome=told)


@require_safe
def saved(request: HttpRequest, pk: int) -> HttpResponse:
    """The page after a label, for browsers without scripts: what was saved, and what the judges said."""
    adjudication = adjudication_for(request, pk)
    outcome = Outcome.SAVED if adjudication.slot_id else Outcome.TAKEN_BY_OTHER
    notes: dict[str, Any] = {"saved": adjudication, "outcome": _words(Saved(outcome, adjudication))}
    slug = request.GET.get("project", "")  # whose desk the person came from, and goes on at
    return render_desk(request, list(projects_for(request, slug)), slug, reveal=reveal_after(adjudication), **notes)


@require_POST
def undo_label(request: HttpRequest, pk: int) -> HttpResponse:
    """Take the last label back; the claim lies on the desk again."""
    adjudication = adjudication_for(request, pk)
    slug = request.POST.get("project", "")
    projects = list(projects_for(request, slug))
    try:
        slot = undo(request.user, adjudication)
    except Refused as refused:
        return _conflict(refused.code)
    slot = slot or take(request.user, projects)
    return answer(request, projects, slug, slot=slot, outcome=_("Your label was taken back. Decide again."))


@require_POST
def renew_lease(request: HttpRequest, code: uuid.UUID) -> HttpResponse:
    """Hold on to the claim: 204, or 409 when it is in other hands."""
    slot = slot_for(request, code)
    return HttpResponse(status=204 if renew(slot, _uuid(request.POST.get("token"))) else 409)


@require_POST
def release_lease(request: HttpRequest, code: uuid.UUID) -> HttpResponse:
    """Give the claim back, when the page is closed or the expert stops."""
    slot = slot_for(request, code)
    release(slot, _uuid(request.POST.get("token")))
    return redirect(desk_url(request.POST.get("project", ""))) if "stop" in request.POST else HttpResponse(status=204)


def _words(saved: Saved) -> str:
    """What became of the label, in words."""
    return {
        Outcome.SAVED: _("Saved."),
        Outcome.ALREADY_SAVED: _("This claim already had your label. Nothing was added."),
        Outcome.LEASE_LOST_BUT_SAVED: _("Your time on this claim had run out, but nobody had taken it. Saved."),
        Outcome.TAKEN_BY_OTHER: _(
            "A colleague has taken this claim meanwhile. Your label is kept as an extra opinion and is not counted."
        ),
    }[saved.outcome]


_REFUSALS = {
    "closed": gettext_lazy("This audit is not under review any more. Nothing was saved."),
    "not_yours": gettext_lazy("This form belongs to somebody else. Nothing was saved."),
    "not_last": gettext_lazy("Only your last label can be taken back. Nothing was changed."),
    "certified": gettext_lazy("A certificate rests on this label, so it stays. Nothing was changed."),
}


def _conflict(code: str) -> HttpResponse:
    return HttpResponse(str(_REFUSALS[code]), status=409, content_type="text/plain; charset=utf-8")


def _bad(text: str) -> HttpResponse:
    return HttpResponseBadRequest(text, content_type="text/plain; charset=utf-8")


def _uuid(text: str | None) -> uuid.UUID | None:
    try:
        return uuid.UUID(text or "")
    except ValueError:
        return None
