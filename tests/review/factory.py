"""Small audits made by hand, so that a test says exactly which claims there are."""

import datetime
from collections.abc import Sequence
from typing import Any

from django.utils import timezone

from audits.decision import Voice, decide
from audits.labels import Label
from audits.models import Audit, Claim, Dataset, Extraction, Judge, PanelMember, Project, Sample, Verdict
from review.models import Slot

S, C, U = "SUPPORTED", "CONTRADICTED", "UNVERIFIED"
CONTEXT = "The bank opened in 1994. It has 12 branches in Lyon. Fees are waived for students."


def make_audit(
    project: Project,
    pairs: Sequence[tuple[str, str]],
    *,
    vague: Sequence[int] = (),
    per_answer: int = 1,
    spot_check: int = 10,
    status: str = Audit.Status.REVIEWING,
    vendors: tuple[str, str] = ("openai", "anthropic"),
    **fields: Any,
) -> Audit:
    """An audit with one claim per pair of labels (judge A, judge B); "" is unscored. Claims lie `per_answer` to an
    answer; `vague` holds the numbers of vague ones."""
    dataset = Dataset.objects.create(
        project=project,
        name="Answers",
        filename="a.csv",
        stored_as=f"d{Dataset.objects.count()}",
        sha256="ab" * 32,
        size=1,
        status=Dataset.Status.READY,
        generator="loanbot-7b",
    )
    audit = Audit.objects.create(
        project=project,
        dataset=dataset,
        name="First audit",
        status=status,
        spot_check_size=spot_check,
        seed=7,
        judged_at=timezone.now(),
        **fields,
    )
    members = [_member(audit, vendor, position) for position, vendor in enumerate(vendors)]
    for number, labels in enumerate(pairs):
        _claim(audit, members, number, labels, number in vague, per_answer)
    return audit


def _member(audit: Audit, vendor: str, position: int) -> PanelMember:
    judge, _ = Judge.objects.get_or_create(project=audit.project, vendor=vendor, model=f"{vendor}-model-x")
    return PanelMember.objects.create(
        audit=audit,
        judge=judge,
        role=PanelMember.Role.JUDGE,
        position=position,
        vendor=vendor,
        model=f"{vendor}-model-x",
        family=vendor,
    )


def _claim(
    audit: Audit, members: list[PanelMember], number: int, labels: tuple[str, str], vague: bool, per_answer: int
) -> None:
    sentence = f"Branch {number} opened in {1950 + number}."
    sample, _new = Sample.objects.get_or_create(
        dataset=audit.dataset,
        position=number // per_answer,
        defaults={
            "line": number // per_answer + 2,
            "external_id": f"q{number // per_answer}",
            "question": "When did the branch open?",
            "answer": "".join(f"Branch {n} opened in {1950 + n}." for n in range(number, number + per_answer)),
            "contexts": [CONTEXT, f"Branch {number} is in Lyon."],
        },
    )
    extraction, _ = Extraction.objects.get_or_create(
        audit=audit, sample=sample, defaults={"status": Extraction.Status.DONE}
    )
    start = sample.answer.index(sentence)
    decision = decide([Voice(Label(label) if label else None, True) for label in labels])
    claim = Claim.objects.create(
        audit=audit,
        extraction=extraction,
        sample=sample,
        position=number % per_answer,
        sentence=1,
        text=sentence,
        start=start,
        end=start + len(sentence),
        vague=vague,
        decision=decision,
    )
    for member, label in zip(members, labels, strict=True):
        Verdict.objects.create(
            claim=claim,
            member=member,
            label=label,
            unscored="" if label else "unparseable",
            grounded=bool(label),
            rationale=f"RATIONALE of seat {member.letter}",
            quotes=[{"context": 0, "text": "in 1994", "start": 16}],
        )


def expire(slot: Slot) -> None:
    """Let the lease of the slot run out."""
    Slot.objects.filter(pk=slot.pk).update(lease_until=timezone.now() - datetime.timedelta(seconds=1))


MIXED = [(S, S)] * 30 + [(C, C)] * 6 + [(U, U)] * 14 + [(S, C)] * 5
"""Thirty agreed supported, six contradicted, fourteen unverified, five disputed: 55 claims."""
