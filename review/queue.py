"""Who looks at which claim: leases on slots, taken by one conditional update."""

import datetime
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, Max, Min, OuterRef, QuerySet
from django.utils import timezone

from audits.models import Audit, Membership, Project, Role
from review.models import Adjudication, Skip, Slot
from review.models.item import SlotQuerySet

CANDIDATES = 20  # tried one after the other: with more colleagues than that asking at once, some ask again


@dataclass(frozen=True)
class Counts:
    """What an expert must know of the queue. total = done + free + skipped + mine + colleagues.

    free: could be taken now; skipped: free, but this expert passed over it; mine: held by this expert;
    colleagues: held by others, or free and already labelled by this expert; next_free: when the first lease ends.
    audits: audits under review in these projects, whether or not their claims are drawn yet.
    """

    total: int
    done: int
    free: int
    skipped: int
    mine: int
    colleagues: int
    next_free: datetime.datetime | None
    audits: int

    @property
    def minutes(self) -> int:
        """Whole minutes until the next lease ends, at least 1."""
        if self.next_free is None:
            return 1
        return max(1, -int((timezone.now() - self.next_free).total_seconds() // 60))

    @property
    def state(self) -> str:
        """Why there is no claim to show, or "ready": the one word that decides which sentence a page says."""
        if self.free or self.mine:
            return "ready"
        if self.skipped:
            return "skipped"
        if self.colleagues:
            return "colleagues"
        if self.total:
            return "done"
        return "opening" if self.audits else "nothing"


def expert_projects(user: Any) -> QuerySet[Project]:
    """The projects in which this person is an expert."""
    rows = Membership.objects.filter(user=user, role=Role.EXPERT).values("project")
    return Project.objects.filter(pk__in=rows)


def held(user: Any, projects: Iterable[Project]) -> Slot | None:
    """The slot on which this person's lease is live, the one last touched if there are several; a read."""
    return Slot.objects.open().in_projects(projects).held().filter(reviewer=user).order_by("-lease_until").first()


def take(user: Any, projects: Iterable[Project], *, again: bool = False) -> Slot | None:
    """The person's live slot, else the next free one, now leased to the person; None when there is none.

    Claims that the person labelled or skipped are left out; `again` offers the skipped ones, the longest ago first.
    """
    projects = list(projects)
    mine = held(user, projects)
    if mine is not None:
        renew(mine, mine.token)
        return mine
    skipped = Slot.objects.open().in_projects(projects).free()
    found = _first(_skipped(skipped, user) if again else _fresh(skipped, user), user)
    return found or (_first(_fresh(skipped, user), user) if again else None)


def _unlabelled(slots: SlotQuerySet, user: Any) -> SlotQuerySet:
    spoken = Adjudication.objects.counting().filter(reviewer=user, item=OuterRef("item"))
    filled = Slot.objects.filter(item=OuterRef("item"), reviewer=user, state=Slot.State.DONE)
    return slots.filter(~Exists(spoken), ~Exists(filled))


def _fresh(slots: SlotQuerySet, user: Any) -> SlotQuerySet:
    passed = Skip.objects.filter(item=OuterRef("item"), reviewer=user)
    return _unlabelled(slots, user).filter(~Exists(passed)).order_by("item__plan", "item__order", "number")


def _skipped(slots: SlotQuerySet, user: Any) -> SlotQuerySet:
    passed = Skip.objects.filter(item=OuterRef("item"), reviewer=user)
    last = passed.order_by().values("item").annotate(last=Max("pk")).values("last")
    return _unlabelled(slots, user).filter(Exists(passed)).annotate(last_skip=last).order_by("last_skip")


def _first(candidates: SlotQuerySet, user: Any) -> Slot | None:
    for pk in list(candidates.values_list("pk", flat=True)[:CANDIDATES]):
        token = uuid.uuid4()
        # The filter is asked again inside the update: of two people at one slot, one changes nothing.
        if Slot.objects.filter(pk=pk).free().update(reviewer=user, token=token, lease_until=lease_end()):
            return Slot.objects.select_related("item__claim__sample", "item__plan__audit__project").get(pk=pk)
    return None


def lease_end() -> datetime.datetime:
    """When a lease taken now runs out."""
    return timezone.now() + datetime.timedelta(seconds=settings.ASSAY_REVIEW_LEASE_SECONDS)


def renew(slot: Slot, token: uuid.UUID | None) -> bool:
    """Hold on to the slot. False when the lease ran out and somebody else has it, or the label is in."""
    mine = Slot.objects.filter(pk=slot.pk, token=token, token__isnull=False, state=Slot.State.WAITING)
    return bool(mine.update(lease_until=lease_end()))


def release(slot: Slot, token: uuid.UUID | None) -> bool:
    """Give the slot back at once; False when it was not ours any more."""
    mine = Slot.objects.filter(pk=slot.pk, token=token, token__isnull=False, state=Slot.State.WAITING)
    return bool(mine.update(reviewer=None, token=None, lease_until=None))


def skip(slot: Slot, token: uuid.UUID | None, *, user: Any, reason: str, note: str = "") -> bool:
    """Pass over a claim. The slot returns to the others; False (and nothing written) when it was not ours any more.

    ValueError for an unknown reason.
    """
    if reason not in Skip.Reason.values:
        raise ValueError(f"unknown reason to skip: {reason!r}")
    with transaction.atomic():
        if not release(slot, token):
            return False
        Skip.objects.create(item=slot.item, reviewer=user, reason=reason, note=note)
    return True


def counts(user: Any, projects: Iterable[Project]) -> Counts:
    """The state of the queue for this person."""
    projects = list(projects)
    slots = Slot.objects.in_projects(projects).filter(item__plan__audit__status=Audit.Status.REVIEWING)
    waiting = slots.open()
    free, live = waiting.free(), waiting.held()
    unlabelled, fresh = _unlabelled(free, user).count(), _fresh(free, user).count()
    mine, total, owed = live.filter(reviewer=user).count(), slots.count(), waiting.count()
    return Counts(
        total=total,
        done=total - owed,
        free=fresh,
        skipped=unlabelled - fresh,
        mine=mine,
        colleagues=owed - unlabelled - mine,
        next_free=live.exclude(reviewer=user).aggregate(first=Min("lease_until"))["first"],
        audits=Audit.objects.filter(project__in=projects, status=Audit.Status.REVIEWING).count(),
    )
