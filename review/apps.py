"""The human half: review queue, adjudications, certificates."""

from django.apps import AppConfig


class ReviewConfig(AppConfig):
    """Review."""

    name = "review"
    default_auto_field = "django.db.models.BigAutoField"
