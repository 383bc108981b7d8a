"""What people did that touches a number: written once, never changed, chained by hashes (audits.pipeline.sealing)."""

from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone

from audits.models.audit import Audit
from audits.models.digests import witness
from audits.models.project import Project
from audits.models.written_once import AppendOnlyQuerySet, WrittenOnce


class Event(WrittenOnce):
    """One act of one person (or of the system, actor null)."""

    project = models.ForeignKey(Project, models.CASCADE, null=True, related_name="events")  # None: of the whole site
    audit = models.ForeignKey(Audit, models.CASCADE, null=True, related_name="events")
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    kind = models.CharField(max_length=40)
    data = models.JSONField(default=dict)
    created = models.DateTimeField(default=timezone.now, editable=False)
    # Its place in the chain and the hash there; empty for the moment between the act and the next sealing.
    sequence = models.PositiveBigIntegerField(null=True, unique=True, editable=False)
    hash = models.CharField(max_length=64, blank=True, editable=False)

    objects = AppendOnlyQuerySet.as_manager()

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return self.kind

    @classmethod
    def record(
        cls,
        kind: str,
        *,
        project: Project | None,
        audit: Audit | None = None,
        actor: Any = None,
        rows: Iterable[models.Model] = (),
        **data: Any,
    ) -> "Event":
        """Append one event. rows: what came of the act; the event answers for their columns (models.digests)."""
        if seen := witness(rows):
            data["witness"] = seen
        made: Event = cls.objects.create(kind=kind, project=project, audit=audit, actor=actor, data=data)
        return made
