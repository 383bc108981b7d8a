"""What the verify page says of an altered file, to anybody."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from review.certify import issue, revoke
from review.differences import Difference, differences
from review.models import Certificate
from review.signature import envelope, file_bytes, generate_key
from tests.review.factory import MIXED, make_audit, settle_all

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_key(settings: Any, tmp_path: Path) -> None:
    settings.SIGNING_KEY_FILE = tmp_path / "signing-key.pem"


@pytest.fixture
def issued(project: Any, expert: Any, manager: Any) -> Certificate:
    """A certificate."""
    audit = make_audit(project, MIXED, spot_check=40)
    settle_all(audit, expert)
    return issue(audit, manager)


def told(data: bytes) -> str:
    """The page for a file, without an account."""
    page = Client().post(reverse("verify_file"), {"file": io.BytesIO(data)}).content.decode()
    return page.replace("&quot;", '"').replace("&#x27;", "'")


def test_an_altered_value_is_shown_with_the_signed_one(issued: Certificate) -> None:
    whole = json.loads(file_bytes(issued.envelope))
    signed = whole["statement"]["result"]["rate"]
    whole["statement"]["result"]["rate"] = 0.000001
    del whole["statement"]["samples"]["failed"]
    whole["statement"]["project"] = "<script>alert(1)</script>"
    page = told(file_bytes(whole))
    assert "was changed after it was signed" in page and "The certificate as issued" in page
    for words in ("statement.result.rate", json.dumps(signed), "0.000001", "statement.samples.failed", "(absent)"):
        assert words in page
    assert "<script>alert" not in page and "statement.project" in page and "statement.system" not in page


def test_one_altered_byte_says_where(issued: Certificate) -> None:
    data = file_bytes(issued.envelope)
    place = data.index(b'"decision":') + len(b'"decision":"')
    page = told(data[:place] + b"X" + data[place + 1 :])
    assert "statement.result.decision" in page and f"issued file: {place}," in page
    rewritten = told(json.dumps(issued.envelope, indent=1).encode())
    assert "differs first at byte 1," in rewritten and "Every value is the signed one" in rewritten
    broken = told(data[:-1])
    assert "is not a certificate" in broken and f"issued file: {len(data) - 1}," in broken


def test_revoked_and_superseded_are_said_first_whatever_the_file_says(issued: Certificate, manager: Any) -> None:
    altered = file_bytes(issued.envelope).replace(b"Loan desk", b"Loan dask")
    second = issue(issued.audit, manager)
    page = told(altered)
    assert page.index("is superseded by a later version") < page.index("This is not a valid certificate")
    assert reverse("verify_number", args=(second.number,)) in page
    assert "Superseded by a later version" in told(file_bytes(issued.envelope))
    revoke(issued, manager, "Wrong dataset.")
    page = told(altered)
    assert page.index("was withdrawn, whatever this file says") < page.index("This is not a valid certificate")
    genuine = told(file_bytes(issued.envelope))
    assert genuine.index("REVOKED") < genuine.index("The signature is valid")
    by_number = Client().get(reverse("verify_number", args=(issued.number,))).content.decode()
    assert by_number.index("REVOKED") < by_number.index("Checked now")


@pytest.mark.parametrize(
    "data",
    [
        file_bytes(envelope({"number": "A-1999-0001", "result": {"decision": "PASS"}}, generate_key())),
        b'{"statement":{"number":7}}',
        b'{"statement":[],"sha256":"\\ud800"}',
        b'{"number":"\xff"',
        b"[" * 100_000,
    ],
)
def test_hostile_files_are_compared_with_nothing(issued: Certificate, data: bytes) -> None:
    page = told(data)
    assert "This is not a valid certificate" in page and "The certificate as issued" not in page


def test_values_that_have_no_canonical_form_are_told_too(issued: Certificate) -> None:
    signed = json.dumps(issued.envelope["statement"]["version"])
    text = file_bytes(issued.envelope).decode()
    page = told(text.replace(f'"version":{signed}}}', '"version":["\\ud800",123456789012345678901]}').encode())
    assert "statement.version" in page and "\\ud800" in page
    for depth in range(600, 1000, 20):
        deep = text.replace(f'"version":{signed}}}', '"version":' + "[" * depth + "]" * depth + "}")
        assert "This is not a valid certificate" in told(deep.encode())


def test_the_verifier_is_downloaded_without_an_account() -> None:
    response = Client().get(reverse("verifier"))
    assert b"def check(" in response.content and "verify_certificate.py" in response["Content-Disposition"]
    assert reverse("verifier") in Client().get(reverse("verify")).content.decode()


def test_differences_keep_numbers_and_truth_values_apart() -> None:
    assert list(differences({"a": [1, 2.0]}, {"a": [1.0, 2]})) == []
    assert list(differences({"a": [1, None]}, {"a": [True], "b": "x"})) == [
        Difference("a[0]", "1", "true"),
        Difference("a[1]", "null", "(absent)"),
        Difference("b", "(absent)", '"x"'),
    ]
