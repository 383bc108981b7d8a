"""Storing what came back: claims, verdicts, decisions. Each is written once; a second run changes nothing."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict

from django.db import transaction

from audits.decision import Voice, decide
from audits.judges.base import Extracted, Judgement, Purpose, Reply
from audits.judges.parsing import ParseError, read_extraction, read_reply, unscored
from audits.labels import Decision, Label, Unscored
from audits.models import Audit, Call, Claim, Extraction, Judging, Verdict
from audits.pipeline.owing import Question, anything_owed, anything_possible, order_for, sentence_spans
from audits.text.refusals import is_refusal


def readable(question: Question, reply: Reply) -> bool:
    """Whether the reply answers what was asked, for every claim: only then it is kept to be found again."""
    if reply.finish != "stop":
        return False
    if question.task.purpose is Purpose.EXTRACT:
        try:
            _read_claims(question, reply)
        except ParseError:
            return False
        return True
    return all(judgement.label is not None for judgement in _read_verdicts(question, reply))


def record_reply(question: Question, reply: Reply, call: Call | None) -> None:
    """Store what a reply says: claims with their spans, or verdicts with their evidence."""
    if question.task.purpose is Purpose.VERIFY:
        store_verdicts(question, _read_verdicts(question, reply), call)
        return
    try:
        if reply.finish != "stop":
            raise ParseError(f"the reply ended with {reply.finish}")
        store_claims(question, _read_claims(question, reply), call)
    except ParseError as error:
        fail_extraction(question, str(error), call)


def record_wordless(question: Question) -> bool:
    """An answer of signs alone has no sentence and so no claim; True when it was that, and no call is needed."""
    if question.task.purpose is not Purpose.EXTRACT or question.task.sentences:
        return False
    store_claims(question, Extracted((), {}), None)
    return True


def record_failure(question: Question, reason: Unscored, message: str, call: Call | None) -> None:
    """The question will get no usable answer: claims become unscored, an extraction failed. Nothing is dropped."""
    if question.task.purpose is Purpose.EXTRACT:
        fail_extraction(question, message, call)
        return
    store_verdicts(question, unscored(_numbers(question), reason, message), call)


def _read_claims(question: Question, reply: Reply) -> Extracted:
    """Claims and reasons. Raises ParseError also where a reply accounts for no sentence at all of a real answer."""
    extracted = read_extraction(reply.text, question.task.sentences, question.task.answer)
    if not extracted.claims and not extracted.no_claims and not is_refusal(question.task.answer):
        raise ParseError("The reply holds neither claims nor a reason why there are none.")
    return extracted


def _numbers(question: Question) -> list[int]:
    return [claim.number for claim in question.task.claims]


def _read_verdicts(question: Question, reply: Reply) -> Sequence[Judgement]:
    return read_reply(reply, _numbers(question), question.task.contexts, question.order)


def store_claims(question: Question, extracted: Extracted, call: Call | None) -> bool:
    """Close a pending extraction and insert its claims and the judgings they owe. True for the one that did it."""
    with transaction.atomic():
        moved = Extraction.objects.filter(pk=question.row.pk, status=Extraction.Status.PENDING).update(
            status=Extraction.Status.DONE,
            sentences=sentence_spans(question.task.sentences),
            no_claims={str(number): reason for number, reason in extracted.no_claims.items()},
            unaccounted=list(extracted.unaccounted),
            is_refusal=_refused(question, extracted),
            call=call,
            lease=None,
            leased_until=None,
        )
        if not moved:
            return False
        extraction = Extraction.objects.select_related("audit", "sample").get(pk=question.row.pk)
        claims = Claim.objects.bulk_create(
            Claim(
                audit_id=extraction.audit_id,
                extraction=extraction,
                sample_id=extraction.sample_id,
                position=position,
                sentence=claim.sentence,
                text=claim.text,
                start=claim.start,
                end=claim.end,
                vague=claim.vague,
            )
            for position, claim in enumerate(extracted.claims)
        )
        if claims:
            _owe_judgings(extraction, claims)
    return True


def _refused(question: Question, extracted: Extracted) -> bool:
    """The answer as a whole declines: no claim was cut, and a sentence or the whole text says so."""
    if extracted.claims:
        return False
    return "refusal" in extracted.no_claims.values() or is_refusal(question.task.answer)


def _owe_judgings(extraction: Extraction, claims: Sequence[Claim]) -> None:
    """Every judge owes a verdict on every claim; without contexts there is nothing to judge against, and no call."""
    panel = list(extraction.audit.panel)
    sample = extraction.sample
    without = not sample.contexts
    Judging.objects.bulk_create(
        Judging(
            audit_id=extraction.audit_id,
            extraction=extraction,
            member=member,
            status=Judging.Status.DONE if without else Judging.Status.OWED,
            context_order=[] if without else order_for(extraction.audit, member, sample),
        )
        for member in panel
    )
    if without:
        Verdict.objects.bulk_create(
            Verdict(claim=claim, member=member, unscored=Unscored.NO_CONTEXT, detail="The sample has no context.")
            for claim in claims
            for member in panel
        )
        settle(extraction.pk)


def fail_extraction(question: Question, message: str, call: Call | None) -> None:
    """The answer could not be split into claims; it stays in view as failed and can be tried again."""
    Extraction.objects.filter(pk=question.row.pk, status=Extraction.Status.PENDING).update(
        status=Extraction.Status.FAILED, failure=message[:2000], call=call, lease=None, leased_until=None
    )


def store_verdicts(question: Question, judgements: Iterable[Judgement], call: Call | None) -> None:
    """Insert one verdict per claim; where one exists already, it stands. Closes the judging when none is owed."""
    ids = dict(zip(_numbers(question), question.claims, strict=True))
    judging: Judging = question.row  # type: ignore[assignment]  # a verification's row is a judging
    with transaction.atomic():
        # Two workers may end the two judgings of a sample at once: one waits, so that the second sees the first.
        Extraction.objects.select_for_update().get(pk=judging.extraction_id)
        Verdict.objects.bulk_create(
            [_verdict(question, ids[judgement.claim], judgement, call) for judgement in judgements],
            ignore_conflicts=True,
        )
        unjudged = Claim.objects.filter(extraction=judging.extraction_id).exclude(verdicts__member=judging.member_id)
        if not unjudged.exists():
            closed = {"status": Judging.Status.DONE, "lease": None, "leased_until": None}
            Judging.objects.filter(pk=judging.pk).update(**closed)
            settle(judging.extraction_id)


def _verdict(question: Question, claim_id: int, judgement: Judgement, call: Call | None) -> Verdict:
    return Verdict(
        claim_id=claim_id,
        member=question.member,
        label=judgement.label or "",
        unscored=judgement.unscored or ("" if judgement.label else Unscored.UNPARSEABLE),
        detail=judgement.detail,
        rationale=judgement.rationale,
        quotes=[asdict(quote) for quote in judgement.quotes],
        grounded=judgement.label is not None and judgement.grounded,
        notes=list(judgement.notes),
        call=call,
    )


def settle(extraction_id: int) -> None:
    """Decide every claim of a sample once the whole panel has spoken; a decision is set once and only where empty."""
    extraction = Extraction.objects.select_related("audit").get(pk=extraction_id)
    if extraction.judgings.filter(status=Judging.Status.OWED).exists():
        return
    size = extraction.audit.panel.count()
    voices: dict[int, list[Voice]] = defaultdict(list)
    verdicts = Verdict.objects.filter(claim__extraction=extraction_id, claim__decision="")
    for claim_id, label, grounded in verdicts.values_list("claim_id", "label", "grounded"):
        voices[claim_id].append(Voice(Label(label) if label else None, grounded))
    by_decision: dict[Decision, list[int]] = defaultdict(list)
    for claim_id, heard in voices.items():
        if len(heard) == size:
            by_decision[decide(heard)].append(claim_id)
    for decision, ids in by_decision.items():
        Claim.objects.filter(pk__in=ids, decision="").update(decision=decision)


def conclude(audit: Audit) -> bool:
    """Move on when no call is owed any more, or pause when all that is owed waits for a stopped member.

    True when the audit is no longer judging through this call; for each move exactly one caller gets it.
    """
    if not anything_owed(audit):
        return audit.advance(Audit.Status.JUDGING, Audit.Status.REVIEWING)
    if audit.members.exclude(stopped_fault="").exists() and not anything_possible(audit):
        return audit.advance(Audit.Status.JUDGING, Audit.Status.PAUSED)
    return False
