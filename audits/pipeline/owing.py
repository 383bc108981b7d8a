"""What is owed: taking work from the database, and turning it into questions for a judge."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from audits.judges.base import ClaimText, JudgeSpec, Purpose, Sentence, Task, context_order
from audits.models import Audit, Claim, Extraction, Judging, PanelMember, Sample
from audits.text.sentences import split_sentences


@dataclass(frozen=True)
class Question:
    """One call that is owed, with what is needed to store its answer.

    Extraction: row is the Extraction, claims is empty. Verification: row is the Judging, and `claims` holds the
    database ids of the claims asked, in the order of their numbers (1, 2 …) in the task.
    """

    member: PanelMember
    row: Extraction | Judging
    task: Task
    claims: tuple[int, ...] = ()
    order: tuple[int, ...] = ()  # i-th shown context is the sample's contexts[order[i]]


def spec_of(member: PanelMember) -> JudgeSpec:
    """How to build this member's judge; the key comes from the judge, everything else was frozen at the start."""
    return JudgeSpec(
        vendor=member.vendor,
        model=member.model,
        api_key=member.judge.api_key,
        base_url=member.base_url,
        params=member.judge.params,
        timeout=float(settings.ASSAY_CALL_TIMEOUT),
    )


def take(audit: Audit, member: PanelMember, limit: int, token: uuid.UUID) -> list[Question]:
    """Lease up to `limit` samples on which this member owes something, under `token`; the calls they need."""
    if member.role == PanelMember.Role.EXTRACTOR:
        owed = Extraction.objects.filter(audit=audit)
        taken = owed.take(limit, settings.ASSAY_LEASE_SECONDS, token=token, status=Extraction.Status.PENDING)
        samples = Sample.objects.in_bulk([row.sample_id for row in taken])
        return [_extraction(member, row, samples[row.sample_id]) for row in taken]
    owed = Judging.objects.filter(audit=audit, member=member)
    taken = owed.take(limit, settings.ASSAY_LEASE_SECONDS, token=token, status=Judging.Status.OWED)
    return _verifications(audit, member, taken)


def _extraction(member: PanelMember, row: Extraction, sample: Sample) -> Question:
    task = Task(
        purpose=Purpose.EXTRACT,
        language=sample.language,
        question=sample.question,
        answer=sample.answer,
        sentences=tuple(split_sentences(sample.answer)),
    )
    return Question(member, row, task)


def _verifications(audit: Audit, member: PanelMember, rows: Sequence[Judging]) -> list[Question]:
    extractions = Extraction.objects.select_related("sample").in_bulk([row.extraction_id for row in rows])
    claims: dict[int, list[Claim]] = {row.extraction_id: [] for row in rows}
    unjudged = Claim.objects.filter(extraction__in=claims).exclude(verdicts__member=member)
    for claim in unjudged.order_by("extraction", "position"):
        claims[claim.extraction_id].append(claim)
    questions = []
    for row in rows:
        sample = extractions[row.extraction_id].sample
        owed = claims[row.extraction_id]
        for at in range(0, len(owed), audit.claims_per_call):
            group = owed[at : at + audit.claims_per_call]
            questions.append(_verification(member, row, sample, group))
    return questions


def _verification(member: PanelMember, row: Judging, sample: Sample, claims: Sequence[Claim]) -> Question:
    task = Task(
        purpose=Purpose.VERIFY,
        language=sample.language,
        question=sample.question,
        contexts=tuple(sample.contexts[index] for index in row.context_order),
        claims=tuple(ClaimText(number, claim.text) for number, claim in enumerate(claims, start=1)),
    )
    return Question(member, row, task, tuple(claim.pk for claim in claims), tuple(row.context_order))


def order_for(audit: Audit, member: PanelMember, sample: Sample) -> list[int]:
    """The order in which this judge sees this sample's contexts, from the audit's recorded seed."""
    seed = audit.seed ^ (member.position + 1) * 0x9E3779B97F4A7C15 ^ (sample.position + 1) * 0xC2B2AE3D27D4EB4F
    return list(context_order(seed, len(sample.contexts)))


def sentence_spans(sentences: Sequence[Sentence]) -> list[list[int]]:
    """[start, end] of each numbered sentence, as stored on an extraction."""
    return [[sentence.start, sentence.end] for sentence in sentences]


def anything_owed(audit: Audit) -> bool:
    """Whether a call is still owed, leased or not."""
    return (
        audit.extractions.filter(status=Extraction.Status.PENDING).exists()
        or audit.judgings.filter(status=Judging.Status.OWED).exists()
    )


def _open_work(audit: Audit) -> tuple[Any, Any]:
    """Extractions and judgings that are owed by members that are not stopped."""
    working = list(audit.members.filter(stopped_fault=""))
    judges = [member for member in working if member.role == PanelMember.Role.JUDGE]
    pending = Extraction.objects.filter(audit=audit, status=Extraction.Status.PENDING)
    if len(working) == len(judges):  # the extractor is stopped
        pending = pending.none()
    return pending, Judging.objects.filter(audit=audit, status=Judging.Status.OWED, member__in=judges)


def anything_possible(audit: Audit) -> bool:
    """Whether something is owed by a member that is not stopped, leased or not."""
    return any(rows.exists() for rows in _open_work(audit))


def anything_free(audit: Audit) -> bool:
    """Whether a worker could take something now: owed, not leased, its member not stopped."""
    return any(rows.free().exists() for rows in _open_work(audit))
