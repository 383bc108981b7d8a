"""The judging half: upload, claims, verdicts, decisions."""

from django.apps import AppConfig


class AuditsConfig(AppConfig):
    """Audits."""

    name = "audits"
    default_auto_field = "django.db.models.BigAutoField"
