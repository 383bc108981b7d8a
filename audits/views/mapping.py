"""A dataset's way in: the upload, how the file is read, and which column is what."""

from dataclasses import replace
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from audits import pipeline
from audits.access import dataset_for, project_for
from audits.format_messages import Explained, explain, row_reason, warning
from audits.formats import Opened
from audits.formats.base import FormatError, Record
from audits.formats.columns import map_record
from audits.forms.datasets import MappingForm, ReadingForm, UploadForm
from audits.models import Dataset, Role
from audits.parts import render_parts
from audits.pipeline.importing import open_file

SHOWN_ROWS = 5  # of the preview
OPEN = (Dataset.Status.UPLOADED, Dataset.Status.FAILED)  # the mapping can still be chosen


@require_http_methods(["GET", "HEAD", "POST"])
def dataset_new(request: HttpRequest, slug: str) -> HttpResponse:
    """Upload a file."""
    project = project_for(request, slug, Role.ANALYST)
    problem = None
    if request.method != "POST":
        return render(request, "audits/dataset_new.html", {"project": project, "form": UploadForm()})
    files = request.FILES  # receiving them is what leaves the remark about the size
    too_large = bool(request.META.get("assay.upload_too_large"))
    form = UploadForm(request.POST, files, too_large=too_large)
    if form.is_valid():
        try:
            dataset = pipeline.receive_upload(project=project, user=request.user, **form.cleaned_data)
        except FormatError as error:
            problem = explain(error)
        else:
            return redirect("dataset_mapping", project.slug, dataset.pk)
    context = {"project": project, "form": form, "problem": problem}
    return render(request, "audits/dataset_new.html", context, status=422)


@require_http_methods(["GET", "HEAD", "POST"])
def dataset_mapping(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Say which column is what; a POST starts the import, or with `preview` only shows the rows so."""
    dataset = dataset_for(request, slug, pk, Role.ANALYST)
    if dataset.status not in OPEN:
        return redirect("dataset", slug, pk)
    if request.method != "POST":
        return _mapping_page(request, dataset, MappingForm(dataset=dataset))
    form = MappingForm(request.POST, dataset=dataset)
    if "preview" in request.POST:
        return _mapping_page(request, dataset, form)
    if not form.is_valid():
        return _mapping_page(request, dataset, form, status=422)
    generator = form.cleaned_data["generator"]
    try:
        pipeline.confirm_mapping(dataset=dataset, mapping=form.mapping, user=request.user, generator=generator)
    except FormatError as error:
        return _mapping_page(request, dataset, form, explain(error), status=422)
    return redirect("dataset", slug, pk)


@require_POST
def dataset_reading(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Read the file again in another encoding, with another separator or from another sheet."""
    dataset = dataset_for(request, slug, pk, Role.ANALYST)
    if dataset.status not in OPEN:
        return redirect("dataset", slug, pk)
    wanted = {name: request.POST.get(name, "") for name in ("encoding", "delimiter", "sheet")}
    try:
        pipeline.understand_again(dataset=dataset, **wanted)
    except FormatError as error:
        dataset.refresh_from_db()
        problem = explain(error)
        problem = replace(problem, todo=problem.todo or _("The file is still read as before. Choose something else."))
        return _mapping_page(request, dataset, MappingForm(dataset=dataset), problem, status=422)
    return redirect("dataset_mapping", slug, pk)


def _mapping_page(
    request: HttpRequest, dataset: Dataset, form: MappingForm, problem: Explained | None = None, status: int = 200
) -> HttpResponse:
    opened = None
    try:
        opened = open_file(dataset)
    except FormatError as error:  # the stored bytes are what they were: only a choice of reading can do this
        problem = problem or explain(error)
    twins = dataset.project.datasets.filter(sha256=dataset.sha256).exclude(pk=dataset.pk)
    context = {
        "project": dataset.project,
        "dataset": dataset,
        "form": form,
        "reading": ReadingForm(dataset=dataset, sheets=opened.sheets if opened else ()),
        "rows": _previewed(opened, form.mapping) if opened else [],
        "example": list(opened.understanding.preview[0].values.items()) if opened else [],
        "warnings": [warning(text) for text in dataset.warnings],
        "twin": twins.first(),
        "problem": problem,
    }
    parts = ("mapping", "mapping-preview")
    return render_parts(request, "audits/dataset_mapping.html", context, parts=parts, status=status)


def _previewed(opened: Opened, mapping: dict[str, Any]) -> list[dict[str, Any]]:
    """The first rows as they would be imported, good and bad, in order; none while too little is chosen."""
    if not mapping["answer"] or not mapping["contexts"]:
        return []
    head = opened.understanding.preview[:SHOWN_ROWS]
    last = head[-1].line
    rows = [map_record(row, mapping) for row in head] + [row for row in opened.problems if row.line <= last]
    return [
        {"line": row.line, "record": row}
        if isinstance(row, Record)
        else {"line": row.line, "reason": row_reason(row.code, row.reason)}
        for row in sorted(rows, key=lambda row: row.line)
    ]
