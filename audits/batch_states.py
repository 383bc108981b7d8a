"""The batches of an audit as its page shows them: where each one is, in one word of ours. Reads only."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass

from audits.models import Audit, Batch, PanelMember

SHOWN = 6  # batches that are over, the latest ones; open ones are all shown


@dataclass(frozen=True)
class BatchRow:
    """One batch. state: one of the words below. reported: whether its vendor has told any counts.

    waiting (for a person: its audit or its judge is stopped) · handing (about to be handed over) · again (that
    failed: tried again at next_look) · working · stopping (a person cancelled it) · collecting · collected ·
    cancelled · failed. part: requests that were taken out because the vendor had no room.
    """

    pk: int
    member: PanelMember
    state: str
    says: str  # the vendor's own word
    requests: int
    answered: int
    failed: int
    reported: bool
    part: int
    message: str
    handed_over: datetime.datetime | None
    expected: datetime.datetime | None
    next_look: datetime.datetime | None

    @property
    def is_open(self) -> bool:
        """Whether something may still come of it."""
        return self.state not in ("collected", "cancelled", "failed")

    @property
    def can_be_cancelled(self) -> bool:
        """Whether a person may ask for its end."""
        return self.state in ("waiting", "handing", "again", "working")


@dataclass(frozen=True)
class Batches:
    """All of an audit. earlier: how many more are over. directly: members whose address has no batches."""

    rows: Sequence[BatchRow]
    earlier: int
    directly: Sequence[PanelMember]

    def __bool__(self) -> bool:
        return bool(self.rows or self.directly)


def batches_of(audit: Audit) -> Batches:
    """The open batches and the latest of those that are over, the newest first."""
    found = audit.batches.select_related("member").order_by("-pk")
    over = found.exclude(status__in=Batch.OPEN)
    shown = sorted([*found.filter(status__in=Batch.OPEN), *over[:SHOWN]], key=lambda batch: -batch.pk)
    directly = list(audit.members.filter(without_batches=True)) if audit.batch else []
    return Batches([_row(audit, batch) for batch in shown], max(0, over.count() - SHOWN), directly)


def _row(audit: Audit, batch: Batch) -> BatchRow:
    state = _open_state(audit, batch) if batch.status in Batch.OPEN else _end_state(batch)
    return BatchRow(
        pk=batch.pk,
        member=batch.member,
        state=state,
        says=batch.vendor_status,
        requests=batch.requests,
        answered=batch.answered,
        failed=batch.failed,
        reported=bool(batch.answered or batch.failed or batch.status not in Batch.OPEN),
        part=batch.cut,
        message=batch.message,
        handed_over=batch.submitted_at if batch.vendor_id else None,
        expected=batch.expires_at if batch.status in Batch.OPEN else None,
        next_look=batch.next_look,
    )


def _open_state(audit: Audit, batch: Batch) -> str:
    if batch.cancelled_at or audit.status == Audit.Status.CANCELLED:
        return "stopping"
    if batch.status == Batch.Status.SUBMITTED:
        return "collecting" if batch.ended_at else "working"
    if audit.status != Audit.Status.JUDGING or batch.member.stopped_fault:
        return "waiting"
    return "again" if batch.tries else "handing"


def _end_state(batch: Batch) -> str:
    if batch.status == Batch.Status.COLLECTED and (batch.answered or not batch.cancelled_at):
        return "collected"
    return "cancelled" if batch.cancelled_at else "failed"
