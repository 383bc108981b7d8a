"""Who agrees with whom: judges with each other, each judge with the experts, the experts."""

import datetime
from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from audits.access import verdicts_for
from audits.blindness import shows_verdicts
from audits.stats.drift import Drift
from audits.stats.estimate import Estimate
from review.agreement.claims import Size
from review.agreement.details import Details, details
from review.agreement.slices import Slice, Slices
from review.looks import is_complete
from review.models import ReviewPlan, Stratum

LANGUAGES = {"en": gettext_lazy("English"), "zh": gettext_lazy("Chinese")}
SIZES = {
    Size.SHORT: gettext_lazy("short: under 10 words, or under 20 Chinese characters"),
    Size.MIDDLE: gettext_lazy("middle: 10 to 20 words, or 20 to 40 Chinese characters"),
    Size.LONG: gettext_lazy("long: over 20 words, or over 40 Chinese characters"),
}


@require_safe
@shows_verdicts
def agreement(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The agreement page of one audit."""
    audit = verdicts_for(request, slug, pk)
    found = details(audit)
    names = dict(Stratum.choices)
    confidence = float(audit.confidence)
    plan = ReviewPlan.objects.filter(audit=audit).first()
    context = {
        "project": audit.project,
        "audit": audit,
        "tab": "agreement",
        "found": found,
        "page": found.page,
        "strata": [{"name": names[s.name], "stratum": s, "share": s.estimate(confidence)} for s in found.page.strata],
        "plan": plan,
        # What experts find in each group is the corrected rate in parts: nobody sees it grow.
        "settled": plan is not None and is_complete(plan),
        "detected": _detected(found),
        "parts": named_parts(found.slices),
        "windows": windows(found.drift),
    }
    return render(request, "review/agreement.html", context)


def windows(found: Drift[datetime.datetime]) -> list[tuple[str, str, Estimate]]:
    """(from when to when, the day it begins, agreement) for each window."""
    rows = []
    for window in found.windows:
        first, last = (timezone.localtime(at).strftime("%Y-%m-%d %H:%M") for at in (window.first, window.last))
        rows.append((_("{first} to {last}").format(first=first, last=last), first[5:10], window.share))
    return rows


def _detected(found: Details) -> list[tuple[str, str, list[tuple[str, Estimate]]]]:
    """(title, key of its explanation, (judge, estimate) each): what is drawn of precision and recall."""
    judges = [(_("Judge {letter}").format(letter=one.judge.letter), one.detection) for _against, one in found.judges]
    return [
        (_("Precision"), "precision", [(name, each.precision) for name, each in judges]),
        (_("Recall"), "recall", [(name, each.recall) for name, each in judges]),
    ]


def named_parts(found: Slices) -> list[tuple[str, str, Sequence[tuple[Any, Slice]]]]:
    """(code, title, (name, slice) each) for every way in which claims are told apart; tags are dataset text."""
    ways = (
        ("language", _("By language"), [(LANGUAGES.get(one.name, one.name), one) for one in found.languages]),
        ("tag", _("By tag"), [(one.name, one) for one in found.tags]),
        ("length", _("By length of the claim"), [(SIZES[Size(one.name)], one) for one in found.sizes]),
    )
    return [way for way in ways if way[2]]
