"""Two audits of a project side by side: what became of the rate, and of each claim."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.html import format_html
from django.utils.http import content_disposition_header
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from audits.access import verdicts_for
from audits.blindness import shows_verdicts
from audits.comparison.shown import part
from audits.export_files import csv_lines
from audits.models import Audit, Sample
from review.comparison import Change, Comparison, Kind, Side, compare_audits
from review.comparison_words import KIND_WORDS, SETTING_WORDS, headline, reach_text, shown_values

PAGE = 50  # claims
MOST_VERSIONS = 50  # of a dataset, back from the newest
COLUMNS = (
    "change",
    *("sample_id_before", "claim_no_before", "claim_before", "label_before", "expert_before"),
    *("sample_id_after", "claim_no_after", "claim_after", "label_after", "expert_after"),
)


@require_safe
@shows_verdicts
def audit_compare(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """This audit after another one: ?with= (the one before of the same dataset unless said), ?kind=, ?page=."""
    audit = verdicts_for(request, slug, pk)
    others = _others(audit)
    other = _other(request, audit, others)
    context: dict[str, Any] = {
        "project": audit.project,
        "audit": audit,
        "tab": "compare",
        "other": other,
        "others": others,
        "cancelled": audit.status == Audit.Status.CANCELLED,
    }
    if other is not None and not context["cancelled"]:
        context |= _found(request, compare_audits(other, audit))
    return render(request, "review/audit_compare.html", context)


@require_safe
@shows_verdicts
def audit_compare_csv(request: HttpRequest, slug: str, pk: int) -> HttpResponseBase:
    """Every claim of both audits and what became of it. UTF-8 with a byte order mark, for spreadsheets."""
    audit = verdicts_for(request, slug, pk)
    other = _other(request, audit, _others(audit))
    if other is None or audit.status == Audit.Status.CANCELLED:
        return redirect("audit_compare", slug, pk)  # which says why
    lines = csv_lines(COLUMNS, _rows(compare_audits(other, audit), other, audit))
    response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    filename = f"{other.name} - {audit.name}.csv".replace("/", "-")
    response["Content-Disposition"] = str(content_disposition_header(True, filename))
    response["Cache-Control"] = "private, no-store"
    return response


def _others(audit: Audit) -> "QuerySet[Audit]":
    """What it can be compared with. Of a cancelled audit only the beginning was judged, which is no fair sample."""
    return audit.project.audits.exclude(pk=audit.pk).exclude(status=Audit.Status.CANCELLED).select_related("dataset")


def _other(request: HttpRequest, audit: Audit, others: "QuerySet[Audit]") -> Audit | None:
    """The audit that is asked for, else the last one before this of the same dataset or a version before it.

    Raises Http404.
    """
    asked = request.GET.get("with", "")
    if asked:
        if not (asked.isascii() and asked.isdecimal() and len(asked) < 19):
            raise Http404
        return get_object_or_404(others, pk=int(asked))
    versions, dataset = [audit.dataset_id], audit.dataset.previous
    while dataset is not None and dataset.pk not in versions and len(versions) < MOST_VERSIONS:
        versions.append(dataset.pk)
        dataset = dataset.previous
    return others.filter(dataset__in=versions, pk__lt=audit.pk).order_by("-pk").first()


def _found(request: HttpRequest, found: Comparison) -> dict[str, Any]:
    asked = request.GET.get("kind", "")
    kind = Kind(asked) if asked in set(Kind) else None
    changes = [change for change in found.changes if kind in (None, change.kind)]
    page = Paginator(changes, PAGE).get_page(request.GET.get("page"))
    return {
        "found": found,
        "headline": headline(found),
        "reach": reach_text(found),
        "chart": [(_whole(_("Before")), found.before.rate.rate), (_whole(_("After")), found.after.rate.rate)],
        "kind": kind,
        "kinds": [(each, *KIND_WORDS[each], found.counts[each]) for each in Kind],
        "settings": [
            (SETTING_WORDS[one.code], shown_values(one.code, one.before), shown_values(one.code, one.after))
            for one in found.settings
        ],
        "page": page,
        "rows": _shown(list(page)),
    }


def _whole(word: str) -> SafeString:
    """A word that is not broken where room is short, as Chinese would be."""
    return format_html('<span class="nowrap">{}</span>', word)


def _shown(changes: Sequence[Change]) -> list[dict[str, Any]]:
    """The claims of a page with the identifiers of their samples, and their texts with the words that differ."""
    sides = [side for change in changes for side in (change.before, change.after) if side]
    names = _names({side.sample for side in sides})
    rows = []
    for change in changes:
        before, after = change.before, change.after
        texts = part("", before.text if before else None, after.text if after else None)
        rows.append(
            {
                "word": KIND_WORDS[change.kind][0],
                "before": before,
                "after": after,
                "before_name": names.get(before.sample if before else 0, ""),
                "after_name": names.get(after.sample if after else 0, ""),
                "before_words": texts.old_words,
                "after_words": texts.new_words,
            }
        )
    return rows


def _names(samples: set[int]) -> dict[int, str]:
    return dict(Sample.objects.filter(pk__in=samples).values_list("pk", "external_id"))


def _rows(found: Comparison, before: Audit, after: Audit) -> Iterator[list[str | int | bool | None]]:
    names = dict(Sample.objects.filter(dataset__in=[before.dataset, after.dataset]).values_list("pk", "external_id"))
    for change in found.changes:
        yield [change.kind.value, *_cells(change.before, names), *_cells(change.after, names)]


def _cells(side: Side | None, names: dict[int, str]) -> list[str | int | bool | None]:
    """Code values, the same in every language. An open claim has its decision: disputed, or nothing yet."""
    if side is None:
        return [""] * 5
    return [names[side.sample], side.position + 1, side.text, side.label or side.decision, side.expert]
