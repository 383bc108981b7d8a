"""Review in the administration: to look at, never to change."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from review.models import Adjudication, Certificate, ReviewItem, ReviewPlan, Skip, Slot


class ReadOnly(admin.ModelAdmin):  # type: ignore[type-arg]  # generic in its stubs only
    """Nothing can be added, changed or deleted: history is there for good."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """No."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """No."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """No."""
        return False


@admin.register(ReviewPlan)
class ReviewPlanAdmin(ReadOnly):
    """Draws."""

    list_display = ("audit", "asked", "seed_hex", "drawn_at")


@admin.register(ReviewItem)
class ReviewItemAdmin(ReadOnly):
    """Claims for experts. An administrator who is an expert too should not look here: it is not blind."""

    list_display = ("plan", "order", "kind", "stratum")
    list_filter = ("kind", "stratum")


@admin.register(Slot)
class SlotAdmin(ReadOnly):
    """Who holds what."""

    list_display = ("item", "number", "state", "reviewer", "lease_until")
    list_filter = ("state",)


@admin.register(Skip)
class SkipAdmin(ReadOnly):
    """Skipped claims."""

    list_display = ("item", "reviewer", "reason", "created")


@admin.register(Adjudication)
class AdjudicationAdmin(ReadOnly):
    """Experts' labels."""

    list_display = ("item", "reviewer", "label", "revision", "blind", "created")
    list_filter = ("label", "blind")


@admin.register(Certificate)
class CertificateAdmin(ReadOnly):
    """Certificates."""

    list_display = ("number", "audit", "version", "decision", "specimen", "issued_at", "revoked_at")
