"""From a finished review to a signed certificate, and back: nothing out of missing data, nothing twice."""

import copy
import stat
import threading
import uuid
from dataclasses import replace
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.db import connections

from audits.models import Audit, Dataset, Event, Extraction, PanelMember, Sample
from audits.models.written_once import Frozen
from audits.pipeline.ruling import change_rule
from audits.pipeline.sealing import check
from audits.planning import Rule
from audits.stats.macro import macro
from review.adjudication import Refused, adjudicate, undo, undoable
from review.certify import NotReady, issue, next_version, revoke
from review.issuing import NeedsReason, labelled
from review.keys import signing_key, trusted_keys
from review.models import Adjudication, Certificate
from review.outcomes import audited_claims, outcomes
from review.readiness import readiness
from review.scope import Scope
from review.signature import verify
from review.spotcheck import open_review
from tests.review.factory import MIXED, C, S, U, make_audit, patiently, settle_all

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_key(settings: Any, tmp_path: Path) -> None:
    """Each test signs with a key of its own."""
    settings.SIGNING_KEY_FILE = tmp_path / "signing-key.pem"


@pytest.fixture
def reviewed(project: Any, expert: Any) -> Audit:
    """An audit with everything settled."""
    audit = make_audit(project, MIXED, spot_check=40)
    settle_all(audit, expert)
    return audit


def codes(audit: Audit, state: str = "open") -> set[str]:
    """Codes of the checks in this state."""
    return {check.code for check in readiness(audit).checks if check.state == state}


def test_each_thing_that_is_open_is_named(project: Any, expert: Any) -> None:
    audit = make_audit(project, MIXED, status=Audit.Status.JUDGING)
    assert codes(audit) == {"judging", "not_drawn"}
    audit.status = Audit.Status.REVIEWING
    audit.save(update_fields=["status"])
    assert codes(audit) == {"not_drawn"}
    open_review(audit)
    assert codes(audit) == {"disputes", "spot_check"}
    assert readiness(audit).acceptance is None, "nobody peeks"
    settle_all(audit, expert)
    assert codes(audit) == set()


def test_nothing_is_issued_while_something_is_open(project: Any, expert: Any, manager: Any) -> None:
    audit = make_audit(project, MIXED)
    settle_all(audit, expert, leave=1)
    with pytest.raises(NotReady) as caught:
        issue(audit, manager)
    assert set(caught.value.codes) <= {"disputes", "spot_check"}
    assert not Certificate.objects.exists()


def test_a_certificate_is_numbered_signed_and_recorded(reviewed: Audit, manager: Any) -> None:
    certificate = issue(reviewed, manager)
    year = certificate.issued_at.year
    assert certificate.number == f"A-{year}-0001" and certificate.version == 1
    checked = verify(certificate.envelope, trusted_keys())
    assert checked.valid and checked.sha256 == certificate.sha256
    statement = checked.statement
    assert statement["number"] == certificate.number
    assert statement["outcome"]["claims"] == 55 and statement["outcome"]["disputed"] == 0
    assert statement["judged"]["disputed"] == 5
    assert statement["reviewers"] == [{"name": "eve", "adjudications": reviewed.review_plan.items.count()}]
    assert statement["seeds"]["spot_check"] == str(reviewed.review_plan.seed)
    assert Event.objects.get(kind="certificate_issued").actor == manager


def test_issuing_twice_is_once(reviewed: Audit, manager: Any) -> None:
    version = next_version(reviewed)
    assert issue(reviewed, manager, version=version) == issue(reviewed, manager, version=version)
    assert Certificate.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_pressing_at_the_same_moment_issues_once(project: Any, expert: Any, manager: Any) -> None:
    audit = make_audit(project, MIXED, spot_check=40)
    settle_all(audit, expert)
    numbers: list[str] = []
    start = threading.Barrier(4)

    def press() -> None:
        try:
            start.wait()
            numbers.append(patiently(partial(issue, audit, manager, version=1)).number)
        finally:
            connections.close_all()

    presses = [threading.Thread(target=press) for _ in range(4)]
    for one in presses:
        one.start()
    for one in presses:
        one.join()
    assert len(numbers) == 4 and len(set(numbers)) == 1
    assert Certificate.objects.count() == 1


def test_a_new_version_supersedes_and_numbers_have_no_gap(reviewed: Audit, manager: Any) -> None:
    first, second = issue(reviewed, manager), issue(reviewed, manager)
    assert (second.version, second.number[-4:]) == (2, "0002")
    assert first.standing == "superseded" and first.successor == second
    assert second.standing == "valid"


def test_the_decision_follows_the_acceptance_rule(project: Any, expert: Any, manager: Any) -> None:
    good = make_audit(project, [(S, S)] * 100, spot_check=100, threshold="0.05")
    settle_all(good, expert)
    assert issue(good, manager).decision == "PASS"
    bad = make_audit(project, [(S, S)] * 60 + [(U, U)] * 40, spot_check=100, threshold="0.05")
    settle_all(bad, expert)
    assert issue(bad, manager).decision == "FAIL"
    thin = make_audit(project, [(S, S)] * 100, spot_check=10, threshold="0.05")
    settle_all(thin, expert)
    assert issue(thin, manager).decision == "INSUFFICIENT"


def test_experts_overturn_agreeing_judges(project: Any, expert: Any, manager: Any) -> None:
    audit = make_audit(project, [(S, S)] * 40, spot_check=40, threshold="0.05")
    settle_all(audit, expert, label=C)
    certificate = issue(audit, manager)
    assert certificate.decision == "FAIL"
    assert certificate.envelope["statement"]["result"]["rate"] == 1.0


def test_no_spot_check_never_passes(project: Any, expert: Any, manager: Any) -> None:
    audit = make_audit(project, [(S, S)] * 100, spot_check=0, threshold="0.05")
    settle_all(audit, expert)
    certificate = issue(audit, manager)
    assert certificate.decision == "INSUFFICIENT"
    assert "supported_not_checked" in certificate.envelope["statement"]["result"]["reasons"]


def test_a_failed_extraction_never_passes(project: Any, expert: Any, manager: Any) -> None:
    audit = make_audit(project, [(S, S)] * 100, spot_check=100, threshold="0.05")
    sample = Sample.objects.create(dataset=audit.dataset, position=900, line=902, external_id="q900", answer="x")
    Extraction.objects.create(audit=audit, sample=sample, status=Extraction.Status.FAILED)
    settle_all(audit, expert)
    certificate = issue(audit, manager)
    assert certificate.decision == "INSUFFICIENT"
    assert certificate.envelope["statement"]["samples"]["failed"] == 1


def test_a_judge_without_a_vendor_gives_a_specimen(project: Any, expert: Any, manager: Any) -> None:
    audit = make_audit(project, MIXED, vendors=("offline", "anthropic"))
    settle_all(audit, expert)
    certificate = issue(audit, manager)
    assert certificate.specimen and certificate.envelope["statement"]["specimen"]
    accuracy = certificate.envelope["statement"]["specimen_accuracy"]
    assert 0.5 < accuracy["shared_words"] < 1 and 0.5 < accuracy["rules"] < 1 and accuracy["sets"] > 5


def test_one_altered_figure_is_found(reviewed: Audit, manager: Any) -> None:
    sealed = copy.deepcopy(issue(reviewed, manager).envelope)
    sealed["statement"]["outcome"]["supported"] += 1
    assert "statement_changed" in verify(sealed, trusted_keys()).problems


def test_revoking_needs_a_reason_and_happens_once(reviewed: Audit, manager: Any) -> None:
    certificate = issue(reviewed, manager)
    with pytest.raises(ValueError, match="reason"):
        revoke(certificate, manager, " \u200b")
    assert revoke(certificate, manager, "Wrong dataset.")
    assert not revoke(Certificate.objects.get(), manager, "Again.")
    stored = Certificate.objects.get()
    assert (stored.standing, stored.revoke_reason, stored.revoked_by) == ("revoked", "Wrong dataset.", manager)
    assert Event.objects.filter(kind="certificate_revoked").count() == 1


def test_a_certificate_cannot_be_changed_or_deleted(reviewed: Audit, manager: Any) -> None:
    certificate = issue(reviewed, manager)
    certificate.decision = "PASS"
    for act in (certificate.save, certificate.delete, Certificate.objects.all().delete):
        with pytest.raises(Frozen):
            act()
    with pytest.raises(Frozen):
        Certificate.objects.update(decision="PASS")


def test_a_label_under_a_valid_certificate_stays(reviewed: Audit, manager: Any, expert: Any) -> None:
    last = undoable(expert, Scope((reviewed.project,)))
    certificate = issue(reviewed, manager)
    assert last is not None and undoable(expert, Scope((reviewed.project,))) is None
    with pytest.raises(Refused, match="certified"):
        undo(expert, last)
    revoke(certificate, manager, "Wrong dataset.")
    assert undo(expert, last) is not None


def test_the_key_is_made_once_and_is_its_owners_alone(settings: Any) -> None:
    first, second = signing_key(), signing_key()
    assert first.private_bytes_raw() == second.private_bytes_raw()
    path = Path(settings.SIGNING_KEY_FILE)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_what_stands_beside_the_result_comes_from_the_audit(project: Any, expert: Any, manager: Any) -> None:
    audit = make_audit(project, MIXED, spot_check=40, per_answer=5, double_percent=0)
    Dataset.objects.filter(pk=audit.dataset_id).update(period_from="2026-10-01", drawn="at random\nfrom the log")
    PanelMember.objects.filter(audit=audit, position=1).update(notes=["temperature"])
    sample = Sample.objects.create(dataset=audit.dataset, position=900, line=902, external_id="q900", answer="No.")
    done = {"status": Extraction.Status.DONE, "is_refusal": True}
    Extraction.objects.create(
        audit=audit, sample=sample, sentences=[[0, 3], [3, 6]], unaccounted=[2], no_claims={"1": "refusal"}, **done
    )
    settle_all(audit, expert)
    statement = issue(audit, manager).envelope["statement"]
    assert (statement["client"], statement["traffic"]) == ("Example Bank", "at random from the log · 2026-10-01")
    assert statement["extraction"]["unaccounted"] == 1 and statement["extraction"]["coverage"] == 0.5
    assert statement["extraction"]["without_claims"]["refusal"] == 1
    refusals = statement["refusals"]
    assert (refusals["n"], refusals["value"]) == (12, 0.083333)
    assert (refusals["low"], refusals["high"]) == (
        0.014865,
        0.35388,
    )  # Wilson for 1 of 12, by hand: 0.0148650, 0.3538800
    assert statement["disagreement"]["disputed"]["value"] == 0.090909  # 5 of 55
    found = macro(audited_claims(outcomes(audit)), confidence=0.95)
    assert statement["macro"]["answers"] == 11
    assert statement["macro"]["dataset"]["value"] == round(found.dataset.value, 6)
    assert statement["macro"]["traffic"]["reason"] == "few_answers"
    assert statement["review"]["looks"] == 1 and statement["review"]["given_up"] == 0
    assert statement["judges"][1]["refused"] == ["temperature"] and statement["plan"] is None
    assert statement["families"]["unknown_generators"] == ["loanbot-7b"]
    assert len(statement["draws"]) == 1


def test_the_certificate_holds_the_head_of_the_log(reviewed: Audit, manager: Any) -> None:
    Event.record("note", project=reviewed.project, audit=reviewed)
    said = issue(reviewed, manager).envelope["statement"]["event_log"]
    last = Event.objects.get(sequence=said["sequence"])
    assert last.hash == said["hash"] and last.kind == "note", "everything before the certificate is sealed"
    assert check() is None


def test_who_labelled_issues_only_with_a_reason_that_is_printed(reviewed: Audit, expert: Any, manager: Any) -> None:
    for blank in ("  ", "\u200b", "\u2800\x00"):
        with pytest.raises(NeedsReason):
            issue(reviewed, expert, exception_reason=blank)
    assert not Certificate.objects.exists()
    certificate = issue(reviewed, expert, exception_reason="Nobody else is here. ")
    assert certificate.exception_reason == "Nobody else is here."
    (override,) = certificate.envelope["statement"]["overrides"]
    assert (override["code"], override["reason"], override["by"]) == (
        "issuer_labelled",
        "Nobody else is here.",
        "eve",
    )
    assert Event.objects.get(kind="issuing_exception").data["number"] == certificate.number
    later = issue(reviewed, manager, exception_reason="not needed")
    assert later.exception_reason == "" and later.envelope["statement"]["overrides"] == []


def test_a_withdrawn_label_counts_for_who_may_issue(reviewed: Audit, expert: Any, manager: Any) -> None:
    undo(expert, undoable(expert, Scope((reviewed.project,))))
    Adjudication.objects.get(label="")
    assert labelled(reviewed, expert) and not labelled(reviewed, manager)


def test_a_change_of_the_rule_is_printed_with_its_reason(reviewed: Audit, manager: Any) -> None:
    reviewed.mark_labelled()
    rule = replace(Rule.of(reviewed), threshold=Decimal("0.05"))
    change_rule(reviewed, manager, rule, "The client wishes it.", knows_labelled=True)
    statement = issue(reviewed, manager).envelope["statement"]
    (override,) = statement["overrides"]
    assert override["code"] == "rule_changed" and override["by"] == "max"
    assert override["reason"] == "The client wishes it. (threshold 0.02 → 0.05, expected_rate 0.005 → 0.0125)"
    assert statement["rule"]["set_at"] == override["at"] and statement["rule"]["threshold"] == 0.05
    assert statement["result"]["decision"] == "INSUFFICIENT"


def test_labels_changed_after_the_reveal_are_told(reviewed: Audit, expert: Any) -> None:
    last = undoable(expert, Scope((reviewed.project,)))
    slot = undo(expert, last)
    adjudicate(slot, slot.token, user=expert, label=C, idempotency_key=uuid.uuid4())
    assert "changed" in codes(reviewed, "note")


def test_an_unscored_verdict_is_told_and_settled_by_experts(project: Any, expert: Any) -> None:
    audit = make_audit(project, [(S, ""), (S, S)], spot_check=1)
    settle_all(audit, expert)
    assert "unscored" in codes(audit, "note")
    assert readiness(audit).outcome.unscored == 1 and readiness(audit).outcome.disputed == 0
