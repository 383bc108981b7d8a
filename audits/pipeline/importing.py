"""From an uploaded file to samples: stored as it came, understood, mapped by a person, imported in batches."""

import hashlib
import logging
import time
import uuid
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction

from audits import formats
from audits.doorbell import ring
from audits.formats.base import FormatError, Record, RowProblem, SourceRow, Understanding
from audits.formats.columns import check_mapping, map_record
from audits.formats.messages import file_error
from audits.models import Dataset, Event, Project, RowError, Sample
from audits.models.lease import lease_end
from audits.text.language import language_of

log = logging.getLogger(__name__)
BATCH = 500  # rows per transaction


class InUse(Exception):
    """The dataset has audits and cannot be deleted."""


def receive_upload(*, project: Project, user: Any, file: Any, name: str = "", generator: str = "") -> Dataset:
    """Store a file below MEDIA_ROOT and say what was understood of it.

    file: anything with .name, .size, .chunks() (an uploaded file, or django.core.files.File for a path).
    Raises FormatError when the file is too large or cannot be read; then nothing is kept.
    """
    stored_as = f"{uuid.uuid4().hex}{Path(file.name).suffix.lower()[:10]}"
    path = Path(settings.MEDIA_ROOT) / stored_as
    path.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    limit = settings.ASSAY_MAX_UPLOAD_MB
    if file.size > limit << 20:
        raise file_error("too_large", limit=limit)
    filename = Path(file.name).name[:255]
    try:
        with path.open("wb") as target:
            for chunk in file.chunks():
                digest.update(chunk)
                target.write(chunk)
        path.chmod(0o600)
        understanding = formats.open_dataset(path, filename=filename).understanding
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    with transaction.atomic():
        dataset = Dataset.objects.create(
            project=project,
            name=(name or Path(filename).stem)[:200],
            generator=generator[:200],
            filename=filename,
            stored_as=stored_as,
            sha256=digest.hexdigest(),
            size=path.stat().st_size,
            created_by=user,
            **_understood(understanding),
        )
        Event.record("upload", project=project, actor=user, dataset=dataset.pk, sha256=dataset.sha256)
    return dataset


def _understood(understanding: Understanding) -> dict[str, Any]:
    return {
        "format": understanding.format,
        "encoding": understanding.encoding or "",
        "confidence": understanding.confidence,
        "delimiter": understanding.delimiter or "",
        "sheet": understanding.sheet or "",
        "shape": understanding.shape,
        "header_line": understanding.header_line,
        "columns": list(understanding.columns),
        "mapping": dict(understanding.mapping),
        "warnings": [{"code": each.code, "params": dict(each.params)} for each in understanding.warnings],
    }


def open_file(dataset: Dataset) -> formats.Opened:
    """The dataset's file, read as the person confirmed. Raises FormatError."""
    return _opened(dataset, dataset.encoding, dataset.delimiter, dataset.sheet)


def _opened(dataset: Dataset, encoding: str, delimiter: str, sheet: str) -> formats.Opened:
    if not dataset.path.exists():
        raise file_error("file_gone")
    return formats.open_dataset(
        dataset.path,
        filename=dataset.filename,
        encoding=encoding or None,
        delimiter=delimiter or None,
        sheet=sheet or None,
    )


def preview(dataset: Dataset) -> Understanding:
    """What is understood of the file's head, read again. Raises FormatError."""
    return open_file(dataset).understanding


def understand_again(*, dataset: Dataset, encoding: str = "", delimiter: str = "", sheet: str = "") -> Understanding:
    """Read the head in another encoding, delimiter or sheet and keep that. On FormatError nothing changes."""
    understanding = _opened(dataset, encoding, delimiter, sheet).understanding
    fields = _understood(understanding)
    for field, value in fields.items():
        setattr(dataset, field, value)
    dataset.save(update_fields=list(fields))
    return understanding


def confirm_mapping(*, dataset: Dataset, mapping: Mapping[str, Any], user: Any, generator: str | None = None) -> bool:
    """Fix which column is what and start the import. True for the one caller that started it.

    Raises FormatError("missing_column") when a needed column is not chosen or not in the file.
    """
    check_mapping(mapping, dataset.columns)
    changed: dict[str, Any] = {"mapping": dict(mapping), "status": Dataset.Status.CHECKING, "failure": {}}
    if generator is not None:
        changed["generator"] = generator[:200]
    open_statuses = (Dataset.Status.UPLOADED, Dataset.Status.FAILED)
    with transaction.atomic():
        if not Dataset.objects.filter(pk=dataset.pk, status__in=open_statuses).update(rows_done=0, **changed):
            return False
        Event.record("import", project=dataset.project, actor=user, dataset=dataset.pk, mapping=dict(mapping))
        ring("audits.import_dataset", dataset.pk)
    dataset.refresh_from_db()
    return True


def delete_dataset(*, dataset: Dataset, user: Any) -> None:
    """Delete a dataset, its samples and its file. Raises InUse when an audit rests on it."""
    with transaction.atomic():
        if dataset.audits.exists():
            raise InUse
        path, project, sha256 = dataset.path, dataset.project, dataset.sha256
        dataset.delete()
        Event.record("delete_dataset", project=project, actor=user, sha256=sha256)
        transaction.on_commit(lambda: path.unlink(missing_ok=True))


def import_dataset(dataset_id: int, *, seconds: float) -> bool:
    """Check, then import, for at most `seconds`. True when nothing is left to do; a second caller leaves at once."""
    moving = (Dataset.Status.CHECKING, Dataset.Status.IMPORTING)
    token = uuid.uuid4()
    taken = Dataset.objects.filter(pk=dataset_id).take(1, settings.ASSAY_LEASE_SECONDS, token, status__in=moving)
    if not taken:
        return not Dataset.objects.filter(pk=dataset_id, status__in=moving).exists()
    dataset, held = taken[0], Dataset.objects.filter(pk=dataset_id, lease=token)
    try:
        if dataset.status == Dataset.Status.CHECKING:
            _check(dataset, held)
        return _import(dataset, held, time.monotonic() + seconds)
    except FormatError as error:
        failure = {"code": error.code, "message": str(error), "template": error.template, "params": error.params}
        held.update(status=Dataset.Status.FAILED, failure=failure)
        return True
    except LeaseLost:
        return False
    finally:
        Dataset.objects.filter(pk=dataset_id).release(token)


def _check(dataset: Dataset, held: Any) -> None:
    """Read the whole file before the first row is stored: what cannot be read to its end is not half imported."""
    total = 0
    for total, _row in enumerate(open_file(dataset).rows(), start=1):
        if total % BATCH == 0:
            _hold(held, rows_done=total)
    if not total:
        raise file_error("no_rows")
    with transaction.atomic():
        _hold(held, rows_done=0, rows_total=total, status=Dataset.Status.IMPORTING)
        dataset.samples.all().delete()  # of an earlier try with another mapping
        dataset.row_errors.all().delete()
    dataset.rows_done, dataset.rows_total = 0, total


def _import(dataset: Dataset, held: Any, deadline: float) -> bool:
    rows = enumerate(open_file(dataset).rows())
    batches = islice(rows, dataset.rows_done, None)
    while batch := list(islice(batches, BATCH)):
        with transaction.atomic():
            _store(dataset, batch)
            _hold(held, rows_done=batch[-1][0] + 1)
        if time.monotonic() > deadline:
            return False
    if not dataset.samples.exists():
        raise file_error("no_row_imported")
    held.update(status=Dataset.Status.READY)
    log.info("Dataset %s: %s rows imported.", dataset.pk, dataset.samples.count())
    return True


class LeaseLost(Exception):
    """Another worker has taken over; what this one did not commit does not count."""


def _hold(held: Any, **fields: Any) -> None:
    """Write fields and renew the lease, only while it is ours. Raises LeaseLost."""
    if not held.update(leased_until=lease_end(settings.ASSAY_LEASE_SECONDS), **fields):
        raise LeaseLost


def _store(dataset: Dataset, batch: list[tuple[int, SourceRow | RowProblem]]) -> None:
    """Insert one numbered batch; a second run inserts nothing anew."""
    samples, errors = [], []
    for position, record in _mapped(dataset, batch):
        if isinstance(record, RowProblem):
            errors.append(_row_error(dataset, record))
        else:
            samples.append(_sample(dataset, position, record))
    Sample.objects.bulk_create(samples, ignore_conflicts=True)
    RowError.objects.bulk_create(errors, ignore_conflicts=True)


def _mapped(
    dataset: Dataset, batch: list[tuple[int, SourceRow | RowProblem]]
) -> Iterator[tuple[int, Record | RowProblem]]:
    for position, row in batch:
        yield position, row if isinstance(row, RowProblem) else map_record(row, dataset.mapping)


def _row_error(dataset: Dataset, problem: RowProblem) -> RowError:
    return RowError(
        dataset=dataset,
        line=problem.line,
        column=problem.column[:200],
        code=problem.code[:40],
        reason=problem.reason,
    )


def _sample(dataset: Dataset, position: int, record: Record) -> Sample:
    return Sample(
        dataset=dataset,
        position=position,
        line=record.line,
        external_id=(record.external_id or str(position + 1))[:200],
        question=record.question,
        answer=record.answer,
        contexts=list(record.contexts),
        metadata=record.metadata,
        flags=list(record.flags),
        language=language_of(record.answer or record.question),
    )
