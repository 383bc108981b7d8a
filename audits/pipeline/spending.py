"""The ledger: every attempt at a vendor is a row, and what was paid for is found again."""

from decimal import Decimal

from audits.engine import Attempt
from audits.judges.base import JudgeError, JudgeSpec, Reply, Usage
from audits.judges.prompting import build_prompt, request_hash
from audits.models import Audit, Call, Event, PanelMember
from audits.models.judge import price
from audits.pipeline.owing import Question
from audits.pipeline.recording import readable

FREE = ("offline",)  # a judge that makes no call leaves no bill


def record_attempt(audit: Audit, question: Question, attempt: Attempt) -> Call:
    """Write one attempt into the ledger, failures included. Unknown counts and costs stay unknown."""
    member, usage, reply = question.member, attempt.usage, attempt.reply
    return Call.objects.create(
        audit=audit,
        member=member,
        purpose=question.task.purpose,
        request_hash=attempt.request_hash,
        prompt_version=attempt.prompt_version,
        prompt_hash=attempt.prompt_hash,
        model_answered=reply.model[:200] if reply else "",
        tokens_in=usage.tokens_in,
        tokens_out=usage.tokens_out,
        cache_read=usage.cache_read,
        cache_write=usage.cache_write,
        cost=_cost(member, usage),
        latency_ms=round(attempt.latency * 1000),
        vendor_request_id=attempt.request_id[:200],
        outcome=attempt.outcome,
        status=attempt.status,
        message=attempt.message,
        finish=reply.finish if reply else "",
        reply=reply.text if reply else "",
        reusable=reply is not None and readable(question, reply),
    )


def _cost(member: PanelMember, usage: Usage) -> Decimal | None:
    if member.vendor in FREE:
        return Decimal(0)
    return price(member.price_in, member.price_out, usage.tokens_in, usage.tokens_out)


def find_paid(audit: Audit, question: Question, spec: JudgeSpec) -> tuple[Call, Reply] | None:
    """An answer to exactly this request that the project has paid for already, and that was complete and readable."""
    wanted = request_hash(spec, build_prompt(question.task))
    paid = Call.objects.filter(request_hash=wanted, reusable=True, audit__project_id=audit.project_id)
    call = paid.order_by("pk").first()
    if call is None:
        return None
    usage = Usage(call.tokens_in, call.tokens_out, call.cache_read, call.cache_write)
    return call, Reply(call.reply, call.model_answered, call.finish, usage, call.vendor_request_id)


def stop_member(audit: Audit, member: PanelMember, error: JudgeError) -> bool:
    """Stop one judge until a person has mended what it needs. True for the first to see it."""
    member.stopped_fault, member.stopped_message = error.fault.value, error.message
    stopped = audit.members.filter(pk=member.pk, stopped_fault="").update(
        stopped_fault=error.fault.value, stopped_message=error.message
    )
    if stopped:
        Event.record("judge_stopped", project=audit.project, audit=audit, judge=member.name, fault=error.fault.value)
    return bool(stopped)
