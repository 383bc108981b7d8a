"""Small audits made by hand, so that a test says exactly which claims there are."""

import datetime
import uuid
from collections.abc import Callable, Sequence
from typing import Any

from django.db import OperationalError
from django.utils import timezone

from audits.decision import Voice, decide
from audits.labels import Label
from audits.models import Audit, Claim, Dataset, Extraction, Judge, PanelMember, Project, Sample, Verdict
from review.models import Adjudication, Revelation, ReviewItem, Slot
from review.spotcheck import open_review

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
    claims = [_claim(audit, number, labels, number in vague, per_answer) for number, labels in enumerate(pairs)]
    Claim.objects.bulk_create(claims)
    verdicts = [
        _verdict(claim, member, label)
        for claim, labels in zip(claims, pairs, strict=True)
        for member, label in zip(members, labels, strict=True)
    ]
    Verdict.objects.bulk_create(verdicts)
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


def _claim(audit: Audit, number: int, labels: tuple[str, str], vague: bool, per_answer: int) -> Claim:
    sentence = f"Branch {number} opened in {1950 + number}."
    answer = number // per_answer
    sample, _new = Sample.objects.get_or_create(
        dataset=audit.dataset,
        position=answer,
        defaults={
            "line": answer + 2,
            "external_id": f"q{answer}",
            "question": "When did the branch open?",
            "answer": "".join(
                f"Branch {n} opened in {1950 + n}." for n in range(answer * per_answer, (answer + 1) * per_answer)
            ),
            "contexts": [CONTEXT, f"Branch {number} is in Lyon."],
        },
    )
    extraction, _new = Extraction.objects.get_or_create(
        audit=audit, sample=sample, defaults={"status": Extraction.Status.DONE}
    )
    start = sample.answer.index(sentence)
    return Claim(
        audit=audit,
        extraction=extraction,
        sample=sample,
        position=number % per_answer,
        sentence=1,
        text=sentence,
        start=start,
        end=start + len(sentence),
        vague=vague,
        decision=decide([Voice(Label(label) if label else None, True) for label in labels]),
    )


def _verdict(claim: Claim, member: PanelMember, label: str) -> Verdict:
    return Verdict(
        claim=claim,
        member=member,
        label=label,
        unscored="" if label else "unparseable",
        grounded=bool(label),
        rationale=f"RATIONALE of seat {member.letter}",
        quotes=[{"context": 0, "text": "opened in 1994", "start": 9, "end": 23}] if label else [],
    )


def settle_all(audit: Audit, expert: Any, label: str = "", leave: int = 0) -> None:
    """Give every item a blind label (judge A's where none is named); leave the last few open, disputes first."""
    open_review(audit)
    slots = list(Slot.objects.filter(item__plan__audit=audit).select_related("item"))
    slots.sort(key=lambda slot: slot.item.kind == ReviewItem.Kind.DISPUTE)  # which are left hangs on no draw
    slots = slots[: len(slots) - leave]
    said = dict(Verdict.objects.filter(claim__audit=audit, member__position=0).values_list("claim", "label"))
    rows = Adjudication.objects.bulk_create(
        Adjudication(
            item=slot.item,
            slot=slot,
            reviewer=expert,
            label=label or said[slot.item.claim_id] or U,
            idempotency_key=uuid.uuid4(),
        )
        for slot in slots
    )
    Revelation.objects.bulk_create(Revelation(adjudication=row) for row in rows)
    Slot.objects.filter(pk__in=[slot.pk for slot in slots]).update(state="done", reviewer=expert)


def expire(slot: Slot) -> None:
    """Let the lease of the slot run out."""
    Slot.objects.filter(pk=slot.pk).update(lease_until=timezone.now() - datetime.timedelta(seconds=1))


def patiently(act: Callable[[], Any]) -> Any:
    """Do it again while a table is locked: SQLite in memory, as in tests, has no busy timeout."""
    while True:
        try:
            return act()
        except OperationalError as error:
            if "locked" not in str(error):
                raise


MIXED = [(S, S)] * 30 + [(C, C)] * 6 + [(U, U)] * 14 + [(S, C)] * 5
"""Thirty agreed supported, six contradicted, fourteen unverified, five disputed: 55 claims."""
