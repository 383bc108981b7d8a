"""How far the review of a project is, for those who wait for it. Says nothing of labels."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count

from audits.models import Audit, Project
from review.models import Adjudication, ReviewPlan, Skip, Slot


@dataclass(frozen=True)
class Passed:
    """An open claim that an expert skipped."""

    claim: str
    reason: str
    note: str


@dataclass(frozen=True)
class Progress:
    """One audit under review. opened: False until its claims are drawn. experts: (name, labels that count)."""

    audit: Audit
    opened: bool
    total: int
    done: int
    held: int
    skipped: Sequence[Passed]
    experts: Sequence[tuple[str, int]]


def progress(project: Project) -> list[Progress]:
    """Every audit of the project under review, the newest first."""
    audits = project.audits.filter(status=Audit.Status.REVIEWING).select_related("dataset")
    opened = set(ReviewPlan.objects.filter(audit__in=audits).values_list("audit", flat=True))
    return [_of(audit, audit.pk in opened) for audit in audits]


def _of(audit: Audit, opened: bool) -> Progress:
    slots = Slot.objects.filter(item__plan__audit=audit)
    total, open_slots = slots.count(), slots.open()
    skips = Skip.objects.filter(item__slots__in=open_slots).select_related("item__claim").order_by("-pk")
    words = Adjudication.objects.counting().filter(item__plan__audit=audit).order_by()
    counted = words.values_list("reviewer__username").annotate(n=Count("pk")).order_by("-n")
    return Progress(
        audit=audit,
        opened=opened,
        total=total,
        done=total - open_slots.count(),
        held=open_slots.held().count(),
        skipped=[Passed(skip.item.claim.text, skip.get_reason_display(), skip.note) for skip in skips[:50]],
        experts=list(counted),
    )
