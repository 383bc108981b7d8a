"""The labels of an audit as a file."""

from django.http import FileResponse, Http404, HttpRequest, StreamingHttpResponse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from audits.access import VerdictsHidden, verdicts_for
from audits.blindness import shows_verdicts
from audits.export_files import csv_lines, jsonl_lines, xlsx_file
from audits.models import Audit
from review.export import label_records, label_table
from review.withheld import withheld_from

TYPES = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/x-ndjson; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


@require_safe
@shows_verdicts
def review_labels_export(request: HttpRequest, slug: str, pk: int, fmt: str) -> StreamingHttpResponse | FileResponse:
    """Every word of every expert, for analysts and managers, unless they may still be given claims themselves."""
    audit = verdicts_for(request, slug, pk)
    if fmt not in TYPES:
        raise Http404
    withheld = withheld_from(request.user, audit.project)
    if withheld.claims:
        raise VerdictsHidden(
            _(
                "Claims wait that you may be given. What others wrote about them is hidden from you until you have "
                "labelled them, so that your labels stay your own."
            )
        )
    response = _response(audit, fmt, known_labels=not withheld.gold)
    filename = f"{audit.name}-labels.{fmt}".replace("/", "-")
    response["Content-Disposition"] = str(content_disposition_header(True, filename))
    response["Cache-Control"] = "private, no-store"
    return response


def _response(audit: Audit, fmt: str, *, known_labels: bool) -> StreamingHttpResponse | FileResponse:
    if fmt == "jsonl":
        records = label_records(audit, known_labels=known_labels)
        return StreamingHttpResponse(jsonl_lines(records), content_type=TYPES[fmt])
    header, rows = label_table(audit, known_labels=known_labels)
    if fmt == "csv":
        return StreamingHttpResponse(csv_lines(header, rows), content_type=TYPES[fmt])
    return FileResponse(xlsx_file(header, rows), content_type=TYPES[fmt])
