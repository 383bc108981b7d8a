"""What the desk answers: what became of what was sent, and why something was not done."""

from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from review.adjudication import Outcome, Saved

_REFUSALS = {
    "closed": gettext_lazy("This audit is not under review any more. Nothing was saved."),
    "not_yours": gettext_lazy(
        "Somebody else has signed in in this browser. Nothing was saved. Sign in with your name, then send it again."
    ),
    "own_label": gettext_lazy(
        "You have given this claim a label yourself meanwhile, so a colleague decides between the labels. "
        "Nothing was saved."
    ),
    "not_last": gettext_lazy("Only your last label can be taken back. Nothing was changed."),
    "arbitrated": gettext_lazy("A third expert has decided on the labels of this claim. Nothing was changed."),
    "certified": gettext_lazy("A certificate rests on this label, so it stays. Nothing was changed."),
    "taken_back": gettext_lazy(
        "You took this label back in another window. Nothing was saved. Load the page again, then decide."
    ),
    "no_verdicts": gettext_lazy("The verdicts of this claim are not shown."),
}
BAD_MARKS = {
    "unreadable": gettext_lazy("The marked evidence could not be read. Nothing was saved. Load the page again."),
    "outside": gettext_lazy("The marked evidence lies in no context. Nothing was saved. Load the page again."),
    "too_many": gettext_lazy("Too much was marked as evidence. Nothing was saved. Remove some marks."),
}
_RECUTS = {
    "closed": gettext_lazy("This audit is not under review any more. Nothing was saved."),
    "replaced": gettext_lazy("This claim was cut anew meanwhile. Nothing was saved."),
    "texts": gettext_lazy("Propose one to five claims, one per line. Nothing was skipped."),
    "long": gettext_lazy("A proposed claim is too long. Nothing was skipped."),
    "same": gettext_lazy("A proposed claim is the same as the claim itself. Nothing was skipped."),
    "twice": gettext_lazy("A proposed claim stands there twice. Nothing was skipped."),
}


def outcome_words(saved: Saved) -> str:
    """What became of the label, where more is to be said than that it was saved."""
    return {
        Outcome.SAVED: "",
        Outcome.ALREADY_SAVED: _("This claim already had your label. Nothing was added."),
        Outcome.LEASE_LOST_BUT_SAVED: _("Your time on this claim had run out, but nobody had taken it."),
        Outcome.TAKEN_BY_OTHER: _(
            "A colleague has taken this claim meanwhile. Your label is kept as an extra opinion and is not counted."
        ),
        Outcome.NOT_NEEDED: _(
            "This claim needs no further label by now. Yours is kept as an extra opinion and is not counted."
        ),
        Outcome.CHANGED_ELSEWHERE: _(
            "You said something else of this claim in another window. Nothing was added; what you said there stands."
        ),
    }[saved.outcome]


def recut_words(code: str) -> str:
    """Why a proposal was not taken."""
    return str(_RECUTS.get(code, _RECUTS["texts"]))


def conflict(code: str) -> HttpResponse:
    """409 with the sentence of a refusal, which the page shows; nothing is swapped, so what is typed stays."""
    return HttpResponse(str(_REFUSALS[code]), status=409, content_type="text/plain; charset=utf-8")


def bad(text: object) -> HttpResponse:
    """400 with a sentence, which the page shows."""
    return HttpResponseBadRequest(str(text), content_type="text/plain; charset=utf-8")


def typed_by(request: HttpRequest) -> bool:
    """False when a form was typed by one person and is sent by another, who has signed in meanwhile."""
    return request.POST.get("person", str(request.user.pk)) == str(request.user.pk)


def kept(response: HttpResponse) -> HttpResponse:
    """The answer to what was typed or marked and is stored now: the page need not remember it any more."""
    response["Assay-Kept"] = "1"
    return response
