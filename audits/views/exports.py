"""Downloads of an audit's claims, samples, probes. Nothing is kept here: a link is a query, checked each time."""

from collections.abc import Callable, Iterator
from typing import Any

from django.http import FileResponse, Http404, HttpRequest, StreamingHttpResponse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from audits import export
from audits.access import verdicts_for
from audits.blindness import shows_verdicts
from audits.export_files import csv_lines, jsonl_lines, xlsx_file
from audits.export_probes import probe_columns, probe_records, probe_rows
from audits.models import Audit

Columns = Callable[..., list[str]]
Rows = Callable[..., Iterator[list[export.Cell]]]
Records = Callable[..., Iterator[dict[str, Any]]]
KINDS: dict[str, tuple[Columns, Rows, Records]] = {
    "claims": (export.claim_columns, export.claim_rows, export.claim_records),
    "samples": (export.sample_columns, export.sample_rows, export.sample_records),
    "probes": (probe_columns, probe_rows, probe_records),
}
TYPES = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/x-ndjson; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


@require_safe
@shows_verdicts
def audit_export(
    request: HttpRequest, slug: str, pk: int, kind: str, fmt: str
) -> StreamingHttpResponse | FileResponse:
    """Claims with their verdicts, samples, or probes, as a file. ?contexts=1 adds the contexts."""
    audit = verdicts_for(request, slug, pk)
    if kind not in KINDS or fmt not in TYPES:
        raise Http404
    response = _response(audit, kind, fmt, contexts=request.GET.get("contexts") == "1")
    filename = f"{audit.name}-{kind}.{fmt}".replace("/", "-")
    response["Content-Disposition"] = str(content_disposition_header(True, filename))
    response["Cache-Control"] = "private, no-store"
    return response


def _response(audit: Audit, kind: str, fmt: str, *, contexts: bool) -> StreamingHttpResponse | FileResponse:
    columns, rows, records = KINDS[kind]
    if fmt == "jsonl":
        return StreamingHttpResponse(jsonl_lines(records(audit, contexts=contexts)), content_type=TYPES[fmt])
    header, lines = columns(audit, contexts=contexts), rows(audit, contexts=contexts)
    if fmt == "csv":
        return StreamingHttpResponse(csv_lines(header, lines), content_type=TYPES[fmt])
    return FileResponse(xlsx_file(header, lines), content_type=TYPES[fmt])
