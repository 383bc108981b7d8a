"""Working an audit in batch mode off as workers do, without waiting."""

from collections import Counter
from decimal import Decimal
from typing import Any

from audits.models import Audit, BatchItem, Dataset, Judge, Verdict
from audits.tasks import carry, work
from tests.audits import road

MOST_PASSES = 60


def start(dataset: Dataset, *judges: Judge, **fields: Any) -> Audit:
    """Start an audit that shows contexts in the same order as all others started here, and reuses nothing."""
    audit = road.start(dataset, *judges, **({"reuse": False, "batch": True} | fields))
    Audit.objects.filter(pk=audit.pk).update(seed=7)
    audit.refresh_from_db()
    return audit


def step(audit: Audit) -> Audit:
    """What one sweep of a worker does for an audit."""
    carry(audit.pk)
    work(audit.pk)
    audit.refresh_from_db()
    return audit


def work_off(audit: Audit) -> Audit:
    """Sweep until the audit is not judging any more."""
    for _ in range(MOST_PASSES):
        if step(audit).status != Audit.Status.JUDGING:
            return audit
    raise AssertionError(f"still judging: {[str(batch) for batch in audit.batches.all()]}")


def decisions(audit: Audit) -> list[tuple[Any, ...]]:
    """Every claim with its place and its decision."""
    rows = audit.claims.order_by("sample__position", "position")
    return list(rows.values_list("sample__position", "position", "text", "start", "end", "decision"))


def verdicts(audit: Audit) -> list[tuple[Any, ...]]:
    """What every judge said of every claim, without what the vendor numbers anew."""
    rows = Verdict.objects.filter(claim__audit=audit).order_by(
        "claim__sample__position", "claim__position", "member__position"
    )
    names = (
        "claim__text",
        "member__model",
        "label",
        "unscored",
        "rationale",
        "quotes",
        "grounded",
        "notes",
        "conflict",
    )
    return list(rows.values_list(*names, "shown", "windows"))


def calls(audit: Audit) -> Counter[tuple[Any, ...]]:
    """What the ledger says, without prices and ids."""
    names = ("purpose", "request_hash", "prompt_version", "prompt_hash", "model_asked", "model_answered")
    counts = (
        "tokens_in",
        "tokens_out",
        "cache_read",
        "cache_write",
        "outcome",
        "status",
        "finish",
        "reply",
        "reusable",
    )
    return Counter(audit.calls.values_list(*names, *counts))


def cost(audit: Audit) -> Decimal:
    """US dollars of all calls, each of which has a price."""
    return sum((call.cost for call in audit.calls.all()), Decimal(0))


def is_settled(audit: Audit) -> bool:
    """Nothing is left over: no open batch, no row or request that waits for one, no verdict or call doubled."""
    rows = [*audit.extractions.all(), *audit.judgings.all()]
    pairs = Counter(Verdict.objects.filter(claim__audit=audit).values_list("claim_id", "member_id"))
    paid = Counter(audit.calls.filter(reusable=True).values_list("member_id", "request_hash"))
    return (
        audit.status == Audit.Status.REVIEWING
        and not audit.batches.filter(status__in=("prepared", "submitted")).exists()
        and not audit.batches.filter(requests=0).exists()
        and not any(row.batch_id or row.lease for row in rows)
        and not BatchItem.objects.filter(batch__audit=audit, status=BatchItem.Status.WAITING).exists()
        and len(pairs) == audit.claims.count() * audit.panel.count()
        and set(pairs.values()) <= {1}
        and set(paid.values()) <= {1}
    )
