"""Batches on the page of an audit, and the switch on one of them."""

import datetime
import uuid
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone, translation

from audits.models import Audit, Batch, Event, PanelMember, Project
from tests.audits.factory import cut, make_audit, make_dataset

PART = {"hx-request": "true", "hx-target": "audit-progress"}


@pytest.fixture
def audit(project: Project) -> Audit:
    return make_audit(make_dataset(project), panel=("openai:model-a", "anthropic:claude-b"), batch=True)


def make_batch(audit: Audit, vendor: str = "anthropic", **fields: Any) -> Batch:
    member = audit.members.filter(vendor=vendor, role=PanelMember.Role.JUDGE)[0]
    given = {"status": Batch.Status.SUBMITTED, "vendor_id": "b1", "requests": 40, "submitted_at": timezone.now()}
    return Batch.objects.create(audit=audit, member=member, tag=uuid.uuid4(), **(given | fields))


def shown(signed_in: Any, person: Any, audit: Audit) -> str:
    html = signed_in(person).get(reverse("audit", args=[audit.project.slug, audit.pk]), headers=PART).content.decode()
    return " ".join(html.split())


def switch(browser: Any, batch: Batch) -> Any:
    audit = batch.audit
    return browser.post(reverse("audit_batch_cancel", args=[audit.project.slug, audit.pk, batch.pk]))


def test_an_open_batch_tells_judge_times_and_counts(signed_in: Any, analyst: Any, audit: Audit) -> None:
    until = timezone.now() + datetime.timedelta(hours=23)
    make_batch(audit, "openai", answered=12, failed=1, vendor_status="in_progress", expires_at=until)
    html = shown(signed_in, analyst, audit)
    assert "<b>A</b> openai:model-a" in html
    assert "at the vendor" in html and "The vendor says: in_progress" in html
    assert "12 / 40" in html and "1 failed" in html
    assert timezone.localtime(until).strftime("%Y-%m-%d</span> %H:%M") in html
    assert "No worker has taken this audit up" not in html


def test_counts_that_a_vendor_keeps_to_itself_are_not_called_zero(signed_in: Any, analyst: Any, audit: Audit) -> None:
    make_batch(audit, vendor_status="in_progress")
    html = shown(signed_in, analyst, audit)
    assert "not reported yet" in html and "0 / 40" not in html


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"status": "prepared", "vendor_id": "", "submitted_at": None}, "being handed over"),
        (
            {"status": "prepared", "vendor_id": "", "tries": 2, "message": "Server on fire <b>"},
            "not handed over yet",
        ),
        ({"ended_at": timezone.now()}, "being collected"),
        ({"cancelled_at": timezone.now()}, "being cancelled"),
        ({"status": "collected", "answered": 38, "failed": 2}, "What failed is asked again."),
        ({"status": "failed", "message": "Out of credit"}, "failed as a whole"),
        ({"status": "failed", "cancelled_at": timezone.now()}, "> cancelled<"),
        ({"status": "prepared", "cut": 3}, "Made smaller by 3 requests"),
    ],
)
def test_every_state_has_words(
    signed_in: Any, analyst: Any, audit: Audit, fields: dict[str, Any], words: str
) -> None:
    batch = make_batch(audit, **fields)
    html = shown(signed_in, analyst, audit).replace("</svg>", ">")
    assert words.replace("> ", ">") in html
    assert "<b>" not in batch.message or "Server on fire &lt;b&gt;" in html
    assert ("Cancel the batch" in html) == (
        batch.status in Batch.OPEN and not batch.cancelled_at and not batch.ended_at
    )


def test_what_waits_for_a_person_says_so(signed_in: Any, analyst: Any, audit: Audit) -> None:
    make_batch(audit, status="prepared", vendor_id="", submitted_at=None)
    audit.members.update(stopped_fault="auth")
    assert "waits for you to resume" in shown(signed_in, analyst, audit)


def test_only_the_latest_of_many_that_are_over_are_listed(signed_in: Any, analyst: Any, audit: Audit) -> None:
    make_batch(audit)
    for _ in range(10):
        make_batch(audit, status="collected", answered=40)
    html = shown(signed_in, analyst, audit)
    assert html.count("40 / 40") == 6 and "4 earlier batches are over." in html
    assert "not reported yet" in html


def test_a_judge_whose_address_has_no_batches_is_named(signed_in: Any, analyst: Any, audit: Audit) -> None:
    audit.members.filter(vendor="anthropic").update(without_batches=True)
    assert "The address of anthropic:claude-b has no batch interface" in shown(signed_in, analyst, audit)


def test_an_audit_without_batches_has_no_such_part(signed_in: Any, analyst: Any, project: Project) -> None:
    audit = make_audit(make_dataset(project))
    cut(audit, audit.dataset.samples.all()[0], ["One."])
    assert "audit-batches" not in shown(signed_in, analyst, audit)


def test_the_part_is_written_in_chinese_too(signed_in: Any, analyst: Any, audit: Audit) -> None:
    make_batch(audit, vendor_status="in_progress")
    with translation.override("zh-hans"):
        url = reverse("audit", args=[audit.project.slug, audit.pk])
        response = signed_in(analyst).get(url, headers=PART | {"accept-language": "zh-hans"})
    assert response.status_code == 200 and "claude-b" in response.content.decode()


def test_cancelling_asks_the_vendor_once(signed_in: Any, analyst: Any, audit: Audit) -> None:
    batch = make_batch(audit)
    browser = signed_in(analyst)
    first, second = switch(browser, batch), switch(browser, batch)
    assert first.status_code == second.status_code == 302
    batch.refresh_from_db()
    assert batch.cancelled_at is not None and batch.next_look is None
    assert batch.status == Batch.Status.SUBMITTED  # until the vendor says so
    assert Event.objects.filter(kind="batch_cancelled", actor=analyst).count() == 1
    said = browser.get(first.url).content.decode()
    assert "the rest is asked directly" in said


def test_a_batch_of_another_audit_is_not_found(signed_in: Any, analyst: Any, audit: Audit) -> None:
    other = make_audit(audit.dataset, panel=("openai:model-a", "anthropic:claude-b"), batch=True)
    batch = make_batch(other)
    url = reverse("audit_batch_cancel", args=[audit.project.slug, audit.pk, batch.pk])
    assert signed_in(analyst).post(url).status_code == 404
    batch.refresh_from_db()
    assert batch.cancelled_at is None
