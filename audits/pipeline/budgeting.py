"""The budget of an audit: what is spent and what is held for calls in flight never exceed it together.

Every function here that changes money takes the audit's row first, so that callers on any number of machines wait for
each other there. Call settle_allowance and spend last in a transaction, so that they wait as briefly as possible.
"""

import uuid
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet, Sum
from django.db.models.functions import Now

from audits.models import Allowance, Audit, Batch, Event
from audits.models.lease import lease_end
from audits.pipeline.starting import resume

BUDGET = "budget"  # the value of Audit.stopped_by
CENT = Decimal("0.00000001")  # all money is stored in multiples of this
OPEN_BATCHES = (Batch.Status.PREPARED, Batch.Status.SUBMITTED)


class BudgetError(Exception):
    """The budget cannot be changed like this. `code` names the reason, `amount` (US$) what stands in the way."""

    def __init__(self, code: str, message: str, amount: Decimal | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.amount = amount


def held(audit: Audit) -> Decimal:
    """US dollars set aside for calls in flight, those in open batches included."""
    allowances = Allowance.objects.filter(audit=audit).aggregate(total=Sum("amount"))["total"]
    batches = Batch.objects.filter(audit=audit, status__in=OPEN_BATCHES).aggregate(total=Sum("at_most"))["total"]
    return ((allowances or Decimal(0)) + (batches or Decimal(0))).quantize(CENT)


def reserve(audit: Audit, token: uuid.UUID, amount: Decimal) -> bool:
    """Add `amount` to what the stretch of work `token` holds, if the budget has room for it; else nothing changes.

    True without a budget: then nothing is held.
    """
    if audit.budget is None:
        return True
    with transaction.atomic():
        now = _taken(audit)
        if now.budget is not None and now.spent + held(audit) + amount > now.budget:
            return False
        # The audit's row is ours, so nobody else changes allowances of this audit meanwhile.
        until = lease_end(settings.ASSAY_LEASE_SECONDS)
        allowance, made = Allowance.objects.get_or_create(
            token=token, defaults={"audit": audit, "amount": amount, "leased_until": until}
        )
        if not made:
            Allowance.objects.filter(pk=allowance.pk).update(amount=allowance.amount + amount, leased_until=until)
    return True


def settle_allowance(audit: Audit, token: uuid.UUID, spent: Decimal, still_held: Decimal) -> bool:
    """Move what calls have cost from this stretch's allowance to the audit; `still_held` stays set aside.

    To be called inside the transaction that stores those calls. False when the allowance had run out and was
    absorbed: then it is all counted as spent already, nothing is added, and the stretch goes on under a new token.
    """
    with transaction.atomic():
        now = _taken(audit)
        mine = Allowance.objects.filter(audit=audit, token=token)
        if now.budget is not None and not mine.update(amount=still_held):
            return False
        _add(now, spent)
    return True


def spend(audit: Audit, amount: Decimal) -> None:
    """Count as spent what no allowance was held for, as a batch that was collected."""
    with transaction.atomic():
        _add(_taken(audit), amount)


def hold_in_batch(batch: Batch, amount: Decimal) -> bool:
    """Add `amount` to what an open batch holds, if the budget has room for it; else nothing changes.

    True without a budget: then nothing is held. To be called first in the transaction that puts requests in.
    """
    if batch.audit.budget is None:
        return True
    with transaction.atomic():
        now = _taken(batch.audit)
        if now.budget is not None and now.spent + held(now) + amount > now.budget:
            return False
        before = Batch.objects.values_list("at_most", flat=True).get(pk=batch.pk)
        Batch.objects.filter(pk=batch.pk).update(at_most=(before or Decimal(0)) + amount)
    return True


def settle_batch(batch: Batch, cost: Decimal, released: Decimal) -> None:
    """Move what results of a batch have cost from what it held, `released`, to the audit. Last in a transaction.

    released: what was held for requests that have a result now.
    """
    if batch.audit.budget is None:
        return
    with transaction.atomic():
        now = _taken(batch.audit)
        before = Batch.objects.values_list("at_most", flat=True).get(pk=batch.pk)
        Batch.objects.filter(pk=batch.pk).update(at_most=max(Decimal(0), (before or Decimal(0)) - released))
        _add(now, cost)


def renew(token: uuid.UUID) -> bool:
    """Hold on to an allowance; False when there is none under this token (any more)."""
    until = lease_end(settings.ASSAY_LEASE_SECONDS)
    return bool(Allowance.objects.filter(token=token).update(leased_until=until))


def release(audit: Audit, token: uuid.UUID) -> None:
    """Give back what a stretch holds. Only when none of its calls is in flight."""
    with transaction.atomic():
        _taken(audit)
        Allowance.objects.filter(audit=audit, token=token).delete()


def absorb_dead(audit: Audit) -> Decimal:
    """Count what dead workers held as spent: their calls may have been billed, and nobody recorded them.

    The US dollars that were moved; they go with an event.
    """
    if not _dead(audit).exists():
        return Decimal(0)
    with transaction.atomic():
        now = _taken(audit)
        dead = _dead(audit)
        lost = sum(dead.values_list("amount", flat=True), Decimal(0))
        dead.delete()
        if lost:
            _add(now, lost)
            Event.record("possibly_billed", project=audit.project, audit=audit, amount=str(lost))
    return lost


def raise_budget(audit: Audit, user: Any, budget: Decimal, *, headless: bool = False) -> bool:
    """Set another budget; an audit that the old one had stopped goes on. False when nothing changes.

    headless: as for resume. Raises BudgetError: no_budget (the audit runs without one), over (it does not judge any
    more), below_spent (less than what is spent and held for calls in flight).
    """
    with transaction.atomic():
        now = _taken(audit)
        if now.budget is None:
            raise BudgetError("no_budget", "This audit runs without a budget.")
        if now.status not in (Audit.Status.JUDGING, Audit.Status.PAUSED):
            raise BudgetError("over", "This audit makes no calls any more. Its budget stays as it was.")
        if budget < (taken := now.spent + held(audit)):
            said = f"US$ {taken:.2f} are spent or held for calls on their way. The budget cannot be less."
            raise BudgetError("below_spent", said, taken)
        if budget == now.budget:
            return False
        Audit.objects.filter(pk=audit.pk).update(budget=budget)
        audit.budget = budget
        amounts = {"old": str(now.budget), "new": str(budget)}
        Event.record("budget", project=audit.project, audit=audit, actor=user, rows=[audit], **amounts)
        if now.status == Audit.Status.PAUSED and now.stopped_by == BUDGET:
            resume(audit, user, headless=headless)
    return True


def stop_for_budget(audit: Audit, amount: Decimal | None = None) -> bool:
    """Pause because the next call, of `amount` at most, does not fit in the budget. True for the one that paused it.

    With an amount the audit goes on while money that is held for calls in flight may still come back and make room.
    """
    with transaction.atomic():
        now = _taken(audit)
        if now.budget is None or (amount is not None and now.spent + amount <= now.budget):
            return False
        if not audit.advance(Audit.Status.JUDGING, Audit.Status.PAUSED):
            return False
        Audit.objects.filter(pk=audit.pk).update(stopped_by=BUDGET)
        audit.stopped_by = BUDGET
        amounts: dict[str, Any] = {"budget": str(now.budget), "spent": str(now.spent)}
        Event.record("stopped_by_budget", project=audit.project, audit=audit, **amounts)
    return True


def _taken(audit: Audit) -> Audit:
    """The audit as it is now, its row ours until the transaction ends. On SQLite the whole database is."""
    # No key of the row changes, so that workers may insert calls and claims of the audit meanwhile.
    return Audit.objects.select_for_update(no_key=True).get(pk=audit.pk)


def _add(now: Audit, amount: Decimal) -> None:
    """Add to what is spent. Not in SQL: SQLite would add floating point numbers."""
    if amount:
        Audit.objects.filter(pk=now.pk).update(spent=(now.spent + amount).quantize(CENT))


def _dead(audit: Audit) -> "QuerySet[Allowance]":
    return Allowance.objects.filter(audit=audit, leased_until__lt=Now())
