"""The import: rows come from a process that reads the file and are stored in numbered batches.

It can be killed or stopped at any moment and goes on after the last batch. Nothing is half imported: when the file
turns out to be broken, what was stored is removed again.
"""

import logging
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from typing import Any

from django.conf import settings
from django.db import DataError, IntegrityError, InterfaceError, OperationalError, transaction
from django.db.models import Q

from audits.formats import child
from audits.formats.base import FormatError
from audits.formats.messages import file_error
from audits.models import Dataset, GivenLabel, RowError, Sample, compiled
from audits.models.inserting import insert, insert_values, risk_recent
from audits.models.lease import LeasedQuerySet, lease_end
from audits.pipeline.contents import note_imported, of_dataset
from audits.pipeline.receiving import OPEN, failure_of, reading_of

log = logging.getLogger(__name__)
MOVING = (Dataset.Status.CHECKING, Dataset.Status.IMPORTING)
REMOVED_AT_ONCE = 5_000  # rows per transaction
FLAGGED_AT_ONCE = 1_000
Tell = Callable[[int, float | None], None]
"""Rows read so far, share of the file that has been read."""


class LeaseLost(Exception):
    """Another worker has taken over, or a person has stopped it; what this one did not commit does not count."""


def imports_owed() -> LeasedQuerySet:
    """Datasets with work to do: an import, or rows of one that failed or was given up, which are to go."""
    return Dataset.objects.filter(Q(status__in=MOVING) | Q(status__in=OPEN, rows_done__gt=0))


def import_dataset(
    dataset_id: int,
    *,
    seconds: float | None = None,
    stopping: Callable[[], bool] = lambda: False,
    tell: Tell | None = None,
) -> bool:
    """Import to the end, for at most `seconds`, or until `stopping`. True when nothing is left to do.

    A second caller leaves at once. tell is called after every batch. To go on later means to read the file again up
    to there, so `seconds` is for tests and small files.
    """
    token = uuid.uuid4()
    status = imports_owed().filter(pk=dataset_id).values_list("status", flat=True).first()
    if status is None:
        return True
    taken = Dataset.objects.filter(pk=dataset_id).take(1, settings.ASSAY_LEASE_SECONDS, token, status=status)
    if taken:
        run = _Run(taken[0], seconds, stopping, tell)
        try:
            return run.go()
        except LeaseLost:
            log.info("Dataset %s: this worker's import has ended.", dataset_id)
        finally:
            with suppress(OperationalError, InterfaceError):  # then the lease runs out by itself
                Dataset.objects.filter(pk=dataset_id).release(token)
    return not imports_owed().filter(pk=dataset_id).exists()


class _Run:
    """One worker's work on one dataset, which it holds."""

    def __init__(
        self, dataset: Dataset, seconds: float | None, stopping: Callable[[], bool], tell: Tell | None
    ) -> None:
        self.dataset, self.seconds, self.stopping, self.tell = dataset, seconds, stopping, tell
        self.end: float | None = None
        self.held = Dataset.objects.filter(pk=dataset.pk, lease=dataset.lease)
        self.patience = min(1.0, settings.ASSAY_LEASE_SECONDS / 4)  # seconds between two renewals at most

    def go(self) -> bool:
        """True when nothing is left to do. Raises LeaseLost."""
        dataset = self.dataset
        if dataset.status == Dataset.Status.CHECKING:  # of an older version, which stored nothing while it checked
            self._hold(status=Dataset.Status.IMPORTING, rows_done=0, rows_total=None)
            dataset.status, dataset.rows_done = Dataset.Status.IMPORTING, 0
        if dataset.status != Dataset.Status.IMPORTING:
            return self._clear()
        if not dataset.rows_done and not self._remove():  # rows of an earlier try
            return False
        try:
            return self._read()
        except FormatError as error:
            return self._fail(error)

    def _read(self) -> bool:
        dataset = self.dataset
        if not dataset.path.exists():
            raise file_error("file_gone")
        options, skip = reading_of(dataset), dataset.rows_done
        with closing(
            child.read_rows(dataset.path, options, dataset.mapping, skip=skip, patience=self.patience)
        ) as frames:
            for frame in frames:
                if isinstance(frame, child.End):
                    self._finish(frame)
                    return True
                if frame is None:
                    self._hold()
                else:
                    self._store(frame)
                if self.stopping() or (frame and self._late()):
                    return False
        raise AssertionError("unreachable")

    def _store(self, rows: child.Rows) -> None:
        """Store one batch. The mark moves with it, so that no batch is ever stored twice."""
        dataset = self.dataset
        try:
            with transaction.atomic():
                risk_recent()
                self._advance(rows)
                insert_values(Sample, child.COLUMNS, rows.values, dataset=dataset.pk)
                self._store_labels(rows)
                insert([_row_error(dataset, problem) for problem in rows.problems], ignore_conflicts=True)
        except (DataError, IntegrityError) as error:  # to try again would end the same way, for ever
            log.exception("Dataset %s: rows that cannot be stored.", dataset.pk)
            raise file_error("reader_ended") from error
        dataset.rows_done = rows.done
        if self.tell is not None:
            self.tell(rows.done, rows.fraction)

    def _advance(self, rows: child.Rows) -> None:
        """As _move, for every batch: compiled once."""
        before = {"pk": self.dataset.pk, "lease": self.dataset.lease, "before": self.dataset.rows_done}
        after = {"done": rows.done, "progress": rows.fraction}
        if not compiled.update(("imported", settings.ASSAY_LEASE_SECONDS), _advanced, **before, **after):
            raise LeaseLost

    def _store_labels(self, rows: child.Rows) -> None:
        if not rows.labels:
            return
        first, last = rows.labels[0][0], rows.labels[-1][0]
        samples = Sample.objects.filter(dataset=self.dataset, position__range=(first, last))
        ids = dict(samples.values_list("position", "pk"))
        insert(
            [
                GivenLabel(sample_id=ids[at], position=number, claim=claim, word=word[:200], label=label[:20])
                for at, number, claim, word, label in rows.labels
                if at in ids
            ]
        )

    def _flag(self, flag: str, positions: Sequence[int]) -> None:
        """Add a flag to rows that are stored; to do it twice changes nothing."""
        for at in range(0, len(positions), FLAGGED_AT_ONCE):
            rows = self.dataset.samples.filter(position__in=positions[at : at + FLAGGED_AT_ONCE])
            alike = defaultdict(list)
            for pk, flags in rows.order_by().values_list("pk", "flags"):
                if flag not in flags:
                    alike[tuple(flags)].append(pk)
            with transaction.atomic():
                risk_recent()
                self._move()
                for flags, ids in alike.items():
                    Sample.objects.filter(pk__in=ids).update(flags=[*flags, flag])

    def _finish(self, end: child.End) -> None:
        if not self.dataset.samples.exists():
            raise file_error("no_row_imported")
        for flag, positions in end.flagged.items():
            self._flag(flag, positions)
        notices = [{"code": each.code, "params": dict(each.params)} for each in end.notices]
        contents = of_dataset(self.dataset, self._hold)  # before the dataset is held: it may take a minute
        with transaction.atomic():
            self._move(
                status=Dataset.Status.READY, rows_done=end.done, rows_total=end.done, progress=1.0, notices=notices
            )
            note_imported(self.dataset, contents)
        log.info("Dataset %s: %s rows read.", self.dataset.pk, end.done)

    def _fail(self, error: FormatError) -> bool:
        """Say why, then remove what was stored. Rows that all failed are kept: they are what is to be mended."""
        changed: dict[str, Any] = {"status": Dataset.Status.FAILED, "failure": failure_of(error), "progress": None}
        if error.code == "no_row_imported":
            self._move(**changed, rows_done=0, rows_total=self.dataset.rows_done)
            return True
        self._move(**changed)
        return self._clear()

    def _clear(self) -> bool:
        """Remove the rows of an import that failed or was given up; True when all are gone."""
        if not self._remove():
            return False
        self._hold(rows_done=0)
        return True

    def _remove(self) -> bool:
        """Remove all rows, batch by batch; False when it is time to leave."""
        for model, where in removal(self.dataset):
            with transaction.atomic():
                self._hold()
                remove(model, **where)
            if self.stopping() or self._late():
                return False
        return True

    def _late(self) -> bool:
        """Whether the time is over, which counts from the first batch on: to get there takes long in a large file."""
        if self.seconds is None:
            return False
        self.end = time.monotonic() + self.seconds if self.end is None else self.end
        return time.monotonic() >= self.end

    def _move(self, **fields: Any) -> None:
        """Write fields while it is being imported, by us, and nobody has moved the mark. Raises LeaseLost."""
        self._hold(self.held.filter(status=Dataset.Status.IMPORTING, rows_done=self.dataset.rows_done), **fields)

    def _hold(self, held: LeasedQuerySet | None = None, **fields: Any) -> None:
        """Write fields and renew the lease, only while it is ours. Raises LeaseLost."""
        held = self.held if held is None else held
        if not held.update(leased_until=lease_end(settings.ASSAY_LEASE_SECONDS), **fields):
            raise LeaseLost


def _advanced() -> compiled.Update:
    fields = {name: Dataset._meta.get_field(name) for name in ("lease", "rows_done", "progress")}
    lease, before = compiled.Slot("lease", fields["lease"]), compiled.Slot("before", fields["rows_done"])
    rows = Dataset.objects.filter(
        pk=compiled.Slot("pk"), lease=lease, status=Dataset.Status.IMPORTING, rows_done=before
    )
    done, progress = compiled.Slot("done", fields["rows_done"]), compiled.Slot("progress", fields["progress"])
    until = lease_end(settings.ASSAY_LEASE_SECONDS)
    return rows, {"rows_done": done, "progress": progress, "leased_until": until}


def removal(dataset: Dataset) -> Iterator[tuple[Any, dict[str, Any]]]:
    """What is to be removed one after the other, in transactions of a bearable size, until no row is left."""
    for model in (Sample, RowError):
        rows: Any = model._default_manager.filter(dataset=dataset).order_by("-pk")
        while ids := list(rows.values_list("pk", flat=True)[:REMOVED_AT_ONCE]):
            yield model, {"pk__range": (ids[-1], ids[0]), "dataset": dataset}


def remove(model: Any, **where: Any) -> None:
    """Delete rows (of Sample or RowError) without fetching them first. No audit may rest on the samples."""
    rows = model.objects.filter(**where).order_by()
    if model is Sample:
        GivenLabel.objects.filter(sample__in=rows).delete()
    rows._raw_delete(rows.db)


def _row_error(dataset: Dataset, problem: dict[str, Any]) -> RowError:
    return RowError(
        dataset=dataset,
        line=problem["line"],
        column=problem["column"][:200],
        code=problem["code"][:40],
        reason=problem["reason"],
        value=problem["value"][:200],
        values=problem["values"],
    )
