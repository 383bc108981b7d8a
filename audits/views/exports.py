"""Downloads of an audit's claims, samples, probes. Nothing is kept here: a link is a query, checked each time."""

from collections.abc import Callable, Iterator
from typing import Any

from django.http import FileResponse, Http404, HttpRequest, StreamingHttpResponse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from audits.access import verdicts_for
from audits.blindness import shows_verdicts
from audits.export import Table, claim_records, claim_table
from audits.export_files import csv_lines, jsonl_lines, xlsx_file
from audits.export_probes import probe_records, probe_table
from audits.export_samples import sample_records, sample_table
from audits.models import Audit

Tables = Callable[..., Table]
Records = Callable[..., Iterator[dict[str, Any]]]
KINDS: dict[str, tuple[Tables, Records]] = {
    "claims": (claim_table, claim_records),
    "samples": (sample_table, sample_records),
    "probes": (probe_table, probe_records),
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
    table, records = KINDS[kind]
    if fmt == "jsonl":
        return StreamingHttpResponse(jsonl_lines(records(audit, contexts=contexts)), content_type=TYPES[fmt])
    header, lines = table(audit, contexts=contexts)
    if fmt == "csv":
        return StreamingHttpResponse(csv_lines(header, lines), content_type=TYPES[fmt])
    return FileResponse(xlsx_file(header, lines), content_type=TYPES[fmt])
