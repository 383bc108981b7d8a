"""Who looks at which claim: leases on slots, each taken, held, given back by one conditional update."""

import datetime
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Case, Count, IntegerField, Max, Min, OuterRef, Q, QuerySet, Value, When
from django.utils import timezone

from audits.models import Audit, Event, Membership, Project, Role
from review import gold
from review.models import Adjudication, Skip, Slot
from review.models.item import SlotQuerySet
from review.offer import Offer
from review.scope import Scope

CANDIDATES = 20  # read at once, tried one after the other; more are read when colleagues were quicker at all of them
WITH_TEXTS = ("item__claim__sample", "item__plan__audit__project")


@dataclass(frozen=True)
class Counts:
    """What an expert must know of the queue. total = done + free + skipped + mine + colleagues + others_only.

    All six count the part of the queue that is assigned to the person and not filtered away. free: could be taken
    now; skipped: free, but this person passed over it; mine: in the person's hands; colleagues: in others' hands,
    and for this person if they give it back; next_free: when the first of these leases ends; others_only: waits for
    an expert who has not spoken of the claim yet.
    hidden: waits for this person, or will when colleagues give it back, behind the filters; unassigned: waits, for
    experts of other tags. audits: audits under review in these projects; opening: those whose claims are not drawn.
    """

    total: int
    done: int
    free: int
    skipped: int
    mine: int
    colleagues: int
    others_only: int
    next_free: datetime.datetime | None
    hidden: int
    unassigned: int
    audits: int
    opening: int

    @property
    def minutes(self) -> int:
        """Whole minutes until the next lease ends, at least 1."""
        if self.next_free is None:
            return 1
        return max(1, -int((timezone.now() - self.next_free).total_seconds() // 60))

    @property
    def state(self) -> str:
        """Why there is no claim to show, or "ready": the one word that decides which sentence a page says.

        What the person can do something about comes first.
        """
        if self.free or self.mine:
            return "ready"
        for name in ("skipped", "hidden", "colleagues", "others_only", "unassigned", "opening"):
            if getattr(self, name):
                return name
        return "done" if self.audits else "nothing"


def expert_projects(user: Any) -> QuerySet[Project]:
    """The projects in which this person is an expert."""
    rows = Membership.objects.filter(user=user, role=Role.EXPERT).values("project")
    return Project.objects.filter(pk__in=rows)


def held(user: Any, scope: Scope) -> Slot | None:
    """The slot in this person's hands, the one taken first if there are several; a read."""
    return _held(user, scope).first()


def _held(user: Any, scope: Scope) -> SlotQuerySet:
    mine = scope.of(Slot.objects.open()).held().filter(reviewer=user)
    return mine.select_related(*WITH_TEXTS).order_by("taken_at", "pk")


def take(user: Any, scope: Scope, *, again: bool = False, besides: Slot | None = None) -> Slot | None:
    """The slot in the person's hands, else the next free one, now leased to the person; None when there is none.

    besides: a slot in hand that stays there: another one is taken now, to be ready when it is done with.
    Claims that the person skipped are left out; `again` offers them too, before the others, the longest ago first.
    """
    mine = _held(user, scope)
    if besides is not None:
        mine = mine.exclude(pk=besides.pk)
    for slot in mine:
        if renew(slot, slot.token):
            return slot
    gold.ensure_for(user, scope.projects)
    offer = Offer(user, scope)
    free = offer.slots().free().filter(offer.mine_to_do, scope.chosen)
    if besides is not None:
        free = free.exclude(item=besides.item_id)
    if again and (found := _first(_longest_ago(free.filter(offer.skipped), user), user)):
        return found
    return _first(_in_order(free.exclude(offer.skipped), user, scope, besides), user)


def _longest_ago(slots: SlotQuerySet, user: Any) -> SlotQuerySet:
    passed = Skip.objects.filter(item=OuterRef("item"), reviewer=user)
    last = passed.order_by().values("item").annotate(last=Max("pk")).values("last")
    return slots.annotate(last_skip=last).order_by("last_skip", "pk")


def _in_order(slots: SlotQuerySet, user: Any, scope: Scope, besides: Slot | None) -> SlotQuerySet:
    """First the answer that the person has just read, then answers that no colleague is reading, then by rank."""
    sample = "item__claim__sample"
    colleagues = Slot.objects.held().in_projects(scope.projects).exclude(reviewer=user).values(sample)
    place = Case(
        When(**{sample: _sample_read_last(user, besides)}, then=Value(0)),
        When(**{f"{sample}__in": colleagues}, then=Value(2)),
        default=Value(1),
        output_field=IntegerField(),
    )
    return slots.annotate(place=place).order_by("place", "item__plan", "item__rank", "item__order", "number")


def _sample_read_last(user: Any, besides: Slot | None) -> int:
    if besides is not None:
        return besides.item.claim.sample_id
    words = Adjudication.objects.filter(reviewer=user).order_by("-pk")
    return words.values_list("item__claim__sample", flat=True).first() or 0


def _first(candidates: SlotQuerySet, user: Any) -> Slot | None:
    """Lease the first of them that is still free; None when all are gone."""
    lost: list[int] = []
    while rows := list(candidates.exclude(pk__in=lost).values_list("pk", "item")[:CANDIDATES]):
        tried: set[int] = set()
        for pk, item in rows:
            lost.append(pk)
            if item in tried:  # lost to this very person in another window, perhaps: never two slots of one item
                continue
            tried.add(item)
            now = timezone.now()
            mine = {"reviewer": user, "token": uuid.uuid4(), "taken_at": now, "lease_until": lease_end()}
            # Asked again inside the update: of two people at one slot, one changes nothing.
            if Slot.objects.filter(pk=pk).free().update(**mine):
                return Slot.objects.select_related(*WITH_TEXTS).get(pk=pk)
    return None


def lease_end() -> datetime.datetime:
    """When a lease taken now runs out."""
    return timezone.now() + datetime.timedelta(seconds=settings.ASSAY_REVIEW_LEASE_SECONDS)


def _of_token(slot: Slot, token: uuid.UUID | None) -> SlotQuerySet:
    """The slot, while nobody else has taken it since the token was given out, and its label is not in."""
    return Slot.objects.filter(pk=slot.pk, token=token, token__isnull=False, state=Slot.State.WAITING)


def renew(slot: Slot, token: uuid.UUID | None) -> bool:
    """Hold on to the slot, also when the lease ran out or was given back in another window and nobody took it since.

    False when somebody else has it, a manager or a skip has freed it, or the label is in.
    """
    return bool(_of_token(slot, token).update(lease_until=lease_end()))


def hold(slot: Slot, user: Any) -> bool:
    """Hold on to a slot that this person has in another window, under another token; False when it is not so."""
    mine = Slot.objects.filter(pk=slot.pk, reviewer=user).held()
    return bool(mine.update(lease_until=lease_end()))


def release(slot: Slot, token: uuid.UUID | None) -> bool:
    """Give the slot back at once; False when it was not ours any more. While nobody takes it, renew gets it back."""
    return bool(_of_token(slot, token).update(lease_until=None))


def release_all(slots: Iterable[tuple[Slot, uuid.UUID | None]]) -> None:
    """Give several slots back at one moment: whoever looks meanwhile finds all of them in hand, or none."""
    with transaction.atomic():
        for slot, token in slots:
            release(slot, token)


def resume(user: Any, scope: Scope, code: uuid.UUID, token: uuid.UUID | None) -> Slot | None:
    """The claim that this person gave back a moment ago, as a reload does, in hand again; None when it is gone.

    It gets a new token: the page that was left may still be giving it back.
    """
    mine = scope.of(Slot.objects.open()).filter(code=code, reviewer=user).select_related(*WITH_TEXTS).first()
    if mine is None or not _of_token(mine, token).update(token=(new := uuid.uuid4()), lease_until=lease_end()):
        return None
    mine.token = new
    return mine


def skip(slot: Slot, token: uuid.UUID | None, *, user: Any, reason: str, note: str = "") -> bool:
    """Pass over a claim. The slot returns to the others; False (and nothing written) when it was not ours any more.

    ValueError for an unknown reason.
    """
    if reason not in Skip.Reason.values:
        raise ValueError(f"unknown reason to skip: {reason!r}")
    with transaction.atomic():
        if not _of_token(slot, token).update(**NOBODYS):
            return False
        row = Skip.objects.create(item=slot.item, reviewer=user, reason=reason, note=note)
        audit = slot.item.plan.audit
        facts = {"item": slot.item_id, "reason": reason, "note": note}
        Event.record("claim_skipped", project=audit.project, audit=audit, actor=user, rows=[row], **facts)
    return True


NOBODYS = {"reviewer": None, "token": None, "lease_until": None}  # what a slot says that must not be renewed any more


def free_lease(slot: Slot, by: Any) -> bool:
    """Free a lease that its holder forgot; False when nobody holds the slot now. What is typed there is not lost:
    a label sent later still counts while nobody else has taken the claim."""
    with transaction.atomic():
        now = Slot.objects.select_related("item__plan__audit__project", "reviewer").get(pk=slot.pk)
        rows = Slot.objects.filter(pk=now.pk, reviewer=now.reviewer).held()
        if now.reviewer is None or not rows.update(**NOBODYS):
            return False
        audit = now.item.plan.audit
        facts: dict[str, Any] = {"item": now.item_id, "expert": now.reviewer.get_username()}
        Event.record("lease_released", project=audit.project, audit=audit, actor=by, **facts)
    return True


def free_leases_of(user: Any, project: Project) -> int:
    """Free everything that a person who leaves holds in a project; how many slots. Labels stay."""
    return Slot.objects.in_projects([project]).filter(reviewer=user, state=Slot.State.WAITING).update(**NOBODYS)


def counts(user: Any, scope: Scope) -> Counts:
    """The state of the queue for this person."""
    gold.ensure_for(user, scope.projects)
    offer = Offer(user, scope)
    rows = offer.slots().annotate(place=_place(offer)).order_by().values_list("place")
    found = {place: (n, first) for place, n, first in rows.annotate(Count("pk"), Min("lease_until"))}
    there = {name: found.get(name, (0, None))[0] for name in (*_SEEN, "hidden", "unassigned")}
    audits = Audit.objects.filter(project__in=scope.projects, status=Audit.Status.REVIEWING, calibration=False)
    opening = Count("pk", filter=Q(review_plan__isnull=True))
    return Counts(
        total=sum(there[name] for name in _SEEN),
        next_free=found.get("colleagues", (0, None))[1],
        **there,
        **audits.aggregate(audits=Count("pk"), opening=opening),
    )


_SEEN = ("done", "free", "skipped", "mine", "colleagues", "others_only")  # what makes up the total


def _place(offer: Offer) -> Case:
    """The one field of Counts in which a slot is counted; "" for none."""
    live, mine = Q(lease_until__gte=timezone.now()), Q(reviewer=offer.user)
    seen, chosen = offer.assigned & offer.scope.chosen, offer.scope.chosen
    whens = [
        (Q(state=Slot.State.DONE) & seen, "done"),
        (Q(state=Slot.State.DONE), ""),
        (live & mine & chosen, "mine"),
        (offer.assigned and ~offer.assigned, "unassigned"),
        (chosen and ~chosen & live & mine, "hidden"),
        (chosen and ~chosen & offer.barred, ""),
        (chosen and ~chosen, "hidden"),
        (offer.barred, "others_only"),
        (live, "colleagues"),
        (offer.skipped, "skipped"),
    ]
    # An empty Q is no condition: nothing is restricted, nothing filtered.
    return Case(*(When(q, then=Value(name)) for q, name in whens if q), default=Value("free"))
