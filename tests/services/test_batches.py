"""Batch mode with real workers that are killed: nothing is handed over twice, and no answer is lost."""

import random
from collections import Counter
from typing import Any

import pytest

from audits.models import Audit, Batch, Call, Project
from tests.audits import road
from tests.services.test_workers import SAMPLES, each_exactly_once, finished, many_rows, wait_for
from tests.vendor_server.server import VendorServer

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
KILLS = 6


@pytest.fixture
def quick_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers look at batches every second."""
    monkeypatch.setenv("ASSAY_BATCH_POLL_SECONDS", "1")


def test_killed_workers_hand_nothing_over_twice(
    project: Project, vendor_server: VendorServer, quick_looks: None, worker: Any
) -> None:
    vendor_server.batches.load({"plan": {"polls": 2}})
    audit = road.start(road.make_dataset(project, many_rows()), batch=True)
    chance = random.Random(11)
    for _ in range(KILLS):
        process = worker()
        goal = len(vendor_server.batches.log) + chance.randint(1, 6)
        wait_for(lambda goal=goal: finished(audit) or len(vendor_server.batches.log) >= goal, "no progress")
        process.kill()
    worker(), worker()
    wait_for(lambda: finished(audit), "the audit did not go on after the kills")
    assert each_exactly_once(audit)
    assert set(audit.claims.values_list("decision", flat=True)) == {"SUPPORTED"}
    needed = SAMPLES + SAMPLES * 3 * 2
    asked = Counter((asked["model"], asked["user"]) for asked in vendor_server.batches.asked)
    assert len(asked) == needed and set(asked.values()) == {1}
    assert not vendor_server.requests  # none was asked directly
    paid = Counter(Call.objects.filter(audit=audit).values_list("member_id", "request_hash"))
    assert len(paid) == needed and set(paid.values()) == {1}
    assert not Batch.objects.filter(audit=audit, status__in=Batch.OPEN).exists()


def test_two_workers_share_the_batches_of_two_audits(
    project: Project, vendor_server: VendorServer, quick_looks: None, worker: Any
) -> None:
    vendor_server.batches.load({"plan": {"polls": 1}})
    dataset = road.make_dataset(project, many_rows())
    audits = [road.start(dataset, batch=True, reuse=False) for _ in range(2)]
    worker(), worker()
    for audit in audits:
        wait_for(lambda audit=audit: finished(audit), "the audit did not end")
        assert each_exactly_once(audit)
        assert Call.objects.filter(audit=audit).count() == SAMPLES + SAMPLES * 3 * 2
    assert len(vendor_server.batches.asked) == sum(Call.objects.filter(audit=audit).count() for audit in audits)
    assert Audit.objects.filter(status=Audit.Status.REVIEWING).count() == 2
