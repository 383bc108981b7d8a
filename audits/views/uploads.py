"""A dataset's ways in: a file, rows pasted from a spreadsheet, mended rows, the product's own sample datasets."""

from typing import Any

from django.contrib import messages
from django.core.files import File
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from audits import pipeline
from audits.access import dataset_for, project_for
from audits.format_messages import Explained, explain
from audits.formats.base import FormatError
from audits.formats.merging import Merged
from audits.forms.uploads import MendForm, PasteForm, UploadForm
from audits.models import Dataset, Project, Role
from audits.sample_datasets import sample_dataset, samples_by_domain


@require_http_methods(["GET", "HEAD", "POST"])
def dataset_new(request: HttpRequest, slug: str) -> HttpResponse:
    """Bring a file or pasted rows in; with `previous`, as a corrected version of that dataset."""
    project = project_for(request, slug, Role.ANALYST)
    if request.method != "POST":
        return _page(request, project, previous=request.GET.get("previous", ""))
    return _take(request, project, _upload_form(request, project))


@require_POST
def dataset_paste(request: HttpRequest, slug: str) -> HttpResponse:
    """Bring rows in that were pasted; a browser with JavaScript sends them as a file, so that they may be many."""
    project = project_for(request, slug, Role.ANALYST)
    form = _upload_form(request, project)
    if "file" not in request.FILES and not form.too_large:
        return _take(request, project, PasteForm(request.POST, project=project, auto_id="paste_%s"))
    return _take(request, project, form)


def _upload_form(request: HttpRequest, project: Project) -> UploadForm:
    files = request.FILES  # receiving them is what leaves the remark about the size
    too_large = bool(request.META.get("assay.upload_too_large"))
    return UploadForm(request.POST, files, project=project, too_large=too_large)


def _take(request: HttpRequest, project: Project, form: UploadForm | PasteForm) -> HttpResponse:
    problem = None
    if form.is_valid():
        try:
            dataset = pipeline.receive_upload(project=project, user=request.user, **form.given)
        except FormatError as error:
            problem = explain(error)
        else:
            return _go_on(request, reverse("dataset_mapping", args=(project.slug, dataset.pk)))
    return _page(request, project, form, problem, previous=request.POST.get("previous", ""))


def _go_on(request: HttpRequest, url: str) -> HttpResponse:
    """To the next page. static/js/upload.js would follow a redirect itself, and take the messages from the person."""
    if request.headers.get("X-Upload") == "script":
        return HttpResponse(status=204, headers={"X-Next-Page": url})
    return redirect(url)


def _page(
    request: HttpRequest,
    project: Project,
    form: UploadForm | PasteForm | None = None,
    problem: Explained | None = None,
    *,
    previous: str,
) -> HttpResponse:
    corrected = project.datasets.filter(pk=previous).first() if previous.isascii() and previous.isdecimal() else None
    fresh: dict[str, Any] = {"project": project, "initial": {"previous": corrected.pk if corrected else None}}
    context = {
        "project": project,
        "form": form if isinstance(form, UploadForm) else UploadForm(**fresh),
        "paste": form if isinstance(form, PasteForm) else PasteForm(**fresh, auto_id="paste_%s"),
        "pasting": isinstance(form, PasteForm),
        "samples": samples_by_domain(),
        "corrected": corrected,
        "problem": problem,
    }
    return render(request, "audits/dataset_new.html", context, status=200 if form is None else 422)


@require_http_methods(["GET", "HEAD", "POST"])
def dataset_mend(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Take the rows that were not imported back, corrected: with the good ones they make a new version."""
    dataset = dataset_for(request, slug, pk, Role.ANALYST)
    if dataset.status != Dataset.Status.READY:
        return redirect("dataset", slug, pk)
    form = MendForm(request.POST, request.FILES) if request.method == "POST" else MendForm()
    problem = None
    if form.is_valid():
        try:
            mended, merged = pipeline.mend(dataset=dataset, file=form.cleaned_data["file"], user=request.user)
        except FormatError as error:
            problem = explain(error)
        else:
            messages.success(request, _mended(merged))
            return _go_on(request, reverse("dataset", args=(slug, mended.pk)))
    context = {"project": dataset.project, "dataset": dataset, "form": form, "problem": problem}
    return render(request, "audits/dataset_mend.html", context, status=422 if form.is_bound else 200)


def _mended(merged: Merged) -> str:
    done = ngettext("%(n)s row is mended.", "%(n)s rows are mended.", merged.mended) % {"n": merged.mended}
    if merged.still_bad:
        n = merged.still_bad
        done += " " + ngettext("%(n)s still does not fit.", "%(n)s still do not fit.", n) % {"n": n}
    if merged.left_out:
        n = merged.left_out
        done += " " + ngettext("%(n)s was left out.", "%(n)s were left out.", n) % {"n": n}
    return done


@require_POST
def dataset_sample(request: HttpRequest, slug: str) -> HttpResponse:
    """Bring one of the sample datasets in; where the project has it already, lead there."""
    project = project_for(request, slug, Role.ANALYST)
    sample = sample_dataset(request.POST.get("key", ""))
    if sample is None:
        raise Http404(_("There is no such sample dataset."))
    dataset = project.datasets.filter(sha256=sample.sha256).first()
    if dataset is None:
        with sample.path.open("rb") as handle:
            file = File(handle, name=sample.path.name)
            dataset = pipeline.receive_upload(project=project, user=request.user, file=file, name=sample.name)
    else:
        messages.info(request, _("This sample dataset is in the project already."))
    waiting = dataset.status == Dataset.Status.UPLOADED
    return redirect("dataset_mapping" if waiting else "dataset", project.slug, dataset.pk)
