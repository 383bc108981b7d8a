"""What comes back from a batch: into the ledger, from there to where its questions were waiting.

Results are taken in pieces, each in one transaction: whatever happens in between, none is taken twice and none is
lost. Only then are the rows let go, some at a time, and at the very end the batch is closed.
"""

import uuid
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import Count, QuerySet
from django.utils import timezone

from audits.judges.base import FINAL, Answer, ClaimText, Purpose, Reply, Task
from audits.models import Audit, Batch, BatchItem, Call, Extraction, Judging, PanelMember
from audits.pipeline.batching import is_unwanted, mine, rows_of
from audits.pipeline.budgeting import settle_batch
from audits.pipeline.owing import Question, extraction_questions, verification_questions
from audits.pipeline.recording import Result, settle, store
from audits.pipeline.spending import answer_fields
from audits.prices import BATCH_SHARE

BATCHES = 2  # that a request goes into before it is asked directly


def take_results(batch: Batch, token: uuid.UUID, results: Sequence[tuple[int, Answer]]) -> None:
    """Write results into the ledger, by their numbers; those that are there already are passed over.

    Raises BatchTaken.
    """
    with transaction.atomic():
        mine(batch, token, Batch.Status.SUBMITTED)
        numbers = [number for number, _ in results]
        waiting = BatchItem.objects.filter(batch=batch, number__in=numbers, status=BatchItem.Status.WAITING)
        items = {item.number: item for item in waiting}
        calls: list[Call] = []
        done: list[BatchItem] = []
        again: list[BatchItem] = []
        for number, result in results:
            if (item := items.pop(number, None)) is None:
                continue
            calls.append(_call(batch, item, result))
            (done if _is_final(result) else again).append(item)
        Call.objects.bulk_create(calls)
        for status, taken in ((BatchItem.Status.DONE, done), (BatchItem.Status.AGAIN, again)):
            BatchItem.objects.filter(pk__in=[item.pk for item in taken]).update(status=status)
        _settle_money(batch, calls, [*done, *again])


def _is_final(result: Answer) -> bool:
    """Whether asking again in a batch would bring the same."""
    return isinstance(result, Reply) or result.fault in FINAL


def _call(batch: Batch, item: BatchItem, result: Answer) -> Call:
    reply = result if isinstance(result, Reply) else None
    outcome, message, status = ("ok", "", 200) if isinstance(result, Reply) else (
        result.fault.value, result.message, result.status
    )  # fmt: skip
    purpose = Purpose.VERIFY if item.judging_id else Purpose.EXTRACT
    task = Task(purpose, "", "", claims=tuple(ClaimText(number, "") for number in range(1, item.asked + 1)))
    return Call(
        audit_id=batch.audit_id,
        member=batch.member,
        batch=batch,
        purpose=purpose,
        request_hash=item.request_hash,
        prompt_version=item.prompt_version,
        prompt_hash=item.prompt_hash,
        at_most=item.at_most,
        vendor_request_id=result.request_id[:200],
        outcome=outcome,
        status=status,
        message=message,
        **answer_fields(task, batch.member, result.usage, reply, BATCH_SHARE),
    )


def _settle_money(batch: Batch, calls: Iterable[Call], items: Iterable[BatchItem]) -> None:
    """A request that failed in a batch is not billed; an answer without a count of tokens cost what it might."""
    answered = [call for call in calls if call.outcome == "ok"]
    cost = sum((_cost(call) for call in answered), Decimal(0))
    settle_batch(batch, cost, sum((item.at_most or Decimal(0) for item in items), Decimal(0)))


def _cost(call: Call) -> Decimal:
    return (call.at_most or Decimal(0)) if call.cost is None else call.cost


def awaits_results(batch: Batch) -> bool:
    """Whether some request has no result yet."""
    return BatchItem.objects.filter(batch=batch, status=BatchItem.Status.WAITING).exists()


def end_of_results(batch: Batch, token: uuid.UUID) -> None:
    """No more will come: what is missing is asked again. Raises BatchTaken."""
    with transaction.atomic():
        mine(batch, token, *Batch.OPEN)
        BatchItem.objects.filter(batch=batch, status=BatchItem.Status.WAITING).update(status=BatchItem.Status.AGAIN)


def forget_requests(batch: Batch, token: uuid.UUID) -> None:
    """The batch was turned down as a whole, which tells nothing about its requests. Raises BatchTaken."""
    with transaction.atomic():
        mine(batch, token, *Batch.OPEN)
        BatchItem.objects.filter(batch=batch, status=BatchItem.Status.WAITING).delete()


def waiting_rows(batch: Batch, limit: int) -> list[Any]:
    """Some of the rows that wait for this batch."""
    rows: QuerySet[Any] = rows_of(batch)
    return list(rows[:limit])


def questions_about(batch: Batch, rows: Sequence[Any]) -> list[Question]:
    """What is asked about rows of this batch, as when they went into it."""
    if batch.member.role == PanelMember.Role.EXTRACTOR:
        return extraction_questions(batch.member, rows)
    return verification_questions(batch.audit, batch.member, rows)


def carried_items(batch: Batch, after: int, limit: int) -> list[BatchItem]:
    """Requests of a batch in their order, those beyond number `after`."""
    items = BatchItem.objects.filter(batch=batch, number__gt=after).order_by("number")
    return list(items.select_related("extraction", "judging")[:limit])


def exhausted(questions: Iterable[Question], hashes: Collection[str]) -> set[tuple[int, str]]:
    """Those of these requests, as (row, request hash), that are not to go into a batch again.

    A batch brought an answer that cannot be used, or several batches brought none.
    """
    rows = [question.row for question in questions]
    name = "extraction" if rows and isinstance(rows[0], Extraction) else "judging"
    tried = BatchItem.objects.filter(
        **{f"{name}__in": {row.pk for row in rows}},
        request_hash__in=hashes,
        batch__audit__in={row.audit_id for row in rows},
    ).exclude(status=BatchItem.Status.WAITING)
    counts: Counter[tuple[int, str]] = Counter()
    for row, request_hash, status, number in (
        tried.order_by().values_list(f"{name}_id", "request_hash", "status").annotate(number=Count("pk"))
    ):
        counts[row, request_hash] += BATCHES if status == BatchItem.Status.DONE else number
    return {key for key, count in counts.items() if count >= BATCHES}


def let_go(
    batch: Batch, token: uuid.UUID, rows: Collection[Any], results: Sequence[Result], directly: Collection[int]
) -> None:
    """Store what these rows of the batch have come to; the rows are free again, some of them to be asked directly.

    directly: ids of rows. Raises BatchTaken.
    """
    with transaction.atomic():
        now = mine(batch, token, *Batch.OPEN)
        settled = store(batch.audit, [], results)
        waiting = rows_of(batch).filter(pk__in=[row.pk for row in rows])
        if is_unwanted(batch.audit, now):
            waiting.update(batch=None, direct=True)
        else:
            waiting.filter(pk__in=directly).update(batch=None, direct=True)
            waiting.update(batch=None)
    settle(batch.audit, settled)


def let_all_go(batch: Batch, token: uuid.UUID, *, directly: bool = False) -> None:
    """Free all rows of a batch that brought nothing. Raises BatchTaken."""
    with transaction.atomic():
        now = mine(batch, token, *Batch.OPEN)
        if directly or is_unwanted(batch.audit, now):
            rows_of(batch).update(direct=True)
        rows_of(batch).update(batch=None)


def record(audit: Audit, results: Sequence[Result]) -> None:
    """Store what questions have come to whose answers were all paid for already."""
    settle(audit, store(audit, [], results))


def set_aside(rows: Collection[Any], token: uuid.UUID) -> None:
    """Mark rows that are leased under this token as to be asked directly."""
    for model in (Extraction, Judging):
        pks = [row.pk for row in rows if isinstance(row, model)]
        model.objects.filter(pk__in=pks, lease=token).update(direct=True)


def close_batch(batch: Batch, token: uuid.UUID) -> None:
    """No row waits for it any more: it is collected, or failed if it brought nothing. Raises BatchTaken."""
    with transaction.atomic():
        mine(batch, token, *Batch.OPEN)
        status = Batch.Status.COLLECTED if batch.calls.exists() else Batch.Status.FAILED
        told = BatchItem.objects.filter(batch=batch).order_by().values_list("status").annotate(n=Count("pk"))
        counts = dict(told)
        Batch.objects.filter(pk=batch.pk).update(
            status=status,
            answered=counts.get(BatchItem.Status.DONE, 0),
            failed=counts.get(BatchItem.Status.AGAIN, 0),
            ended_at=batch.ended_at or timezone.now(),
            next_look=None,
            lease=None,
            leased_until=None,
        )
    batch.refresh_from_db()


def ask_directly(member: PanelMember) -> None:
    """The member's address has no batches: from now on it is asked as in any other audit."""
    if not member.without_batches:
        member.without_batches = True
        member.save(update_fields=["without_batches"])
