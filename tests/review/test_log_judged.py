"""What the log keeps of judging: written when it ends, renewed when it goes on; what is older is not covered."""

import uuid
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db import models

from audits import pipeline
from audits.models import Audit, Call, Event, Project, Sample, Verdict
from audits.pipeline.recording import Bill, store
from audits.pipeline.sealing import seal
from review.log_check import check_log, not_covered
from review.spotcheck import open_review
from tests.audits import road
from tests.review.factory import S, make_audit
from tests.vendor_server.server import VendorServer

pytestmark = pytest.mark.django_db


def found() -> list[str]:
    seal()
    return [f"{finding.about}: {finding.problem}" for finding in check_log(files=False)]


def judged(project: Project) -> Audit:
    audit = road.start(road.make_dataset(project))
    return road.work_off(audit)


def behind(model: Any) -> Any:
    """Rows, past the guards of the application."""
    return models.QuerySet(model)


def test_failed_answers_are_tried_again_with_a_new_digest(vendor_server: VendorServer, project: Project) -> None:
    vendor_server.script.rules = [{"purpose": "extract", "contains": "Is there a fee?", "fault": "malformed"}]
    audit = judged(project)
    assert audit.status == Audit.Status.REVIEWING and audit.extractions.filter(status="failed").count() == 1
    open_review(audit)
    assert found() == []
    vendor_server.script.reset()
    assert pipeline.retry_failed(audit, None)
    assert found() == [], "while it is judged further, there is no digest, and the draw is none any more"
    road.work_off(audit)
    assert audit.status == Audit.Status.REVIEWING and not audit.extractions.filter(status="failed").exists()
    assert Event.objects.filter(audit=audit, kind="judged").count() == 2
    assert found() == []
    open_review(audit)
    assert found() == []
    behind(Verdict).filter(pk=Verdict.objects.values_list("pk", flat=True)[0]).update(rationale="Forged.")
    assert found() == [f"audit {audit.pk}: Its verdicts are not those that were there when the judging ended."]


def test_a_call_that_came_in_late_is_named_and_covered(vendor_server: VendorServer, project: Project) -> None:
    audit = judged(project)
    late = Call.objects.filter(audit=audit).first()
    assert late is not None
    late.pk, late.vendor_request_id = None, "req_late"
    store(audit, [late], [], Bill(uuid.uuid4(), Decimal("0.1"), Decimal(0)))
    event = Event.objects.get(audit=audit, kind="late_calls")
    assert list(event.data["witness"]) == [f"call.1:{late.pk}"]
    assert found() == []
    behind(Call).filter(pk=late.pk).update(cost=Decimal(9))
    assert found() == [f"call {late.pk}: It is not what the log says of it."]
    behind(Call).filter(pk=late.pk).delete()
    assert found() == [f"call {late.pk}: The log knows it, but it is not stored any more."]


def test_where_an_audit_stands_is_in_the_log(vendor_server: VendorServer, project: Project) -> None:
    audit = road.start(road.make_dataset(project))
    assert found() == []
    behind(Audit).update(status=Audit.Status.REVIEWING)
    assert found() == [f"audit {audit.pk}: It is reviewing, but the log does not say so."]
    behind(Audit).update(status=Audit.Status.JUDGING)
    pipeline.cancel(audit, None)
    assert found() == []


def test_of_what_is_older_only_a_part_is_covered_and_that_is_said(project: Project) -> None:
    audit = make_audit(project, [(S, S)] * 3, spot_check=1)
    Event.record("start", project=project, audit=audit, threshold="0.02")  # as it was written before
    open_review(audit)
    assert list(not_covered()) == [f"audit {audit.pk}", f"samples of dataset {audit.dataset_id}"]
    behind(Sample).update(question="Another?")
    assert found() == []
    out = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("verify_log", "--no-files", stdout=out)
    assert ended.value.code == 0 and f"Not covered in full: audit {audit.pk}" in out.getvalue()
    behind(Audit).update(threshold="0.4")
    assert found() == [f"audit {audit.pk}: Its rule is not the one in the log: threshold."]
