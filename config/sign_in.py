"""Signing in, on every page that asks for a password: whoever guesses has to wait."""

import hashlib
from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.core.cache import caches
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext as _

TRIES = 10  # wrong passwords for one username from one address
PAUSE = 600  # seconds


class PatientBackend(ModelBackend):
    """Django's own check of passwords. After TRIES wrong ones the right one is refused too, for PAUSE seconds.

    Counted per username and address, so that nobody can lock a colleague out from elsewhere. Each web process counts
    for itself: with several, a guesser has that many times TRIES.
    """

    def authenticate(
        self, request: HttpRequest | None, username: str | None = None, password: str | None = None, **kwargs: Any
    ) -> Any:
        """The user, or None. Raises ValidationError, which forms show, while the pause lasts."""
        name = _name(request, username or str(kwargs.get("username", "")))
        counts = caches["sign-in"]
        if counts.get(name, 0) >= TRIES:
            raise ValidationError(
                _("Too many wrong passwords for this username. Wait ten minutes, then try again."), code="pause"
            )
        user = super().authenticate(request, username=username, password=password, **kwargs)
        if user is not None:
            counts.delete(name)
        elif not counts.add(name, 1, PAUSE):
            counts.incr(name)
        return user


def _name(request: HttpRequest | None, username: str) -> str:
    address = request.META.get("REMOTE_ADDR", "") if request is not None else ""
    return hashlib.sha256(f"{address}\n{username.casefold()}".encode("utf-8", "replace")).hexdigest()
