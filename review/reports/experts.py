"""How each expert of a project works: labels, time, agreement with colleagues and with known labels."""

import datetime
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import median
from typing import Any

from django.contrib.auth import get_user_model

from audits.models import Membership, Project, Role
from audits.stats.clustered import clustered_share
from audits.stats.drift import Drift, drift
from audits.stats.estimate import Estimate
from review.agreement.asides import second_thought
from review.agreement.settled import Doubled, doubled, usable
from review.gold import GoldResult, results
from review.independent import independent_labels
from review.models import Adjudication, ReviewItem, ReviewPlan, Skip
from review.throughput import Pace, pace

CONFIDENCE = 0.95
Shared = tuple[datetime.datetime, bool, object]  # when the label was given, same as the colleague's, sample


@dataclass(frozen=True)
class ExpertReport:
    """One person.

    pace: over labels that stand and count. active: seconds of everything the person did to decide, idle time removed,
    None when nothing was measured. keys: median per label, None when not measured. peers: same label as a colleague,
    over pairs on claims for two experts. gold: None when the person met no known label. changed: labels that differ
    now from those given before the judges' verdicts were seen. drift: of peers.
    """

    expert: Any
    member: bool
    pace: Pace
    active: float | None
    keys: float | None
    peers: Estimate
    gold: GoldResult | None
    changed: int
    skips: int
    drift: Drift[datetime.datetime]

    @property
    def name(self) -> str:
        """As the person is called."""
        return str(self.expert.get_full_name() or self.expert.get_username())


@dataclass(frozen=True)
class _Work:
    """What one person's words add up to. times, presses: of the labels that count; spent: of all words."""

    times: Sequence[int | None]
    presses: Sequence[int]
    spent: Sequence[int]
    changed: int


def expert_reports(project: Project) -> list[ExpertReport]:
    """Everybody who is an expert of the project or labelled in it, by name."""
    members = set(Membership.objects.filter(project=project, role=Role.EXPERT).values_list("user", flat=True))
    work = _work(project)
    shared = _shared_labels(project)
    gold = {one.expert.pk: one for one in results(project)}
    skipped = Skip.objects.filter(item__plan__audit__project=project).order_by()
    skips = Counter(skipped.values_list("reviewer", flat=True))
    users = get_user_model().objects.in_bulk(members | set(work) | set(skips))
    rows = [
        _report(user, user.pk in members, work.get(user.pk), shared[user.pk], gold.get(user.pk), skips[user.pk])
        for user in users.values()
    ]
    return sorted(rows, key=lambda row: row.name)


def _report(
    user: Any, member: bool, work: _Work | None, shared: Iterable[Shared], gold: GoldResult | None, skips: int
) -> ExpertReport:
    done = work or _Work((), (), (), 0)
    rows = sorted(shared, key=lambda row: row[0])
    return ExpertReport(
        expert=user,
        member=member,
        pace=pace(done.times),
        active=sum(done.spent) / 1000 if done.spent else None,
        keys=median(done.presses) if done.presses else None,
        peers=agreement_with_peers(rows),
        gold=gold,
        changed=done.changed,
        skips=skips,
        drift=drift(rows, CONFIDENCE),
    )


def agreement_with_peers(rows: Sequence[Shared]) -> Estimate:
    """The share of pairs with the same label; exact limits at the size that pairs on one answer are worth."""
    same, samples = [float(same) for _, same, _ in rows], [sample for _, _, sample in rows]
    return clustered_share(same, samples, CONFIDENCE, empty="no_shared_items")


def _work(project: Project) -> dict[int, _Work]:
    """By person. One query over the words of the project."""
    words = Adjudication.objects.filter(item__plan__audit__project=project).order_by("reviewer", "item", "revision")
    columns = ("reviewer", "item", "label", "blind", "active_ms", "keys", "slot", "item__kind")
    rows = words.values_list(*columns).iterator(chunk_size=5000)
    found = {}
    for reviewer, of_person in groupby(rows, key=lambda row: row[0]):
        times, presses, spent, changed = [], [], [], 0
        for _item, of_item in groupby(of_person, key=lambda row: row[1]):
            said = list(of_item)
            spent += [active for *_, active, _keys, _slot, _kind in said if active is not None]
            *_, label, _blind, active, keys, slot, kind = said[-1]
            if not label or slot is None or kind == ReviewItem.Kind.GOLD:
                continue
            times.append(active)
            presses += [keys] if keys is not None else []
            changed += second_thought([(row[2], row[3]) for row in said]) == "changed"
        found[reviewer] = _Work(times, presses, spent, changed)
    return found


def _shared_labels(project: Project) -> dict[int, list[Shared]]:
    """By person: every pair of the person's label and a colleague's on a claim for two experts. A query per audit."""
    found: dict[int, list[Shared]] = defaultdict(list)
    for plan in ReviewPlan.objects.filter(audit__project=project, doubles__gt=0).select_related("audit"):
        for one in doubled(usable(independent_labels(plan.audit))):
            _pair(one, found)
    return found


def _pair(one: Doubled, found: dict[int, list[Shared]]) -> None:
    own = list(zip(one.reviewers, one.labels, one.times, strict=True))
    for reviewer, label, at in own:
        for other, said, _ in own:
            if other != reviewer:
                found[reviewer].append((at, label == said, one.sample))
