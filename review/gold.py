"""Claims with known labels, mixed into the experts' list to see how experts work.

A known label measures experts and nothing else: it enters no rate, no agreement, no certificate, and keeps no audit
from being done. Every expert gets a slot of their own on every such claim.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.contrib.auth import get_user_model
from django.db import IntegrityError, models, transaction
from django.db.models import Max, ProtectedError, Q

from audits.labels import Label
from audits.models import Audit, Claim, Event, GivenLabel, Project
from audits.stats.estimate import Estimate, tail
from audits.stats.proportions import clopper_pearson
from audits.text.normalise import compact
from review.independent import first_independent
from review.models import Adjudication, ReviewItem, ReviewPlan, ReviewRules, Slot
from review.places import add_known
from review.spotcheck import stratum_of

CONFIDENCE = 0.95
ENOUGH = 10  # known labels from which on an expert's share itself is held against the bar
TRIES = 5  # of two experts who come at once one has to take the next number


class GoldError(ValueError):
    """The act is not possible; `code` says why.

    add: closed (not under review, or not opened yet), other_audit, not_judged, listed (experts see it already),
    label (there is no such one).
    remove: not_gold, used (somebody holds, labelled, or remarked on it).
    """

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def candidates(audit: Audit, q: str = "") -> models.QuerySet[Claim]:
    """Judged claims that experts do not see, by answers. q: a part of the claim, or of the sample's id."""
    found = Claim.objects.filter(audit=audit, review_item__isnull=True).exclude(decision="")
    if q := q.strip():
        found = found.filter(Q(text__icontains=q) | Q(sample__external_id__icontains=q))
    return found.select_related("sample").defer("sample__contexts", "sample__metadata")


@dataclass(frozen=True)
class Suggestion:
    """A claim that experts do not see, and what a human said of it before its dataset came here."""

    claim: Claim
    label: str
    word: str  # as the file has it


def suggestions(audit: Audit) -> list[Suggestion]:
    """Claims that could be mixed in with the label that the dataset gives them, in the order of the answers.

    The dataset's claim and the audit's are of one sample and agree in letters and digits. Left out are words that
    are none of the three labels ("not supported"), and claims of which the dataset says two things.
    """
    given = GivenLabel.objects.filter(sample__dataset=audit.dataset_id, label__in=list(Label)).exclude(claim="")
    said: dict[tuple[int, str], list[GivenLabel]] = defaultdict(list)
    for row in given.iterator(chunk_size=2000):
        said[row.sample_id, compact(row.claim).text].append(row)
    if not said:
        return []
    found = []
    for claim in candidates(audit).filter(sample__in=given.values("sample")):
        rows = said.get((claim.sample_id, compact(claim.text).text), [])
        if len({row.label for row in rows}) == 1:
            found.append(Suggestion(claim, rows[0].label, rows[0].word))
    return found


def add(audit: Audit, claim: Claim, *, label: str, reason: str, by: Any) -> ReviewItem:
    """Mix a claim in, at a random place among those that are open. Raises GoldError."""
    if label not in set(Label):
        raise GoldError("label")
    if claim.audit_id != audit.pk or claim.recut_of_id is not None:
        raise GoldError("other_audit")
    if not claim.decision:
        raise GoldError("not_judged")
    try:
        with transaction.atomic():
            plan = ReviewPlan.objects.filter(audit=audit, audit__status=Audit.Status.REVIEWING).first()
            if plan is None:
                raise GoldError("closed")
            stratum = stratum_of(claim.decision, claim.vague)
            item = add_known(plan, claim, stratum=stratum, label=str(Label(label)), reason=reason.strip())
            facts = {"item": item.pk, "claim": claim.pk, "label": item.gold_label, "reason": item.gold_reason}
            Event.record("gold_added", project=audit.project, audit=audit, actor=by, rows=[item], **facts)
    except IntegrityError as error:  # a claim has one item
        raise GoldError("listed") from error
    return item


def remove(item: ReviewItem, by: Any) -> bool:
    """Take a claim out again that nobody has labelled; False when it was out already. Raises GoldError."""
    if item.kind != ReviewItem.Kind.GOLD:
        raise GoldError("not_gold")
    audit = item.plan.audit
    try:
        with transaction.atomic():
            slots = list(Slot.objects.select_for_update().filter(item=item.pk))  # a label that comes now is seen
            held = Slot.objects.filter(item=item.pk).held().exists()
            if held or any(slot.state == Slot.State.DONE for slot in slots):
                raise GoldError("used")
            facts: dict[str, Any] = {"item": item.pk, "claim": item.claim_id, "label": item.gold_label}
            if not ReviewItem.objects.filter(pk=item.pk).delete()[0]:
                return False
            Event.record("gold_removed", project=audit.project, audit=audit, actor=by, **facts)
    except ProtectedError as error:  # a withdrawn label, a remark or a proposed cut hangs on it
        raise GoldError("used") from error
    return True


def ensure_for(user: Any, projects: Iterable[Project]) -> None:
    """Give this expert an own slot on every claim with a known label in these projects. One query when all are there.

    Run by several processes at once, it makes every slot once: their numbers are unique within an item.
    """
    lacking = ReviewItem.objects.filter(
        kind=ReviewItem.Kind.GOLD, plan__audit__project__in=list(projects), plan__audit__status=Audit.Status.REVIEWING
    ).exclude(slots__in=Slot.objects.filter(reserved_for=user))
    numbered = lacking.order_by("plan", "order").annotate(last=Max("slots__number")).values_list("pk", "last")
    for attempt in range(TRIES):
        slots = [Slot(item_id=pk, number=(last or 0) + 1, reserved_for=user) for pk, last in numbered.all()]
        if not slots:
            return
        try:
            with transaction.atomic():
                Slot.objects.bulk_create(slots, batch_size=500)
            return
        except IntegrityError:
            if attempt == TRIES - 1:
                raise


@dataclass(frozen=True)
class GoldResult:
    """How one expert met the known labels of a project.

    n: known labels met by an independent label of the expert. share: agreed / n with exact 95 % limits.
    below_bar: the manager should have a look; nothing is blocked.
    """

    expert: Any
    n: int
    agreed: int
    share: Estimate
    below_bar: bool


def results(project: Project) -> list[GoldResult]:
    """One row per expert who met a known label, by name. First independent labels only (review.independent).

    An expert is below the bar (ReviewRules.gold_bar, percent) with at least ENOUGH known labels when the share is
    below it; with fewer, only when the upper limit is, since a few slips say little.
    """
    bar = (ReviewRules.objects.filter(project=project).first() or ReviewRules()).gold_bar
    words = Adjudication.objects.filter(item__plan__audit__project=project, item__kind=ReviewItem.Kind.GOLD)
    words = words.select_related("item").order_by("reviewer", "item", "revision")
    met: dict[int, list[bool]] = defaultdict(list)
    for (reviewer, _), rows in groupby(words, key=lambda row: (row.reviewer_id, row.item_id)):
        if first := first_independent(rows):
            met[reviewer].append(first.label == first.item.gold_label)
    people = get_user_model().objects.in_bulk(met)
    found = [_result(people[pk], sum(hits), len(hits), bar) for pk, hits in met.items()]
    return sorted(found, key=lambda one: one.expert.get_full_name() or one.expert.get_username())


def _result(expert: Any, agreed: int, n: int, bar: int) -> GoldResult:
    """bar: percent."""
    low, high = clopper_pearson(agreed, n, tail(CONFIDENCE))
    below = agreed * 100 < bar * n if n >= ENOUGH else high * 100 < bar
    return GoldResult(expert, n, agreed, Estimate(agreed / n, low, high, n, CONFIDENCE), below)
