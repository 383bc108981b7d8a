"""How experts and judges of a project do: for its managers."""

from collections.abc import Sequence
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from audits.access import project_for
from audits.models import Role
from audits.stats.estimate import Estimate
from review.reports.experts import expert_reports
from review.reports.judges import InAudit, JudgeReport, judge_reports, parts_of
from review.views.agreement import named_parts
from review.withheld import withheld_from


@require_safe
def review_reports(request: HttpRequest, slug: str) -> HttpResponse:
    """Experts and judges over all audits of the project; ?judge= one judge by language, tag and length, too.

    A manager who is an expert sees the own row alone while claims wait that this person may be given: how often
    colleagues agree says something of claims that they have labelled already. Known labels stay hidden throughout.
    """
    project = project_for(request, slug, Role.MANAGER)
    withheld = withheld_from(request.user, project)
    experts = expert_reports(project)
    if withheld.claims:
        experts = [row for row in experts if row.expert == request.user]
    judges = judge_reports(project)
    chosen = _chosen(request, judges)
    context = {
        "project": project,
        "experts": experts,
        "withheld": withheld,
        "peers": [(row.name, row.peers) for row in experts],
        "judges": [(report, _over_time(report), report == chosen) for report in judges],
        "parts": [(one, named_parts(found)) for one, found in parts_of(chosen)] if chosen else [],
    }
    return render(request, "review/reports.html", context)


def _chosen(request: HttpRequest, judges: Sequence[JudgeReport]) -> JudgeReport | None:
    """The judge that is asked for. Raises Http404 for one that is not there."""
    asked = request.GET.get("judge", "")
    if not asked:
        return None
    for report in judges:
        if str(report.key) == asked:
            return report
    raise Http404


def _over_time(report: JudgeReport) -> dict[str, Any]:
    """What is drawn: (audit, day, estimate) for every audit."""

    def rows(pick: Any) -> list[tuple[str, str, Estimate]]:
        return [(one.audit.name, _day(one), pick(one)) for one in report.audits]

    return {
        "precision": rows(lambda one: one.detection.precision),
        "recall": rows(lambda one: one.detection.recall),
    }


def _day(one: InAudit) -> str:
    return timezone.localtime(one.at).strftime("%Y-%m-%d")
