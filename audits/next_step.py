"""What a person can do next in a project: the one thing worth doing, read from what is there."""

from dataclasses import dataclass
from typing import Any

from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _

from audits.models import Audit, Dataset, Project, Role


@dataclass(frozen=True)
class NextStep:
    """One sentence and, where the person may do it, the page for it."""

    text: str
    label: str = ""
    url: str = ""


def next_step(project: Project, roles: frozenset[str]) -> NextStep | None:
    """The first thing that stands in the way of a certificate; None when there is nothing that anybody waits for."""
    return _about_audits(project, blind=roles <= {Role.EXPERT}) or _about_datasets(project, Role.ANALYST in roles)


def _about_datasets(project: Project, analyst: bool) -> NextStep | None:
    newest = project.datasets.exclude(audits__isnull=False).first()
    if newest is None:
        return None if project.datasets.exists() else _upload(project, analyst)
    name, at = {"name": newest.name}, (project.slug, newest.pk)
    if newest.status == Dataset.Status.UPLOADED:
        text = _("“%(name)s” is uploaded. Say which column is what, then it can be imported.") % name
        return (
            NextStep(text, _("Choose the columns"), reverse("dataset_mapping", args=at))
            if analyst
            else NextStep(text)
        )
    if newest.status == Dataset.Status.FAILED:
        return NextStep(_("“%(name)s” could not be imported.") % name, _("See why"), reverse("dataset", args=at))
    if newest.status == Dataset.Status.STOPPED:
        text = _("The import of “%(name)s” is stopped.") % name
        return NextStep(text, _("Resume it"), reverse("dataset", args=at)) if analyst else NextStep(text)
    if newest.is_moving:
        return NextStep(_("“%(name)s” is being imported.") % name, _("Watch"), reverse("dataset", args=at))
    text = _("“%(name)s” is ready to be audited.") % name
    return NextStep(text, _("Start an audit"), audit_new_url(project, newest)) if analyst else NextStep(text)


def _upload(project: Project, analyst: bool) -> NextStep:
    if analyst:
        text = _("Upload the system's answers with their questions and retrieved contexts.")
        return NextStep(text, _("Upload a dataset"), reverse("dataset_new", args=(project.slug,)))
    return NextStep(_("There is no dataset yet. An analyst of the project uploads one."))


def _about_audits(project: Project, *, blind: bool) -> NextStep | None:
    if project.audits.filter(status=Audit.Status.REVIEWING, calibration=False).exists():
        text = _("The judges are done. Experts settle what they differ on.")
        return NextStep(text, _("Open the review"), page("project_review", project.slug))
    running = project.audits.filter(status__in=(Audit.Status.JUDGING, Audit.Status.PAUSED)).first()
    if running is None:
        return None
    text = _("“%(name)s” is being judged.") if running.status == Audit.Status.JUDGING else _("“%(name)s” is paused.")
    text = text % {"name": running.name}  # an expert sees no verdict, so no page of the audit either
    return NextStep(text) if blind else NextStep(text, _("Watch"), page("audit", project.slug, running.pk))


def audit_new_url(project: Project, dataset: Dataset) -> str:
    """The page that starts an audit of this dataset."""
    url = page("audit_new", project.slug)
    return f"{url}?dataset={dataset.pk}" if url else ""


def page(name: str, *args: Any) -> str:
    """The address of a page that another part of the site may or may not bring."""
    try:
        return reverse(name, args=args)
    except NoReverseMatch:
        return ""
