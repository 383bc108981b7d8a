"""What the log keeps of a dataset once it is imported, and of an audit once it is judged: a digest of each table.

Nothing of it is changed by the product afterwards, but for an audit that is judged further, which ends with a new
event, and for calls that were still on their way, which are named one by one.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from django.db.models import QuerySet

from audits.models import (
    Audit,
    Call,
    Claim,
    Dataset,
    Event,
    Extraction,
    GivenLabel,
    Judging,
    PanelMember,
    Probe,
    RowError,
    Sample,
    Verdict,
)
from audits.models.digests import FORMS
from audits.pipeline.returning import locked

Contents = dict[str, dict[str, Any]]
"""Name of a form (models.digests) -> how many rows, and the SHA-256 over all of them."""

IMPORTED, JUDGED, LATE = "imported", "judged", "late_calls"  # kinds of events


def of_dataset(dataset: Dataset, tick: Callable[[], None]) -> Contents:
    """The samples with the labels that came with them, and the rows that were refused. tick: called now and then."""
    return {name: FORMS[name].digest(rows, tick) for name, rows in _in_dataset(dataset.pk).items()}


def of_audit(audit: Audit, late: Collection[int] = ()) -> Contents:
    """Answers cut, claims, verdicts, probes, the ledger. late: calls that came in after it was judged."""
    return {name: FORMS[name].digest(rows) for name, rows in _in_audit(audit.pk, late).items()}


def differing(
    owner: Dataset | Audit, recorded: Mapping[str, Mapping[str, Any]], late: Collection[int] = ()
) -> Iterator[str]:
    """Names of the forms of which something is not as it was recorded."""
    tables = _in_audit(owner.pk, late) if isinstance(owner, Audit) else _in_dataset(owner.pk)
    for name, digest in recorded.items():
        if FORMS[name].digest(tables[name]) != digest:
            yield name


def _in_dataset(dataset: int) -> dict[str, "QuerySet[Any]"]:
    return {
        "sample.1": Sample.objects.filter(dataset=dataset),
        "given_label.1": GivenLabel.objects.filter(sample__dataset=dataset),
        "row_error.1": RowError.objects.filter(dataset=dataset),
    }


def _in_audit(audit: int, late: Collection[int]) -> dict[str, "QuerySet[Any]"]:
    calls = Call.objects.filter(audit=audit)
    return {
        "extraction.1": Extraction.objects.filter(audit=audit),
        "judging.1": Judging.objects.filter(audit=audit),
        "claim.1": Claim.objects.filter(audit=audit),  # without the parts that experts cut: events name those
        "verdict.1": Verdict.objects.filter(claim__audit=audit),
        "probe.1": Probe.objects.filter(audit=audit),
        "call.1": calls.exclude(pk__in=late) if late else calls,
        "member_notes.1": PanelMember.objects.filter(audit=audit),
    }


def note_imported(dataset: Dataset, contents: Contents) -> None:
    """Write down what was imported, in the transaction that makes the dataset ready."""
    Event.record(IMPORTED, project=dataset.project, rows=[dataset], dataset=dataset.pk, contents=contents)


def note_judged(audit: Audit, contents: Contents) -> None:
    """Write down what was judged, in the transaction that ends the judging."""
    Event.record(JUDGED, project=audit.project, audit=audit, rows=[audit], contents=contents)


def note_late(audit: Audit, calls: Sequence[Call]) -> None:
    """Name calls that were on their way when the last thing owed came in from elsewhere: paid, and in no digest.

    In the transaction that stores them. The audit's row is held: who ends the judging meanwhile either counts these
    calls, or has ended before.
    """
    if calls and locked(audit).status == Audit.Status.REVIEWING:
        Event.record(LATE, project=audit.project, audit=audit, rows=calls)
