"""Real worker processes on a real database and broker: they share the work, die, and come back without loss."""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection

from audits import pipeline
from audits.models import Audit, Call, Project, Verdict
from tests.audits import road
from tests.vendor_server.server import VendorServer

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
ROOT = Path(__file__).resolve().parents[2]
SAMPLES = 12
DEADLINE = 120  # seconds until a test gives up; no test waits that long when all is well


def wait_for(what: Callable[[], bool], message: str) -> None:
    """Poll a condition until it holds."""
    end = time.monotonic() + DEADLINE
    while not what():
        assert time.monotonic() < end, message
        time.sleep(0.05)


def database_url() -> str:
    """The test database, for a process of its own."""
    found = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{found['NAME']}"
    host, port = found["HOST"] or "127.0.0.1", found["PORT"] or 5432
    return f"postgres://{found['USER']}:{found['PASSWORD']}@{host}:{port}/{found['NAME']}"


@pytest.fixture
def worker(vendor_server: VendorServer) -> Iterator[Callable[[], "subprocess.Popen[bytes]"]]:
    """A function that starts a worker process; all are ended afterwards."""
    if connection.vendor == "sqlite" and "memory" in str(connection.settings_dict["NAME"]):
        pytest.skip("other processes cannot see an in-memory database; run make services")
    started: list[subprocess.Popen[bytes]] = []
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATABASE_URL": database_url(),
        "ASSAY_DATA_DIR": str(settings.DATA_DIR),
        "ASSAY_LEASE_SECONDS": "6",
        "ASSAY_SWEEP_SECONDS": "1",
        "ASSAY_RETRY_BASE_MS": "10",
        "SECRET_KEY": settings.SECRET_KEY,
    }

    def start() -> "subprocess.Popen[bytes]":
        process = subprocess.Popen([sys.executable, "manage.py", "worker"], cwd=ROOT, env=environment)
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()


def many_rows() -> list[dict[str, Any]]:
    """Rows of three claims each, every claim with a passage that holds it."""
    rows = []
    for number in range(SAMPLES):
        claims = [f"Rule {number}.{part} allows {number * 7 + part} days." for part in range(3)]
        rows.append({"id": f"r{number}", "question": "Rules?", "contexts": claims, "answer": " ".join(claims)})
    return rows


def finished(audit: Audit) -> bool:
    audit.refresh_from_db(fields=["status"])
    return audit.status == Audit.Status.REVIEWING


def each_exactly_once(audit: Audit) -> bool:
    """Every claim has one verdict of each judge, and none is lost or doubled."""
    pairs = Counter(Verdict.objects.filter(claim__audit=audit).values_list("claim_id", "member_id"))
    return len(pairs) == audit.claims.count() * 2 and set(pairs.values()) == {1}


def test_two_workers_share_an_audit(project: Project, vendor_server: VendorServer, worker: Any) -> None:
    vendor_server.script.latency = 0.02
    audit = road.start(road.make_dataset(project, many_rows()))
    worker(), worker()
    wait_for(lambda: finished(audit), "the audit did not end")
    assert audit.claims.count() == SAMPLES * 3
    assert each_exactly_once(audit)
    assert len(vendor_server.script.log) == SAMPLES + SAMPLES * 3 * 2
    assert Call.objects.filter(audit=audit).count() == len(vendor_server.script.log)


def test_killed_workers_lose_nothing_and_buy_nothing_twice(
    project: Project, vendor_server: VendorServer, worker: Any
) -> None:
    vendor_server.script.latency = 0.05
    audit = road.start(road.make_dataset(project, many_rows()))
    chance = random.Random(7)
    kills = 3
    for _ in range(kills):
        process = worker()
        goal = Call.objects.filter(audit=audit).count() + chance.randint(1, 15)
        wait_for(lambda goal=goal: finished(audit) or Call.objects.filter(audit=audit).count() >= goal, "no progress")
        process.send_signal(signal.SIGKILL)
        process.wait()
    worker()
    wait_for(lambda: finished(audit), "the audit did not go on after the kills")
    assert each_exactly_once(audit)
    assert set(audit.claims.values_list("decision", flat=True)) == {"SUPPORTED"}
    # What had come back before a kill is in the ledger, once, and was not asked again.
    needed = SAMPLES + SAMPLES * 3 * 2
    paid = Counter(Call.objects.filter(audit=audit).values_list("member_id", "request_hash"))
    assert len(paid) == needed and set(paid.values()) == {1}
    # What was asked beyond that was in flight at a kill.
    at_once = sum(audit.members.values_list("concurrency", flat=True))
    assert len(vendor_server.script.log) - needed <= kills * at_once


def test_an_import_goes_on_after_a_kill(project: Project, worker: Any) -> None:
    rows = [{"id": str(n), "question": "Q", "contexts": ["c"], "answer": "a"} for n in range(9000)]
    dataset = road.receive(project, rows)
    pipeline.confirm_mapping(dataset=dataset, mapping=dataset.mapping, user=None)
    process = worker()
    wait_for(lambda: dataset.samples.exists(), "the import did not begin")
    process.send_signal(signal.SIGKILL)
    process.wait()
    worker()

    def ready() -> bool:
        dataset.refresh_from_db()
        return dataset.status == "ready"

    wait_for(ready, "the import did not go on")
    assert dataset.samples.count() == 9000
    assert dataset.samples.values("position").distinct().count() == 9000
