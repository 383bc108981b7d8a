"""Changing the rule of an audit: before the first label, after it, and where it is refused."""

from decimal import Decimal
from typing import Any

import pytest

from audits.models import Audit, Event, Project
from audits.pipeline.ruling import RuleError, change_rule
from audits.planning import Rule
from tests.audits.pipeline.test_starting import start

D = Decimal
pytestmark = pytest.mark.django_db
STRICTER = Rule(D("0.01"), "dataset", D("0.99"), 2, D("0.002"))


@pytest.fixture
def audit(project: Project) -> Audit:
    return start(project, expected_rate=D("0.004"), looks=3)


def change(audit: Audit, rule: Rule = STRICTER, reason: str = "The client asks for it.", **more: Any) -> bool:
    return change_rule(audit, None, rule, reason, **({"knows_labelled": False} | more))


def test_the_plan_is_stored_and_in_the_log(audit: Audit) -> None:
    audit.refresh_from_db()
    assert (audit.expected_rate, audit.looks) == (D("0.004"), 3)
    assert audit.plan["looks"] == 3 and audit.plan["expected_rate"] == "0.004" and audit.plan["version"]
    assert audit.plan["answers"] == 3 and audit.plan["claims_from"] == "counted"
    assert audit.spot_check_size == audit.plan["proposed"] > 0
    data = Event.objects.get(audit=audit, kind="start").data
    assert data["plan"] == audit.plan and data["looks"] == 3 and data["threshold"] == "0.02"


def test_an_unsaid_expectation_is_a_quarter_and_a_chosen_size_is_kept(project: Project) -> None:
    audit = start(project, spot_check_size=7)
    audit.refresh_from_db()
    assert (audit.expected_rate, audit.looks, audit.spot_check_size) == (D("0.005"), 1, 7)
    assert audit.plan["proposed"] >= audit.plan["spot_check"]


@pytest.mark.parametrize("wrong", [{"looks": 0}, {"looks": 5}, {"expected_rate": D(1)}, {"scope": "moon"}])
def test_a_rule_has_limits(project: Project, wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="no acceptance rule"):
        start(project, **wrong)
    assert not Audit.objects.exists()


def test_before_the_first_label_the_rule_changes_and_the_plan_with_it(audit: Audit) -> None:
    assert change(audit)
    assert (audit.threshold, audit.confidence, audit.looks, audit.rule_changed_at) == (D("0.01"), D("0.99"), 2, None)
    event = Event.objects.get(kind="rule_changed")
    assert event.data["before"]["threshold"] == "0.02" and event.data["after"] == STRICTER.stored()
    assert event.data["reason"] == "The client asks for it." and event.data["labelled"] is False
    assert event.data["plan"] == audit.plan and audit.plan["threshold"] == "0.01" and audit.plan["looks"] == 2
    assert not change(audit) and Event.objects.filter(kind="rule_changed").count() == 1  # twice is once


def test_after_the_first_label_the_plan_stays_and_the_mark_never_goes(audit: Audit) -> None:
    planned, before = audit.plan, Rule.of(audit)
    audit.mark_labelled()
    with pytest.raises(RuleError) as refused:
        change(audit)  # of one who was not told
    assert refused.value.code == "labelled"
    audit.refresh_from_db()
    assert audit.threshold == D("0.02") and audit.rule_changed_at is None
    assert change(audit, knows_labelled=True)
    marked = audit.rule_changed_at
    assert marked is not None and audit.plan == planned and audit.threshold == D("0.01")
    assert Event.objects.get(kind="rule_changed").data["labelled"] is True
    assert change(audit, before, knows_labelled=True)  # back again
    assert audit.rule_changed_at == marked


@pytest.mark.parametrize(("code", "fields"), [("no_reason", {}), ("cancelled", {"status": "cancelled"})])
def test_what_is_refused_changes_nothing(audit: Audit, code: str, fields: dict[str, Any]) -> None:
    Audit.objects.filter(pk=audit.pk).update(**fields)
    with pytest.raises(RuleError) as refused:
        change(audit, reason="  " if code == "no_reason" else "Why not")
    audit.refresh_from_db()
    assert refused.value.code == code and audit.threshold == D("0.02")
    assert not Event.objects.filter(kind="rule_changed").exists()


def test_a_calibration_has_no_plan_to_make_anew(audit: Audit) -> None:
    Audit.objects.filter(pk=audit.pk).update(calibration=True, plan={})
    assert change(audit) and audit.plan == {}
