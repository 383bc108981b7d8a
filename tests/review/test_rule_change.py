"""A certificate and the rule it rests on."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from audits.pipeline.ruling import RuleError, change_rule
from audits.planning import Rule
from audits.stats.acceptance import INSUFFICIENT, PASS
from review.certify import issue, revoke
from review.readiness import readiness
from tests.review.factory import S, make_audit, settle_all

pytestmark = pytest.mark.django_db
OTHER = Rule(Decimal("0.3"), "dataset", expected_rate=Decimal("0.1"))


def test_a_valid_certificate_keeps_the_rule(
    project: Any, expert: Any, manager: Any, settings: Any, tmp_path: Path
) -> None:
    settings.SIGNING_KEY_FILE = tmp_path / "signing-key.pem"
    audit = make_audit(project, [(S, S)] * 20, spot_check=20, threshold=Decimal("0.2"))
    settle_all(audit, expert)
    certificate = issue(audit, manager)
    with pytest.raises(RuleError) as refused:
        change_rule(audit, manager, OTHER, "Asked.", knows_labelled=True)
    assert refused.value.code == "certified"
    revoke(certificate, manager, "Wrong system named.")
    assert change_rule(audit, manager, OTHER, "Asked.", knows_labelled=True)


def test_nothing_passes_after_the_rule_was_changed(project: Any, expert: Any, manager: Any) -> None:
    audit = make_audit(project, [(S, S)] * 20, spot_check=20, threshold=Decimal("0.2"))
    settle_all(audit, expert)
    passed = readiness(audit).acceptance
    assert passed is not None and passed.decision == PASS
    audit.mark_labelled()
    change_rule(audit, manager, OTHER, "Asked.", knows_labelled=True)
    found = readiness(audit).acceptance
    assert found is not None and found.decision == INSUFFICIENT
