"""The printed certificate: a PDF made from the signed file, the same bytes for the same input."""

import io
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from review.document.content import content
from review.signature import file_bytes

_HERE = Path(__file__).parent
LANGUAGES = ("en", "zh")
SCHEMAS = (1, 2)  # of statements that can be printed


def render_pdf(
    envelope: Mapping[str, Any],
    language: str,
    verify_url: str,
    revoked: str | None = None,
    added: Mapping[str, Any] | None = None,
    successor: str = "",
) -> bytes:
    """PDF/A-3 of a certificate (the envelope of review.signature), A4, one page and an annex, the file attached.

    language: "en" or "zh". verify_url: what the QR code holds. revoked: the reason, "" if none was given, None if the
    certificate stands. added: what came after the signature (Certificate.added). successor: the number of the version
    that supersedes it. Nothing is verified here: sign first. ValueError for another language.
    """
    import typst

    if language not in LANGUAGES:
        raise ValueError(f"language is en or zh, not {language}")
    printed = content(envelope, language, verify_url, revoked, added, successor)
    pdf: bytes = typst.compile(
        str(_HERE / "certificate.typ"),
        root=str(_HERE),
        font_paths=[str(_HERE / "fonts")],
        ignore_system_fonts=True,  # else the bytes depend on the machine
        format="pdf",
        pdf_standards=["a-3b"],  # for archives, with files attached
        sys_inputs={
            "content": json.dumps(printed, ensure_ascii=False),
            "qr": _qr(verify_url),
            "certificate": file_bytes(envelope).decode(),
        },
        timestamp=_moment(envelope["statement"]["issued_at"]),
    )
    return pdf


def _qr(url: str) -> str:
    """An SVG of the QR code, without the quiet zone: the page leaves it."""
    import segno

    out = io.BytesIO()
    segno.make(url, error="m", micro=False).save(out, kind="svg", border=0, xmldecl=False, dark="#1c1a17", scale=4)
    return out.getvalue().decode()


def _moment(text: str) -> int:
    """Seconds since 1970 of a time in the statement."""
    return int(datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC).timestamp())
