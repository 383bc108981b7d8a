"""A budget is never crossed, whatever the calls do; what stopped because of it goes on when it is raised."""

import uuid
from decimal import Decimal
from typing import Any

import pytest
from django.db.models import Sum
from django.utils import timezone

from audits import pipeline
from audits.models import Allowance, Audit, Call, Event, Project
from audits.tasks import work
from tests.audits import road
from tests.vendor_server.server import VendorServer

pytestmark = pytest.mark.django_db
AMPLE, NOTHING_FITS, A_FEW = Decimal(10), Decimal("0.01"), Decimal("0.13")
# One call may cost at most 0.016 to 0.027 here: bytes of the prompt and 4,000 tokens of reply; three are set aside.


def billed(audit: Audit) -> Decimal:
    return Call.objects.filter(audit=audit).aggregate(total=Sum("cost"))["total"] or Decimal(0)


def run(project: Project, budget: Decimal, **fields: Any) -> Audit:
    return road.work_off(road.start(road.make_dataset(project), budget=budget, **fields))


def test_within_a_budget_all_is_counted_and_nothing_stops(project: Project, vendor_server: VendorServer) -> None:
    audit = run(project, AMPLE)
    assert audit.status == Audit.Status.REVIEWING
    assert audit.spent == billed(audit) > 0
    assert not Allowance.objects.exists()
    assert all(call.at_most >= call.cost for call in Call.objects.all())


def test_nothing_is_asked_that_could_cross_the_budget(project: Project, vendor_server: VendorServer) -> None:
    audit = run(project, NOTHING_FITS)
    assert (audit.status, audit.stopped_by) == (Audit.Status.PAUSED, "budget")
    assert vendor_server.requests == []
    assert audit.spent == 0 and not Allowance.objects.exists()
    assert Event.objects.filter(audit=audit, kind="stopped_by_budget").count() == 1


def test_an_audit_goes_on_when_its_budget_is_raised(project: Project, vendor_server: VendorServer) -> None:
    vendor_server.rules({"model": "claude-b", "fault": "no_usage"})  # so that each counts with the most it may cost
    audit = run(project, A_FEW)
    assert (audit.status, audit.stopped_by) == (Audit.Status.PAUSED, "budget")
    asked = len(vendor_server.requests)
    assert 0 < asked < 10 and audit.spent <= A_FEW
    pipeline.raise_budget(audit, None, AMPLE)
    road.work_off(audit)
    assert (audit.status, audit.stopped_by) == (Audit.Status.REVIEWING, "")
    assert len(vendor_server.requests) == Call.objects.count() == 10  # nothing was bought twice
    assert audit.claims.exclude(decision="").count() == 4


def test_a_call_of_unknown_cost_counts_with_what_it_could_have_cost(
    project: Project, vendor_server: VendorServer
) -> None:
    vendor_server.rules({"model": "claude-b", "fault": "no_usage", "times": 1})
    audit = run(project, AMPLE)
    (unknown,) = Call.objects.filter(cost=None)
    assert audit.spent == billed(audit) + unknown.at_most


def test_a_request_that_was_turned_down_costs_nothing(project: Project, vendor_server: VendorServer) -> None:
    vendor_server.rules({"status": 429, "retry_after": "0", "times": 3}, {"status": 500, "times": 2})
    audit = run(project, AMPLE)
    assert Call.objects.exclude(outcome="ok").count() == 5
    assert audit.spent == billed(audit)


def test_a_second_call_with_more_room_is_within_the_budget_too(project: Project, vendor_server: VendorServer) -> None:
    vendor_server.rules({"fault": "truncated", "purpose": "verify"})
    audit = run(project, AMPLE)
    assert audit.status == Audit.Status.REVIEWING
    assert audit.spent == billed(audit) <= AMPLE
    usual, wide = Call.objects.filter(request_hash=Call.objects.filter(attempt=2)[0].request_hash).order_by("attempt")
    assert wide.at_most == 2 * usual.at_most


def test_what_a_dead_worker_held_counts_as_spent(project: Project, vendor_server: VendorServer) -> None:
    audit = road.start(road.make_dataset(project), budget=AMPLE)
    Allowance.objects.create(audit=audit, token=uuid.uuid4(), amount=Decimal("0.5"), leased_until=timezone.now())
    work(audit.pk)
    audit.refresh_from_db()
    assert audit.status == Audit.Status.REVIEWING
    assert audit.spent == billed(audit) + Decimal("0.5")
    assert Event.objects.filter(audit=audit, kind="possibly_billed").count() == 1
