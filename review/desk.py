"""What the desk shows: a claim with its evidence before the label, the judges' verdicts only after it."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from audits.models import Claim, Project, Verdict
from review.evidence_marks import as_form
from review.models import Adjudication, Skip, Slot
from review.passages import Evidence, evidence
from review.queue import Counts
from review.quoted import quoted


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
class Work:
    """The sheet in front of an expert who has to decide, with what the form sends back."""

    sheet: Sheet
    slot: Slot
    key: uuid.UUID
    reason: str  # what this person wrote with a label that was taken back
    marks: Sequence[str]  # and marked as evidence, as the form sends it
    reasons: Sequence[tuple[str, Any]]


@dataclass(frozen=True)
class Reveal:
    """After the label: what each judge had said. verdicts is empty when the label does not count (extra opinion)."""

    sheet: Sheet
    adjudication: Adjudication
    verdicts: Sequence[Verdict]


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
    return Work(sheet, slot, uuid.uuid4(), earlier.reason if earlier else "", as_form(earlier), Skip.Reason.choices)


def reveal_after(adjudication: Adjudication) -> Reveal:
    """What the judges said of a claim that this person has labelled; nothing unless the label was one that counts."""
    item = adjudication.item
    verdicts: Sequence[Verdict] = ()
    if adjudication.revealed:
        verdicts = list(Verdict.objects.filter(claim=item.claim).select_related("member"))
    return Reveal(sheet_of(item.claim, item.plan.audit.project), adjudication, verdicts)


@dataclass(frozen=True)
class Empty:
    """No claim in hand: how many wait, or why there is none."""

    counts: Counts
    is_expert: bool
