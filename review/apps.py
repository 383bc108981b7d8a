"""The human half: review queue, adjudications, certificates."""

from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_delete


class ReviewConfig(AppConfig):
    """Review."""

    name = "review"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Notice experts who leave, whichever way; keep the rule of an audit that is certified."""
        from audits.models import Membership
        from audits.pipeline.ruling import rule_changing

        post_delete.connect(_expert_left, sender=Membership, dispatch_uid="expert_left")
        rule_changing.connect(_keep_certified_rule, dispatch_uid="keep_certified_rule")


def _expert_left(instance: Any, origin: Any, **_: Any) -> None:
    """What the person holds is free at once, and the tags are gone; the labels stay.

    Only where a role was taken away: when the project or the person is deleted, everything of theirs goes with it.
    """
    from review.assigning import expert_left

    if getattr(origin, "model", type(origin)) is type(instance):
        expert_left(instance)


def _keep_certified_rule(audit: Any, **_: Any) -> None:
    """Raises RuleError while a certificate that was not revoked rests on the rule."""
    from audits.pipeline.ruling import RuleError
    from review.models import Certificate

    if Certificate.objects.valid().filter(audit=audit).exists():
        raise RuleError("certified")
