"""Pages about calibrations: one of them, and the judges and panels of a project side by side."""

from collections.abc import Sequence
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from audits.access import project_for, verdicts_for
from audits.blindness import shows_verdicts
from audits.calibration import Kind, Part, findings, finished
from audits.judge_comparison import SideBySide, side_by_side
from audits.models import Audit, Dataset, PanelMember, Role
from audits.sample_datasets import LANGUAGES
from audits.stats.calibration import AgainstPeople, Calibration
from audits.stats.estimate import Estimate

FIGURES = (("recall", "cal_recall"), ("precision", "cal_precision"), ("specificity", "cal_specificity"))


@require_safe
@shows_verdicts
def calibration(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """What one calibration found; of an audit that is none, its own page."""
    audit = verdicts_for(request, slug, pk)
    if not audit.calibration:
        return redirect("audit", slug, pk)
    context: dict[str, Any] = {
        "project": audit.project,
        "audit": audit,
        "tab": "calibration",
        "done": audit.status == Audit.Status.REVIEWING,
        "may_start": Role.ANALYST in getattr(audit.project, "roles", ()),
    }
    if context["done"]:
        found = findings(audit)
        context |= {"found": found, "kinds": [_shown(kind, found.panel) for kind in found.kinds]}
    return render(request, "audits/calibration.html", context)


@require_safe
def calibrations(request: HttpRequest, slug: str) -> HttpResponse:
    """Judges and panels on one dataset: ?dataset= (the one calibrated last), ?against= a seat to compare with."""
    project = project_for(request, slug, Role.ANALYST, Role.MANAGER)
    audits = finished(project)
    datasets = list({audit.dataset_id: audit.dataset for audit in audits}.values())
    chosen = _chosen(request, datasets)
    asked = request.GET.get("against", "")
    of_chosen = [audit for audit in audits if audit.dataset == chosen]
    sides = side_by_side(of_chosen, int(asked) if _is_number(asked) else None)
    context = {
        "project": project,
        "datasets": datasets,
        "chosen": chosen,
        "audits": of_chosen,
        "sides": [_side(side) for side in sides],
        "may_start": Role.ANALYST in getattr(project, "roles", ()),
    }
    return render(request, "audits/calibrations.html", context)


def _chosen(request: HttpRequest, datasets: Sequence[Dataset]) -> Dataset | None:
    """The dataset that is asked for, else the first one; None when there is none. Raises Http404."""
    asked = request.GET.get("dataset", "")
    if not asked:
        return next(iter(datasets), None)
    for dataset in datasets:
        if str(dataset.pk) == asked:
            return dataset
    raise Http404


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 19


def _name(member: PanelMember) -> str:
    return f"{member.letter} {member.name}"


def _rows(found: Calibration, panel: Sequence[PanelMember]) -> list[tuple[str, AgainstPeople]]:
    """(name, figures) of each judge, and of all together."""
    return [*zip(map(_name, panel), found.judges, strict=True), (_("All judges together"), found.panel)]


def _short_rows(found: Calibration, panel: Sequence[PanelMember]) -> list[tuple[str, AgainstPeople]]:
    """The same with letters for names, for narrow cells."""
    letters = [member.letter for member in panel]
    return [*zip(letters, found.judges, strict=True), (" + ".join(letters), found.panel)]


def _charts(rows: Sequence[tuple[str, AgainstPeople]]) -> list[tuple[str, str, list[tuple[str, Estimate]]]]:
    """(title, key of its explanation, rows) of each chart."""
    titles = {"recall": _("Recall"), "precision": _("Precision"), "specificity": _("Specificity")}
    return [(titles[name], what, [(who, getattr(one, name)) for who, one in rows]) for name, what in FIGURES]


def _shown(kind: Kind, panel: Sequence[PanelMember]) -> dict[str, Any]:
    """One kind of unit as the page has it."""
    rows = _rows(kind.found, panel)
    parts: dict[str, list[tuple[str, Part, list[tuple[str, AgainstPeople]]]]] = {"language": [], "tag": []}
    for part in kind.parts:
        parts[part.kind].append((_part_name(part.kind, part.name), part, _short_rows(part.found, panel)))
    titles = {"language": _("By language"), "tag": _("By tag")}
    return {
        "unit": kind.unit,
        "found": kind.found,
        "together": kind.found.together,
        "rates": [(_("Human labels"), kind.found.together.people), (_("Judges alone"), kind.found.together.naive)],
        "rows": rows,
        "charts": _charts(rows),
        "tables": [(name, one.three) for name, one in rows if one.three is not None],
        "parts": [(code, titles[code], each) for code, each in parts.items() if each],
        "too_few": [(code, _part_name(code, name), n) for code, name, n in kind.too_few],
        "only_bad": kind.found.together.people.value == 1,
    }


def _part_name(kind: str, name: str) -> str:
    return str(_(LANGUAGES.get(name, name))) if kind == "language" else name


def _side(side: SideBySide) -> dict[str, Any]:
    """One kind of unit of the comparison as the page has it."""
    rows = [(seat.member.name, seat.found) for seat in side.seats]
    return {"unit": side.unit, "seats": side.seats, "panels": side.panels, "yardstick": side.yardstick} | {
        "charts": _charts(rows)
    }
