"""Storing what came back: calls, claims, verdicts, decisions. Each is written once; a second run changes nothing."""

import uuid
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db import transaction

from audits.decision import Voice, decide
from audits.judges.base import Extracted, Judgement, Purpose
from audits.judges.parsing import unscored
from audits.labels import Decision, Label, Unscored
from audits.models import Audit, Call, Claim, Extraction, Judging, PanelMember, Probe, Verdict, compiled
from audits.models.inserting import insert
from audits.pipeline.budgeting import settle_allowance
from audits.pipeline.contents import note_judged, note_late, of_audit
from audits.pipeline.owing import Question, anything_owed, order_for, sentence_spans
from audits.pipeline.planting import plant
from audits.pipeline.probing import draw_probes
from audits.pipeline.returning import locked, pause_for_judges
from audits.text.injection import claim_flags
from audits.text.refusals import is_refusal

FREED: dict[str, Any] = {"lease": None, "leased_until": None}
SETTLED_AT_ONCE = 500


@dataclass(frozen=True)
class Failed:
    """A question will get no usable answer: its claims become unscored, its extraction failed."""

    reason: Unscored
    message: str


@dataclass(frozen=True)
class Result:
    """The end of a question. value: Extracted, one Judgement per claim, or why there is none. call: the last one."""

    question: Question
    value: Extracted | Sequence[Judgement] | Failed
    call: Call | None


@dataclass
class Bill:
    """What calls that are stored now have cost, US dollars, and what their stretch of work still holds."""

    token: uuid.UUID  # of the allowance
    spent: Decimal
    still_held: Decimal
    absorbed: bool = False  # set on storing: the allowance had run out and was counted as spent


def store(audit: Audit, calls: Sequence[Call], results: Sequence[Result], bill: Bill | None = None) -> list[int]:
    """Write ledger rows and results in one transaction; ids of the extractions that `settle` should look at.

    Cheaper by far than one transaction for each call; what was not written when the process dies was in flight.
    Run again after a failure, it writes all of it anew, or nothing where the first run was committed all the same.
    """
    if _is_stored(calls):
        rows = [r.question.row for r in results]
        cut = [row.pk for row in rows if isinstance(row, Extraction)]
        return cut + [row.extraction_id for row in rows if isinstance(row, Judging)]
    with transaction.atomic():
        for call in calls:
            call.pk = None  # of a try that was rolled back
        insert(calls)
        decided = store_claims(audit, [r for r in results if r.question.task.purpose is Purpose.EXTRACT])
        judged = store_verdicts([r for r in results if isinstance(r.question.row, Judging)])
        store_probes(r for r in results if isinstance(r.question.row, Probe))
        if bill is not None:
            bill.absorbed = not settle_allowance(audit, bill.token, bill.spent, bill.still_held)
        note_late(audit, calls)
    return decided + judged


def _is_stored(calls: Sequence[Call]) -> bool:
    """Whether an earlier run was committed and only its confirmation was lost: then its calls are there."""
    if not calls or calls[0].pk is None:
        return False
    first = calls[0]
    return Call.objects.filter(pk=first.pk, created=first.created, request_hash=first.request_hash).exists()


def store_claims(audit: Audit, results: Sequence[Result]) -> list[int]:
    """Close pending extractions, insert their claims and the judgings they owe; ids of those with nothing to ask."""
    panel = audit.bench if results else ()
    claims: list[Claim] = []
    judgings: list[Judging] = []
    verdicts: list[Verdict] = []
    decided = []
    for result in results:
        if isinstance(result.value, Failed):
            fail_extraction(result.question, result.value.message, result.call)
        elif isinstance(result.value, Extracted) and _close(result.question, result.value, result.call):
            new = _claims(audit, result.question, result.value)
            claims += new
            if new and not result.question.sample.contexts:
                verdicts += _without_context(new, panel)
                decided.append(result.question.row.pk)
            if new:
                judgings += _judgings(audit, result.question, panel)
    insert(claims)
    insert(judgings)
    Verdict.objects.bulk_create(verdicts)
    return decided


def _close(question: Question, extracted: Extracted, call: Call | None) -> bool:
    """True for the one that closed this extraction."""
    found: dict[str, Any] = {
        "sentences": sentence_spans(question.task.sentences),
        "no_claims": {str(number): reason for number, reason in extracted.no_claims.items()},
        "unaccounted": list(extracted.unaccounted),
        "is_refusal": _refused(question, extracted),
        "parts": extracted.parts,
        "asked_again": extracted.asked_again,
        "notes": list(extracted.notes),
        "call_id": call and call.pk,
    }
    return bool(compiled.update("extracted", lambda: _extracted(list(found)), pk=question.row.pk, **found))


def _extracted(names: Sequence[str]) -> "compiled.Update":
    pending = Extraction.objects.filter(pk=compiled.Slot("pk"), status=Extraction.Status.PENDING)
    fields = {name: compiled.Slot(name, Extraction._meta.get_field(name)) for name in names}
    return pending, {"status": Extraction.Status.DONE, **fields, **FREED}


def _refused(question: Question, extracted: Extracted) -> bool:
    """The answer as a whole declines: no claim was cut, and a sentence or the whole text says so."""
    if extracted.claims:
        return False
    return "refusal" in extracted.no_claims.values() or is_refusal(question.task.answer)


def _claims(audit: Audit, question: Question, extracted: Extracted) -> list[Claim]:
    sample = question.sample
    spans = {sentence.number: (sentence.start, sentence.end) for sentence in question.task.sentences}
    return [
        Claim(
            audit=audit,
            extraction_id=question.row.pk,
            sample_id=sample.pk,
            position=position,
            sentence=claim.sentence,
            text=claim.text,
            start=claim.start,
            end=claim.end,
            vague=claim.vague,
            ambiguous=claim.ambiguous,
            flags=claim_flags(sample.question, sample.answer, sample.contexts, spans[claim.sentence]),
        )
        for position, claim in enumerate(extracted.claims)
    ]


def _judgings(audit: Audit, question: Question, panel: Sequence[PanelMember]) -> list[Judging]:
    """Every judge owes a verdict on every claim; without contexts there is nothing to judge against, and no call."""
    without = not question.sample.contexts
    return [
        Judging(
            audit=audit,
            extraction_id=question.row.pk,
            member=member,
            status=Judging.Status.DONE if without else Judging.Status.OWED,
            context_order=[] if without else order_for(audit, member, question.sample),
        )
        for member in panel
    ]


def _without_context(claims: Sequence[Claim], panel: Sequence[PanelMember]) -> list[Verdict]:
    reason: dict[str, Any] = {"unscored": Unscored.NO_CONTEXT, "detail": "The sample has no context."}
    return [Verdict(claim=claim, member=member, **reason) for claim in claims for member in panel]


def fail_extraction(question: Question, message: str, call: Call | None) -> None:
    """The answer could not be split into claims; it stays in view as failed and can be tried again."""
    Extraction.objects.filter(pk=question.row.pk, status=Extraction.Status.PENDING).update(
        status=Extraction.Status.FAILED, failure=message[:2000], call=call, **FREED
    )


def store_verdicts(results: Sequence[Result]) -> list[int]:
    """Insert one verdict per claim; where one exists, it stands. Closes judgings; ids of their extractions.

    A judging is done when what was left of it when it was taken has been stored: no query tells it again.
    """
    if not results:
        return []
    verdicts = [verdict for result in results for verdict in _verdicts(result)]
    verdicts.sort(key=lambda verdict: (verdict.claim_id, verdict.member_id))  # two writers never wait for each other
    insert(verdicts, ignore_conflicts=True)
    done: dict[int, int] = {}
    for result in results:
        question = result.question
        question.left.difference_update(question.claims)
        if not question.left:
            done[question.row.pk] = question.row.extraction_id  # type: ignore[union-attr]  # a Judging
    if done:
        number = compiled.roomy(len(done))
        compiled.update(("judged", number), lambda: _judged(number), judgings=list(done))
    return list(set(done.values()))


def _judged(number: int) -> "compiled.Update":
    judgings = Judging.objects.filter(pk__in=compiled.slots("judgings", number))
    return judgings, {"status": Judging.Status.DONE, **FREED}


def _judgements(result: Result) -> Sequence[Judgement]:
    if isinstance(result.value, Failed):
        numbers = [claim.number for claim in result.question.task.claims]
        return unscored(numbers, result.value.reason, result.value.message)
    assert not isinstance(result.value, Extracted)
    return result.value


def _verdicts(result: Result) -> list[Verdict]:
    question = result.question
    ids = dict(zip((claim.number for claim in question.task.claims), question.claims, strict=True))
    return [
        Verdict(
            claim_id=ids[judgement.claim],
            member=question.member,
            label=judgement.label or "",
            unscored=_why_unscored(judgement),
            detail=judgement.detail,
            rationale=judgement.rationale,
            quotes=[dict(vars(quote)) for quote in judgement.quotes],
            grounded=judgement.label is not None and judgement.grounded,
            notes=list(judgement.notes),
            conflict=judgement.conflict,
            shown=None if judgement.shown is None else [list(span) for span in judgement.shown],
            windows=judgement.windows,
            call=result.call,
        )
        for judgement in _judgements(result)
    ]


def _why_unscored(judgement: Judgement) -> str:
    return judgement.unscored or ("" if judgement.label else Unscored.UNPARSEABLE)


def store_probes(results: Iterable[Result]) -> None:
    """What a judge said when it was asked again; the first answer stands."""
    for result in results:
        (judgement,) = _judgements(result)
        Probe.objects.filter(pk=result.question.row.pk, status=Probe.Status.OWED).update(
            status=Probe.Status.DONE,
            label=judgement.label or "",
            unscored=_why_unscored(judgement),
            call=result.call,
            **FREED,
        )


def settle(audit: Audit, extraction_ids: Collection[int]) -> None:
    """Decide every claim of these samples once the whole panel has spoken; a decision is set once, where empty.

    After the transaction that stored the verdicts: of two workers that end the two judgings of a sample at once, the
    later one then sees both.
    """
    if not extraction_ids:
        return
    owed = Judging.objects.filter(extraction__in=extraction_ids, status=Judging.Status.OWED)
    spoken = set(extraction_ids) - set(owed.values_list("extraction_id", flat=True))
    size = len(audit.bench)
    voices: dict[int, list[Voice]] = defaultdict(list)
    verdicts = Verdict.objects.filter(claim__extraction__in=spoken, claim__decision="")
    for claim_id, label, grounded, conflict in verdicts.values_list("claim_id", "label", "grounded", "conflict"):
        voices[claim_id].append(Voice(Label(label) if label else None, grounded, conflict))
    by_decision: dict[Decision, list[int]] = defaultdict(list)
    for claim_id, heard in voices.items():
        if len(heard) == size:
            by_decision[decide(heard)].append(claim_id)
    with transaction.atomic():
        for decision, ids in by_decision.items():
            Claim.objects.filter(pk__in=ids, decision="").update(decision=decision)
        draw_probes(audit, [claim_id for ids in by_decision.values() for claim_id in ids])


def settle_all(audit: Audit) -> None:
    """Decide what a process left undecided that died between its verdicts and their decision."""
    while ids := list(
        audit.claims.filter(decision="")
        .order_by()
        .values_list("extraction_id", flat=True)
        .distinct()[:SETTLED_AT_ONCE]
    ):
        before = audit.claims.filter(decision="").count()
        settle(audit, ids)
        if audit.claims.filter(decision="").count() == before:
            return


def conclude(audit: Audit) -> bool:
    """Move on when no call is owed any more, or pause when all that is owed waits for a stopped member.

    True when the audit is no longer judging through this call; for each move exactly one caller gets it.
    """
    if not anything_owed(audit):
        settle_all(audit)
        if not anything_owed(audit):  # what was decided just now may owe probes
            plant(audit)
        return not anything_owed(audit) and _end(audit)
    return audit.members.exclude(stopped_fault="").exists() and pause_for_judges(audit)


def _end(audit: Audit) -> bool:
    """Move on to the review, with an event that answers for all that was judged; True for exactly one caller.

    The tables are read before the audit's row is held, which would keep others waiting; nothing is added to them any
    more but calls that were on their way, so that counting those tells whether what was read still holds.
    """
    while Audit.objects.filter(pk=audit.pk, status=Audit.Status.JUDGING).exists():
        calls = audit.calls.count()
        contents = of_audit(audit)
        with transaction.atomic():
            locked(audit)
            if anything_owed(audit):  # failed answers are owed again
                return False
            if audit.calls.count() == calls:
                if moved := audit.advance(Audit.Status.JUDGING, Audit.Status.REVIEWING):
                    note_judged(audit, contents)
                return moved
    return False
