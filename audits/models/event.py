"""What people did that touches a number: written once, never changed."""

from typing import Any

from django.conf import settings
from django.db import models

from audits.models.audit import Audit
from audits.models.project import Project


class Event(models.Model):
    """One act of one person (or of the system, actor null)."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="events")
    audit = models.ForeignKey(Audit, models.CASCADE, null=True, related_name="events")
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    kind = models.CharField(max_length=40)
    data = models.JSONField(default=dict)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return self.kind

    @classmethod
    def record(
        cls, kind: str, *, project: Project, audit: Audit | None = None, actor: Any = None, **data: Any
    ) -> "Event":
        """Append one event."""
        return cls.objects.create(kind=kind, project=project, audit=audit, actor=actor, data=data)
