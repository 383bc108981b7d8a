"""Somebody verifies the PDF: what is attached to it is taken out and checked, and nothing else of it."""

import io
import re
import zlib
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from review.attached import attached
from review.certify import issue, revoke
from review.document import render_pdf
from review.models import Certificate
from review.signature import LARGEST_FILE, envelope, file_bytes, generate_key
from review.standalone import verify_certificate as standalone
from review.statement import build
from tests.review.certificates import facts
from tests.review.factory import MIXED, make_audit, settle_all


def embedded(packed: bytes, entries: bytes = b"/Filter/FlateDecode") -> bytes:
    """A file inside a PDF, as little as there has to be of it."""
    head = b"7 0 obj\n<</Length %d/Type/EmbeddedFile%s>>\nstream\n" % (len(packed), entries)
    return head + packed + b"\nendstream\nendobj\n"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_was_attached_comes_out_byte_for_byte(language: str) -> None:
    given = envelope(build(facts()), generate_key())
    assert attached(render_pdf(given, language, "https://assay.example.com/")) == file_bytes(given)


@pytest.mark.parametrize(
    "parts",
    [
        b"",
        b"\n".join([embedded(zlib.compress(b"{}"))] * 2),  # which of them is shown by a reader of PDF, nobody knows
        embedded(zlib.compress(b" " * (LARGEST_FILE + 1))),
        embedded(zlib.compress(b"{}")[:-3]),
        embedded(b"no such thing"),
        embedded(b"{}", b"/Filter/LZWDecode"),
        embedded(zlib.compress(b"{}"), b"/Filter[/FlateDecode/ASCIIHexDecode]"),
        b"/Type/EmbeddedFile >>\nstream\n{}",
        b" obj <</Type/EmbeddedFile" + b" " * 5_000 + b"/Length 2>>\nstream\n{}",
    ],
)
def test_what_is_not_as_ours_are_gives_nothing(parts: bytes) -> None:
    assert attached(b"%PDF-1.7\n" + parts) is None


def test_one_that_is_not_packed_is_read_too() -> None:
    assert attached(b"%PDF-1.7\n" + embedded(b"{}", b"")) == b"{}"


@pytest.fixture
def issued(project: Any, expert: Any, manager: Any, settings: Any, tmp_path: Path) -> Certificate:
    """A certificate."""
    settings.SIGNING_KEY_FILE = tmp_path / "signing-key.pem"
    audit = make_audit(project, MIXED, spot_check=40)
    settle_all(audit, expert)
    return issue(audit, manager)


def told(data: bytes) -> str:
    """The page for a file, without an account."""
    return Client().post(reverse("verify_file"), {"file": io.BytesIO(data)}).content.decode()


@pytest.mark.django_db
def test_the_page_checks_the_file_inside_and_says_that_the_print_was_not(issued: Certificate, manager: Any) -> None:
    pdf = Client().get(reverse("certificate_pdf", args=(issued.number, "en"))).content
    page = told(pdf)
    assert "The signature is valid" in page and "not what is printed on it" in page
    forged = re.sub(rb"\d+ 0 obj\n<</Length \d+/Type/EmbeddedFile", b"9 0 obj\n<</Length 3/Type/EmbeddedFile", pdf)
    assert "No certificate file could be taken out" in told(forged)
    other = file_bytes(issued.envelope).replace(b'"decision":"', b'"decision":"not ', 1)
    page = told(b"%PDF-1.7\n" + embedded(zlib.compress(other)))
    assert "This is not a valid certificate" in page and "statement.result.decision" in page
    revoke(issued, manager, "A wrong file.")
    assert told(pdf).index("REVOKED") < told(pdf).index("The signature is valid")


def test_on_the_command_line_it_is_said_how_to_take_it_out(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "certificate.pdf"
    path.write_bytes(b"%PDF-1.7\n")
    assert standalone.main([str(path)]) == standalone.INVALID
    assert "pdfdetach -save 1" in capsys.readouterr().out
    with pytest.raises(SystemExit) as ended:
        call_command("verify", str(path))
    assert ended.value.code == 1 and "pdfdetach -save 1" in capsys.readouterr().out
