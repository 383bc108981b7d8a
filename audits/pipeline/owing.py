"""What is owed: taking work from the database, and turning it into questions for a judge."""

import hashlib
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.db.models import F, Q, QuerySet

from audits.judges import base_url_of
from audits.judges.base import (
    ClaimText,
    Extracted,
    Judgement,
    JudgeSpec,
    Purpose,
    Sentence,
    Steps,
    Task,
    context_order,
)
from audits.judges.extracting import extracting
from audits.judges.verifying import room_in, verifying
from audits.limits import Limits
from audits.models import Audit, Batch, Claim, Extraction, Judging, PanelMember, Probe, Sample, compiled
from audits.prices import has_batches
from audits.text.sentences import split_sentences


@dataclass(frozen=True)
class Question:
    """Something that is owed by one member, with what is needed to store its answer.

    Extraction: row is the Extraction, claims is empty. Verification: row is the Judging, or the Probe of one claim,
    and `claims` holds the database ids of the claims asked, in the order of their numbers (1, 2 …) in the task.
    """

    member: PanelMember
    row: Extraction | Judging | Probe
    sample: Sample
    task: Task
    claims: tuple[int, ...] = ()
    order: tuple[int, ...] = ()  # i-th shown context is the sample's contexts[order[i]]
    replicate: int = 0  # 0: what counts; 1, 2 …: a probe, by its kind
    left: set[int] = field(default_factory=set, compare=False, repr=False)
    """Claims of the row without a stored verdict: one set for all questions that were made of the row together."""

    def steps(self) -> Steps[Any]:
        """The calls it takes: ends with Extracted, or with one Judgement per claim."""
        if self.task.purpose is Purpose.EXTRACT:
            found: Steps[Extracted] = extracting(self.task)
            return found
        judged: Steps[list[Judgement]] = verifying(self.task, self.order, room_in(self.member.context_tokens))
        return judged


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


def judge_key(spec: JudgeSpec) -> str:
    """What one limit of a vendor holds for: a model at an address under a key. A hash, so that it tells no key."""
    parts = (spec.vendor, base_url_of(spec), spec.model, spec.api_key)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def limits_of(member: PanelMember) -> Limits:
    """How hard this member's judge may be worked: as the judge says now, since that touches no number."""
    judge = member.judge
    return Limits(judge.concurrency, judge.rpm, judge.tpm)


def goes_by_batch(audit: Audit, member: PanelMember) -> bool:
    """Whether this member is asked through its vendor's batches, but for what those did not answer and for probes."""
    return audit.batch and not member.without_batches and has_batches(member.vendor)


def take(
    audit: Audit, member: PanelMember, limit: int, token: uuid.UUID, *, for_batch: bool = False
) -> list[Question]:
    """Lease up to `limit` samples on which this member owes something, under `token`; what is to be asked.

    A probe counts as a sample, and is taken only when no sample is left. for_batch: what is to go into a batch;
    without it, what is to be asked directly.
    """
    seconds, extracts = settings.ASSAY_LEASE_SECONDS, member.role == PanelMember.Role.EXTRACTOR
    still: dict[str, Any] = {"status": Extraction.Status.PENDING if extracts else Judging.Status.OWED}
    if goes_by_batch(audit, member):
        still["direct"] = not for_batch
    elif for_batch:
        return []
    still |= {"audit_id": audit.pk, "batch_id": None}
    if extracts:
        return extraction_questions(member, Extraction.objects.all().take_owed(limit, seconds, token, **still))
    taken = Judging.objects.all().take_owed(limit, seconds, token, member_id=member.pk, **still)
    if taken or for_batch or not audit.has_probes:
        questions = verification_questions(audit, member, taken)
        _close_judged(taken, questions)
        return questions
    probes = Probe.objects.filter(audit=audit, member=member)
    return _probes(member, probes.take(limit, seconds, token=token, status=Probe.Status.OWED))


def _close_judged(rows: Sequence[Judging], questions: Sequence[Question]) -> None:
    """Close rows of which every claim has its verdict: two workers gave them together, and neither knew of all."""
    asked = {question.row.pk for question in questions}
    judged = [row.pk for row in rows if row.pk not in asked]
    if judged:
        Judging.objects.filter(pk__in=judged).update(status=Judging.Status.DONE, lease=None, leased_until=None)


def extraction_questions(member: PanelMember, rows: Sequence[Extraction]) -> list[Question]:
    """What the extractor is asked about these rows."""
    if not rows:
        return []
    samples = _samples_of([row.pk for row in rows])
    return [_extraction(member, row, samples[row.pk]) for row in rows]


def _samples_of(extractions: list[int]) -> dict[int, Sample]:
    """Extraction -> its sample."""
    number = compiled.roomy(len(extractions))

    def rows() -> "QuerySet[Sample]":
        found = Sample.objects.filter(extractions__pk__in=compiled.slots("extractions", number))
        return found.annotate(extraction=F("extractions__pk")).order_by()

    found = compiled.select(("samples of extractions", number), rows, extractions=extractions)
    return {sample.extraction: sample for sample in found}


def _unjudged(extractions: list[int], member: PanelMember) -> list[tuple[int, int, str]]:
    """(extraction, claim, its text) of the claims that this member has not judged, in their order."""
    number = compiled.roomy(len(extractions))

    def rows() -> "QuerySet[Claim, Any]":
        found = Claim.objects.filter(extraction__pk__in=compiled.slots("extractions", number))
        found = found.exclude(verdicts__member=compiled.Slot("member"))
        return found.order_by("position").values_list("extraction_id", "pk", "text")

    key = ("unjudged claims", number)
    return compiled.select(key, rows, extractions=extractions, member=member.pk)


def _extraction(member: PanelMember, row: Extraction, sample: Sample) -> Question:
    task = Task(
        purpose=Purpose.EXTRACT,
        language=sample.language,
        question=sample.question,
        answer=sample.answer,
        sentences=tuple(split_sentences(sample.answer)),
    )
    return Question(member, row, sample, task)


def verification_questions(audit: Audit, member: PanelMember, rows: Sequence[Judging]) -> list[Question]:
    """What a judge is asked about the claims of these rows that it has not judged, so many of them in each call."""
    if not rows:
        return []
    claims: dict[int, list[tuple[int, str]]] = {row.extraction_id: [] for row in rows}
    samples = _samples_of(list(claims))
    for extraction, pk, text in _unjudged(list(claims), member):
        claims[extraction].append((pk, text))
    questions = []
    for row in rows:
        owed = claims[row.extraction_id]
        left = {pk for pk, _ in owed}
        for at in range(0, len(owed), audit.claims_per_call):
            group = owed[at : at + audit.claims_per_call]
            questions.append(_verification(member, row, samples[row.extraction_id], group, left=left))
    return questions


def _verification(
    member: PanelMember,
    row: Judging | Probe,
    sample: Sample,
    claims: Sequence[tuple[int, str]],
    replicate: int = 0,
    left: set[int] | None = None,
) -> Question:
    """claims: (id, text) of those asked."""
    task = Task(
        purpose=Purpose.VERIFY,
        language=sample.language,
        question=sample.question,
        contexts=tuple(sample.contexts[index] for index in row.context_order),
        claims=tuple(ClaimText(number, text) for number, (_, text) in enumerate(claims, start=1)),
    )
    ids = tuple(pk for pk, _ in claims)
    return Question(member, row, sample, task, ids, tuple(row.context_order), replicate, left or set())


def _probes(member: PanelMember, rows: Sequence[Probe]) -> list[Question]:
    claims = Claim.objects.select_related("sample").in_bulk([row.claim_id for row in rows])
    again = {Probe.Kind.REPEAT: 1, Probe.Kind.REORDER: 2, Probe.Kind.SPECIFIC: 3, Probe.Kind.VAGUE: 4}
    questions = []
    for row in rows:
        claim = claims[row.claim_id]
        asked = [(claim.pk, row.text or claim.text)]
        questions.append(_verification(member, row, claim.sample, asked, again[Probe.Kind(row.kind)]))
    return questions


def order_for(audit: Audit, member: PanelMember, sample: Sample) -> list[int]:
    """The order in which this judge sees this sample's contexts, from the recorded seed."""
    recorded = audit.seed if audit.order_seed is None else audit.order_seed
    seed = recorded ^ (member.position + 1) * 0x9E3779B97F4A7C15 ^ (sample.position + 1) * 0xC2B2AE3D27D4EB4F
    return list(context_order(seed, len(sample.contexts)))


def sentence_spans(sentences: Sequence[Sentence]) -> list[list[int]]:
    """[start, end] of each numbered sentence, as stored on an extraction."""
    return [[sentence.start, sentence.end] for sentence in sentences]


def anything_owed(audit: Audit) -> bool:
    """Whether a call is still owed, leased or not, or a vendor still has a batch of this audit."""
    return (
        audit.batches.filter(status__in=Batch.OPEN).exists()
        or audit.extractions.filter(status=Extraction.Status.PENDING).exists()
        or audit.judgings.filter(status=Judging.Status.OWED).exists()
        or audit.probes.filter(status=Probe.Status.OWED).exists()
    )


def open_work(audit: Audit) -> tuple[Any, ...]:
    """Extractions, judgings and probes that are owed by members that are not stopped."""
    working = list(audit.members.filter(stopped_fault=""))
    judges = [member for member in working if member.role == PanelMember.Role.JUDGE]
    pending = Extraction.objects.filter(audit=audit, status=Extraction.Status.PENDING)
    if len(working) == len(judges):  # the extractor is stopped
        pending = pending.none()
    return (
        pending,
        Judging.objects.filter(audit=audit, status=Judging.Status.OWED, member__in=judges),
        Probe.objects.filter(audit=audit, status=Probe.Status.OWED, member__in=judges),
    )


def anything_possible(audit: Audit) -> bool:
    """Whether something is owed by a member that is not stopped, leased or not."""
    return any(rows.exists() for rows in open_work(audit))


def anything_free(audit: Audit) -> bool:
    """Whether a worker could ask something now: owed, not leased, its member not stopped, not to go by a batch."""
    pending, judgings, probes = open_work(audit)
    by_batch = [member for member in audit.members.all() if goes_by_batch(audit, member)] if audit.batch else []
    if any(member.role == PanelMember.Role.EXTRACTOR for member in by_batch):
        pending = pending.filter(direct=True)
    judgings = judgings.filter(Q(direct=True) | ~Q(member__in=by_batch))
    return any(rows.free().exists() for rows in (pending.filter(batch=None), judgings.filter(batch=None), probes))
