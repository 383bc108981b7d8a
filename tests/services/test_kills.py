"""kill -9 at any moment: nothing is lost, nothing is doubled, and only what was in flight is bought again."""

import random
from typing import Any

import pytest

from audits.models import Audit, Project
from tests.services.scenario import Scenario, in_flight, ring, status, stored
from tests.services.workers import Worker
from tests.vendor_server.server import VendorServer

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
KILLS, SEED, SAMPLES = 20, 20, 48


def test_killed_at_twenty_moments_of_an_audit(
    project: Project, vendor_server: VendorServer, worker: Any, broker: Any
) -> None:
    scenario = Scenario.prepare(project, vendor_server, SAMPLES)
    audit = scenario.start()
    chance = random.Random(SEED)

    def hire() -> Worker:
        hired = worker(ASSAY_LEASE_SECONDS="2")
        ring(broker.url, audit)
        return hired

    team, lost = [hire(), hire(), hire()], 0
    for left in range(KILLS, 0, -1):
        done = stored(audit)
        scenario.advance(audit, done + chance.randint(1, max(1, (scenario.needed - done) // (left + 1))))
        assert status(audit) == Audit.Status.JUDGING, f"the audit ended before {left} of {KILLS} kills"
        victim = team.pop(chance.randrange(len(team)))
        victim.kill()
        lost += in_flight(audit, vendor_server, victim)
        team.append(hire())
    scenario.finish(audit)
    assert scenario.asked() - scenario.needed <= lost
