"""Two versions of a dataset side by side."""

from typing import Any

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from audits.access import dataset_for
from audits.comparison.datasets import KINDS, Comparison, compare
from audits.comparison.shown import HIDDEN, shown_rows
from audits.models import Dataset, Role

PAGE = 25  # rows
FIELD_WORDS: dict[str, Promise] = {
    "question": _("Question"),
    "contexts": _("Contexts"),
    "answer": _("Answer"),
    "reference": _("Reference answer"),
    "metadata": _("Other columns"),
    "labels": _("Labels given by people"),
}
KIND_WORDS: dict[str, Promise] = {
    "changed": _("Changed"),
    "added": _("Added"),
    "removed": _("Removed"),
    "unchanged": _("Unchanged"),
}
MATCHED_BY: dict[str, Promise] = {
    "id": _("Rows are matched by their identifiers."),
    "question": _(
        "Rows are matched by their questions, because not every row of both files has an identifier of its own."
    ),
    "order": _("Rows are matched by their order, because there are no questions and no identifiers to go by."),
}


@require_safe
def dataset_compare(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """What changed since another version: ?with= (the previous one unless said), ?kind=, ?field=, ?page=."""
    dataset = dataset_for(request, slug, pk)
    others = dataset.project.datasets.exclude(pk=dataset.pk)
    other = _other(request, dataset, others)
    context: dict[str, Any] = {
        "project": dataset.project,
        "dataset": dataset,
        "other": other,
        "others": others.filter(status=Dataset.Status.READY),
        "unready": next((each for each in (dataset, other) if each and each.status != Dataset.Status.READY), None),
    }
    if other is not None and context["unready"] is None:
        roles: frozenset[str] = getattr(dataset.project, "roles", frozenset())
        hidden = frozenset() if roles & {Role.ANALYST, Role.MANAGER} else HIDDEN
        context |= _found(request, compare(other, dataset), hidden)
    return render(request, "audits/dataset_compare.html", context)


def _other(request: HttpRequest, dataset: Dataset, others: "QuerySet[Dataset]") -> Dataset | None:
    """The one that is asked for, of the same project. Raises Http404."""
    asked = request.GET.get("with", "")
    if not asked:
        return dataset.previous
    if not (asked.isascii() and asked.isdecimal() and len(asked) < 19):
        raise Http404
    return get_object_or_404(others, pk=int(asked))


def _found(request: HttpRequest, found: Comparison, hidden: frozenset[str]) -> dict[str, Any]:
    """kind: as asked for, else changed rows, or where there are none the first kind that there is."""
    asked = request.GET.get("kind", "")
    kind = asked if asked in KINDS else next((kind for kind in KINDS[:3] if found.counts[kind]), KINDS[0])
    field = request.GET.get("field", "") if kind == "changed" else ""
    field = field if field in found.fields else ""
    page = Paginator(found.rows(kind, field), PAGE).get_page(request.GET.get("page"))
    return {
        "found": found,
        "matched_by": MATCHED_BY[found.by],
        "kind": kind,
        "field": field,
        "kinds": [(name, KIND_WORDS[name], found.counts[name]) for name in KINDS],
        "fields": [(name, FIELD_WORDS[name], n) for name, n in found.fields.items()],
        "field_words": FIELD_WORDS,
        "page": page,
        "rows": [
            (row, [(FIELD_WORDS[change.field], change) for change in row.changes])
            for row in shown_rows(list(page), hidden)
        ],
    }
