"""Who works in a project, and in which role."""

from itertools import groupby

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from audits.access import project_for
from audits.forms.projects import MemberForm
from audits.models import Membership, Project, Role


@require_safe
def members(request: HttpRequest, slug: str) -> HttpResponse:
    """Everybody in the project; managers see the form too."""
    return _page(request, project_for(request, slug), MemberForm())


@require_POST
def member_add(request: HttpRequest, slug: str) -> HttpResponse:
    """Give an existing person a role."""
    project = project_for(request, slug, Role.MANAGER)
    form = MemberForm(request.POST)
    if not form.is_valid():
        return _page(request, project, form, status=422)
    person, role = form.cleaned_data["username"], form.cleaned_data["role"]
    words = {"user": person.get_username(), "role": Role(role).label}
    if Membership.objects.give(project=project, user=person, role=role, by=request.user):
        messages.success(request, _("%(user)s now has the role %(role)s.") % words)
    else:
        messages.info(request, _("%(user)s has the role %(role)s already. Nothing was changed.") % words)
    return redirect("members", project.slug)


@require_POST
def member_remove(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Take one role away from one person."""
    project = project_for(request, slug, Role.MANAGER)
    membership = get_object_or_404(Membership.objects.select_related("user", "project"), project=project, pk=pk)
    words = {"user": membership.user.get_username(), "role": membership.get_role_display()}
    if Membership.objects.take(membership=membership, by=request.user):
        messages.success(request, _("%(user)s no longer has the role %(role)s. Finished work stays.") % words)
    still_in = bool(project.roles_of(request.user))
    return redirect("members", project.slug) if still_in else redirect("projects")


def _page(request: HttpRequest, project: Project, form: MemberForm, status: int = 200) -> HttpResponse:
    rows = project.memberships.select_related("user").order_by("user__username", "user_id", "role")
    people = [(user, list(roles)) for user, roles in groupby(rows, key=lambda row: row.user)]
    context = {
        "project": project,
        "people": people,
        "form": form,
        "may_change": Role.MANAGER in getattr(project, "roles", ()),
    }
    return render(request, "audits/members.html", context, status=status)
