"""Pausing, cancelling and paying for audits in batch mode."""

from decimal import Decimal
from typing import Any

import pytest

from audits import pipeline
from audits.models import Audit, Batch, Call, Event, Project
from audits.pipeline import batching
from audits.pipeline.budgeting import held, raise_budget
from audits.tasks import look_after_batches
from tests.audits import road
from tests.audits.batches.driving import cost, is_settled, start, step, verdicts, work_off
from tests.vendor_server.server import VendorServer

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_waiting")]


@pytest.fixture
def audit(project: Project, vendor_server: VendorServer) -> Audit:
    vendor_server.batches.load({"plan": {"polls": 1}})
    return start(road.make_dataset(project))


def test_a_paused_audit_keeps_its_batches_and_makes_no_new_ones(audit: Audit, vendor_server: VendorServer) -> None:
    step(audit)
    pipeline.pause(audit, None)
    for _ in range(4):
        step(audit)
    assert audit.status == Audit.Status.PAUSED
    assert [batch.status for batch in audit.batches.all()] == [Batch.Status.COLLECTED]
    assert "cancel" not in vendor_server.batches.log
    assert audit.claims.count() == 4  # what was paid for is used
    assert len(vendor_server.batches.asked) == 2
    pipeline.resume(audit, None)
    work_off(audit)
    assert len(vendor_server.batches.asked) == 2 + 8
    assert is_settled(audit)


def test_a_batch_that_was_not_handed_over_waits_while_its_audit_is_paused(
    audit: Audit, vendor_server: VendorServer
) -> None:
    vendor_server.batches.load({"faults": [{"on": "create", "status": 503}]})
    step(audit)
    pipeline.pause(audit, None)
    for _ in range(3):
        step(audit)
    assert audit.batches.get().status == Batch.Status.PREPARED
    assert vendor_server.batches.log.count("create") == 1
    pipeline.resume(audit, None)
    work_off(audit)
    assert is_settled(audit)


def test_a_cancelled_audit_stops_its_batches_and_keeps_what_they_brought(
    audit: Audit, vendor_server: VendorServer
) -> None:
    vendor_server.batches.load({"plan": {"polls": 9, "answered": 1}})
    step(audit)
    pipeline.cancel(audit, None)
    for _ in range(3):
        step(audit)
    assert audit.status == Audit.Status.CANCELLED
    assert vendor_server.batches.log.count("cancel") >= 1
    (batch,) = audit.batches.all()
    assert (batch.status, batch.answered, batch.failed) == (Batch.Status.COLLECTED, 1, 1)
    assert audit.calls.filter(reusable=True).count() == 1
    assert audit.claims.exists()
    look_after_batches()  # nothing is left to look after
    assert not batching.audits_with_batches().exists()


@pytest.mark.parametrize("got_through", [False, True])
def test_a_cancelled_audit_gives_up_what_was_not_handed_over(
    audit: Audit, vendor_server: VendorServer, got_through: bool
) -> None:
    fault = {"fault": "lost" if got_through else "reset"}
    vendor_server.batches.load({"plan": {"polls": 9}, "faults": [{"on": "create", **fault}]})
    step(audit)
    pipeline.cancel(audit, None)
    for _ in range(4):
        step(audit)
    (batch,) = audit.batches.all()
    assert batch.status not in Batch.OPEN
    assert ("cancel" in vendor_server.batches.log) == got_through
    assert vendor_server.batches.log.count("create") == 1
    assert not audit.extractions.exclude(batch=None).exists()


def test_a_batch_that_a_person_cancels_is_asked_directly(
    audit: Audit, vendor_server: VendorServer, analyst: Any
) -> None:
    vendor_server.batches.load({"plan": {"polls": 9, "answered": 1}})
    step(audit)
    (batch,) = audit.batches.all()
    assert batching.cancel_batch(batch, analyst)
    assert not batching.cancel_batch(batch, analyst)  # twice is once
    vendor_server.batches.load({})
    work_off(audit)
    assert [request["purpose"] for request in vendor_server.requests] == ["extract"]
    assert audit.batches.filter(member__role="extractor").count() == 1
    assert Event.objects.filter(kind="batch_cancelled", audit=audit, actor=analyst).count() == 1
    assert len(verdicts(audit)) == 8
    assert is_settled(audit)


def test_a_batch_that_cannot_be_handed_over_may_be_cancelled_too(
    audit: Audit, vendor_server: VendorServer, analyst: Any
) -> None:
    vendor_server.batches.load({"faults": [{"on": "create", "status": 503}]})
    step(audit)
    batching.cancel_batch(audit.batches.get(), analyst)
    work_off(audit)
    assert len([request for request in vendor_server.requests if request["purpose"] == "extract"]) == 2
    assert is_settled(audit)


def test_a_batch_that_was_collected_cannot_be_cancelled(audit: Audit, analyst: Any) -> None:
    work_off(audit)
    assert not batching.cancel_batch(audit.batches.first(), analyst)
    assert not Event.objects.filter(kind="batch_cancelled").exists()


def budgeted(project: Project, budget: str) -> Audit:
    judges = [road.judge(vendor, f"m-{vendor}", price_in=1, price_out=2) for vendor in ("openai", "anthropic")]
    return start(road.make_dataset(project), *judges, budget=Decimal(budget))


def test_batches_are_only_as_large_as_the_budget_allows(project: Project, vendor_server: VendorServer) -> None:
    audit = budgeted(project, "0.02")
    for _ in range(60):
        step(audit)
        assert audit.spent + held(audit) <= Decimal("0.02")
        if audit.status != Audit.Status.JUDGING:
            break
    assert audit.status == Audit.Status.REVIEWING
    assert audit.batches.count() > 3
    assert held(audit) == 0
    assert audit.spent == cost(audit)
    assert not Call.objects.filter(audit=audit, at_most=None).exists()
    assert is_settled(audit)


def test_an_audit_whose_budget_has_no_room_for_one_request_is_paused(
    project: Project, vendor_server: VendorServer
) -> None:
    audit = budgeted(project, "0.0001")
    step(audit)
    assert (audit.status, audit.stopped_by) == (Audit.Status.PAUSED, "budget")
    assert not vendor_server.batches.asked and not audit.batches.exists()
    raise_budget(audit, None, Decimal(1))
    work_off(audit)
    assert audit.spent == cost(audit)
    assert is_settled(audit)


def test_what_a_batch_did_not_answer_costs_nothing(project: Project, vendor_server: VendorServer) -> None:
    audit = budgeted(project, "1")
    vendor_server.batches.load({"plan": {"end": "expired", "answered": 1}})
    step(audit), step(audit)
    vendor_server.batches.load({})
    work_off(audit)
    assert audit.spent == sum(call.cost for call in audit.calls.exclude(cost=None))
    assert held(audit) == 0


def test_an_answer_without_a_count_of_tokens_costs_what_it_might(
    project: Project, vendor_server: VendorServer
) -> None:
    audit = budgeted(project, "1")
    vendor_server.rules({"purpose": "extract", "contains": "Ms Otter", "fault": "no_usage", "times": 1})
    work_off(audit)
    (unknown,) = audit.calls.filter(cost=None)
    assert unknown.at_most > 0
    assert audit.spent == sum(call.cost for call in audit.calls.exclude(cost=None)) + unknown.at_most
