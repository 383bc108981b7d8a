"""What every expert of a project has labelled and could label, for those who plan the review."""

import datetime
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth import get_user_model
from django.utils import timezone

from audits.models import Audit, Membership, Project, Role, Sample
from review.assigning import Coverage, OpenClaim, coverage, tags_by_expert
from review.models import Adjudication, Assignment, Slot
from review.progress.work import WEEK, audits_under_review, owed_slots
from review.throughput import Pace, pace


@dataclass(frozen=True)
class Person:
    """One who labels, or did. expert: has the role now. tags: what the person looks at; none: everything."""

    user: Any
    expert: bool
    week: int
    pace: Pace
    tags: Sequence[str]
    could_take: int


@dataclass(frozen=True)
class People:
    """Everybody who labels or did, experts first; whether they can settle what is open; open: claims that wait."""

    rows: Sequence[Person]
    coverage: Coverage
    open: int


def people(project: Project) -> People:
    """All experts, and who labelled a claim of an audit under review. The same few queries, whatever the size."""
    audits = audits_under_review(project)
    members = Membership.objects.filter(project=project, role=Role.EXPERT)
    experts = set(members.values_list("user", flat=True))
    assigned = tags_by_expert(project)
    claims = _open_claims(audits)
    covered = coverage(claims, experts, assigned)
    times, week = _labels(audits)
    users = get_user_model().objects.filter(pk__in=experts | set(times)).order_by("username")
    rows = [
        Person(
            user=user,
            expert=user.pk in experts,
            week=week[user.pk],
            pace=pace(times[user.pk]),
            tags=sorted(assigned.get(user.pk, ())),
            could_take=covered.could_take.get(user.pk, 0),
        )
        for user in users
    ]
    return People(sorted(rows, key=lambda row: not row.expert), covered, len(claims))


def tags_of(project: Project) -> list[tuple[str, int]]:
    """The tags of the samples that are audited in the project, with how many samples, by name.

    Includes those that experts were given and no sample has any more, with 0. Longer ones than can be stored for an
    expert are left out.
    """
    longest = Assignment._meta.get_field("tag").max_length or 0
    counted: dict[str, int] = defaultdict(int)
    datasets = project.audits.filter(status=Audit.Status.REVIEWING, calibration=False).values("dataset")
    for tags in (
        Sample.objects.filter(dataset__in=datasets).exclude(tags=[]).values_list("tags", flat=True).iterator()
    ):
        for tag in set(tags):
            counted[tag] += 1
    for tags in tags_by_expert(project).values():
        for tag in tags:
            counted[tag] += 0
    return sorted((tag, n) for tag, n in counted.items() if len(tag) <= longest)


def _labels(audits: Iterable[Audit]) -> tuple[dict[int, list[int | None]], dict[int, int]]:
    """Per person the active times of all labels that count, and how many were given in the last seven days."""
    first = timezone.localdate() - datetime.timedelta(days=WEEK - 1)
    times: dict[int, list[int | None]] = defaultdict(list)
    week: dict[int, int] = defaultdict(int)
    rows = Adjudication.objects.counting().filter(item__plan__audit__in=audits).order_by()
    for reviewer, active_ms, created in rows.values_list("reviewer", "active_ms", "created").iterator():
        times[reviewer].append(active_ms)
        week[reviewer] += timezone.localdate(created) >= first
    return times, week


def _open_claims(audits: Iterable[Audit]) -> list[OpenClaim]:
    """Every claim with a label missing. Two queries, of ids and tags: no text of a sample is read."""
    waiting = owed_slots(audits).filter(state=Slot.State.WAITING).order_by()
    slots: dict[int, list[bool]] = defaultdict(list)
    tags: dict[int, frozenset[str]] = {}
    needed: dict[int, int] = {}
    columns = ("item", "arbitrates", "item__needed", "item__claim__sample__tags")
    for item, arbitrates, wanted, named in waiting.values_list(*columns).iterator():
        slots[item].append(arbitrates)
        tags[item], needed[item] = frozenset(named), wanted
    spoken: dict[int, set[int]] = defaultdict(set)
    words = Adjudication.objects.standing().filter(item__in=waiting.values("item")).order_by()
    for item, reviewer in words.values_list("item", "reviewer"):
        spoken[item].add(reviewer)
    return [
        OpenClaim(
            tags=tags[item],
            waiting=len(arbitrate),
            doubled=needed[item] > 1 and not any(arbitrate),
            spoken=frozenset(spoken[item]),
        )
        for item, arbitrate in slots.items()
    ]
