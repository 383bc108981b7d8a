"""Does what is stored agree with what people did? The chain of events, and every row that a number rests on.

An event says what was done; the rows hold what came of it. Whoever changes one of them behind the application's back
leaves the other as it was, and whoever changes both breaks the chain, whose head certificates hold.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings

from audits.models import Audit, Dataset, Event
from audits.pipeline.contents import IMPORTED
from audits.pipeline.sealing import check
from review.log_check import certificates, judged, labels, lists, people, rows
from review.log_check.finding import Finding, covered_audits

__all__ = ["Finding", "check_log", "not_covered"]


def check_log(*, files: bool = True) -> Iterator[Finding]:
    """Everything that does not agree; nothing when all does. files: uploaded files are read and hashed, too."""
    if broken := check():
        yield Finding(
            f"event {broken.sequence} of the log", f"The chain does not hold: this event is {broken.problem}."
        )
    covered = covered_audits()
    yield from _read("rows", rows.check(covered))
    yield from _read("people", people.check())
    yield from _read("datasets", judged.datasets())
    for audit in Audit.objects.order_by("pk"):
        about, whole = f"audit {audit.pk}", audit.pk in covered
        yield from _read(about, judged.audit(audit, whole))
        yield from _read(about, labels.check(audit))
        yield from _read(f"spot check of {about}", lists.check(audit, whole))
    yield from _read("certificates", certificates.check())
    yield from _read("keys", certificates.keys())
    if files:
        yield from _files()


def not_covered() -> Iterator[str]:
    """Audits and datasets of which the log can answer for a part alone, since they are older than its digests."""
    covered = covered_audits()
    for pk in Audit.objects.exclude(pk__in=covered).order_by("pk").values_list("pk", flat=True):
        yield f"audit {pk}"
    imported = Event.objects.filter(kind=IMPORTED).values_list("data__dataset", flat=True)
    ready = Dataset.objects.filter(status=Dataset.Status.READY).exclude(pk__in=list(imported))
    for pk in ready.order_by("pk").values_list("pk", flat=True):
        yield f"samples of dataset {pk}"


def _read(about: str, findings: Iterator[Finding]) -> Iterator[Finding]:
    """The findings; a value that the product never writes ends them with one more."""
    try:
        yield from findings
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        yield Finding(about, f"Something stored there cannot be read: {type(error).__name__}: {error}")


def _files() -> Iterator[Finding]:
    for dataset in Dataset.objects.order_by("pk"):
        path = Path(settings.MEDIA_ROOT) / dataset.stored_as
        if not path.is_file():
            yield Finding(f"file of dataset {dataset.pk}", "It is not there any more.")
        elif _sha256(path) != dataset.sha256:
            yield Finding(f"file of dataset {dataset.pk}", "It is not the one that was uploaded.")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
