"""What a project tells its experts about deciding: text and examples, every version kept."""

from django.conf import settings
from django.db import models

from audits.models import Project
from audits.models.written_once import AppendOnlyQuerySet, WrittenOnce


class Guidelines(WrittenOnce):
    """One version of a project's guidelines. Labels say which version was in force when they were given."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="guidelines")
    version = models.PositiveIntegerField()
    text = models.TextField(blank=True)
    examples = models.JSONField(default=list)  # {claim, context, label, why}
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    created = models.DateTimeField(auto_now_add=True)

    objects = AppendOnlyQuerySet.as_manager()

    class Meta:
        ordering = ("project", "-version")
        constraints = (models.UniqueConstraint(fields=("project", "version"), name="one_guidelines_version"),)

    def __str__(self) -> str:
        return f"{self.project} · {self.version}"
