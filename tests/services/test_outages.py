"""Redis and PostgreSQL restart in the middle of an audit: it goes on by itself, and comes to the same."""

from typing import Any

import pytest
from django.db import connection

from audits.models import Project
from tests.services.scenario import Scenario, reach
from tests.services.servers import OwnPostgres, OwnRedis, Redis
from tests.vendor_server.server import VendorServer

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


def test_redis_is_flushed_dies_and_comes_back_empty(
    project: Project, vendor_server: VendorServer, worker: Any, broker: Redis
) -> None:
    if not isinstance(broker, OwnRedis):
        pytest.skip("NO redis-server HERE: what happens to an audit when Redis dies is NOT TESTED")
    scenario = Scenario.prepare(project, vendor_server)
    audit = scenario.start()
    worker(), worker()
    share = scenario.needed // 5
    reach(audit, share)
    broker.empty()
    reach(audit, 2 * share)
    broker.kill()
    reach(audit, 3 * share)  # without a broker they go on with what they have and find what is owed
    broker.start()
    reach(audit, 4 * share)
    broker.empty()
    scenario.finish(audit)
    assert scenario.asked() == scenario.needed


@pytest.mark.parametrize("mode", ["immediate", "fast"])
def test_postgres_restarts(own_postgres: OwnPostgres, vendor_server: VendorServer, worker: Any, mode: str) -> None:
    project = Project.objects.create(name="Loan desk", slug="loan-desk")
    scenario = Scenario.prepare(project, vendor_server)
    audit = scenario.start()
    worker(), worker()
    for part in (1, 2, 3):
        reach(audit, part * scenario.needed // 4)
        own_postgres.restart(mode)
    scenario.finish(audit)
    assert scenario.asked() == scenario.needed  # what had come back was held until the database was there again


def test_all_connections_are_cut_again_and_again(project: Project, vendor_server: VendorServer, worker: Any) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("PostgreSQL only; run make services")
    scenario = Scenario.prepare(project, vendor_server)
    audit = scenario.start()
    worker(), worker()
    for part in range(1, 10):
        reach(audit, part * scenario.needed // 10)
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
    scenario.finish(audit)
    assert scenario.asked() == scenario.needed
