"""Verifying a certificate: for anybody, without an account, by number or by file."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language
from django.views.decorators.http import require_POST, require_safe

from review.altered import altered
from review.attached import attached, is_pdf
from review.document import LANGUAGES, SCHEMAS, render_pdf
from review.document.content import content
from review.keys import against_record, signing_key, trusted_keys
from review.models import Certificate
from review.models.certificate import number_in
from review.signature import LARGEST_FILE, file_bytes, key_id, public_pem, verify_file
from review.signature import verify as verify_envelope

VERIFIER = Path(__file__).parents[1] / "standalone" / "verify_certificate.py"
PDF_SECONDS = 86_400  # how long a made PDF is kept: making one takes about a second


@login_not_required
@require_safe
def verify(request: HttpRequest) -> HttpResponse:
    """The way in: a number, or a certificate file."""
    typed = request.GET.get("number", "").strip()
    if number := number_in(typed):
        return redirect("verify_number", number)
    if typed:
        return render(request, "review/verify_unknown.html", {"number": typed}, status=404)
    return render(request, "review/verify.html", {"key_id": key_id(signing_key().public_key())})


@login_not_required
@require_POST
def verify_upload(request: HttpRequest) -> HttpResponse:
    """Check a certificate file; nothing of it is stored."""
    file = request.FILES.get("file")
    context: dict[str, Any] = {"key_id": key_id(signing_key().public_key())}
    if file is None or not file.size or file.size > LARGEST_FILE:
        return render(request, "review/verify.html", context | {"no_file": True}, status=422)
    data = file.read()
    if is_pdf(data):
        inside = attached(data)
        if inside is None:
            return render(request, "review/verify.html", context | {"empty_pdf": True}, status=422)
        data, context["from_pdf"] = inside, True
    checked = against_record(verify_file(data, trusted_keys()))
    known = Certificate.objects.filter(sha256=checked.sha256).first() if checked.valid else None
    context |= {"checked": checked, "certificate": known, "filename": file.name}
    if not checked.valid:
        context["altered"] = altered(data)
    if checked.valid:  # signed with our own key, so it is a statement of ours: only that is read and shown
        context["printed"] = _printed(request, json.loads(data), known)
    return render(request, "review/verify.html", context)


@login_not_required
@require_safe
def verify_number(request: HttpRequest, number: str) -> HttpResponse:
    """What a certificate says and whether it stands, checked now."""
    certificate = Certificate.objects.select_related("audit").numbered(number)
    if certificate is None:
        return render(request, "review/verify_unknown.html", {"number": number}, status=404)
    checked = against_record(verify_envelope(certificate.envelope, trusted_keys()))
    context = {
        "certificate": certificate,
        "checked": checked,
        "printed": _printed(request, certificate.envelope, certificate) if checked.statement is not None else None,
        "successor": certificate.successor,
    }
    return render(request, "review/verify_number.html", context)


@login_not_required
@require_safe
def verify_key(request: HttpRequest) -> HttpResponse:
    """The public key, as openssl reads it; with ?id= an earlier one."""
    public = trusted_keys().get(request.GET["id"]) if "id" in request.GET else signing_key().public_key()
    if public is None:
        raise Http404
    pem = public_pem(public)
    return _download(pem, "application/x-pem-file", "assay-public-key.pem")


@login_not_required
@require_safe
def verifier(request: HttpRequest) -> HttpResponse:
    """The single-file verifier."""
    return _download(VERIFIER.read_bytes(), "text/x-python; charset=utf-8", VERIFIER.name)


@login_not_required
@require_safe
def certificate_json(request: HttpRequest, number: str) -> HttpResponse:
    """The signed file."""
    certificate = _certificate(number)
    return _download(file_bytes(certificate.envelope), "application/json", f"{certificate.number}.json")


@login_not_required
@require_safe
def certificate_pdf(request: HttpRequest, number: str, language: str) -> HttpResponse:
    """The printed certificate in English or Chinese, marked when it is revoked."""
    certificate = _certificate(number)
    if language not in LANGUAGES:
        raise Http404
    revoked, added, successor = _since(certificate)
    url = verify_url(request, certificate.number)
    state = f"{revoked is not None}:{','.join(sorted(added))}:{successor}"
    name = f"certificate-pdf:{certificate.sha256}:{language}:{state}:{url}"
    pdf = cache.get(name)
    if pdf is None:
        pdf = render_pdf(certificate.envelope, language, url, revoked, added, successor)
        cache.set(name, pdf, PDF_SECONDS)
    return _download(pdf, "application/pdf", f"{certificate.number}-{language}.pdf")


def verify_url(request: HttpRequest, number: str) -> str:
    """The public address of a certificate, as the QR code holds it."""
    path = reverse("verify_number", args=(number,))
    return f"{settings.ASSAY_PUBLIC_URL}{path}" if settings.ASSAY_PUBLIC_URL else request.build_absolute_uri(path)


def _certificate(number: str) -> Certificate:
    found: Certificate | None = Certificate.objects.numbered(number)
    if found is None:
        raise Http404
    return found


def _since(certificate: Certificate) -> tuple[str | None, dict[str, Any], str]:
    """What became of a certificate after it was signed, as the document takes it: revoked, added, successor."""
    later = certificate.successor
    revoked = certificate.revoke_reason if certificate.revoked_at else None
    return revoked, certificate.added, later.number if later else ""


def _printed(request: HttpRequest, envelope: Mapping[str, Any], known: Certificate | None) -> dict[str, Any] | None:
    """The words of the printed certificate, in the reader's language; `code`: its decision, for the stamp.

    None for a statement in a form that came after this program: a later one signed it with the same key.
    """
    if envelope["statement"].get("schema_version") not in SCHEMAS:
        return None
    language = "zh" if (get_language() or "").startswith("zh") else "en"
    number = str(envelope["statement"]["number"])
    revoked, added, successor = _since(known) if known is not None else (None, {}, "")
    words = content(envelope, language, verify_url(request, number), revoked, added, successor)
    words["seal"] = [[term, value.replace("\n", "")] for term, value in words["seal"]]  # a page breaks lines itself
    return words | {"code": str(envelope["statement"]["result"]["decision"]).lower()}


def _download(data: bytes, kind: str, name: str) -> HttpResponse:
    response = HttpResponse(data, content_type=kind)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
