"""Who came in, written down beside what they did."""

from typing import Any

from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.dispatch import receiver

from audits.models import Event


@receiver(user_logged_in, dispatch_uid="event_signed_in")
def _signed_in(sender: Any, user: Any, **_: Any) -> None:
    Event.record("signed_in", project=None, actor=user)


@receiver(user_logged_out, dispatch_uid="event_signed_out")
def _signed_out(sender: Any, user: Any, **_: Any) -> None:
    if user is not None:  # the session of nobody may be ended, too
        Event.record("signed_out", project=None, actor=user)
