"""How a project's review is run, who looks at what, and how one expert likes the desk."""

from typing import Any

from django.conf import settings
from django.core.validators import MaxValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from audits.models import Project


class ReviewRules(models.Model):
    """What managers set for all audits of a project. No row: the defaults."""

    project = models.OneToOneField(Project, models.CASCADE, related_name="review_rules")
    reveal = models.BooleanField(default=True)  # experts may see the judges' verdicts after their label
    gold_bar = models.PositiveSmallIntegerField(default=80, validators=[MaxValueValidator(100)])  # percent agreed

    def __str__(self) -> str:
        return str(self.project)


class Assignment(models.Model):
    """An expert looks at claims of samples with this tag. An expert without any in a project looks at everything."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="assignments")
    expert = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="assignments")
    tag = models.CharField(max_length=200)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("project", "expert", "tag")
        constraints = (models.UniqueConstraint(fields=("project", "expert", "tag"), name="one_assignment"),)

    def __str__(self) -> str:
        return f"{self.expert} · {self.tag}"


class DeskSettings(models.Model):
    """How one person works at the desk. No row: the defaults."""

    class Pace(models.TextChoices):
        """What follows a label."""

        NEXT = "next", _("The next claim at once; the verdicts are one key away")
        VERDICTS = "verdicts", _("What the judges said, then the next claim")

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="desk_settings")
    pace = models.CharField(max_length=8, choices=Pace, default=Pace.NEXT)
    single_keys = models.BooleanField(default=True)  # off: every act by Tab, click or with Ctrl
    keys = models.JSONField(default=dict)  # act -> key, where it differs from the default

    def __str__(self) -> str:
        return str(self.user)

    @classmethod
    def remember(cls, user: Any, *, pace: str, single_keys: bool, keys: dict[str, str]) -> None:
        """Store how this person likes the desk. keys: only those that lie elsewhere than by default."""
        chosen = {"pace": pace, "single_keys": single_keys, "keys": keys}
        cls.objects.update_or_create(user=user, defaults=chosen)
