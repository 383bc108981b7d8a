"""What an audit and a project have cost, call by call; and raising a budget."""

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import SimpleLazyObject
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from audits import costs
from audits.access import audit_for, project_for, verdicts_for
from audits.blindness import shows_verdicts
from audits.export_files import csv_lines
from audits.export_ledger import ledger_columns, ledger_rows
from audits.forms.ledger import BudgetForm, LedgerFilter
from audits.models import Audit, Call, Role
from audits.parts import render_parts
from audits.pipeline.budgeting import BudgetError, raise_budget
from audits.templatetags.figures import money_text

PAGE = 25
COUNTED = 10_000  # calls; more are said to be more


@require_safe
@shows_verdicts
def audit_costs(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The bill beside the estimate, judge by judge, and the ledger. HTMX asks for a page of the ledger apart."""
    audit = verdicts_for(request, slug, pk)
    chosen = LedgerFilter(request.GET, members=list(audit.members.all()))
    context = {
        "project": audit.project,
        "tab": "costs",
        "audit": audit,
        "running": audit.status == Audit.Status.JUDGING,
        "costs": SimpleLazyObject(lambda: costs.audit_costs(audit)),  # not for a page of the ledger
        "budget": costs.budget_of(audit),
        "budget_form": BudgetForm(initial={"budget": _rounded(audit)}),
        "filter": chosen,
        "ledger": _page(chosen.apply(Call.objects.filter(audit=audit)), request.GET),
    }
    return render_parts(request, "audits/costs.html", context, parts=("ledger-list",))


def _rounded(audit: Audit) -> str:
    return "" if audit.budget is None else f"{audit.budget:.2f}"


@dataclass(frozen=True)
class LedgerPage:
    """Some calls, newest first. newer, older: queries of the pages beside, "" where there is none."""

    rows: list[Call]
    count: int
    more: bool  # than `count`
    newer: str
    older: str


def _page(calls: "QuerySet[Call]", query: QueryDict) -> LedgerPage:
    """One page, found by the number of the call before or after it: so the last page is as fast as the first."""
    before, after = (_number(query.get(name)) for name in ("before", "after"))
    light = calls.select_related("member").defer("reply")
    if after is not None:
        rows = list(light.filter(pk__gt=after).order_by("pk")[: PAGE + 1])
        newer, older = len(rows) > PAGE, True
        rows = rows[:PAGE][::-1]
    else:
        found = light if before is None else light.filter(pk__lt=before)
        rows = list(found.order_by("-pk")[: PAGE + 1])
        newer, older = before is not None, len(rows) > PAGE
        rows = rows[:PAGE]
    count = calls.order_by()[: COUNTED + 1].count()
    return LedgerPage(
        rows,
        min(count, COUNTED),
        count > COUNTED,
        _beside(query, after=rows[0].pk) if rows and newer else "",
        _beside(query, before=rows[-1].pk) if rows and older else "",
    )


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 19 else None


def _beside(query: QueryDict, **place: int) -> str:
    other = query.copy()
    for name in ("before", "after"):
        other.pop(name, None)
    for name, pk in place.items():
        other[name] = str(pk)
    return other.urlencode()


@require_safe
@shows_verdicts
def audit_ledger(request: HttpRequest, slug: str, pk: int) -> StreamingHttpResponse:
    """Every call with all that is known of it, as CSV."""
    audit = verdicts_for(request, slug, pk)
    response = StreamingHttpResponse(
        csv_lines(ledger_columns(), ledger_rows(audit)), content_type="text/csv; charset=utf-8"
    )
    filename = f"{audit.name}-ledger.csv".replace("/", "-")
    response["Content-Disposition"] = str(content_disposition_header(True, filename))
    response["Cache-Control"] = "private, no-store"
    return response


@require_POST
def audit_budget(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Set another budget; an audit that stopped because of the old one goes on."""
    audit = audit_for(request, slug, pk, Role.ANALYST, Role.MANAGER)
    form = BudgetForm(request.POST)
    if not form.is_valid():
        messages.error(request, " ".join(str(error) for error in form.errors["budget"]))
        return redirect("audit", slug, pk)
    try:
        changed = raise_budget(audit, request.user, form.cleaned_data["budget"])
    except BudgetError as error:
        messages.error(request, _refusal(error))
        return redirect("audit", slug, pk)
    if changed:
        said = _("The budget is now %(budget)s.") % {"budget": money_text(form.cleaned_data["budget"])}
        messages.success(request, said)
    else:
        messages.info(request, _("Nothing was changed: this is the budget already."))
    return redirect("audit", slug, pk)


def _refusal(error: BudgetError) -> str:
    words: dict[str, Any] = {
        "no_budget": _("This audit runs without a budget."),
        "over": _("This audit makes no calls any more. Its budget stays as it was."),
        "below_spent": _("%(amount)s are spent or held for calls on their way. The budget cannot be less."),
    }
    return str(words[error.code] % {"amount": money_text(error.amount)})


@require_safe
def project_costs(request: HttpRequest, slug: str) -> HttpResponse:
    """What every audit and every judge of the project has cost."""
    project = project_for(request, slug, Role.ANALYST, Role.MANAGER)
    return render(request, "audits/project_costs.html", {"project": project, "costs": costs.project_costs(project)})
