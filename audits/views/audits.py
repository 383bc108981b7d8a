"""Starting an audit, and the switches on a running one."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from audits import pipeline
from audits.access import audit_for, project_for
from audits.calibration import can_calibrate, finished
from audits.forms.audits import DOUBLES, PANEL_WORDS, AuditForm, default_panel, experts_of
from audits.forms.rule import rule_of
from audits.models import Audit, Dataset, Judge, Project, Role
from audits.parts import render_parts
from audits.pipeline.panel import of_generators_family, of_unknown_family, unknown_generators
from audits.planning import Outlook, density_of, outlook

STARTED = "started_audits"  # in the session: token of a form -> the audit that it started
REMEMBERED = 20
# Fields that have a value before a person chooses.
CHOSEN = ("budget", "reuse", "batch", "probe_percent", "planted", "double_percent")  # for start_audit as they are
SUGGESTED = ("threshold", "scope", "confidence", "looks", "reuse", "probe_percent", "planted")


@require_http_methods(["GET", "HEAD", "POST"])
def audit_new(request: HttpRequest, slug: str) -> HttpResponse:
    """Choose dataset, panel and acceptance rule; see calls and cost; start."""
    project = project_for(request, slug, Role.ANALYST)
    sent = request.method == "POST"
    values: dict[str, Any] = _sent_values(request) if sent else _first_values(request, project)
    form = AuditForm(values, project=project) if sent else AuditForm(initial=values, project=project)
    wants_start = sent and "recalculate" not in request.POST
    if wants_start and form.is_valid() and (audit := _start(request, project, form)):
        return redirect("audit", project.slug, audit.pk)
    draft = _draft(AuditForm(values, project=project), experts_of(project))
    if sent and not wants_start:  # a person still chooses: nothing is an error yet
        form = AuditForm(initial=values, project=project)
    context = {
        "project": project,
        "form": form,
        "draft": draft,
        "datasets": project.datasets.filter(status=Dataset.Status.READY).exists(),
    }
    status = 422 if wants_start else 200
    return render_parts(request, "audits/audit_new.html", context, parts=("audit-plan",), status=status)


def _sent_values(request: HttpRequest) -> dict[str, Any]:
    """What a person has chosen; of a box that is not ticked a browser says nothing."""
    return dict.fromkeys(("reuse", "batch"), "") | request.POST.dict()


def _first_values(request: HttpRequest, project: Project) -> dict[str, Any]:
    ready = project.datasets.filter(status=Dataset.Status.READY)
    asked = request.GET.get("dataset", "")
    dataset = (ready.filter(pk=int(asked)).first() if asked.isdecimal() else None) or ready.first()
    values: dict[str, Any] = {name: AuditForm.base_fields[name].initial for name in SUGGESTED}
    if dataset is not None:
        values |= {"dataset": dataset.pk, "name": dataset.name}
    values["double_percent"] = DOUBLES if experts_of(project) > 1 else 0
    panel = _calibrated_panel(request, project) or default_panel(project)
    return values | panel | {"token": uuid.uuid4().hex}


def _calibrated_panel(request: HttpRequest, project: Project) -> dict[str, int]:
    """The seats of the calibration that the address names, and the calibration; nothing without one."""
    asked = request.GET.get("calibrated_by", "")
    found = next((audit for audit in finished(project) if str(audit.pk) == asked), None)
    if found is None:
        return {}
    seats = {seat.role + str(seat.position): seat.judge_id for seat in found.members.all()}
    names = {"extractor": "extractor0", "primary": "judge0", "second": "judge1"}
    return {name: seats[seat] for name, seat in names.items() if seat in seats} | {"calibrated_by": found.pk}


def _start(request: HttpRequest, project: Project, form: AuditForm) -> Audit | None:
    """Start the audit, or find the one that this very form has started already. None: the form says why not."""
    chosen = form.cleaned_data
    rule = rule_of(chosen)
    started = request.session.get(STARTED, {})
    if earlier := project.audits.filter(pk=started.get(chosen["token"])).first():
        return earlier
    try:
        audit = pipeline.start_audit(
            project=project,
            dataset=chosen["dataset"],
            user=request.user,
            name=chosen["name"],
            extractor=chosen["extractor"],
            judges=[chosen["primary"], chosen["second"]],
            threshold=rule.threshold,
            confidence=rule.confidence,
            scope=rule.scope,
            expected_rate=rule.expected_rate,
            looks=rule.looks,
            spot_check_size=chosen["spot_check_size"],
            override_reason=chosen["override_reason"],
            calibration=chosen["calibration"],
            calibrated_by=None if chosen["calibration"] else chosen["calibrated_by"],
            **{name: chosen[name] for name in CHOSEN},
        )
    except pipeline.PanelError as error:
        form.add_panel_error(error.code, str(error))
        return None
    if chosen["token"]:
        request.session[STARTED] = dict([*started.items(), (chosen["token"], audit.pk)][-REMEMBERED:])
    return audit


@dataclass(frozen=True)
class Draft:
    """What an audit would take, as far as it is chosen."""

    dataset: Dataset | None
    samples: int
    estimate: pipeline.Estimate | None
    problem: str  # why the panel would be refused
    own_family: bool  # a judge is of the generator's family
    unknown_generators: list[str]  # of which nothing can be said about that; "": it is not stated
    unknown_judges: list[str]  # names that tell no family
    specimen: bool  # an offline judge sits on the panel
    outlook: Outlook | None  # what the review takes, and how likely the audit passes
    spot_check_chosen: int | None
    doubles: int  # percent of the experts' claims that two label
    experts: int  # who can label them now
    reuse: bool
    budget: Decimal | None
    budget_short: bool  # less than what is expected

    batch: bool
    labelled: bool  # people labelled something in the dataset, so that judges can be calibrated with it
    calibration: bool  # and that is chosen

    @property
    def spot_check(self) -> int | None:
        """The proposed size."""
        return self.outlook.proposed if self.outlook else None

    @property
    def labels(self) -> int:
        """What experts give for the spot check, second labels included."""
        claims = (self.spot_check or 0) if self.spot_check_chosen is None else self.spot_check_chosen
        return claims + self._second(claims)

    @property
    def per_hundred(self) -> int:
        """Labels that a hundred disputed claims take."""
        return 100 + self._second(100)

    def _second(self, claims: int) -> int:
        return -(-claims * self.doubles // 100)

    @property
    def slow(self) -> list[str]:
        """Members that batches were chosen for and that have none."""
        members = self.estimate.per_member if self.estimate and self.batch else ()
        asked = [member.name for member in members if not member.batch]
        return [name for name in dict.fromkeys(asked) if not name.startswith("offline:")]


def _draft(form: AuditForm, experts: int) -> Draft:
    """experts: of the project."""
    chosen = form.chosen
    dataset, extractor = chosen.get("dataset"), chosen.get("extractor")
    judges = [judge for name in ("primary", "second") if (judge := chosen.get(name))]
    expected = None
    labelled = dataset is not None and can_calibrate(dataset)
    calibration = labelled and bool(chosen.get("calibration"))
    if dataset is not None and extractor is not None and len(judges) == 2:
        expected = pipeline.estimate(
            dataset=dataset,
            extractor=extractor,
            judges=judges,
            batch=bool(chosen.get("batch")),
            probe_percent=chosen.get("probe_percent") or 0,
            planted=chosen.get("planted") or 0,
            calibration=calibration,
        )
    budget = chosen.get("budget")
    samples = dataset.samples.count() if dataset else 0
    return Draft(
        dataset=dataset,
        samples=expected.samples if expected and calibration else samples,
        estimate=expected,
        problem=_problem(dataset, judges, chosen.get("override_reason") or "") if dataset else "",
        own_family=bool(dataset and of_generators_family(dataset, judges)),
        unknown_generators=unknown_generators(dataset) if dataset else [],
        unknown_judges=[str(judge) for judge in of_unknown_family(judges)],
        specimen=any(judge.vendor == "offline" for judge in [*judges, extractor] if judge),
        outlook=None if calibration else _outlook(chosen, samples, expected.claims if expected else None),
        spot_check_chosen=chosen.get("spot_check_size"),
        doubles=chosen.get("double_percent") or 0,
        experts=experts,
        reuse=bool(chosen.get("reuse")),
        batch=bool(chosen.get("batch")),
        labelled=labelled,
        calibration=calibration,
        budget=budget,
        budget_short=bool(budget and expected and expected.cost and budget < expected.cost),
    )


def _outlook(chosen: dict[str, Any], answers: int, counted: int | None) -> Outlook | None:
    """None while the dataset or a part of the rule is missing or wrong. counted: claims that are expected."""
    if not answers or not {"threshold", "scope", "confidence", "looks", "expected_rate"} <= chosen.keys():
        return None
    dataset = chosen["dataset"]
    return outlook(
        rule_of(chosen),
        answers=answers,
        density=density_of(dataset.project, dataset, answers, counted),
        spot_check=chosen.get("spot_check_size"),
        double_percent=chosen.get("double_percent") or 0,
    )


def _problem(dataset: Dataset, judges: list[Judge], reason: str) -> str:
    try:
        pipeline.check_panel(dataset=dataset, judges=judges, override_reason=reason)
    except pipeline.PanelError as error:
        return str(PANEL_WORDS[error.code][1] if error.code in PANEL_WORDS else error)
    return ""


@require_POST
def audit_pause(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """No new calls until it is resumed."""
    return _switch(request, slug, pk, pipeline.pause, _("Paused. Calls on their way are still recorded."))


@require_POST
def audit_resume(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Go on, and try stopped judges again."""
    return _switch(request, slug, pk, pipeline.resume, _("Judging goes on where it was."))


@require_POST
def audit_cancel(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Stop for good; what was judged stays."""
    return _switch(request, slug, pk, pipeline.cancel, _("Cancelled. What was judged so far can still be read."))


@require_POST
def audit_retry(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Try the samples again whose claims could not be cut."""
    return _switch(request, slug, pk, pipeline.retry_failed, _("The failed samples are tried again."))


def _switch(request: HttpRequest, slug: str, pk: int, act: Callable[[Audit, Any], bool], done: str) -> HttpResponse:
    audit = audit_for(request, slug, pk, Role.ANALYST, Role.MANAGER)
    if act(audit, request.user):
        messages.success(request, done)
    else:
        messages.info(request, _("Nothing was changed: the audit is no longer in the state this button was for."))
    return redirect("audit", slug, pk)
