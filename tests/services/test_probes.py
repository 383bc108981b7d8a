"""Probes under real workers that are killed: each is answered once, and none is made up from another's answer."""

import random
from collections import Counter
from typing import Any

import pytest

from audits.models import Call, Probe, Project
from tests.audits import road
from tests.services.test_workers import SAMPLES, each_exactly_once, finished, many_rows, wait_for
from tests.vendor_server.server import VendorServer

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
KILLS = 3


def test_killed_workers_double_no_probe(project: Project, vendor_server: VendorServer, worker: Any) -> None:
    vendor_server.script.latency = 0.05
    audit = road.start(road.make_dataset(project, many_rows()), probe_percent=100)
    chance = random.Random(11)
    probes = SAMPLES * 3 * 2 * 2  # claims, judges, kinds
    for _ in range(KILLS):
        process = worker()
        goal = Probe.objects.filter(audit=audit, status=Probe.Status.DONE).count() + chance.randint(1, probes // 5)
        wait_for(
            lambda goal=goal: finished(audit) or Probe.objects.filter(status=Probe.Status.DONE).count() >= goal,
            "no probe was answered",
        )
        process.kill()
    worker()
    wait_for(lambda: finished(audit), "the audit did not go on after the kills")
    assert each_exactly_once(audit)
    kinds = Counter(Probe.objects.filter(audit=audit).values_list("kind", "status", "label"))
    assert kinds == {("repeat", "done", "SUPPORTED"): probes // 2, ("reorder", "done", "SUPPORTED"): probes // 2}
    behind = Counter(Probe.objects.filter(audit=audit).values_list("call", flat=True))
    assert len(behind) == probes and None not in behind
    assert Call.objects.filter(audit=audit, replicate__gt=0).count() == probes
    # What was asked beyond that was in flight at a kill.
    needed = SAMPLES + SAMPLES * 3 * 2 + probes
    at_once = sum(audit.members.values_list("concurrency", flat=True))
    assert len(vendor_server.requests) - needed <= KILLS * at_once
