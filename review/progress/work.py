"""How far each audit under review is, who holds claims now, and how fast labels come in. Says nothing of labels.

Claims with known labels are in no sum: they are no work that is owed. A claim that was cut anew is left out
too; its parts stand for it.
"""

import datetime
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Count, Q
from django.db.models.functions import TruncDate
from django.utils import timezone

from audits.models import Audit, Membership, Project, Role
from review.models import Adjudication, ReviewItem, ReviewPlan, Skip, Slot
from review.models.item import SlotQuerySet
from review.models.word import AdjudicationQuerySet
from review.throughput import Pace, TimeLeft, pace, per_day, time_left

DAYS = 14  # of the chart
WEEK = 7  # days
TIMED = 5_000  # of an audit's newest labels, whose times make its pace
HELD_SHOWN = 100  # leases on one page


@dataclass(frozen=True)
class Held:
    """A claim on somebody's desk now. Nothing in here says which claim, or why it is there."""

    code: UUID
    reviewer: int
    name: str
    since: datetime.datetime | None
    until: datetime.datetime


@dataclass(frozen=True)
class Open:
    """What is owed in one audit. Claims: settled of total; a claim is settled when none of its labels is missing.

    labels: still to be given. doubles: second labels wanted; doubles_in: those that are in. arbitrations: claims that
    wait for a third expert.
    """

    total: int
    settled: int
    labels: int
    doubles: int
    doubles_in: int
    arbitrations: int


LABEL_SUMS = ("labels", "doubles", "doubles_in", "arbitrations")
NOTHING = Open(0, 0, 0, 0, 0, 0)


@dataclass(frozen=True)
class Recent:
    """Labels that one person gave on one day."""

    day: datetime.date
    reviewer: int
    labels: int


@dataclass(frozen=True)
class Work:
    """One audit under review. opened: False until its claims are drawn. days: (day, labels), the oldest first."""

    audit: Audit
    opened: bool
    open: Open
    held: Sequence[Held]
    skips: Sequence[tuple[str, int]]  # (reason, skips of claims that are still open)
    today: int
    week: int
    pace: Pace
    left: TimeLeft
    days: Sequence[tuple[datetime.date, int]]


def run_by(user: Any, projects: Iterable[Project]) -> list[Project]:
    """Those of the projects whose review this person runs, as an analyst or a manager."""
    roles = (Role.ANALYST, Role.MANAGER)
    rows = Membership.objects.filter(user=user, role__in=roles, project__in=list(projects))
    return list(Project.objects.filter(pk__in=rows.values("project")))


def audits_under_review(project: Project) -> list[Audit]:
    """The newest first."""
    rows = project.audits.filter(status=Audit.Status.REVIEWING, calibration=False)
    return list(rows.select_related("review_plan"))


def owed_slots(audits: Iterable[Audit]) -> SlotQuerySet:
    """The places for labels that these audits need, filled ones included."""
    return Slot.objects.needed().filter(item__plan__audit__in=audits).exclude(item__kind=ReviewItem.Kind.GOLD)


def work(project: Project) -> list[Work]:
    """Every audit of the project under review, the newest first. The same few queries, whatever the size."""
    audits = audits_under_review(project)
    opened = set(ReviewPlan.objects.filter(audit__in=audits).values_list("audit", flat=True))
    sums, held, skips, times, recent = _open(audits), _held(audits), _skips(audits), _times(audits), _recent(audits)
    today = timezone.localdate()
    return [
        _work(
            audit, audit.pk in opened, sums.get(audit.pk, NOTHING), held, skips, pace(times[audit.pk]), recent, today
        )
        for audit in audits
    ]


def _work(
    audit: Audit,
    opened: bool,
    owed: Open,
    held: Mapping[int, Sequence[Held]],
    skips: Mapping[int, Mapping[str, int]],
    typical: Pace,
    recent: Mapping[int, Sequence[Recent]],
    today: datetime.date,
) -> Work:
    counted: Counter[datetime.date] = Counter()
    for row in recent[audit.pk]:
        counted[row.day] += row.labels
    days = per_day(counted, today, DAYS)
    first_of_week = days[-WEEK][0]
    at_work = {row.reviewer for row in recent[audit.pk] if row.day >= first_of_week}
    return Work(
        audit=audit,
        opened=opened,
        open=owed,
        held=held[audit.pk],
        skips=sorted(skips[audit.pk].items(), key=lambda pair: -pair[1]),
        today=days[-1][1],
        week=sum(n for _, n in days[-WEEK:]),
        pace=typical,
        left=time_left(owed.labels, typical, len(at_work)),
        days=days,
    )


def _open(audits: Iterable[Audit]) -> dict[int, Open]:
    waiting, second = Q(state=Slot.State.WAITING), Q(number__gt=1, arbitrates=False, item__needed__gt=1)
    rows = (
        owed_slots(audits)
        .order_by()
        .values("item__plan__audit")
        .annotate(
            total=Count("item", distinct=True),
            unsettled=Count("item", distinct=True, filter=waiting),
            labels=Count("pk", filter=waiting),
            doubles=Count("pk", filter=second),
            doubles_in=Count("pk", filter=second & Q(state=Slot.State.DONE)),
            arbitrations=Count("pk", filter=waiting & Q(arbitrates=True)),
        )
    )
    found: dict[int, Open] = {}
    for row in rows.values_list("item__plan__audit", "total", "unsettled", *LABEL_SUMS):
        audit, total, unsettled, *sums = map(int, row)
        found[audit] = Open(total, total - unsettled, *sums)
    return found


def _held(audits: Iterable[Audit]) -> dict[int, list[Held]]:
    # Claims with known labels too: else an expert who is a manager would miss the own claim here, and know.
    rows = Slot.objects.open().filter(item__plan__audit__in=audits).held().order_by("lease_until", "pk")
    found: dict[int, list[Held]] = defaultdict(list)
    columns = ("item__plan__audit", "code", "reviewer", "reviewer__username", "taken_at", "lease_until")
    for audit, *rest in rows.values_list(*columns)[:HELD_SHOWN]:
        found[audit].append(Held(*rest))
    return found


def _skips(audits: Iterable[Audit]) -> dict[int, dict[str, int]]:
    still_open = owed_slots(audits).filter(state=Slot.State.WAITING).values("item")
    rows = Skip.objects.filter(item__in=still_open).order_by().values_list("item__plan__audit", "reason")
    found: dict[int, dict[str, int]] = defaultdict(dict)
    for audit, reason, n in rows.annotate(n=Count("pk")):
        found[audit][str(Skip.Reason(reason).label)] = n
    return found


def _counting(audits: Iterable[Audit]) -> AdjudicationQuerySet:
    return Adjudication.objects.counting().filter(item__plan__audit__in=audits)


def _times(audits: Iterable[Audit]) -> dict[int, list[int | None]]:
    found: dict[int, list[int | None]] = defaultdict(list)
    rows = _counting(audits).order_by("-pk").values_list("item__plan__audit", "active_ms")
    for audit, active_ms in rows[:TIMED]:
        found[audit].append(active_ms)
    return found


def _recent(audits: Iterable[Audit]) -> dict[int, list[Recent]]:
    start = timezone.now() - datetime.timedelta(days=DAYS + 1)  # a day more than is shown: it begins at midnight
    rows = _counting(audits).filter(created__gte=start).order_by().annotate(day=TruncDate("created"))
    found: dict[int, list[Recent]] = defaultdict(list)
    for audit, *rest in rows.values_list("item__plan__audit", "day", "reviewer").annotate(n=Count("pk")):
        found[audit].append(Recent(*rest))
    return found
