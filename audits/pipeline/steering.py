"""What people do about an import: start it, stop it, go on with it, give it up; and deleting a dataset."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from django.db import transaction

from audits.doorbell import ring
from audits.formats.columns import check_mapping
from audits.models import Dataset, Event, RowError, Sample
from audits.pipeline.arriving import stored
from audits.pipeline.importing import import_dataset, removal, remove
from audits.pipeline.receiving import OPEN, error_of

NO_LEASE = {"lease": None, "leased_until": None}  # whoever works on it finds that it may not go on
MANY = 20_000  # rows that are not deleted in one transaction
AT_ONCE = 1.0  # seconds of removing rows while the person waits


class InUse(Exception):
    """The dataset has audits and cannot be deleted."""


def confirm_mapping(*, dataset: Dataset, mapping: Mapping[str, Any], user: Any, generator: str | None = None) -> bool:
    """Fix which column is what and start the import. True for the one caller that started it.

    Raises FormatError("missing_column") when a needed column is not chosen or not in the file, and the failure of a
    file that could not be read.
    """
    if not dataset.columns and dataset.failure:
        raise error_of(dataset)
    check_mapping(mapping, dataset.columns)
    changed: dict[str, Any] = {"mapping": dict(mapping), "failure": {}, "rows_done": 0, "rows_total": None}
    changed |= {"status": Dataset.Status.IMPORTING, "progress": None, "notices": []}
    if generator is not None:
        changed["generator"] = generator[:200]
    with transaction.atomic():
        if not Dataset.objects.filter(pk=dataset.pk, status__in=OPEN).update(**changed, **NO_LEASE):
            return False
        Event.record("import", project=dataset.project, actor=user, dataset=dataset.pk, mapping=dict(mapping))
        ring("audits.import_dataset", dataset.pk)
    dataset.refresh_from_db()
    return True


def stop_import(dataset: Dataset, user: Any) -> bool:
    """Let an import rest; what is stored stays. True for the one caller that stopped it."""
    moving = (Dataset.Status.CHECKING, Dataset.Status.IMPORTING)
    return _switch(dataset, user, "stop_import", moving, Dataset.Status.STOPPED)


def resume_import(dataset: Dataset, user: Any) -> bool:
    """Go on with a stopped import after its last row. True for the one caller that did it."""
    return _switch(dataset, user, "resume_import", (Dataset.Status.STOPPED,), Dataset.Status.IMPORTING)


def discard_import(dataset: Dataset, user: Any) -> bool:
    """Give a stopped import up: its rows go, and its mapping can be chosen anew. True for the one caller that did it.

    Many rows go in the background. A new import may be started meanwhile: it waits until they are gone.
    """
    if not _switch(dataset, user, "discard_import", (Dataset.Status.STOPPED,), Dataset.Status.UPLOADED):
        return False
    import_dataset(dataset.pk, seconds=AT_ONCE)
    dataset.refresh_from_db()
    return True


def _switch(dataset: Dataset, user: Any, kind: str, before: tuple[str, ...], after: str) -> bool:
    with transaction.atomic():
        changed = Dataset.objects.filter(pk=dataset.pk, status__in=before).update(status=after, **NO_LEASE)
        dataset.refresh_from_db()
        if not changed:
            return False
        Event.record(kind, project=dataset.project, actor=user, dataset=dataset.pk, rows_done=dataset.rows_done)
        if after != Dataset.Status.STOPPED:
            ring("audits.import_dataset", dataset.pk)
    return True


def _seize(dataset: Dataset, **changed: Any) -> None:
    """Hold the dataset in this transaction: a batch that is being stored is in, and no other one follows."""
    Dataset.objects.filter(pk=dataset.pk).update(**changed, **NO_LEASE)
    if dataset.audits.exists():
        raise InUse


def _empty(dataset: Dataset) -> None:
    """Remove very many rows bit by bit, so that others can write in between. If it breaks off, the sweep goes on."""
    with transaction.atomic():
        _seize(dataset, status=Dataset.Status.UPLOADED)
    for model, where in removal(dataset):
        with transaction.atomic():
            remove(model, **where)


def delete_dataset(*, dataset: Dataset, user: Any) -> None:
    """Delete a dataset, its samples and its files. Raises InUse when an audit rests on it."""
    if dataset.rows_done > MANY:
        _empty(dataset)
    with transaction.atomic():
        _seize(dataset)
        files = [stored(name) for name in (dataset.stored_as, dataset.unpacked_as) if name]
        project, key, sha256 = dataset.project, dataset.pk, dataset.sha256
        for model in (Sample, RowError):
            remove(model, dataset=dataset)
        dataset.delete()
        Event.record("delete_dataset", project=project, actor=user, dataset=key, sha256=sha256)
        for file in files:
            transaction.on_commit(partial(file.unlink, missing_ok=True))
