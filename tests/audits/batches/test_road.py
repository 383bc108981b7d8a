"""Whole audits in batch mode against the fake vendor, over HTTP with the real SDKs."""

from collections import Counter
from decimal import Decimal
from typing import Any

import pytest

from audits import pipeline
from audits.models import Audit, Batch, BatchItem, Call, Project, Verdict
from tests.audits import road
from tests.audits.batches.driving import calls, decisions, start, verdicts, work_off
from tests.vendor_server.server import VendorServer

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_waiting(settings: Any) -> None:
    settings.ASSAY_BATCH_POLL_SECONDS = 0


def test_a_batch_audit_comes_to_the_same_for_half_the_price(project: Project, vendor_server: VendorServer) -> None:
    vendor_server.labels({"claim": "12 to 84", "label": "CONTRADICTED", "model": "claude-b"})
    dataset = road.make_dataset(project)
    direct = road.work_off(start(dataset, batch=False))
    asked = len(vendor_server.requests)
    batched = work_off(start(dataset))
    assert direct.status == batched.status == Audit.Status.REVIEWING
    assert decisions(batched) == decisions(direct)
    assert verdicts(batched) == verdicts(direct)
    assert len(vendor_server.requests) == asked  # nothing was asked directly
    assert calls(batched) == calls(direct)
    cost = {audit: sum(call.cost for call in audit.calls.all()) for audit in (direct, batched)}
    assert cost[batched] == cost[direct] / 2 > 0
    assert set(batched.calls.values_list("batch__status", flat=True)) == {Batch.Status.COLLECTED}
    assert not BatchItem.objects.exclude(status=BatchItem.Status.DONE).exists()
    assert batched.batches.count() == 3  # one of extractions, one of each judge
