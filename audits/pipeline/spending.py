"""The ledger: every attempt at a vendor is a row, and what was paid for is found again."""

from collections.abc import Collection
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from django.db.models import CharField, Q, QuerySet

from audits.asks import Attempt
from audits.judges.base import JudgeError, Reply, Task, Usage
from audits.judges.parsing import is_complete
from audits.limits import LimitState
from audits.models import Audit, Call, Event, PanelMember, Probe, compiled
from audits.pipeline.owing import Question
from audits.pipeline.returning import return_of
from audits.prices import WHOLE


def call_of(audit: Audit, question: Question, attempt: Attempt) -> Call:
    """The ledger's row of one attempt, not stored yet. Unknown counts and costs stay unknown."""
    member = question.member
    return Call(
        audit=audit,
        member=member,
        purpose="probe" if question.replicate else question.task.purpose,
        request_hash=attempt.request_hash,
        prompt_version=attempt.prompt_version,
        prompt_hash=attempt.prompt_hash,
        at_most=attempt.at_most,
        attempt=attempt.number,
        replicate=question.replicate,
        latency_ms=round(attempt.latency * 1000),
        vendor_request_id=attempt.request_id[:200],
        outcome=attempt.outcome,
        status=attempt.status,
        message=attempt.message,
        **answer_fields(attempt.ask.task, member, attempt.usage, attempt.reply),
    )


def answer_fields(
    task: Task, member: PanelMember, usage: Usage, reply: Reply | None, share: Decimal = WHOLE
) -> dict[str, Any]:
    """What the ledger keeps of an answer, single or in a batch: models, tokens, cost, the text, whether it is whole.

    share: of the usual price.
    """
    return {
        "model_asked": member.model,
        "model_answered": reply.model[:200] if reply else "",
        "tokens_in": usage.tokens_in,
        "tokens_out": usage.tokens_out,
        "cache_read": usage.cache_read,
        "cache_write": usage.cache_write,
        "cost": member.prices.cost(usage, share),
        "finish": reply.finish if reply else "",
        "reply": reply.text if reply else "",
        "reusable": reply is not None and is_complete(reply, task),
    }


def find_paid(audit: Audit, hashes: Collection[str]) -> dict[str, tuple[Call, Reply]]:
    """Complete answers to exactly these requests that were paid for already: by this audit, or by its project.

    What this audit has paid for itself is always found, or it could not go on after a crash. But a probe is to be
    asked anew: it finds neither what probes of other audits were told, nor what ended another probe of this one.
    """
    if not hashes:
        return {}
    number = compiled.roomy(len(hashes))
    found: dict[str, tuple[Call, Reply]] = {}
    for call in compiled.select(
        ("paid calls", number, audit.reuse, audit.has_probes),
        lambda: _paid(number, audit.reuse, audit.has_probes),
        hashes=list(hashes),
        audit=audit.pk,
        project=audit.project_id,
    ):
        usage = Usage(call.tokens_in, call.tokens_out, call.cache_read, call.cache_write)
        reply = Reply(call.reply, call.model_answered, call.finish, usage, call.vendor_request_id)
        found.setdefault(call.request_hash, (call, reply))
    return found


def _paid(number: int, reuse: bool, probes: bool) -> "QuerySet[Call]":
    audit: Any = compiled.Slot("audit")
    paid = Call.objects.filter(request_hash__in=compiled.slots("hashes", number, CharField()), reusable=True)
    if reuse:
        paid = paid.filter(Q(audit=audit) | Q(replicate=0), audit__project_id=compiled.Slot("project"))
    else:
        paid = paid.filter(audit=audit)
    if probes:
        ended = Probe.objects.filter(audit=audit).exclude(call=None)
        paid = paid.exclude(replicate__gt=0, pk__in=ended.values("call"))
    return paid.order_by("pk")


def note_refused_parameters(member: PanelMember, reply: Reply) -> None:
    """Keep what a model did not take and was asked without: the page and the certificate's reader shall know."""
    new = [note for note in reply.notes if note not in member.notes]
    if new:
        member.notes = [*member.notes, *new]
        member.save(update_fields=["notes"])


def note_limits(member: PanelMember, state: LimitState) -> None:
    """Keep how many calls at once its vendor takes now, so that pages of another process can show it."""
    resumes_at = None if state.resumes_at is None else datetime.fromtimestamp(state.resumes_at, UTC)
    now = {"limit_now": state.now, "limit_reason": state.reason, "resumes_at": resumes_at}
    changed = [name for name, value in now.items() if getattr(member, name) != value]
    if changed:
        for name in changed:
            setattr(member, name, now[name])
        # When a stopped member returns is another matter, and may have been noted by another process.
        PanelMember.objects.filter(pk=member.pk, stopped_fault="").update(**{name: now[name] for name in changed})


def stop_member(audit: Audit, member: PanelMember, error: JudgeError) -> bool:
    """Stop one judge until a person has mended what it needs, or for as long as waiting may help.

    True for the first to see it.
    """
    stop = {"stopped_fault": error.fault.value, "stopped_message": error.message}
    stop["resumes_at"] = return_of(audit, member, error)  # type: ignore[assignment]
    for name, value in stop.items():
        setattr(member, name, value)
    stopped = audit.members.filter(pk=member.pk, stopped_fault="").update(**stop)
    if stopped:
        Event.record("judge_stopped", project=audit.project, audit=audit, judge=member.name, fault=error.fault.value)
    return bool(stopped)
