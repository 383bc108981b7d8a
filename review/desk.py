"""What the desk shows: a claim with its evidence before the label, the judges' verdicts only after it."""

import datetime
import hashlib
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from django.conf import settings
from django.utils import timezone

from audits.labels import Label
from audits.models import Audit, Claim, Project, Verdict
from review.adjudication import may_reveal, undoable
from review.evidence_marks import as_form
from review.models import Adjudication, ReviewItem, Skip, Slot
from review.passages import Evidence, evidence
from review.queue import Counts
from review.quoted import quoted
from review.scope import Scope
from review.words import next_revision


@dataclass(frozen=True)
class Sheet:
    """One claim as an expert reads it. Nothing in here knows why the claim came up or what a judge said."""

    claim: Claim
    question: str
    answer: str
    claim_span: tuple[tuple[int, int, str, str, str], ...]
    evidence: Sequence[Evidence]
    project: Project


@dataclass(frozen=True)
class Opinion:
    """What one of two experts said, as a third one reads it."""

    label: str
    reason: str


@dataclass(frozen=True)
class Work:
    """The sheet in front of an expert who has to decide, with what the form sends back. opinions: for an arbiter."""

    sheet: Sheet
    slot: Slot
    key: uuid.UUID
    revision: int  # that the label will have
    reason: str  # what this person wrote with a label that was taken back
    marks: Sequence[str]  # and marked as evidence, as the form sends it
    reasons: Sequence[tuple[str, Any]]
    opinions: Sequence[Opinion] = ()

    @property
    def item(self) -> ReviewItem:
        """What the slot is a part of."""
        return self.slot.item


@dataclass(frozen=True)
class Reveal:
    """After the label: what each judge had said. verdicts is empty when the label does not count (extra opinion)."""

    sheet: Sheet
    adjudication: Adjudication
    verdicts: Sequence[Verdict]
    key: uuid.UUID = field(default_factory=uuid.uuid4)  # of a change

    @property
    def item(self) -> ReviewItem:
        """What was labelled."""
        return self.adjudication.item

    @property
    def changeable(self) -> bool:
        """Whether the person may keep or change the label now."""
        return bool(self.verdicts) and self.adjudication.item.plan.audit.status == Audit.Status.REVIEWING

    @property
    def others(self) -> list[str]:
        """The labels that were not given."""
        return [str(label) for label in Label if label != self.adjudication.label]

    @property
    def marks(self) -> Sequence[str]:
        """What was marked as evidence, as a form sends it: a change keeps it."""
        return as_form(self.adjudication)


@dataclass(frozen=True)
class Change:
    """A label that a person gave, in a form to give another one. sent: it holds what arrived too late to be saved."""

    sheet: Sheet
    adjudication: Adjudication
    label: str
    reason: str
    sent: bool = False
    key: uuid.UUID = field(default_factory=uuid.uuid4)

    @property
    def item(self) -> ReviewItem:
        """What was labelled."""
        return self.adjudication.item

    @property
    def labels(self) -> list[str]:
        """All labels."""
        return [str(label) for label in Label]

    @property
    def marks(self) -> Sequence[str]:
        """What was marked as evidence, as a form sends it: a change keeps it."""
        return as_form(self.adjudication)


@dataclass(frozen=True)
class Last:
    """The last label of a person in these projects. undo_ms: how long it can still be taken back, 0 for not."""

    adjudication: Adjudication
    undo_ms: int
    changeable: bool
    verdicts: bool  # the person may see what the judges said of it


@dataclass(frozen=True)
class Pace:
    """A person's own labels in this part of the queue, and how many there will be when nothing is left to do."""

    done: int
    total: int


def sheet_of(claim: Claim, project: Project) -> Sheet:
    """The claim with its answer and contexts."""
    sample = claim.sample
    return Sheet(
        claim=claim,
        question=sample.question,
        answer=sample.answer,
        claim_span=((claim.start, claim.end, "mark-claim", "", "claim-in-answer"),),
        evidence=evidence(claim.text, sample.contexts, quoted(claim)),
        project=project,
    )


def work_on(slot: Slot) -> Work:
    """The claim of a slot that this person holds."""
    sheet = sheet_of(slot.item.claim, slot.item.plan.audit.project)
    given = Adjudication.objects.filter(item=slot.item, reviewer=slot.reviewer).exclude(label="")
    earlier = given.order_by("-revision").first()
    return Work(
        sheet=sheet,
        slot=slot,
        key=uuid.uuid4(),
        revision=next_revision(slot.item, slot.reviewer),
        reason=earlier.reason if earlier else "",
        marks=as_form(earlier),
        reasons=Skip.Reason.choices,
        opinions=opinions_for(slot) if slot.arbitrates else (),
    )


def opinions_for(slot: Slot) -> list[Opinion]:
    """What the experts said between whom this slot arbitrates, in an order that says nothing of who they are.

    Their blind labels, where these differ, else the newest. A reason that was written after a look at the verdicts
    is left out: it could tell the arbiter what a judge said.
    """
    words = Adjudication.objects.filter(item=slot.item, slot__isnull=False, slot__arbitrates=False)
    said = [
        list(rows) for _, rows in groupby(words.order_by("reviewer", "revision"), key=lambda row: row.reviewer_id)
    ]
    newest = [rows[-1] for rows in said if rows[-1].label]
    blind = [[row for row in rows if row.blind and row.label][-1:] for rows in said if rows[-1].label]
    first = [row for rows in blind for row in rows]
    shown = first if len({row.label for row in first}) > 1 else newest
    shown.sort(key=lambda row: hashlib.sha256(f"{slot.code}:{row.reviewer_id}".encode()).digest())
    return [Opinion(row.label, row.reason if row.blind else "") for row in shown]


def change_of(adjudication: Adjudication, label: str = "", reason: str = "", *, sent: bool = False) -> Change:
    """The form for another label; with what was sent in vain, if anything was."""
    sheet = sheet_of(adjudication.item.claim, adjudication.item.plan.audit.project)
    if not sent:
        label, reason = adjudication.label, adjudication.reason
    return Change(sheet, adjudication, label, reason, sent)


def last_label(user: Any, scope: Scope) -> Last | None:
    """The last label that this person gave in these projects; None when there is none."""
    rows = Adjudication.objects.standing().filter(reviewer=user, item__plan__audit__project__in=scope.projects)
    last = rows.select_related("item__plan__audit__project").order_by("-pk").first()
    if last is None:
        return None
    audit, undo = last.item.plan.audit, undoable(user, scope)
    left = datetime.timedelta(seconds=settings.ASSAY_UNDO_SECONDS) - (timezone.now() - last.created)
    return Last(
        adjudication=last,
        undo_ms=max(0, int(left.total_seconds() * 1000)) if undo is not None and undo.pk == last.pk else 0,
        changeable=audit.status == Audit.Status.REVIEWING,
        verdicts=last.slot_id is not None and may_reveal(audit.project),
    )


def just_given(adjudication: Adjudication) -> Last:
    """What last_label says of a label right after it was saved, without asking the database for it again."""
    grace = datetime.timedelta(seconds=settings.ASSAY_UNDO_SECONDS)
    project = adjudication.item.plan.audit.project
    return Last(
        adjudication=adjudication,
        undo_ms=int(grace.total_seconds() * 1000),
        changeable=True,
        verdicts=adjudication.slot_id is not None and may_reveal(project),
    )


def pace_of(user: Any, scope: Scope, now: Counts | None, total: int = 0) -> Pace:
    """How far this person is; now: the queue as it is for the person. Says nothing of anybody else.

    Without `now`, total is what the page said before: counting the queue would keep the person waiting.
    """
    mine = scope.of(Slot.objects.needed()).filter(reviewer=user, state=Slot.State.DONE).count()
    return Pace(mine, max(mine, total) if now is None else mine + now.free + now.mine + now.skipped)


def reveal_after(adjudication: Adjudication) -> Reveal:
    """What the judges said of a claim that this person has labelled; nothing unless the label was one that counts."""
    item = adjudication.item
    verdicts: Sequence[Verdict] = ()
    if adjudication.revealed:
        verdicts = list(Verdict.objects.filter(claim=item.claim).select_related("member"))
    return Reveal(sheet_of(item.claim, item.plan.audit.project), adjudication, verdicts)


@dataclass(frozen=True)
class Empty:
    """No claim in hand: how many wait, or why there is none. runs: projects here whose review the person runs."""

    counts: Counts
    is_expert: bool
    runs: Sequence[Project] = ()
