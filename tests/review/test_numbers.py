"""Numbers of certificates: as people type them, and as hostile addresses and files hold them."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from review.certify import issue
from review.models import Certificate
from review.models.certificate import number_in
from review.signature import file_bytes
from tests.review.factory import C, S, make_audit, settle_all


@pytest.fixture(autouse=True)
def _own_key(settings: Any, tmp_path: Path) -> None:
    settings.SIGNING_KEY_FILE = tmp_path / "signing-key.pem"


@pytest.fixture
def issued(project: Any, expert: Any, manager: Any) -> Certificate:
    """A certificate."""
    audit = make_audit(project, [(S, C)])
    settle_all(audit, expert)
    return issue(audit, manager)


@pytest.mark.parametrize(
    "text", [" a-2026-0042 ", "A-2026-0042 / 1", "A-2026-0042/12", "Ａ－２０２６－００４２", "a-2026-0042／1"]
)
def test_a_number_is_read_as_it_is_printed_and_typed(text: str) -> None:
    assert number_in(text) == "A-2026-0042"


@pytest.mark.parametrize(
    "text", ["", "A-2026", "A-2026-0042\x00", "\ud800", "A-2026-0042 / ", "A-2026-0042%", "B" * 9_999]
)
def test_other_text_holds_no_number(text: str) -> None:
    assert number_in(text) == ""


HOSTILE = ["A%00", "A-2026-0001%00", "%ED%A0%80", "%F0%9F%98%80"]
PAGES = [
    "/verify/{}/",
    "/verify/?number={}",
    "/verify/{}/certificate.json",
    "/verify/{}/en.pdf",
    "/verify/{}/timestamp.tsr",
]


@pytest.mark.django_db
@pytest.mark.parametrize("number", HOSTILE)
@pytest.mark.parametrize("address", PAGES)
def test_text_that_a_database_cannot_hold_is_an_unknown_number(address: str, number: str) -> None:
    refused = "?" in address and "%00" in number  # what was typed into a field is refused before any page asks
    assert Client().get(address.format(number)).status_code == (400 if refused else 404)


@pytest.mark.django_db
@pytest.mark.parametrize("number", ["A\x00", "\ud800", "A-2026-0001\x00"])
def test_a_file_with_such_a_number_is_told_as_any_other(issued: Certificate, number: str) -> None:
    altered = json.loads(file_bytes(issued.envelope))
    altered["statement"]["number"] = number
    whole = json.dumps(altered).encode()
    for data in (whole, whole[:-3], whole[:-3].replace(b"\\u0000", b"\x00")):
        page = Client().post(reverse("verify_file"), {"file": io.BytesIO(data)})
        assert page.status_code == 200 and "This is not a valid certificate" in page.content.decode()


@pytest.mark.django_db
def test_the_printed_number_leads_to_the_certificate(issued: Certificate) -> None:
    page = Client().get(reverse("verify"), {"number": f"{issued.number} / {issued.version}"}, follow=True)
    assert "the signature is valid" in page.content.decode()
