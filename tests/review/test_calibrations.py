"""A calibration never comes to experts, and never to a certificate."""

from typing import Any

import pytest

from audits.models import Audit, Project
from audits.next_step import next_step
from review.certify import NotReady, issue
from review.models import ReviewPlan
from review.progress.work import audits_under_review
from review.readiness import readiness
from review.spotcheck import open_review, owed
from review.withheld import withheld_from
from tests.audits.factory import judged_audit

pytestmark = pytest.mark.django_db


def test_no_review_is_opened_and_nobody_is_told_to_review(project: Project, person: Any) -> None:
    audit = judged_audit(project, calibration=True)
    assert not owed().exists() and open_review(audit) is None and not ReviewPlan.objects.exists()
    assert audits_under_review(project) == []
    both = person("bo", project, "manager", "expert")
    assert not withheld_from(both, project).claims
    assert next_step(project, frozenset({"analyst"})) is None
    Audit.objects.filter(pk=audit.pk).update(calibration=False)
    assert owed().exists() and withheld_from(both, project).claims


def test_it_is_not_certified_and_the_reason_is_said(project: Project, manager: Any) -> None:
    audit = judged_audit(project, calibration=True)
    state = readiness(audit)
    assert not state.issuable and state.acceptance is None
    (reason,) = [check for check in state.checks if check.state == "open"]
    assert reason.code == "calibration" and "nothing to certify" in reason.text and "calibration" in reason.url
    with pytest.raises(NotReady):
        issue(audit=audit, manager=manager)
