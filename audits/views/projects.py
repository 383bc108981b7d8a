"""Projects: the list, a new one, and the overview of one."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from audits.access import project_for
from audits.forms.projects import ProjectForm
from audits.models import Project, Role
from audits.next_step import next_step

SHOWN = 100  # of the newest datasets and audits on the overview


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The way in."""
    return redirect("projects")


@require_safe
def projects(request: HttpRequest) -> HttpResponse:
    """The person's projects, with what is open in each."""
    return render(
        request, "audits/projects.html", {"projects": Project.objects.visible_to(request.user).with_counts()}
    )


@require_http_methods(["GET", "HEAD", "POST"])
def project_new(request: HttpRequest) -> HttpResponse:
    """A new project: administrators only."""
    if not request.user.is_superuser:
        raise PermissionDenied(_("Only an administrator can create a project."))
    form = ProjectForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        project = Project.objects.start(user=request.user, **form.cleaned_data)
        messages.success(request, _("The project is there. Now say who works in it."))
        return redirect("members", project.slug)
    status = 422 if form.is_bound else 200
    return render(request, "audits/project_new.html", {"form": form}, status=status)


@require_safe
def project(request: HttpRequest, slug: str) -> HttpResponse:
    """One project: its datasets, its audits, and what to do next."""
    project = project_for(request, slug)
    roles = project.roles_of(request.user)
    context = {
        "project": project,
        "datasets": project.datasets.all()[:SHOWN],
        "audits": project.audits.select_related("dataset")[:SHOWN],
        "next_step": next_step(project, roles),
        "may_see_verdicts": not roles <= {Role.EXPERT},
    }
    return render(request, "audits/project.html", context)
