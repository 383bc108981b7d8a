"""How a project's review goes, for those who run it: work, people, skips and cuts, rules. Managers change things."""

import datetime
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.utils.formats import date_format
from django.utils.functional import SimpleLazyObject
from django.utils.translation import pgettext
from django.views.decorators.http import require_safe

from audits.access import project_for
from audits.models import Project, Role
from audits.parts import render_parts
from review.forms.manage import RulesForm, SkipFilter
from review.gold import results
from review.models import Recut
from review.progress.cuts import decided, proposals, waiting
from review.progress.people import people
from review.progress.skips import reasons, skipped
from review.progress.work import work
from review.rules import rules_of
from review.withheld import withheld_from

RUNNERS = (Role.ANALYST, Role.MANAGER)


@require_safe
def review_manage(request: HttpRequest, slug: str) -> HttpResponse:
    """What is owed, who holds claims, how fast labels come in. HTMX asks for the numbers alone, again and again."""
    project = project_for(request, slug, *RUNNERS)
    rows = [(row, [(_day(day), n) for day, n in row.days]) for row in work(project)]
    more = {
        "rows": rows,
        "moving": any(row.open.labels or not row.opened for row, _ in rows),
        "coverage": SimpleLazyObject(lambda: people(project).coverage),  # not for the numbers alone
    }
    return page(request, project, "work", more, parts=("review-work",))


@require_safe
def review_manage_people(request: HttpRequest, slug: str) -> HttpResponse:
    """Who labelled how much, what each expert looks at, and whether somebody can settle everything that is open."""
    project = project_for(request, slug, *RUNNERS)
    found = people(project)
    met = {} if withheld_from(request.user, project).gold else {one.expert.pk: one for one in results(project)}
    rows = [(row, met.get(row.user.pk)) for row in found.rows]
    more = {"people": found, "rows": rows, "coverage": found.coverage, "bar": rules_of(project).gold_bar}
    return page(request, project, "people", more)


@require_safe
def review_manage_skips(request: HttpRequest, slug: str) -> HttpResponse:
    """Why claims were passed over, and proposals to cut claims anew."""
    project = project_for(request, slug, *RUNNERS)
    found = reasons(project)
    more: dict[str, Any] = {
        "reasons": found,
        "reason_bars": [(row.word, row.skips) for row in found],
        "any_skip": any(row.skips for row in found),
    }
    if not withheld_from(request.user, project).claims:
        chosen = SkipFilter(request.GET)
        chosen.is_valid()
        skips_page, rows = skipped(
            project,
            reason=chosen.cleaned_data.get("reason", ""),
            only_open=chosen.cleaned_data.get("only_open", False),
            number=request.GET.get("page"),
        )
        more |= {"filter": chosen, "skips_page": skips_page, "skipped": rows, "query": _query(request)}
        more |= {"cuts_page": waiting(project, request.GET.get("cuts")), "decided": decided(project)}
    return page(request, project, "skips", more, parts=("skip-list",))


@require_safe
def review_manage_rules(request: HttpRequest, slug: str) -> HttpResponse:
    """The rules of the review, and where two experts label every claim."""
    project = project_for(request, slug, *RUNNERS)
    return rules_page(request, project, RulesForm(initial=initial_rules(project)))


def initial_rules(project: Project) -> dict[str, Any]:
    """The rules in force as a form begins with them."""
    rules = rules_of(project)
    return {"reveal": rules.reveal, "gold_bar": rules.gold_bar}


def rules_page(request: HttpRequest, project: Project, form: RulesForm, status: int = 200) -> HttpResponse:
    """The rules with a form that may have errors."""
    return page(request, project, "rules", {"form": form, "rows": work(project)}, status=status)


def page(
    request: HttpRequest,
    project: Project,
    tab: str,
    more: Mapping[str, Any],
    *,
    parts: tuple[str, ...] = (),
    status: int = 200,
) -> HttpResponse:
    """One of the tabs, or the part of it that HTMX asks for."""
    context = {
        "project": project,
        "tab": tab,
        "may_change": Role.MANAGER in getattr(project, "roles", ()),
        "withheld": withheld_from(request.user, project),
        "waiting_cuts": proposals(project).filter(state=Recut.State.PROPOSED).count(),
        **more,
    }
    return render_parts(request, f"review/manage_{tab}.html", context, parts=parts, status=status)


def _query(request: HttpRequest) -> str:
    """The filter as the links to other pages carry it."""
    kept = {name: value for name in ("reason", "only_open") if (value := request.GET.get(name))}
    return f"{urlencode(kept)}&" if kept else ""


def _day(day: datetime.date) -> str:
    return date_format(day, pgettext("date format: a day under a chart", "M j"))
