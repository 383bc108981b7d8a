"""Real worker processes on a real database and broker: they share the work, and an import survives them."""

from collections import Counter
from typing import Any

import pytest

from audits import pipeline
from audits.models import Audit, Call, Project, Verdict
from tests.audits import road
from tests.services.workers import wait_for
from tests.vendor_server.server import VendorServer

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
SAMPLES = 12


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


def test_an_import_goes_on_after_a_kill(project: Project, worker: Any) -> None:
    rows = [{"id": str(n), "question": "Q", "contexts": ["c"], "answer": "a"} for n in range(9000)]
    dataset = road.receive(project, rows)
    pipeline.confirm_mapping(dataset=dataset, mapping=dataset.mapping, user=None)
    process = worker()
    wait_for(lambda: dataset.samples.exists(), "the import did not begin")
    process.kill()
    worker()

    def ready() -> bool:
        dataset.refresh_from_db()
        return dataset.status == "ready"

    wait_for(ready, "the import did not go on")
    assert dataset.samples.count() == 9000
    assert dataset.samples.values("position").distinct().count() == 9000
