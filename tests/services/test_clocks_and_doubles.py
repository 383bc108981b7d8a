"""Clocks that are set while workers work, and tasks that arrive twice: neither buys anything twice."""

import datetime
from typing import Any

import pytest
from django.db.models import F

from audits.models import Extraction, Judging, Project
from tests.services.nursery import BACK, FORWARD
from tests.services.scenario import Scenario, in_flight, in_hand, reach, ring
from tests.services.servers import Redis
from tests.vendor_server.server import VendorServer

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
HOUR = datetime.timedelta(hours=1)


def test_the_clocks_of_workers_jump(project: Project, vendor_server: VendorServer, worker: Any) -> None:
    scenario = Scenario.prepare(project, vendor_server)
    audit = scenario.start()
    first, second = worker(), worker()
    share = scenario.needed // 5
    for part, (one, other) in enumerate(((FORWARD, BACK), (BACK, FORWARD), (FORWARD, FORWARD), (BACK, BACK)), 1):
        reach(audit, part * share)
        first.send(one)
        second.send(other)
    scenario.finish(audit)
    assert scenario.asked() == scenario.needed
    assert first.lives and second.lives


def jump(hours: int) -> None:
    """Leave all leases as they are when the database's clock is set: their ends are further away, or gone by."""
    for model in (Extraction, Judging):
        model.objects.exclude(lease=None).update(leased_until=F("leased_until") - hours * HOUR)


def test_the_clock_of_the_database_jumps(project: Project, vendor_server: VendorServer, worker: Any) -> None:
    scenario = Scenario.prepare(project, vendor_server)
    audit = scenario.start()
    first = worker()
    worker()
    share = scenario.needed // 4
    reach(audit, share)
    taken = in_hand(audit)
    jump(1)  # forward: what is worked on looks abandoned until its worker says otherwise; another one may take it
    reach(audit, 2 * share)
    first.kill()
    jump(-1)  # back: what the dead one had must not wait for an hour
    lost = in_flight(audit, vendor_server, first)
    worker()
    scenario.finish(audit, twice=taken)
    assert scenario.asked() - scenario.needed <= taken + lost


def test_the_same_task_is_delivered_many_times_and_at_once(
    project: Project, vendor_server: VendorServer, worker: Any, broker: Redis
) -> None:
    scenario = Scenario.prepare(project, vendor_server)
    audit = scenario.start()
    ring(broker.url, audit, times=20)
    worker(), worker()
    reach(audit, scenario.needed // 2)
    ring(broker.url, audit, times=20)
    scenario.finish(audit)
    ring(broker.url, audit, times=20)
    worker()
    ring(broker.url, audit)
    assert scenario.asked() == scenario.needed
