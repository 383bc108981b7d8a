"""Certificates in the browser: for managers, for members, for anybody with a number or a file."""

import io
import json
import re
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from audits.models import Audit, Membership, Role
from audits.pipeline.ruling import change_rule
from audits.planning import Rule
from review.certify import issue, revoke
from review.keys import mark_compromised, rotate
from review.models import Certificate
from review.signature import file_bytes, key_id, load_public
from tests.review.certificates import timestamp_reply
from tests.review.factory import MIXED, make_audit, settle_all

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_key(settings: Any, tmp_path: Path) -> None:
    """Each test signs with a key of its own."""
    settings.SIGNING_KEY_FILE = tmp_path / "signing-key.pem"


@pytest.fixture
def audit(project: Any, expert: Any) -> Audit:
    """An audit with everything settled."""
    audit = make_audit(project, MIXED, spot_check=40)
    settle_all(audit, expert)
    return audit


@pytest.fixture
def issued(audit: Audit, manager: Any) -> Certificate:
    """Its certificate."""
    return issue(audit, manager)


def page_of(audit: Audit) -> str:
    """The certificate page of an audit."""
    return reverse("certificate", args=(audit.project.slug, audit.pk))


def test_a_manager_issues_from_the_page_and_a_second_press_adds_nothing(
    audit: Audit, manager: Any, signed_in: Any
) -> None:
    browser = signed_in(manager)
    page = browser.get(page_of(audit)).content.decode()
    assert "Coverage" in page and "55 of 55 claims decided" in page
    version = re.search(r'name="version" value="(\d+)"', page).group(1)
    url = reverse("certificate_issue", args=(audit.project.slug, audit.pk))
    for _ in range(2):
        assert browser.post(url, {"version": version}).url == page_of(audit)
    certificate = Certificate.objects.get()
    after = browser.get(page_of(audit)).content.decode()
    assert certificate.number in after and "Issue a new version" in after


def test_what_is_missing_is_listed_and_nothing_is_issued(
    project: Any, manager: Any, expert: Any, signed_in: Any
) -> None:
    audit = make_audit(project, MIXED, spot_check=40)
    settle_all(audit, expert, leave=2)
    browser = signed_in(manager)
    page = browser.get(page_of(audit)).content.decode()
    assert "Not ready yet" in page and reverse("project_review", args=(project.slug,)) in page
    assert "certificate/issue" not in page and "stamp" not in page
    browser.post(reverse("certificate_issue", args=(project.slug, audit.pk)), {"version": "1"})
    assert not Certificate.objects.exists()


def test_who_may_see_issue_and_revoke(
    issued: Certificate, audit: Audit, analyst: Any, expert: Any, stranger: Any, signed_in: Any
) -> None:
    issue_url = reverse("certificate_issue", args=(audit.project.slug, audit.pk))
    revoke_url = reverse("certificate_revoke", args=(audit.project.slug, issued.pk))
    agreement = reverse("agreement", args=(audit.project.slug, audit.pk))
    listed = reverse("certificates", args=(audit.project.slug,))
    for user, seen, acted, list_status in (
        (analyst, 200, 403, 200),
        (expert, 403, 403, 200),
        (stranger, 404, 404, 404),
    ):
        browser = signed_in(user)
        assert browser.get(page_of(audit)).status_code == seen
        assert browser.get(agreement).status_code == seen
        assert browser.get(listed).status_code == list_status
        for url in (issue_url, revoke_url):
            assert browser.post(url, {"reason": "x"}).status_code == acted
            assert browser.get(url).status_code == 405
    assert Certificate.objects.get().revoked_at is None


def test_a_certificate_of_another_project_is_out_of_reach(issued: Certificate, stranger: Any, signed_in: Any) -> None:
    url = reverse("certificate_revoke", args=("elsewhere", issued.pk))
    assert signed_in(stranger).post(url, {"reason": "x"}).status_code == 404


def test_revoking_needs_a_reason_and_is_seen_by_everybody(issued: Certificate, manager: Any, signed_in: Any) -> None:
    browser = signed_in(manager)
    url = reverse("certificate_revoke", args=(issued.audit.project.slug, issued.pk))
    browser.post(url, {"reason": " "})
    assert Certificate.objects.get().revoked_at is None
    for reason in ("Wrong dataset.", "Again."):
        browser.post(url, {"reason": reason})
    page = Client().get(reverse("verify_number", args=(issued.number,))).content.decode()
    assert "REVOKED on" in page and "Wrong dataset." in page and "Again." not in page
    assert "The certificate stands." not in page


def test_the_agreement_page_shows_judges_and_experts(issued: Certificate, manager: Any, signed_in: Any) -> None:
    page = signed_in(manager).get(reverse("agreement", args=("loan-desk", issued.audit_id))).content.decode()
    assert "Judge A and judge B" in page and "Judge B and the experts" in page
    assert "Undefined: no claim has independent labels of two experts." in page


def test_anybody_verifies_by_number(issued: Certificate) -> None:
    anybody = Client()
    found = anybody.get(reverse("verify"), {"number": f" {issued.number.lower()} "})
    assert found.url == reverse("verify_number", args=(issued.number,))
    page = anybody.get(found.url).content.decode()
    assert "the signature is valid" in page and "The certificate stands." in page
    assert issued.sha256[:8] in page and "Hallucination rate" in page
    assert "Coverage by the judges" in page, "a rate never stands without its coverage"
    unknown = anybody.get(reverse("verify_number", args=("A-1999-0001",)))
    assert unknown.status_code == 404 and "no certificate with this number" in unknown.content.decode()


@pytest.mark.parametrize("number", ["A/2026", "../admin", "..", "."])
def test_a_number_that_no_address_can_hold_is_unknown(number: str) -> None:
    page = Client().get(reverse("verify"), {"number": number})
    assert page.status_code == 404 and "no certificate with this number" in page.content.decode()


def test_a_superseded_certificate_says_so_first(issued: Certificate, manager: Any) -> None:
    newer = issue(issued.audit, manager)
    page = Client().get(reverse("verify_number", args=(issued.number,))).content.decode()
    assert "Superseded" in page and newer.number in page and "The certificate stands." not in page
    assert "SUPERSEDED / 已被取代" in page


def test_the_page_tells_when_the_stored_file_was_tampered_with(issued: Certificate) -> None:
    from django.db import connection

    sealed = json.dumps(issued.envelope).replace('"FAIL"', '"PASS"')
    with connection.cursor() as cursor:
        cursor.execute("UPDATE review_certificate SET envelope = %s", [sealed])
    page = Client().get(reverse("verify_number", args=(issued.number,))).content.decode()
    assert "Do not rely on it" in page and "The certificate stands." not in page


def upload(data: bytes) -> Any:
    """Send a file to be verified, without an account."""
    return Client().post(reverse("verify_file"), {"file": io.BytesIO(data)})


def test_anybody_verifies_a_file(issued: Certificate, manager: Any) -> None:
    data = Client().get(reverse("certificate_json", args=(issued.number,))).content
    assert "The signature is valid" in upload(data).content.decode()
    altered = data.replace(b'"supported":', b'"supported": ', 1).replace(b"Loan desk", b"Loan dask")
    assert "was changed after it was signed" in upload(altered).content.decode()
    assert "is not a certificate" in upload(b"%PDF").content.decode()
    assert upload(b"").status_code == 422
    assert Client().post(reverse("verify_file")).status_code == 422
    revoke(issued, manager, "Wrong dataset.")
    assert "REVOKED" in upload(data).content.decode()


def test_a_file_signed_by_somebody_else_is_refused(issued: Certificate) -> None:
    from review.signature import envelope, file_bytes, generate_key

    forged = envelope(issued.envelope["statement"], generate_key())
    assert "is not this server" in upload(file_bytes(forged)).content.decode().replace("&#x27;", "'")


def test_downloads_need_no_account(issued: Certificate) -> None:
    key = Client().get(reverse("verify_key"))
    assert key.content.startswith(b"-----BEGIN PUBLIC KEY-----")
    for language in ("en", "zh"):
        pdf = Client().get(reverse("certificate_pdf", args=(issued.number, language)))
        assert pdf.content.startswith(b"%PDF") and "attachment" in pdf["Content-Disposition"]
    assert Client().get(reverse("certificate_pdf", args=(issued.number, "fr"))).status_code == 404
    assert Client().get(reverse("certificate_json", args=("A-1999-0001",))).status_code == 404


def test_the_pages_speak_chinese(issued: Certificate) -> None:
    page = Client().get(reverse("verify_number", args=(issued.number,)), headers={"Accept-Language": "zh-hans"})
    assert "幻觉率" in page.content.decode()


def test_a_manager_who_labelled_is_asked_why(audit: Audit, expert: Any, signed_in: Any) -> None:
    Membership.objects.create(project=audit.project, user=expert, role=Role.MANAGER)
    browser = signed_in(expert)
    assert 'name="exception_reason" required' in browser.get(page_of(audit)).content.decode()
    url = reverse("certificate_issue", args=(audit.project.slug, audit.pk))
    refused = browser.post(url, {"version": 1}, follow=True).content.decode()
    assert "Say why you issue it all the same." in refused and not Certificate.objects.exists()
    told = browser.post(url, {"version": 1, "exception_reason": "On leave <b>"}, follow=True).content.decode()
    assert Certificate.objects.get().exception_reason == "On leave <b>"
    assert "On leave &lt;b&gt;" in told


def test_versions_are_linked_both_ways(issued: Certificate, manager: Any, signed_in: Any) -> None:
    second = issue(issued.audit, manager)
    page = signed_in(manager).get(page_of(issued.audit)).content.decode()
    assert re.search(rf'Superseded by <a href="{reverse("verify_number", args=(second.number,))}"', page)
    assert re.search(rf'Supersedes <a href="{reverse("verify_number", args=(issued.number,))}"', page)


def test_the_time_stamp_is_downloaded_without_an_account(issued: Certificate, client: Client) -> None:
    url = reverse("certificate_timestamp", args=(issued.number,))
    assert client.get(url).status_code == 404
    reply = timestamp_reply(issued.sha256)
    issued.add_timestamp(reply)
    found = client.get(url)
    assert (found.content, found["Content-Type"]) == (reply, "application/timestamp-reply")
    page = client.get(reverse("verify_number", args=(issued.number,))).content.decode()
    assert url in page
    assert client.get(reverse("certificate_pdf", args=(issued.number, "en"))).content.startswith(b"%PDF-")


def test_the_verify_page_knows_earlier_keys_and_stolen_ones(issued: Certificate, client: Client) -> None:
    identity, data = issued.envelope["signature"]["key_id"], file_bytes(issued.envelope)
    rotate()
    pem = client.get(reverse("verify_key"), {"id": identity}).content
    assert key_id(load_public(pem)) == identity
    assert client.get(reverse("verify_key")).content != pem
    assert client.get(reverse("verify_key"), {"id": "0" * 16}).status_code == 404
    page = reverse("verify_number", args=(issued.number,))
    assert "the signature is valid" in client.get(page).content.decode()
    mark_compromised(identity, issued.issued_at)
    assert "was stolen before it was issued" in client.get(page).content.decode()
    told = client.post(reverse("verify_file"), {"file": SimpleUploadedFile("a.json", data)}).content.decode()
    assert "This is not a valid certificate" in told and "was stolen" in told


def test_an_earlier_version_is_named_on_the_verify_page(issued: Certificate, manager: Any, client: Client) -> None:
    second = issue(issued.audit, manager)
    page = client.get(reverse("verify_number", args=(second.number,))).content.decode()
    assert re.search(rf'Supersedes <a href="{reverse("verify_number", args=(issued.number,))}"', page)


def test_a_rule_that_was_changed_late_is_not_said_to_be_early(audit: Audit, manager: Any, signed_in: Any) -> None:
    browser = signed_in(manager)
    assert "before the first expert label" in browser.get(page_of(audit)).content.decode()
    audit.mark_labelled()
    rule = replace(Rule.of(audit), threshold=Decimal("0.05"))
    change_rule(audit, manager, rule, "The client wishes it.", knows_labelled=True)
    page = browser.get(page_of(audit)).content.decode()
    assert ", after the first expert label" in page and ", before the first expert label" not in page
