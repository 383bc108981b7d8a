"""What of a dataset can be downloaded: its bad rows as a table to mend, and the file as it was uploaded."""

from pathlib import Path

from django.conf import settings
from django.contrib import messages
from django.http import FileResponse, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from audits.access import dataset_for
from audits.export_errors import error_columns, error_rows
from audits.export_files import csv_lines
from audits.models import Role


@require_safe
def dataset_errors_csv(request: HttpRequest, slug: str, pk: int) -> StreamingHttpResponse:
    """Every row that was not imported, to be mended and uploaded again. Its rows may hold labels: not for experts."""
    dataset = dataset_for(request, slug, pk, Role.ANALYST, Role.MANAGER)
    lines = csv_lines(error_columns(dataset), error_rows(dataset))
    response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = _attached(f"{dataset.name}-errors.csv")
    response["Cache-Control"] = "private, no-store"
    return response


@require_safe
def dataset_original(request: HttpRequest, slug: str, pk: int) -> FileResponse | HttpResponse:
    """The file as it was uploaded, never shown in the browser. It may hold labels, so experts do not get it."""
    dataset = dataset_for(request, slug, pk, Role.ANALYST, Role.MANAGER)
    path = Path(settings.MEDIA_ROOT) / dataset.stored_as
    try:
        file = path.open("rb")
    except FileNotFoundError:
        messages.error(request, _("The file is no longer on the server's disk. Its samples are still here."))
        return redirect("dataset", slug, pk)
    response = FileResponse(file, content_type="application/octet-stream")
    response["Content-Disposition"] = _attached(dataset.filename)
    response["X-Content-Type-Options"] = "nosniff"
    response["Cache-Control"] = "private, no-store"
    return response


def _attached(name: str) -> str:
    """The header that makes a browser save the file; a name is no path and has no line breaks."""
    plain = "".join(char if char.isprintable() and char not in '/\\"' else "-" for char in name)
    return str(content_disposition_header(True, plain))
