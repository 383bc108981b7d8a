"""Whatever is changed behind the application's back is found: in the log, and in what numbers rest on."""

import hashlib
import uuid
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import models

from audits.labels import Decision
from audits.models import Audit, Claim, Dataset, Event, Verdict
from audits.pipeline.sealing import seal
from review.adjudication import adjudicate, undo
from review.certify import issue, revoke
from review.log_check import check_log
from review.models import Adjudication, Certificate, ReviewPlan
from review.queue import take
from review.scope import Scope
from review.spotcheck import open_review
from tests.review.factory import C, S, make_audit

pytestmark = pytest.mark.django_db
FILE = b"id,answer\n1,Ada was first.\n"


@pytest.fixture
def person(rightful: Any) -> Any:
    """Roles are given with an event."""
    return rightful


@pytest.fixture
def certified(project: Any, expert: Any, manager: Any, settings: Any, tmp_path: Path) -> Audit:
    """An audit whose every step went the application's own way, up to its certificate."""
    settings.SIGNING_KEY_FILE, settings.MEDIA_ROOT = tmp_path / "signing-key.pem", tmp_path
    audit = make_audit(project, [(S, S)] * 4 + [(S, C)] * 2, spot_check=2)
    (tmp_path / audit.dataset.stored_as).write_bytes(FILE)
    Dataset.objects.filter(pk=audit.dataset_id).update(sha256=hashlib.sha256(FILE).hexdigest())
    audit.refresh_from_db()
    Event.record("start", project=project, audit=audit, threshold="0.02")
    open_review(audit)
    scope = Scope((project,))
    slot = take(expert, scope)
    assert slot is not None
    first = adjudicate(slot, slot.token, user=expert, label=C, idempotency_key=uuid.uuid4()).adjudication
    undo(expert, first)
    while slot := take(expert, scope):
        adjudicate(slot, slot.token, user=expert, label=S, idempotency_key=uuid.uuid4())
    issue(audit, manager)
    seal()
    return audit


def found() -> list[str]:
    return [finding.about for finding in check_log()]


def rows(model: Any) -> Any:
    """Direct writing to the database, which the application itself refuses."""
    return models.QuerySet(model)


def test_what_went_the_applications_own_way_agrees(certified: Audit, manager: Any) -> None:
    assert list(check_log()) == []
    certificate = Certificate.objects.get()
    revoke(certificate, manager, "A wrong file was uploaded.")
    seal()
    assert list(check_log()) == []


def an_event(audit: Audit) -> None:
    event = Event.objects.filter(kind="adjudicated").last()
    assert event is not None
    rows(Event).filter(pk=event.pk).update(data=event.data | {"label": C})


def a_label(audit: Audit) -> None:
    last = Adjudication.objects.filter(label=S).last()
    assert last is not None
    rows(Adjudication).filter(pk=last.pk).update(label=C)


def a_label_more(audit: Audit) -> None:
    last = Adjudication.objects.filter(label=S).last()
    assert last is not None
    last.pk, last.revision, last.idempotency_key, last.label = None, last.revision + 1, uuid.uuid4(), C
    rows(Adjudication).bulk_create([last])


def a_label_less(audit: Audit) -> None:
    last = Adjudication.objects.filter(label=S).last()
    assert last is not None
    rows(Adjudication).filter(pk=last.pk)._raw_delete("default")


def a_withdrawal_less(audit: Audit) -> None:
    rows(Adjudication).filter(label="")._raw_delete("default")


def a_verdict(audit: Audit) -> None:
    rows(Verdict).filter(claim__decision=Decision.DISPUTED, label=C).update(label=S)


def a_decision(audit: Audit) -> None:
    claim = Claim.objects.filter(decision=Decision.DISPUTED).first()
    assert claim is not None
    rows(Claim).filter(pk=claim.pk).update(decision=Decision.SUPPORTED)


def the_draw(audit: Audit) -> None:
    rows(ReviewPlan).update(seed_hex="00" * 8)


def a_certificate(audit: Audit) -> None:
    certificate = Certificate.objects.get()
    statement = certificate.envelope["statement"] | {"client": "Somebody else"}
    rows(Certificate).update(envelope=certificate.envelope | {"statement": statement})


def a_revocation(audit: Audit) -> None:
    rows(Certificate).update(revoked_at="2026-01-01T00:00:00Z", revoke_reason="Forged")


def the_file(audit: Audit) -> None:
    audit.dataset.path.write_bytes(FILE + b"2,Another.\n")


@pytest.mark.parametrize(
    ("act", "about"),
    [
        (an_event, "event "),
        (a_label, "label of person"),
        (a_label_more, "label of person"),
        (a_label_less, "label of person"),
        (a_withdrawal_less, "label of person"),
        (a_verdict, "claim "),
        (a_decision, "claim "),
        (a_decision, "spot check of audit"),
        (the_draw, "spot check of audit"),
        (a_certificate, "certificate A-"),
        (a_revocation, "certificate A-"),
        (the_file, "file of dataset"),
    ],
)
def test_what_is_changed_behind_the_back_is_found(certified: Audit, act: Callable[[Audit], None], about: str) -> None:
    act(certified)
    assert any(name.startswith(about) for name in found()), found()


def test_a_log_that_was_written_anew_does_not_fit_the_certificate(certified: Audit) -> None:
    """Somebody changes an early event and computes every hash after it again."""
    first = Event.objects.order_by("pk").first()
    assert first is not None
    rows(Event).filter(pk=first.pk).update(data=first.data | {"forged": True})
    rows(Event).update(sequence=None, hash="")
    seal()
    assert [name for name in found() if name.startswith("certificate A-")] != []


def test_the_command_tells_and_ends_with_a_status(certified: Audit) -> None:
    out = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("verify_log", stdout=out)
    assert ended.value.code == 0 and out.getvalue().startswith("AGREES: ")
    a_label(certified)
    with pytest.raises(SystemExit) as ended:
        call_command("verify_log", "--no-files", stdout=out)
    assert ended.value.code == 1 and "but the log says SUPPORTED" in out.getvalue()
