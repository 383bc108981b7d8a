"""The human half: review queue, adjudications, certificates."""

from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_delete


class ReviewConfig(AppConfig):
    """Review."""

    name = "review"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Notice experts who leave, whichever way."""
        from audits.models import Membership

        post_delete.connect(_expert_left, sender=Membership, dispatch_uid="expert_left")


def _expert_left(instance: Any, origin: Any, **_: Any) -> None:
    """What the person holds is free at once, and the tags are gone; the labels stay.

    Only where a role was taken away: when the project or the person is deleted, everything of theirs goes with it.
    """
    from review.assigning import expert_left

    if getattr(origin, "model", type(origin)) is type(instance):
        expert_left(instance)
