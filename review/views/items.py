"""One claim of the review with everything that happened to it, and what people say about it."""

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import add_never_cache_headers, patch_vary_headers
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST, require_safe

from audits.blindness import shows_verdicts
from audits.models import Audit
from review.claim_history import history_of
from review.comments import Refused, add
from review.desk import sheet_of
from review.discussion import discussion
from review.forms.comments import CommentForm
from review.item_access import Reading, item_for
from review.passages import whole
from review.quoted import quoted
from review.views.desk_words import conflict, kept, typed_by

_REFUSALS: dict[str, Promise] = {
    "not_labelled": _("You can comment on a claim once you have labelled it. Nothing was saved."),
    "too_early": _("Comments begin with the first label of a claim. Nothing was saved."),
}


@require_safe
@shows_verdicts
def review_item(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The claim with its evidence, every label with its revisions, skips, cuts and comments."""
    return _page(request, item_for(request, slug, pk))


@require_safe
@shows_verdicts
def review_item_context(request: HttpRequest, slug: str, pk: int, number: int) -> HttpResponse:
    """All of one context of the claim's sample (number from 1): alone for HTMX, else on a page of its own."""
    claim = item_for(request, slug, pk).item.claim
    if not 1 <= number <= len(claim.sample.contexts):
        raise Http404
    context = {"claim": claim, "whole": whole(claim.text, claim.sample.contexts, number - 1, quoted(claim))}
    template = "review/evidence_whole.html" if getattr(request, "htmx", False) else "review/context.html"
    response = render(request, template, context)
    patch_vary_headers(response, ("HX-Request",))
    add_never_cache_headers(response)
    return response


@require_POST
@shows_verdicts
def review_comment(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Add a comment: the new list of comments for HTMX, else the page at the comment."""
    reading = item_for(request, slug, pk)
    if not typed_by(request):
        return conflict("not_yours")
    form = CommentForm(request.POST)
    if not form.is_valid():
        return _answer(request, reading, form)
    try:
        comment = add(reading.item, request.user, form.cleaned_data["text"])
    except Refused as refused:
        raise PermissionDenied(_REFUSALS[refused.code]) from None
    if getattr(request, "htmx", False):
        return _answer(request, reading, added=comment.pk)
    return redirect(f"{reverse('review_item', args=(slug, pk))}#comment-{comment.pk}")


def _answer(
    request: HttpRequest, reading: Reading, sent: CommentForm | None = None, added: int | None = None
) -> HttpResponse:
    """The comments alone for HTMX, else the whole page. sent: a form with errors; added: the comment just written."""
    if not getattr(request, "htmx", False):
        return _page(request, reading, sent)
    context = discussion(reading.item, request.user, sent) | {"added": added}
    response = render(request, "review/comments.html", context, status=422 if sent else 200)
    return response if sent else kept(response)


def _page(request: HttpRequest, reading: Reading, sent: CommentForm | None = None) -> HttpResponse:
    item = reading.item
    project = item.plan.audit.project
    context = {
        "audit": item.plan.audit,
        "reading": reading,
        "history": history_of(reading, request.user),
        "sheet": sheet_of(item.claim, project),
        "changeable": item.plan.audit.status == Audit.Status.REVIEWING and item.replaced_at is None,
        **discussion(item, request.user, sent),
    }
    response = render(request, "review/item.html", context, status=422 if sent else 200)
    add_never_cache_headers(response)
    return response
