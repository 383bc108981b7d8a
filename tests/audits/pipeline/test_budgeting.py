"""A budget holds whoever works on the audit: spent and held together never exceed it."""

import random
import uuid
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from audits.models import Allowance, Audit, Batch, Event, Project
from audits.pipeline import budgeting
from audits.pipeline.budgeting import BudgetError
from tests.audits.factory import make_audit, make_dataset
from tests.audits.pipeline import threads

D = Decimal
pytestmark = pytest.mark.django_db


@pytest.fixture
def audit(project: Project) -> Audit:
    return make_audit(make_dataset(project), budget=D("1.00"))


def token() -> uuid.UUID:
    return uuid.uuid4()


def spent(audit: Audit) -> Decimal:
    audit.refresh_from_db()
    return audit.spent


def kinds(audit: Audit) -> list[str]:
    return list(Event.objects.filter(audit=audit).values_list("kind", flat=True))


def test_what_does_not_fit_is_refused_and_changes_nothing(audit: Audit) -> None:
    mine, other = token(), token()
    assert budgeting.reserve(audit, mine, D("0.60"))
    assert not budgeting.reserve(audit, other, D("0.40000001"))
    assert budgeting.held(audit) == D("0.60") and Allowance.objects.count() == 1
    assert budgeting.reserve(audit, other, D("0.40"))  # exactly the rest
    assert not budgeting.reserve(audit, mine, D("0.00000001"))


def test_a_stretch_holds_one_allowance_that_grows(audit: Audit) -> None:
    mine = token()
    for _ in range(10):
        assert budgeting.reserve(audit, mine, D("0.10"))  # ten times 0.1 is 1, not 0.9999… or more than 1
    assert Allowance.objects.get().amount == 1


def test_without_a_budget_nothing_is_held_and_nothing_refused(project: Project) -> None:
    audit, mine = make_audit(make_dataset(project)), token()
    assert budgeting.reserve(audit, mine, D(10_000))
    assert not Allowance.objects.exists()
    assert budgeting.settle_allowance(audit, mine, D("0.25"), D(0))
    assert spent(audit) == D("0.25")


def test_settling_moves_what_was_spent_and_frees_the_rest(audit: Audit) -> None:
    mine = token()
    budgeting.reserve(audit, mine, D("0.90"))
    assert budgeting.settle_allowance(audit, mine, spent=D("0.12345678"), still_held=D("0.30"))
    assert spent(audit) == D("0.12345678") and budgeting.held(audit) == D("0.30")
    assert budgeting.reserve(audit, token(), D("0.57654322"))
    budgeting.release(audit, mine)
    assert budgeting.held(audit) == D("0.57654322")


def test_many_small_amounts_add_up_exactly(audit: Audit) -> None:
    mine = token()
    budgeting.reserve(audit, mine, D(1))
    for _ in range(300):
        budgeting.settle_allowance(audit, mine, D("0.00000101"), D(0))
    assert spent(audit) == D("0.00030300")


def test_open_batches_are_held_and_collected_ones_are_not(audit: Audit) -> None:
    member = audit.panel[0]
    batch = Batch.objects.create(audit=audit, member=member, tag=token(), at_most=D("0.75"))
    assert budgeting.held(audit) == D("0.75")
    assert not budgeting.reserve(audit, token(), D("0.30"))
    Batch.objects.filter(pk=batch.pk).update(status=Batch.Status.COLLECTED)
    budgeting.spend(audit, D("0.20"))
    assert spent(audit) == D("0.20") and budgeting.held(audit) == 0
    assert budgeting.reserve(audit, token(), D("0.80"))


def test_what_a_dead_worker_held_counts_as_spent(audit: Audit) -> None:
    dead, alive = token(), token()
    budgeting.reserve(audit, dead, D("0.50"))
    budgeting.reserve(audit, alive, D("0.20"))
    Allowance.objects.filter(token=dead).update(leased_until=timezone.now() - timedelta(seconds=1))
    assert budgeting.absorb_dead(audit) == D("0.50")
    assert spent(audit) == D("0.50") and budgeting.held(audit) == D("0.20")
    event = Event.objects.get(audit=audit)
    assert (event.kind, Decimal(event.data["amount"])) == ("possibly_billed", D("0.50"))
    assert budgeting.absorb_dead(audit) == 0 and len(kinds(audit)) == 1
    # The worker was not dead but slow: what it bought is counted already, and counted once.
    assert not budgeting.settle_allowance(audit, dead, D("0.30"), D(0))
    assert spent(audit) == D("0.50")
    assert not budgeting.renew(dead) and budgeting.renew(alive)


def test_renewing_keeps_an_allowance_alive(audit: Audit) -> None:
    mine = token()
    budgeting.reserve(audit, mine, D("0.50"))
    Allowance.objects.update(leased_until=timezone.now() - timedelta(seconds=1))
    assert budgeting.renew(mine)
    assert budgeting.absorb_dead(audit) == 0


def test_the_budget_pauses_the_audit_once(audit: Audit) -> None:
    budgeting.spend(audit, D("0.97"))
    assert budgeting.stop_for_budget(audit) and not budgeting.stop_for_budget(audit)
    audit.refresh_from_db()
    assert (audit.status, audit.stopped_by) == ("paused", "budget")
    event = Event.objects.get(audit=audit)
    assert event.kind == "stopped_by_budget" and D(event.data["spent"]) == D("0.97")


def test_it_does_not_pause_while_held_money_may_come_back(audit: Audit) -> None:
    budgeting.reserve(audit, token(), D("0.95"))
    assert not budgeting.reserve(audit, token(), D("0.10"))
    assert not budgeting.stop_for_budget(audit, D("0.10"))  # the calls in flight may cost less than they hold
    budgeting.spend(audit, D("0.91"))
    assert budgeting.stop_for_budget(audit, D("0.10"))


def test_a_raised_budget_lets_the_audit_go_on(audit: Audit, analyst: Any) -> None:
    budgeting.spend(audit, D("0.97"))
    budgeting.stop_for_budget(audit)
    assert budgeting.raise_budget(audit, analyst, D("2.50"))
    audit.refresh_from_db()
    assert (audit.status, audit.stopped_by, audit.budget) == ("judging", "", D("2.50"))
    event = Event.objects.filter(audit=audit, kind="budget").get()
    assert (D(event.data["old"]), D(event.data["new"]), event.actor) == (1, D("2.50"), analyst)
    assert not budgeting.raise_budget(audit, analyst, D("2.50"))  # twice is once
    assert kinds(audit) == ["stopped_by_budget", "budget", "resume"]


def test_an_audit_that_a_person_paused_stays_paused(audit: Audit, analyst: Any) -> None:
    audit.advance("judging", "paused")
    assert budgeting.raise_budget(audit, analyst, D(3))
    audit.refresh_from_db()
    assert audit.status == "paused" and kinds(audit) == ["budget"]


@pytest.mark.parametrize(
    ("change", "budget", "code"),
    [
        ({}, "0.29", "below_spent"),
        ({"budget": None}, "5", "no_budget"),
        ({"status": "cancelled"}, "5", "over"),
        ({"status": "reviewing"}, "5", "over"),
    ],
)
def test_a_budget_that_cannot_be_is_refused(
    audit: Audit, analyst: Any, change: dict[str, Any], budget: str, code: str
) -> None:
    budgeting.spend(audit, D("0.10"))
    budgeting.reserve(audit, token(), D("0.20"))
    Audit.objects.filter(pk=audit.pk).update(**change)
    with pytest.raises(BudgetError) as refused:
        budgeting.raise_budget(audit, analyst, D(budget))
    assert refused.value.code == code and not kinds(audit)


def test_a_lower_budget_is_possible_down_to_what_is_taken(audit: Audit, analyst: Any) -> None:
    budgeting.spend(audit, D("0.10"))
    budgeting.reserve(audit, token(), D("0.20"))
    assert budgeting.raise_budget(audit, analyst, D("0.30"))
    assert not budgeting.reserve(audit, token(), D("0.00000001"))


def test_leaving_the_pause_forgets_who_paused(audit: Audit, analyst: Any) -> None:
    budgeting.stop_for_budget(audit)
    audit.advance("paused", "cancelled")
    audit.refresh_from_db()
    assert audit.stopped_by == ""


@pytest.mark.django_db(transaction=True)
def test_many_workers_together_never_exceed_the_budget(project: Project, tmp_path: Path) -> None:
    """Each reserves as fast as it can, spends a part of it and gives the rest back, until nothing is left."""
    audit = make_audit(make_dataset(project), budget=D("0.50"))

    def worker(seed: int) -> Callable[[], tuple[Decimal, Decimal]]:
        def work() -> tuple[Decimal, Decimal]:
            chance, mine, paid, held = random.Random(seed), token(), D(0), D(0)
            refused = 0
            while refused < 3:
                amount = D(chance.randint(1, 500)) / 10_000
                if not budgeting.reserve(audit, mine, amount):
                    refused += 1
                    continue
                held += amount
                cost = (held * chance.randint(0, 4) / 4).quantize(budgeting.CENT)
                held = (held - cost) * chance.randint(0, 1)
                assert budgeting.settle_allowance(audit, mine, cost, held)
                paid += cost
            return paid, held

        return work

    def look() -> tuple[Decimal, Decimal]:
        return Audit.objects.get(pk=audit.pk).spent, budgeting.held(audit)

    with threads.on_disk(tmp_path):
        told = threads.run([worker(seed) for seed in range(8)])
        ((spent_now, held_now),) = threads.run([look])
    assert spent_now == sum(paid for paid, _ in told)  # nothing is lost
    assert held_now == sum(held for _, held in told)
    assert spent_now + held_now <= D("0.50")
    assert spent_now + held_now > D("0.40")  # and the budget can be used


@pytest.mark.django_db(transaction=True)
def test_of_many_that_want_the_last_place_one_gets_it(project: Project, tmp_path: Path) -> None:
    audit = make_audit(make_dataset(project), budget=D("0.10"))
    with threads.on_disk(tmp_path):
        got = threads.run([lambda: budgeting.reserve(audit, token(), D("0.06")) for _ in range(8)])
        stopped = threads.run([lambda: budgeting.stop_for_budget(audit) for _ in range(8)])
    assert got.count(True) == 1 and stopped.count(True) == 1
