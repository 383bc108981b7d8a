"""After the label: what the judges said, keeping the label in spite of it, changing it, now or later."""

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from audits.labels import Label
from review.access import adjudication_for, scope_for
from review.adjudication import Outcome, Refused, keep, reveal, revise
from review.desk import change_of, reveal_after
from review.evidence_marks import BadMark, parse
from review.models import Adjudication
from review.scope import Scope
from review.views.desk import answer, as_uuid, go_on, render_desk
from review.views.desk_words import BAD_MARKS, bad, conflict, kept, typed_by
from review.views.labels import reason_of
from review.words import newest


@require_POST
def verdicts(request: HttpRequest, pk: int) -> HttpResponse:
    """Show what the judges said of a claim that the person has labelled; from here on the person is not blind."""
    adjudication = adjudication_for(request, pk)
    if not reveal(request.user, adjudication):
        return conflict("no_verdicts")
    return answer(request, scope_for(request, request.POST), reveal=reveal_after(adjudication))


@require_POST
def keep_label(request: HttpRequest, pk: int) -> HttpResponse:
    """Keep the label in spite of the verdicts; the next claim follows."""
    keep(request.user, adjudication_for(request, pk))
    return go_on(request, scope_for(request, request.POST))


@require_http_methods(["GET", "HEAD", "POST"])
def change_label(request: HttpRequest, pk: int) -> HttpResponse:
    """A form for another label (GET); the change, then the next claim (POST)."""
    adjudication = adjudication_for(request, pk)
    if request.method == "POST":
        return _change(request, adjudication)
    scope = scope_for(request, request.GET)
    now = newest(adjudication.item, request.user) or adjudication
    if not now.label:
        return conflict("taken_back")
    return render_desk(request, scope, change=change_of(now))


def _change(request: HttpRequest, adjudication: Adjudication) -> HttpResponse:
    word, key = request.POST.get("label", ""), as_uuid(request.POST.get("key"))
    if not typed_by(request):
        return conflict("not_yours")
    if word not in set(Label) or key is None:
        return bad(_("No label arrived. Nothing was saved. Choose one of the three labels."))
    try:
        saved = revise(
            request.user,
            adjudication,
            label=word,
            reason=reason_of(request),
            idempotency_key=key,
            marks=parse(request.POST.getlist("mark")),
        )
    except Refused as refused:
        return conflict(refused.code)
    except BadMark as error:
        return bad(BAD_MARKS[error.code])
    return _told(request, scope_for(request, request.POST), saved.outcome, saved.adjudication, word)


def _told(request: HttpRequest, scope: Scope, outcome: str, row: Adjudication, word: str) -> HttpResponse:
    if outcome == Outcome.CHANGED_ELSEWHERE:
        if not row.label:
            return conflict("taken_back")
        return answer(request, scope, change=change_of(row, word, reason_of(request), sent=True))
    told = _("Your label was changed.") if outcome == Outcome.SAVED else _("Your label stands as it was.")
    return kept(go_on(request, scope, outcome=told))
