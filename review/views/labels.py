"""What an expert does with the claim in hand: label it, skip it, take the label back, hold it, give it up."""

import uuid
from typing import Any

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from audits.labels import Label
from audits.models import Audit
from review.access import adjudication_for, scope_for, slot_for
from review.adjudication import Outcome, Refused, Saved, adjudicate, reveal, undo
from review.desk import change_of, just_given, reveal_after
from review.evidence_marks import BadMark, parse
from review.models import Skip
from review.preferences import preferences
from review.queue import hold, release_all, renew, skip, take
from review.recut import RecutError, propose
from review.views.desk import answer, as_number, as_uuid, desk_url, go_on, render_desk
from review.views.desk_words import BAD_MARKS, bad, conflict, kept, outcome_words, recut_words, typed_by

REASON_LIMIT = 5000  # characters
RECUT_FOR = (Skip.Reason.TWO_CLAIMS, Skip.Reason.UNCLEAR)


@require_POST
def label(request: HttpRequest, code: uuid.UUID) -> HttpResponse:
    """Store the label; then the next claim comes, or what the judges said, as the person likes it."""
    slot = slot_for(request, code)
    if not typed_by(request):
        return conflict("not_yours")
    word, key = request.POST.get("label", ""), as_uuid(request.POST.get("key"))
    if word not in set(Label) or key is None:
        return bad(_("No label arrived. Nothing was saved. Choose one of the three labels."))
    try:
        saved = adjudicate(
            slot,
            as_uuid(request.POST.get("token")),
            user=request.user,
            label=word,
            reason=reason_of(request),
            idempotency_key=key,
            expected_revision=as_number(request.POST.get("revision")),
            marks=parse(request.POST.getlist("mark")),
            active_ms=as_number(request.POST.get("active_ms")),
            keys=as_number(request.POST.get("keys")),
        )
    except Refused as refused:
        return conflict(refused.code)
    except BadMark as error:
        return bad(BAD_MARKS[error.code])
    return _after(request, saved, word)


def _after(request: HttpRequest, saved: Saved, word: str) -> HttpResponse:
    scope, row = scope_for(request, request.POST), saved.adjudication
    differs = (row.label, row.reason) != (word, reason_of(request))
    if saved.outcome in (Outcome.ALREADY_SAVED, Outcome.CHANGED_ELSEWHERE) and differs:
        if not row.label:
            return conflict("taken_back")
        # Not kept yet: what was sent waits in a form, and the page goes on remembering it.
        return answer(request, scope, change=change_of(row, word, reason_of(request), sent=True))
    done = saved.outcome in (Outcome.SAVED, Outcome.LEASE_LOST_BUT_SAVED)
    notes: dict[str, Any] = {"saved": done, "outcome": outcome_words(saved)}
    if done:
        notes["last"] = just_given(row)
    # An extra opinion has a page too where verdicts follow: it says why there are none.
    if preferences(request.user).shows_verdicts and (reveal(request.user, row) or not row.slot_id):
        return kept(answer(request, scope, reveal=reveal_after(row), **notes))
    return kept(go_on(request, scope, **notes))


@require_POST
def skip_claim(request: HttpRequest, code: uuid.UUID) -> HttpResponse:
    """Pass over the claim with a reason, and perhaps with how it should have been cut; the next one follows."""
    slot, scope = slot_for(request, code), scope_for(request, request.POST)
    if not typed_by(request):
        return conflict("not_yours")
    if slot.item.plan.audit.status != Audit.Status.REVIEWING:
        return conflict("closed")  # nothing of it comes back
    reason, texts = request.POST.get("skip_reason", ""), request.POST.get("recut", "").strip().splitlines()
    texts = [line for line in texts if line.strip()]
    if reason not in Skip.Reason.values:
        return bad(_("No reason arrived. Nothing was skipped. Choose one of the reasons."))
    if texts and reason not in RECUT_FOR:
        return bad(_("A proposed cut goes with two claims in one or an unclear claim. Nothing was skipped."))
    try:
        with transaction.atomic():
            if texts:  # the item's row before the slot's, as when a label is stored
                propose(slot, user=request.user, texts=texts, note=reason_of(request))
            token = as_uuid(request.POST.get("token"))
            done = skip(slot, token, user=request.user, reason=reason, note=reason_of(request))
    except RecutError as error:
        return bad(recut_words(error.code))
    told = _("Skipped. The claim comes back at the end.") if done else _("The claim was not in your hands any more.")
    if texts:
        told += " " + _("Your proposal is with the analysts.")
    found = go_on(request, scope, outcome=told)
    return kept(found) if done or texts else found  # a note goes with a skip or with a proposal


@require_safe
def saved(request: HttpRequest, pk: int) -> HttpResponse:
    """The page after a label, for browsers without scripts: what was saved, and what the judges said."""
    adjudication = adjudication_for(request, pk)
    outcome = Outcome.SAVED if adjudication.slot_id else Outcome.TAKEN_BY_OTHER
    notes: dict[str, Any] = {
        "saved": bool(adjudication.slot_id),
        "outcome": outcome_words(Saved(outcome, adjudication)),
    }
    scope = scope_for(request, request.GET)  # the desk that the person came from, and goes on at
    return render_desk(request, scope, reveal=reveal_after(adjudication), **notes)


@require_POST
def undo_label(request: HttpRequest, pk: int) -> HttpResponse:
    """Take the last label back; the claim lies on the desk again."""
    adjudication = adjudication_for(request, pk)
    scope = scope_for(request, request.POST)
    try:
        slot = undo(request.user, adjudication)
    except Refused as refused:
        if refused.code != "grace_over":
            return conflict(refused.code)
        told = _("It is too late to take this label back. You can change it.")
        return answer(request, scope, change=change_of(adjudication), outcome=told)
    slot = slot or take(request.user, scope)
    return answer(request, scope, slot=slot, outcome=_("Your label was taken back. Decide again."))


@require_POST
def renew_lease(request: HttpRequest, code: uuid.UUID) -> HttpResponse:
    """Hold on to the claim: 204, or 409 when it is in other hands."""
    slot = slot_for(request, code)
    held = renew(slot, as_uuid(request.POST.get("token"))) or hold(slot, request.user)
    return HttpResponse(status=204 if held else 409)


@require_POST
def release_lease(request: HttpRequest, code: uuid.UUID) -> HttpResponse:
    """Give the claim back, when the page is closed or the expert stops."""
    held = [(slot_for(request, code), as_uuid(request.POST.get("token")))]
    if (ahead := as_uuid(request.POST.get("next"))) is not None:  # the claim that the page has ready
        held.append((slot_for(request, ahead), as_uuid(request.POST.get("next_token"))))
    release_all(held)
    if "stop" not in request.POST:
        return HttpResponse(status=204)
    return redirect(desk_url(scope_for(request, request.POST)))


def reason_of(request: HttpRequest) -> str:
    """What the person wrote."""
    return request.POST.get("reason", "").replace("\r\n", "\n").strip()[:REASON_LIMIT]
