"""A file comes in: stored as it came, understood in a process of its own, kept where a person can mend the rest."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction

from audits.formats import child
from audits.formats.base import FormatError, Options, Understanding
from audits.formats.messages import FIXABLE, file_error
from audits.models import Dataset, Event, Project
from audits.pipeline.arriving import Arrival, Unpacking, arriving, stored, unpacking
from audits.pipeline.remembering import offered_mapping

OPEN = (Dataset.Status.UPLOADED, Dataset.Status.FAILED)  # how the file is read can still be chosen
MB_PER_SECOND = 50  # of a large file: its encoding is decided on all of it, and an archive is unpacked
CHOICES = ("member", "encoding", "delimiter", "sheet", "header", "shape", "escapes")
"""Of how a file is read, those after one that changes depend on it."""


def receive_upload(
    *,
    project: Project,
    user: Any,
    file: Any,
    name: str = "",
    generator: str = "",
    previous: Dataset | None = None,
) -> Dataset:
    """Store a file below MEDIA_ROOT and say what was understood of it.

    file: anything with .name, .size, .chunks() (an uploaded file, or django.core.files.File for a path). previous:
    the dataset that it corrects. Raises FormatError when the file is too large or cannot be read; then nothing is
    kept. Where another way of reading it may help (FIXABLE), the dataset is kept as FAILED with its failure, and the
    file waits for understand_again.
    """
    if file.size > settings.ASSAY_MAX_UPLOAD_MB << 20:
        raise file_error("too_large", limit=settings.ASSAY_MAX_UPLOAD_MB)
    filename = Path(file.name).name[:255]
    with arriving(file) as arrival:
        fields, member = _first_understood(project, arrival, Options(filename=filename))
        with transaction.atomic():
            dataset = Dataset.objects.create(
                project=project,
                name=(name or Path(filename).stem)[:200],
                generator=generator[:200],
                filename=filename,
                sha256=arrival.sha256,
                size=arrival.size,
                created_by=user,
                previous=previous,
                version=previous.version + 1 if previous else 1,
                **fields,
                **arrival.unpacking.settle(member),
                **arrival.settle(),
            )
            Event.record("upload", project=project, actor=user, dataset=dataset.pk, sha256=dataset.sha256)
    return dataset


def _first_understood(project: Project, arrival: Arrival, options: Options) -> tuple[dict[str, Any], str | None]:
    """The dataset's fields, and which file was unpacked. Raises FormatError when no choice of reading can help."""
    try:
        found = _understood_of(arrival.path, options, arrival.unpacking)
    except FormatError as error:
        if error.code not in FIXABLE:
            raise
        return {"status": Dataset.Status.FAILED, "failure": failure_of(error)}, None
    return _fields(project, found.understanding, options), found.unpacked


def _understood_of(path: Path, options: Options, room: Unpacking | None) -> child.Understood:
    seconds = settings.ASSAY_READ_SECONDS + (path.stat().st_size >> 20) / MB_PER_SECOND
    most = settings.ASSAY_MAX_UPLOAD_MB << 20
    return child.understand(path, options, seconds=seconds, unpack_to=room.path if room else None, most=most)


def _fields(project: Project, found: Understanding, options: Options) -> dict[str, Any]:
    return {
        "status": Dataset.Status.UPLOADED,
        "failure": {},
        "format": found.format,
        "encoding": found.encoding or "",
        "confidence": found.confidence,
        "delimiter": found.delimiter or "",
        "sheet": found.sheet or "",
        "shape": found.shape,
        "header": options.header,
        "escapes": options.escapes,
        "header_line": found.header_line,
        "columns": list(found.columns),
        "mapping": offered_mapping(project, found.columns, found.shape, found.mapping),
        "warnings": [{"code": each.code, "params": dict(each.params)} for each in found.warnings],
    }


def failure_of(error: FormatError) -> dict[str, Any]:
    """An error as a dataset keeps it."""
    return {"code": error.code, "message": str(error), "template": error.template, "params": error.params}


def error_of(dataset: Dataset) -> FormatError:
    """The error that a dataset has kept."""
    kept = dataset.failure
    template = str(kept.get("template") or kept.get("message", ""))
    return FormatError(str(kept.get("code", "")), template, **kept.get("params", {}))


def reading_of(dataset: Dataset) -> Options:
    """How the file is read, as it was found or chosen."""
    return Options(
        filename=dataset.filename,
        encoding=dataset.encoding or None,
        delimiter=dataset.delimiter or None,
        sheet=dataset.sheet or None,
        shape=dataset.shape,
        header=dataset.header,
        escapes=dataset.escapes,
    )


def open_file(dataset: Dataset) -> child.Understood:
    """The head of the dataset's file, read as the person confirmed. Raises FormatError."""
    if not dataset.columns and dataset.failure:
        raise error_of(dataset)
    if not dataset.path.exists():
        raise file_error("file_gone")
    return _understood_of(dataset.path, reading_of(dataset), None)


def preview(dataset: Dataset) -> Understanding:
    """What is understood of the file's head, read again. Raises FormatError."""
    return open_file(dataset).understanding


def members_of(dataset: Dataset) -> tuple[str, ...]:
    """The files of the uploaded archive that may be datasets; () of any other file. Raises FormatError."""
    return child.members(stored(dataset.stored_as), seconds=settings.ASSAY_READ_SECONDS)


def understand_again(*, dataset: Dataset, **chosen: Any) -> Understanding:
    """Read the head in another way and keep that. On FormatError nothing changes.

    chosen: some of CHOICES; "" and None let it be guessed, but shape "" is a plain table. What is not given stays as
    it is, unless it depends on what is: then it is guessed anew, but for header and escapes, which a person chose.
    """
    options = _changed(dataset, chosen)
    again = "member" in chosen or not dataset.unpacked_as
    path = stored(dataset.stored_as) if again else dataset.path
    if not path.exists():
        raise file_error("file_gone")
    with unpacking() as room:
        found = _understood_of(path, options, room if again else None)
        fields = _fields(dataset.project, found.understanding, options)
        before = dataset.unpacked_as
        if again:
            fields |= room.settle(found.unpacked)
        with transaction.atomic():
            if Dataset.objects.filter(pk=dataset.pk, status__in=OPEN).update(**fields) and again and before:
                transaction.on_commit(lambda: stored(before).unlink(missing_ok=True))
    dataset.refresh_from_db()
    return found.understanding


def _changed(dataset: Dataset, chosen: dict[str, Any]) -> Options:
    unknown = set(chosen) - set(CHOICES)
    if unknown:
        raise TypeError(f"not a choice of how a file is read: {', '.join(sorted(unknown))}")
    first = min((CHOICES.index(name) for name in chosen), default=len(CHOICES))
    kept = {*CHOICES[:first], "header", "escapes"}
    wanted: dict[str, Any] = {name: getattr(dataset, name) for name in kept} | chosen
    for name in ("member", "encoding", "delimiter", "sheet"):
        wanted[name] = wanted.get(name) or None
    return Options(filename=dataset.filename, **wanted)
