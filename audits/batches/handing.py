"""Handing a batch over, once, whatever was heard of an earlier try; and letting its questions go when it is over."""

import logging
from collections.abc import Sequence
from typing import Any

from audits.batches.reach import ITEMS, Reach
from audits.batches.replaying import ROWS, results_of, sort_out
from audits.judges.base import Prompt
from audits.judges.batching import BatchFile, BatchJudge, BatchState, custom_id
from audits.models import Batch, BatchItem
from audits.pipeline import batching, collecting

log = logging.getLogger(__name__)


def hand_over(reach: Reach, batch: Batch) -> None:
    """Give a prepared batch to the vendor, unless it has it already or nobody wants it any more."""
    if batch.submitted_at is not None:  # an earlier try may have got through
        tag, requests, since = batch.tag, batch.requests, batch.submitted_at
        known = batching.others_of(batch)
        state = reach.ask(batch, lambda judge: judge.find_batch(tag, requests=requests, since=since, known=known))
        if state is not None:
            batching.handed_over(batch, state)
            return
    if batching.is_unwanted(reach.audit, batch):
        give_up(reach, batch)
    else:
        _submit(reach, batch)


def _submit(reach: Reach, batch: Batch) -> None:
    async def empty(judge: BatchJudge) -> BatchFile:
        return judge.batch_file()

    file = reach.ask(batch, empty)
    try:
        needless = _write(reach, batch, file)
        if needless:
            batching.take_out(batch, reach.token, needless)
        if not batch.requests and batch.submitted_at is None:
            batching.discard(batch, reach.token)
        elif not batch.requests:
            finish(reach, batch)
        elif batching.about_to_hand_over(batch, reach.token):
            tag = batch.tag
            _handed_over(reach, batch, reach.ask(batch, lambda judge: judge.submit_batch(tag, file), whole=True))
    finally:
        file.close()


def _write(reach: Reach, batch: Batch, file: BatchFile) -> list[int]:
    """Write the requests into the file; the numbers of those that are not needed any more or did not fit."""
    needless, last = [], 0
    while items := collecting.carried_items(batch, last, ITEMS):
        batching.keep_batch(batch, reach.token)
        prompts = _prompts(reach, batch, items)
        for item in items:
            prompt = prompts.get((item.extraction_id or item.judging_id, item.request_hash))
            if prompt is None or not file.add(custom_id(batch.tag, item.number), prompt):
                needless.append(item.number)
        last = items[-1].number
    return needless


def _prompts(reach: Reach, batch: Batch, items: Sequence[BatchItem]) -> dict[tuple[Any, str], Prompt]:
    """(row, request hash) -> what is asked, of all that is not paid for."""
    rows = list({row.pk: row for item in items if (row := item.extraction or item.judging) is not None}.values())
    prompts: dict[tuple[Any, str], Prompt] = {}
    for at in range(0, len(rows), ROWS):
        for found in reach.replay(batch, rows[at : at + ROWS]):
            for part in found.unpaid:
                if part.prompt is not None:
                    prompts[found.question.row.pk, part.request_hash] = part.prompt
    return prompts


def _handed_over(reach: Reach, batch: Batch, state: BatchState) -> None:
    if not batching.handed_over(batch, state):
        log.warning("Batch %s was handed over twice; the second one is stopped.", batch.pk)
        reach.ask_last(batch, lambda judge: judge.cancel_batch(state.vendor_id))


def give_up(reach: Reach, batch: Batch) -> None:
    """Close a batch whose requests were never made."""
    collecting.forget_requests(batch, reach.token)
    finish(reach, batch)


def nothing_more(reach: Reach, batch: Batch) -> None:
    """Close a batch: what has no result is asked again."""
    collecting.end_of_results(batch, reach.token)
    finish(reach, batch)


def finish(reach: Reach, batch: Batch) -> None:
    """Let the rows go, each with what it has come to, close the batch, and have the vendor forget it."""
    if batch.calls.exists():
        while rows := collecting.waiting_rows(batch, ROWS):
            batching.keep_batch(batch, reach.token)
            found = reach.replay(batch, rows)
            _, directly = sort_out(found)
            collecting.let_go(batch, reach.token, rows, results_of(found), directly)
    collecting.let_all_go(batch, reach.token)
    collecting.close_batch(batch, reach.token)
    if batch.vendor_id and batch.certain:
        name = batch.vendor_id
        reach.ask_last(batch, lambda judge: judge.forget_batch(name))
