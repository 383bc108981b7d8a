"""The judging half: upload, claims, verdicts, decisions."""

from django.apps import AppConfig


class AuditsConfig(AppConfig):
    """Audits."""

    name = "audits"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Listen for people who sign in and out, and for rights that are given and taken."""
        from audits import rights, signing_in  # noqa: F401  # its receivers

        rights.connect()
