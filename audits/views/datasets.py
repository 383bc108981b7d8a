"""What came of a file: its import while it runs, its samples, its bad rows, and the end of it."""

import csv
from collections import Counter
from collections.abc import Iterator
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.views.decorators.http import require_POST, require_safe

from audits import pipeline
from audits.access import dataset_for
from audits.exporting import safe_cell
from audits.format_messages import explain_failure, row_reason
from audits.models import Dataset, Role, Sample
from audits.next_step import audit_new_url
from audits.parts import render_parts

SHOWN_ERRORS = 100
PAGE = 25  # samples
PATIENCE = 8  # polls before the page says that no worker has taken the import up
FLAGS = ("no_question", "no_answer", "no_context", "nul_removed")
ROLES = {
    "question": _lazy("Question"),
    "answer": _lazy("Answer"),
    "contexts": _lazy("Contexts"),
    "id": _lazy("Identifier"),
}


@require_safe
def dataset(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """What came of a file; while it is being read, how far that is."""
    dataset = dataset_for(request, slug, pk)
    waited = request.GET.get("waited", "")
    polls = int(waited) if waited.isascii() and waited.isdecimal() and len(waited) < 6 else 0
    context = {
        "project": dataset.project,
        "dataset": dataset,
        "may_write": Role.ANALYST in getattr(dataset.project, "roles", ()),
        "polls": polls + 1,
        "nobody_works": dataset.is_moving and polls >= PATIENCE and dataset.leased_until is None,
        "problem": explain_failure(dataset.failure) if dataset.status == Dataset.Status.FAILED else None,
    }
    if not dataset.is_moving:
        context |= _outcome(dataset) | _samples(request, dataset)
    return render_parts(request, "audits/dataset.html", context, parts=("dataset-state", "samples"))


def _outcome(dataset: Dataset) -> dict[str, Any]:
    errors = dataset.row_errors.all()
    flagged = dataset.samples.exclude(flags=[]).order_by().values_list("flags", flat=True)
    return {
        "n_samples": dataset.samples.count(),
        "n_errors": errors.count(),
        "errors": [(error, row_reason(error.code, error.reason)) for error in errors[:SHOWN_ERRORS]],
        "flags": sorted(Counter(flag for flags in flagged for flag in flags).items()),
        "n_flagged": len(flagged),
        "columns": [(word, column) for role, word in ROLES.items() if (column := _column(dataset, role))],
        "audits": dataset.audits.all(),
        "audit_new_url": audit_new_url(dataset.project, dataset),
    }


def _column(dataset: Dataset, role: str) -> str:
    chosen = dataset.mapping.get(role) or ""
    return chosen if isinstance(chosen, str) else ", ".join(chosen)


def _samples(request: HttpRequest, dataset: Dataset) -> dict[str, Any]:
    words, flag = request.GET.get("q", "").strip(), request.GET.get("flag", "")
    samples: QuerySet[Sample] = dataset.samples.all()
    if words:
        samples = samples.filter(
            Q(question__icontains=words) | Q(answer__icontains=words) | Q(external_id__icontains=words)
        )
    if flag in FLAGS:
        samples = samples.filter(flags__icontains=f'"{flag}"')
    page = Paginator(samples, PAGE).get_page(request.GET.get("page"))
    return {"page": page, "words": words, "flag": flag if flag in FLAGS else "", "known_flags": FLAGS}


@require_safe
def dataset_errors_csv(request: HttpRequest, slug: str, pk: int) -> StreamingHttpResponse:
    """Every row that was not imported: line, column, code, reason. UTF-8 with a byte order mark, for Excel."""
    dataset = dataset_for(request, slug, pk)
    response = StreamingHttpResponse(_error_lines(dataset), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = content_disposition_header(True, f"{dataset.name}-errors.csv") or "attachment"
    return response


class _Echo:
    """A file that hands back what is written to it."""

    def write(self, text: str) -> str:
        return text


def _error_lines(dataset: Dataset) -> Iterator[str]:
    writer = csv.writer(_Echo())
    yield "\ufeff" + writer.writerow(["line", "column", "code", "reason"])
    for error in dataset.row_errors.iterator():
        reason = row_reason(error.code, error.reason)
        yield writer.writerow([error.line, safe_cell(error.column), error.code, safe_cell(reason)])


@require_POST
def dataset_delete(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Delete a dataset that no audit rests on."""
    dataset = dataset_for(request, slug, pk, Role.ANALYST)
    try:
        pipeline.delete_dataset(dataset=dataset, user=request.user)
    except pipeline.InUse:
        messages.error(request, _("An audit rests on this dataset, so it stays. Nothing was deleted."))
        return redirect("dataset", slug, pk)
    messages.success(request, _("“%(name)s”, its samples and its file are deleted.") % {"name": dataset.name})
    return redirect("project", slug)
