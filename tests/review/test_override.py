"""A judge of the generator's family, from the refusal at the start to the words on the certificate."""

from pathlib import Path
from typing import Any

import pytest

from audits import pipeline
from audits.models import Audit, Event, FamilyRule, Project
from review.certify import issue
from review.keys import trusted_keys
from review.readiness import readiness
from review.signature import verify
from tests.audits import road
from tests.review.factory import settle_all
from tests.vendor_server.server import VendorServer

pytestmark = pytest.mark.django_db
REASON = "The client has approved no other vendor (合同第7条)."


@pytest.fixture(autouse=True)
def _own_key(settings: Any, tmp_path: Path) -> None:
    settings.SIGNING_KEY_FILE = tmp_path / "signing-key.pem"


def certified(audit: Audit, expert: Any, manager: Any) -> dict[str, Any]:
    """The signed statement of the audit, once it is judged and reviewed."""
    road.work_off(audit)
    settle_all(audit, expert)
    checked = verify(issue(audit, manager).envelope, trusted_keys())
    assert checked.valid
    return checked.statement


def test_the_certificate_prints_why_a_judge_may_judge_its_own_family(
    project: Project, vendor_server: VendorServer, analyst: Any, expert: Any, manager: Any
) -> None:
    dataset = road.make_dataset(project, generator="bedrock/us.anthropic.claude-sonnet-4-5-v1:0")
    for reason in ("", "  "):
        with pytest.raises(pipeline.PanelError) as refused:
            road.start(dataset, override_reason=reason)
        assert refused.value.code == "generator_family"
    audit = road.start(dataset, override_reason=REASON)
    assert Event.objects.get(kind="start").data["override"] == REASON
    statement = certified(audit, expert, manager)
    (override,) = statement["overrides"]
    assert (override["code"], override["reason"]) == ("generator_vendor", REASON)
    assert "override" in {check.code for check in readiness(audit).checks}


def test_a_reason_that_was_not_needed_is_not_printed(
    project: Project, vendor_server: VendorServer, expert: Any, manager: Any
) -> None:
    audit = road.start(road.make_dataset(project, generator="LoanBot-7b"), override_reason=REASON)
    assert audit.override_reason == ""
    assert certified(audit, expert, manager)["overrides"] == []


def test_a_rule_of_the_installation_makes_a_generator_kin(
    project: Project, vendor_server: VendorServer, expert: Any, manager: Any
) -> None:
    FamilyRule.objects.create(pattern="loanbot", family="anthropic")
    dataset = road.make_dataset(project, generator="LoanBot-7b")
    with pytest.raises(pipeline.PanelError):
        road.start(dataset)
    statement = certified(road.start(dataset, override_reason=REASON), expert, manager)
    assert statement["overrides"][0]["reason"] == REASON
