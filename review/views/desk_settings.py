"""Keys and pace of one person."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from audits.parts import render_parts
from review.access import scope_for
from review.desk_keys import DEFAULTS
from review.forms.desk_settings import DeskSettingsForm
from review.preferences import preferences
from review.views.desk import desk_url


@require_http_methods(["GET", "HEAD", "POST"])
def desk_settings(request: HttpRequest) -> HttpResponse:
    """What follows a label, and which key does what; then back to the desk."""
    scope = scope_for(request, request.POST if request.method == "POST" else request.GET)
    sent: dict[str, Any] | None = request.POST.dict() if request.method == "POST" else None
    if sent is not None and "defaults" in sent:
        sent |= {f"key_{act}": key for act, key in DEFAULTS.items()}
    form = DeskSettingsForm(sent, now=preferences(request.user))
    if sent is not None and form.is_valid():
        form.remember(request.user)
        messages.success(request, _("Saved."))
        return redirect(desk_url(scope))
    context = {"form": form, "scope": scope, "desk_url": desk_url(scope)}
    status = 200 if sent is None else 422
    return render_parts(request, "review/desk_settings.html", context, parts={"desk-dialog-body"}, status=status)
