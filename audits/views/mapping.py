"""How a file is read, and which column is what: a person sees the first rows and says yes."""

from dataclasses import replace

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from audits import pipeline
from audits.access import dataset_for
from audits.format_messages import Explained, explain
from audits.formats.base import FormatError
from audits.forms.datasets import with_suggestion
from audits.models import Dataset, Role
from audits.views.mapping_page import MappingPage, open_words

OPEN = (Dataset.Status.UPLOADED, Dataset.Status.FAILED)  # the mapping can still be chosen


@require_http_methods(["GET", "HEAD", "POST"])
def dataset_mapping(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Say which column is what; a POST starts the import, or with `preview` only shows the rows so."""
    dataset = dataset_for(request, slug, pk, Role.ANALYST)
    if dataset.status not in OPEN:
        return redirect("dataset", slug, pk)
    page = MappingPage(request, dataset, with_suggestion(request.POST) if request.method == "POST" else None)
    only_look = request.method != "POST" or "preview" in request.POST or "split_so" in request.POST
    if page.form is None or page.words is None or only_look:
        return page.response()
    if not page.form.is_valid():
        return page.response(status=422)
    if page.words.unanswered:
        return page.response(open_words(page.words.unanswered), status=422)
    generator = page.form.cleaned_data["generator"]
    try:
        pipeline.confirm_mapping(dataset=dataset, mapping=page.mapping, user=request.user, generator=generator)
    except FormatError as error:
        return page.response(explain(error), status=422)
    return redirect("dataset", slug, pk)


@require_POST
def dataset_reading(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Read the file again in another encoding, with another separator, from another sheet, as another export."""
    dataset = dataset_for(request, slug, pk, Role.ANALYST)
    if dataset.status not in OPEN:
        return redirect("dataset", slug, pk)
    reading = MappingPage(request, dataset).reading(request.POST)
    if reading.is_valid():
        try:
            pipeline.understand_again(dataset=dataset, **reading.changed)
        except FormatError as error:
            problem = explain(error)
        else:
            return redirect(f"{reverse('dataset_mapping', args=(slug, pk))}?reading=open")
    else:
        problem = Explained(_("This cannot be chosen for this file."), _("Nothing was changed."))
    dataset.refresh_from_db()
    problem = replace(problem, todo=problem.todo or _("The file is still read as before. Choose something else."))
    return MappingPage(request, dataset).response(problem, status=422)
