"""What an expert gets instead of a page that shows verdicts: the reason, and the way to the own work."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render

from audits.access import VerdictsHidden

View = TypeVar("View", bound=Callable[..., HttpResponseBase])


def shows_verdicts(view: View) -> View:
    """For every view that uses access.verdicts_for: 403 with its reason."""

    @wraps(view)
    def wrapped(request: HttpRequest, slug: str, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            return view(request, slug, *args, **kwargs)
        except VerdictsHidden as refusal:
            return _refused(request, slug, str(refusal))

    return cast(View, wrapped)


def _refused(request: HttpRequest, slug: str, reason: str) -> HttpResponse:
    return render(request, "audits/audit_hidden.html", {"reason": reason, "slug": slug}, status=403)
