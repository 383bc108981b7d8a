"""Answering HTMX with a part of a page: partial name = element id = hx-target."""

from collections.abc import Collection
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers


def render_parts(
    request: HttpRequest, template: str, context: dict[str, Any], *, parts: Collection[str], status: int = 200
) -> HttpResponse:
    """The part that HTMX asks for if the page offers it, else the whole page."""
    htmx: Any = getattr(request, "htmx", None)
    if htmx and not htmx.history_restore_request and htmx.target in parts:
        template = f"{template}#{htmx.target}"
    response = render(request, template, context, status=status)
    patch_vary_headers(response, ("HX-Request", "HX-Target"))
    return response
