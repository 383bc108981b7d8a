"""Who may see and do what in review: one helper per object. A stranger gets 404, a member in the wrong role 403."""

import uuid
from collections.abc import Mapping

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _

from audits.access import project_for
from audits.models import Role
from review.models import Adjudication, Certificate, Slot
from review.queue import expert_projects
from review.scope import Scope


def slot_for(request: HttpRequest, code: uuid.UUID) -> Slot:
    """A slot of a project in which the person is an expert, by its code. Raises as project_for does.

    Without the texts, which can be long: holding a claim and labelling it need none of them.
    """
    rows = Slot.objects.select_related("item__plan__audit__project")
    slot = get_object_or_404(rows, code=code)
    project_for(request, slot.item.plan.audit.project.slug, Role.EXPERT)
    return slot


def adjudication_for(request: HttpRequest, pk: int) -> Adjudication:
    """The person's own adjudication; Http404 for anybody else's."""
    rows = Adjudication.objects.select_related("item__claim__sample", "item__plan__audit__project", "slot")
    found: Adjudication = get_object_or_404(rows, pk=pk, reviewer=request.user)
    project_for(request, found.item.plan.audit.project.slug, Role.EXPERT)
    return found


def certificate_for(request: HttpRequest, slug: str, pk: int, *roles: str) -> Certificate:
    """A certificate of this project. Raises as project_for does."""
    project = project_for(request, slug, *roles)
    found: Certificate = get_object_or_404(
        Certificate.objects.select_related("audit__project"), audit__project=project, pk=pk
    )
    return found


def scope_for(request: HttpRequest, sent: Mapping[str, str]) -> Scope:
    """The part of the queue that an address or a form names by project, tag, language; all projects without one.

    Raises as project_for does; PermissionDenied for a person who is no expert anywhere.
    """
    slug, tag, language = (sent.get(name, "") for name in ("project", "tag", "language"))
    if slug:
        return Scope((project_for(request, slug, Role.EXPERT),), slug, tag, language)
    projects = tuple(expert_projects(request.user))
    if not projects:
        raise PermissionDenied(_("You are not an expert in any project."))
    return Scope(projects, "", tag, language)
