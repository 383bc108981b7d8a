"""What came of a file: its import while it runs, its samples and its bad rows; stopping it, and its end."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from audits import pipeline
from audits.access import dataset_for
from audits.dataset_facts import facts_of, versions_of
from audits.format_messages import explain_failure, row_reason, row_todo, warning
from audits.forms.samples import SampleFilter
from audits.models import Dataset, Role
from audits.next_step import audit_new_url
from audits.parts import render_parts
from audits.templatetags.dataset_words import ROLE_WORDS
from audits.understood import how_understood

SHOWN_ERRORS = 100
PAGE = 25  # samples
PATIENCE = 8  # polls before the page says that no worker has taken the import up


@require_safe
def dataset(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """What came of a file; while it is being read, how far that is."""
    dataset = dataset_for(request, slug, pk)
    roles: frozenset[str] = getattr(dataset.project, "roles", frozenset())
    waited = request.GET.get("waited", "")
    polls = int(waited) if waited.isascii() and waited.isdecimal() and len(waited) < 6 else 0
    sees_labels = bool(roles & {Role.ANALYST, Role.MANAGER})  # an expert's own labels must stay blind
    context = {
        "project": dataset.project,
        "dataset": dataset,
        "may_write": Role.ANALYST in roles,
        "sees_labels": sees_labels,
        "polls": polls + 1,
        "nobody_works": dataset.is_moving and polls >= PATIENCE and dataset.leased_until is None,
        "problem": explain_failure(dataset.failure) if dataset.status == Dataset.Status.FAILED else None,
    }
    if not dataset.is_moving:
        context |= _samples(request, dataset, with_metadata=sees_labels)
        if request.headers.get("HX-Target") != "samples":
            context |= _outcome(dataset)
    return render_parts(request, "audits/dataset.html", context, parts=("dataset-state", "samples"))


def _outcome(dataset: Dataset) -> dict[str, Any]:
    errors = dataset.row_errors.all()
    return {
        "n_samples": dataset.samples.count(),
        "n_errors": errors.count(),
        "errors": [(each, row_reason(each.code, each.reason), row_todo(each.code)) for each in errors[:SHOWN_ERRORS]],
        "notices": [warning(each) for each in dataset.notices],
        "understood": how_understood(dataset),
        "roles": [(word, column) for role, word in ROLE_WORDS.items() if (column := _column(dataset, role))],
        "facts": facts_of(dataset),
        "versions": versions_of(dataset),
        "audits": dataset.audits.all(),
        "audit_new_url": audit_new_url(dataset.project, dataset),
    }


def _column(dataset: Dataset, role: str) -> str:
    chosen = dataset.mapping.get(role) or ""
    return chosen if isinstance(chosen, str) else ", ".join(chosen)


def _samples(request: HttpRequest, dataset: Dataset, *, with_metadata: bool) -> dict[str, Any]:
    chosen = SampleFilter(request.GET, dataset=dataset, with_metadata=with_metadata)
    page = Paginator(chosen.apply(dataset.samples.all()), PAGE).get_page(request.GET.get("page"))
    return {"page": page, "filter": chosen}


@require_POST
def dataset_stop(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Stop the import between two batches; what has been read stays, and it can be resumed."""
    dataset = dataset_for(request, slug, pk, Role.ANALYST)
    pipeline.stop_import(dataset=dataset, user=request.user)
    return redirect("dataset", slug, pk)


@require_POST
def dataset_resume(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Go on with a stopped import where it stopped."""
    dataset = dataset_for(request, slug, pk, Role.ANALYST)
    pipeline.resume_import(dataset=dataset, user=request.user)
    return redirect("dataset", slug, pk)


@require_POST
def dataset_discard(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Throw away what has been read and choose the columns anew; the file stays."""
    dataset = dataset_for(request, slug, pk, Role.ANALYST)
    pipeline.discard_import(dataset=dataset, user=request.user)
    return redirect("dataset_mapping", slug, pk)


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
