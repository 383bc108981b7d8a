"""Questions run through what was paid for: which of them are answered by it, and what is still to be asked."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from audits import pipeline
from audits.inquiry import Inquiry, Part
from audits.judges.base import JudgeSpec, Reply
from audits.models import Audit, Call
from audits.pipeline import collecting
from audits.pipeline.owing import Question

ROWS = 25  # samples that are in memory at a time
AT_ONCE = 5000  # request hashes that are looked for in one query


@dataclass
class Replayed:
    """One question. result: None while calls are missing; unpaid: the calls that are."""

    question: Question
    result: pipeline.Result | None = None
    unpaid: list[Part] = field(default_factory=list)


def replay(audit: Audit, questions: Sequence[Question], spec: JudgeSpec) -> list[Replayed]:
    """Answer each question from the ledger as far as that goes, in their order. All are of the member of spec."""
    found = {}
    parts: list[Part] = []
    for question in questions:
        inquiry = Inquiry(question)
        found[inquiry] = Replayed(question)
        parts += inquiry.begin()
    while parts:
        for part in parts:
            part.prepare(spec)
        paid = _paid(audit, list({part.request_hash for part in parts}))
        further: list[Part] = []
        for part in parts:
            if part.request_hash in paid:
                call, reply = paid[part.request_hash]
                further += part.answer(reply, call)
            else:
                found[part.inquiry].unpaid.append(part)
        parts = further
    for inquiry, replayed in found.items():
        if inquiry.result is not None:
            replayed.result = pipeline.Result(inquiry.question, inquiry.result, inquiry.call)
    return list(found.values())


def _paid(audit: Audit, hashes: Sequence[str]) -> dict[str, tuple[Call, Reply]]:
    paid: dict[str, tuple[Call, Reply]] = {}
    for at in range(0, len(hashes), AT_ONCE):
        paid |= pipeline.find_paid(audit, hashes[at : at + AT_ONCE])
    return paid


def results_of(found: Sequence[Replayed]) -> list[pipeline.Result]:
    """What the ledger answers in full."""
    return [replayed.result for replayed in found if replayed.result is not None]


def sort_out(found: Sequence[Replayed]) -> tuple[list[Part], set[int]]:
    """The calls that are to go into a batch, each once for its row, and the rows that are to be asked directly.

    Those are rows of which only calls are left that batches have failed to answer.
    """
    hashes = {part.request_hash for replayed in found for part in replayed.unpaid}
    spent = collecting.exhausted([replayed.question for replayed in found], hashes)
    wanted: dict[tuple[int, str], Part] = {}
    missing: set[int] = set()
    for replayed in found:
        pk = replayed.question.row.pk
        missing |= {pk} if replayed.unpaid else set()
        for part in replayed.unpaid:
            if (key := (pk, part.request_hash)) not in spent:
                wanted.setdefault(key, part)
    return list(wanted.values()), missing - {pk for pk, _ in wanted}
