"""A project and who may do what in it."""

from typing import Any

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class Role(models.TextChoices):
    """What a person does in a project; a person can have several."""

    ANALYST = "analyst", _("Analyst")
    EXPERT = "expert", _("Expert")
    MANAGER = "manager", _("Manager")


class ProjectQuerySet(models.QuerySet["Project"]):
    """Projects by who may see them."""

    def visible_to(self, user: Any) -> "ProjectQuerySet":
        """Those the person is a member of; an administrator sees all."""
        if user.is_superuser:
            return self
        return self.filter(memberships__user=user).distinct()


class Project(models.Model):
    """One system under audit, for one client."""

    name = models.CharField(_("name"), max_length=200)
    slug = models.SlugField(max_length=80, unique=True)
    client = models.CharField(_("client"), max_length=200, blank=True)
    system = models.CharField(_("audited system"), max_length=200, blank=True)
    created = models.DateTimeField(auto_now_add=True)

    objects = ProjectQuerySet.as_manager()

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name

    def roles_of(self, user: Any) -> frozenset[str]:
        """The roles of this person here; an administrator has every role but expert: labels need a named expert."""
        roles = set(self.memberships.filter(user=user).values_list("role", flat=True))
        if user.is_superuser:
            roles |= {Role.ANALYST, Role.MANAGER}
        return frozenset(roles)


class Membership(models.Model):
    """One role of one person in one project."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    role = models.CharField(_("role"), max_length=10, choices=Role)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("project", "user", "role"), name="one_row_per_role"),)

    def __str__(self) -> str:
        return f"{self.user} · {self.get_role_display()} · {self.project}"
