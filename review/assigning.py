"""Who looks at what: tags given to experts, and whether every open claim is seen by enough of them."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from audits.models import Event, Membership, Project, Role
from review.models import Assignment
from review.queue import free_leases_of


@dataclass(frozen=True)
class Change:
    """What an assignment changed; both empty when nothing did."""

    added: tuple[str, ...]
    removed: tuple[str, ...]


def tags_by_expert(project: Project) -> dict[int, frozenset[str]]:
    """The tags of each restricted expert of the project; who is not in it looks at everything."""
    found: dict[int, set[str]] = {}
    for expert, tag in Assignment.objects.filter(project=project).values_list("expert", "tag"):
        found.setdefault(expert, set()).add(tag)
    return {expert: frozenset(tags) for expert, tags in found.items()}


def assign(*, project: Project, expert: Any, tags: Collection[str], by: Any) -> Change:
    """Let the expert look at claims of samples with these tags, and at no others; without tags at everything.

    ValueError for somebody who is no expert of the project. What the person labelled stays, and so does a claim that
    is in the person's hands.
    """
    with transaction.atomic():
        members = Membership.objects.select_for_update().filter(project=project, user=expert, role=Role.EXPERT)
        if not members.exists():  # locked: two managers at once must not mix their lists
            raise ValueError(f"{expert} is no expert of {project}")
        return _set(project, expert, frozenset(tags), by)


def expert_left(membership: Membership) -> None:
    """After a role was taken away: who is no expert of the project any more has no tags there and holds no claims.

    Labels stay. Nothing happens for another role.
    """
    if membership.role != Role.EXPERT:
        return
    with transaction.atomic():
        _set(membership.project, membership.user, frozenset(), None)
        free_leases_of(membership.user, membership.project)


def _set(project: Project, expert: Any, wanted: frozenset[str], by: Any) -> Change:
    rows = Assignment.objects.filter(project=project, expert=expert)
    had = frozenset(rows.values_list("tag", flat=True))
    change = Change(tuple(sorted(wanted - had)), tuple(sorted(had - wanted)))
    if change.removed:
        Assignment.objects.filter(project=project, expert=expert, tag__in=change.removed).delete()
        Event.record("unassigned", project=project, actor=by, expert=expert.get_username(), tags=change.removed)
    if change.added:
        fresh = (Assignment(project=project, expert=expert, tag=tag, created_by=by) for tag in change.added)
        Assignment.objects.bulk_create(fresh, ignore_conflicts=True)
        Event.record("assigned", project=project, actor=by, expert=expert.get_username(), tags=change.added)
    return change


@dataclass(frozen=True)
class OpenClaim:
    """A claim that waits for labels.

    waiting: how many, an arbiter's included; doubled: it is for more than one expert, and no arbiter was called yet;
    spoken: who has labelled it.
    """

    tags: frozenset[str]
    waiting: int
    doubled: bool = False
    spoken: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Coverage:
    """Whether the experts can settle everything that is open.

    could_take: open claims that each expert sees and has not labelled. unseen: claims that no expert sees;
    unseen_tags: their tags with how many claims, the most first. stuck: claims that are seen, but wait for more
    labels than there are experts left to give one. no_arbiter: claims that would be stuck if their labels differed.
    """

    could_take: Mapping[int, int]
    unseen: int
    unseen_tags: Sequence[tuple[str, int]]
    stuck: int
    no_arbiter: int


def sees(tags: frozenset[str], assigned: frozenset[str] | None) -> bool:
    """Whether an expert with these assigned tags (None or none: everything) looks at a claim with these tags."""
    return not assigned or not tags.isdisjoint(assigned)


def coverage(
    claims: Iterable[OpenClaim], experts: Collection[int], assigned: Mapping[int, frozenset[str]]
) -> Coverage:
    """Coverage of the open claims by these experts. assigned: as tags_by_expert gives it."""
    could_take = dict.fromkeys(experts, 0)
    tags: Counter[str] = Counter()
    unseen = stuck = no_arbiter = 0
    for claim in claims:
        seeing = {expert for expert in experts if sees(claim.tags, assigned.get(expert))}
        free = seeing - claim.spoken
        for expert in free:
            could_take[expert] += 1
        if not seeing:
            unseen += 1
            tags.update(claim.tags or {""})
        elif len(free) < claim.waiting:
            stuck += 1
        elif claim.doubled and len(free) == claim.waiting:
            no_arbiter += 1
    return Coverage(could_take, unseen, tags.most_common(), stuck, no_arbiter)
