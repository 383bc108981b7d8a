"""All of one context, fetched when an expert unfolds it or searches: a long one is not sent with every claim."""

import uuid
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from review.access import slot_for
from review.models import Adjudication, Slot
from review.passages import whole
from review.quoted import quoted


@require_safe
def whole_context(request: HttpRequest, code: uuid.UUID, number: int) -> HttpResponse:
    """The context (number from 1) of a claim in the person's hands, or labelled by the person.

    Any other: 409, without scripts the way back to the desk.
    """
    slot, in_part = slot_for(request, code), getattr(request, "htmx", False)
    if not _in_hands(slot, request.user):
        if not in_part:
            return redirect("review_desk")
        words = _("Your time on this claim ran out and a colleague has it now.")
        return HttpResponse(words, status=409, content_type="text/plain; charset=utf-8")
    claim = slot.item.claim
    if not 1 <= number <= len(claim.sample.contexts):
        raise Http404
    context = {"claim": claim, "whole": whole(claim.text, claim.sample.contexts, number - 1, quoted(claim))}
    template = "review/evidence_whole.html" if in_part else "review/context.html"
    response = render(request, template, context)
    response["Cache-Control"] = "private, no-store"
    response["Vary"] = "HX-Request, Cookie"
    return response


def _in_hands(slot: Slot, user: Any) -> bool:
    return slot.reviewer_id == user.pk or Adjudication.objects.filter(item=slot.item, reviewer=user).exists()
