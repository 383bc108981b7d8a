"""What every request and answer passes: content policy, no reversed text, no large bodies of strangers, no NUL."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

View = Callable[[HttpRequest], HttpResponse]
STRANGERS_BODY = 6 * 1024 * 1024  # bytes: a certificate file of 5 MB is the most that is sent without an account
# The two characters that turn the letters after them around. One of them in an answer, and an expert reads another
# sentence than the judges did. They are shown as "something is here"; stored texts and downloads keep them.
_OVERRIDES = tuple(character.encode() for character in ("\u202d", "\u202e"))
_SHOWN = "\ufffd".encode()


def content_security_policy(get_response: View) -> View:
    """Middleware: every page carries the policy, under the setting name that Django 6 uses; nothing inline."""
    policy = "; ".join(f"{directive} {sources}" for directive, sources in settings.SECURE_CSP.items())

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response.headers.setdefault("Content-Security-Policy", policy)
        return response

    return middleware


def no_reversed_text(get_response: View) -> View:
    """Middleware: no page turns its letters around, whoever wrote them."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if not response.streaming and response.headers.get("Content-Type", "").startswith("text/html"):
            for override in _OVERRIDES:
                if override in response.content:
                    response.content = response.content.replace(override, _SHOWN)  # both are three bytes long
        return response

    return middleware


def small_bodies_from_strangers(get_response: View) -> View:
    """Middleware: 413 for a large body of somebody without an account, before any of it is read or stored."""

    def middleware(request: HttpRequest) -> HttpResponse:
        length = request.META.get("CONTENT_LENGTH") or "0"
        if length.isdecimal() and int(length) > STRANGERS_BODY and not request.user.is_authenticated:
            return render(request, "413.html", status=413)
        return get_response(request)

    return middleware


def no_nul(get_response: View) -> View:
    """Middleware: 400 for NUL in an address or a typed text: PostgreSQL stores none, and no view need know.

    Forms that carry files check their texts themselves, before which nothing of their body is read here.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        sent = [request.GET] if request.content_type == "multipart/form-data" else [request.GET, request.POST]
        if any("\x00" in text for data in sent for _, texts in data.lists() for text in texts):
            return render(request, "400.html", status=400)
        return get_response(request)

    return middleware
