"""What is listed between an audit and its decision: everything that blocks, and the quickest way out."""

import datetime
import uuid
from typing import Any

import pytest
from django.utils import timezone

from audits.models import Audit, Claim, Extraction
from review.adjudication import adjudicate
from review.certify import issue
from review.models import ReviewPlan, Slot
from review.readiness import Readiness, readiness
from review.spotcheck import open_review
from tests.review.factory import MIXED, C, S, U, make_audit, settle_all

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_key(settings: Any, tmp_path: Any) -> None:
    settings.SIGNING_KEY_FILE = tmp_path / "signing-key.pem"


def made(project: Any, expert: Any, pairs: Any = MIXED, **fields: Any) -> Audit:
    """A settled audit."""
    audit = make_audit(project, pairs, **{"spot_check": 50, **fields})
    settle_all(audit, expert)
    return Audit.objects.get(pk=audit.pk)


def lines(found: Readiness, state: str = "blocks") -> dict[str, str]:
    return {check.code: check.text for check in found.checks if check.state == state}


def test_a_settled_audit_that_fails_has_nothing_in_its_way(project: Any, expert: Any) -> None:
    found = readiness(made(project, expert))
    assert found.issuable and lines(found) == {} and found.acceptance is not None
    assert found.acceptance.decision == "FAIL"


def test_no_claims(project: Any, expert: Any) -> None:
    found = readiness(made(project, expert, []))
    assert found.issuable and "no_claims" in lines(found)
    assert found.acceptance is not None and found.acceptance.reasons == ("no_claims",)


def test_no_audit_of_what_the_judges_call_supported(project: Any, expert: Any, manager: Any) -> None:
    audit = made(project, expert, spot_check=0)
    found = readiness(audit)
    assert "supported_not_checked" in lines(found)
    assert issue(audit, manager).envelope["statement"]["result"]["reasons"] == ["supported_not_checked"]
    Audit.objects.update(looks=2)
    (check,) = [one for one in readiness(Audit.objects.get()).checks if one.code == "supported_not_checked"]
    assert check.url.endswith(f"/audits/{audit.pk}/looks/")


def test_answers_that_are_missing_are_counted(project: Any, expert: Any) -> None:
    found = readiness(made(project, expert, [(S, S)] * 29, scope="traffic"))
    assert lines(found)["few_answers"].startswith(
        "29 answers have claims; a statement about the traffic needs 30. 1 more"
    )
    assert found.acceptance is not None and found.acceptance.reasons == ("few_answers",)
    assert "few_answers" not in lines(readiness(made(project, expert, [(S, S)] * 30, scope="traffic")))
    assert "few_answers" not in lines(readiness(made(project, expert, [(S, S)] * 29, scope="dataset")))


def test_a_rule_that_was_changed(project: Any, expert: Any) -> None:
    audit = made(project, expert)
    Audit.objects.update(rule_changed_at=timezone.now())
    found = readiness(Audit.objects.get())
    assert "rule_changed" in lines(found) and found.acceptance is not None
    assert (found.acceptance.decision, found.acceptance.reasons) == ("INSUFFICIENT", ("rule_changed",))
    Audit.objects.update(rule_changed_at=None)
    ReviewPlan.objects.update(looks=[{"at": "", "by": "", "asked": 5, "strata": audit.review_plan.strata}])
    found = readiness(Audit.objects.get())
    assert found.blocking == ("rule_changed",), "more looks were taken than the rule has"
    assert found.acceptance is not None and found.acceptance.level == pytest.approx(0.975)


@pytest.mark.parametrize("change", ["decision", "vague", "judged", "gone"])
def test_claims_that_changed_after_the_draw(project: Any, expert: Any, change: str) -> None:
    audit = made(project, expert, spot_check=10)
    unseen = Claim.objects.filter(audit=audit, review_item__isnull=True, decision=S)
    if change == "judged":
        Audit.objects.update(judged_at=timezone.now())
    elif change == "gone":
        unseen[0].delete()
    else:
        Claim.objects.filter(pk=unseen[0].pk).update(**({"vague": True} if change == "vague" else {"decision": U}))
    found = readiness(Audit.objects.get())
    assert found.blocking == ("judges_changed",) and "strata_changed" in lines(found, "open")
    assert found.acceptance is None


def test_answers_without_claims_by_fault_block_a_decision(project: Any, expert: Any) -> None:
    audit = made(project, expert)
    Extraction.objects.filter(pk=Extraction.objects.all()[0].pk).update(status=Extraction.Status.FAILED)
    found = readiness(audit)
    assert "extraction_failed" in lines(found) and found.acceptance is not None
    assert found.acceptance.reasons == ("samples_failed",)


def test_about_how_many_more_would_decide_and_where_to_get_them(project: Any, expert: Any) -> None:
    pairs = [(S, S)] * 300 + [(C, C)] * 10
    audit = made(project, expert, pairs, spot_check=40, threshold="0.06", looks=2)
    found = readiness(audit)
    (check,) = [one for one in found.checks if one.code == "threshold_inside_limits"]
    assert "more spot-checked claims would decide at the present rate (270 left)" in check.text
    assert check.action == "Extend the spot check, look 2 of 2" and check.url.endswith("/looks/")
    Audit.objects.update(looks=1)
    (check,) = [one for one in readiness(Audit.objects.get()).checks if one.code == "threshold_inside_limits"]
    assert "No further look was registered" in check.text and check.action == "Start a new audit"


def test_when_no_spot_check_is_enough_answers_are_missing(project: Any, expert: Any) -> None:
    found = readiness(made(project, expert, [(S, S)] * 40, scope="traffic", threshold="0.02"))
    assert "More answers are needed" in lines(found)["threshold_inside_limits"]


def test_the_time_that_is_left_is_told_at_the_present_pace(project: Any, expert: Any) -> None:
    audit = make_audit(project, MIXED, spot_check=50)
    open_review(audit)
    assert "time" not in lines(readiness(audit), "note"), "nobody was timed yet"
    for number, slot in enumerate(Slot.objects.all()[:10]):
        Slot.objects.filter(pk=slot.pk).update(
            taken_at=timezone.now() - datetime.timedelta(minutes=9), reviewer=expert
        )
        adjudicate(slot, None, user=expert, label=S, idempotency_key=uuid.UUID(int=number), active_ms=60_000)
    assert (
        lines(readiness(audit), "note")["time"] == "45 labels are missing: 45 min of expert time at the present pace."
    )
