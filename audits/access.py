"""Who may see and do what: one helper per object. A stranger gets 404, a member in the wrong role 403."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _

from audits.models import Audit, Dataset, Project, Role, Sample


def project_for(request: HttpRequest, slug: str, *roles: str) -> Project:
    """The project, if the person is a member; with roles, one of them is needed.

    Sets `project.roles`, the person's roles here, for the page.
    Raises Http404 for a stranger, PermissionDenied for a member without the role.
    """
    project: Project = get_object_or_404(Project, slug=slug)
    held = project.roles_of(request.user)
    if not held:
        raise Http404
    if roles and not held.intersection(roles):
        raise PermissionDenied(_("Your role in this project does not allow this."))
    project.roles = held  # type: ignore[attr-defined]  # read by templates, never stored
    return project


def _scoped(model: Any, request: HttpRequest, slug: str, pk: int, roles: tuple[str, ...]) -> Any:
    project = project_for(request, slug, *roles)
    found = get_object_or_404(model, project=project, pk=pk)
    found.project = project
    return found


def dataset_for(request: HttpRequest, slug: str, pk: int, *roles: str) -> Dataset:
    """A dataset of this project. Raises as project_for does."""
    dataset: Dataset = _scoped(Dataset, request, slug, pk, roles)
    return dataset


def audit_for(request: HttpRequest, slug: str, pk: int, *roles: str) -> Audit:
    """An audit of this project. Raises as project_for does."""
    audit: Audit = _scoped(Audit, request, slug, pk, roles)
    return audit


def sample_for(audit: Audit, pk: int) -> Sample:
    """A sample of this audit's dataset; Http404 otherwise."""
    sample: Sample = get_object_or_404(Sample, dataset_id=audit.dataset_id, pk=pk)
    return sample


class VerdictsHidden(PermissionDenied):
    """A mere expert asks for a page that shows verdicts: their own labels would not be blind any more."""


def verdicts_for(request: HttpRequest, slug: str, pk: int) -> Audit:
    """An audit for a page that shows verdicts, which needs an analyst or a manager.

    Raises as project_for does, and VerdictsHidden for a member who is neither.
    """
    project = project_for(request, slug)
    roles: frozenset[str] = getattr(project, "roles", frozenset())
    if not roles.intersection({Role.ANALYST, Role.MANAGER}):
        raise VerdictsHidden(
            _("The judges' verdicts are hidden from experts, so that nothing influences their labels.")
        )
    audit: Audit = get_object_or_404(Audit.objects.select_related("dataset"), project=project, pk=pk)
    audit.project = project
    return audit
