"""A project and who may do what in it."""

from typing import Any

from django.conf import settings
from django.db import models, transaction
from django.db.models import Count, Q
from django.utils.text import slugify
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

    def with_counts(self) -> "ProjectQuerySet":
        """Each with n_datasets and n_audits, and with its open work: n_unmapped, n_judging, n_reviewing."""

        def count(relation: str, *statuses: str) -> Count:
            wanted = Q(**{f"{relation}__status__in": statuses}) if statuses else None
            return Count(relation, filter=wanted, distinct=True)

        return self.annotate(
            n_datasets=count("datasets"),
            n_audits=count("audits"),
            n_unmapped=count("datasets", "uploaded"),
            n_judging=count("audits", "judging", "paused"),
            n_reviewing=count("audits", "reviewing"),
        )

    def start(self, *, name: str, slug: str = "", client: str = "", system: str = "", user: Any) -> "Project":
        """Create a project; without a slug one is made of the name, unique and in ASCII."""
        wanted = slug or slugify(name)[:70] or "project"  # a Chinese name leaves nothing that fits an address
        taken = {"new", *self.model.objects.filter(slug__startswith=wanted).values_list("slug", flat=True)}
        unique, number = wanted, 1
        while unique in taken:
            number += 1
            unique = f"{wanted}-{number}"
        with transaction.atomic():
            project: Project = self.create(name=name, slug=unique, client=client, system=system)
            event: Any = project.events.model
            event.record("project_created", project=project, actor=user, rows=[project], name=name)
        return project


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


class MembershipQuerySet(models.QuerySet["Membership"]):
    """Giving and taking roles, each written down as an event of the project."""

    def give(self, *, project: Project, user: Any, role: str, by: Any) -> bool:
        """Give a person a role; False when the person already has it."""
        with transaction.atomic():
            created = self.get_or_create(project=project, user=user, role=role)[1]
            if created:
                data = {"user": user.get_username(), "person": user.pk, "role": role}
                project.events.create(kind="role_given", actor=by, data=data)
        return created

    def take(self, *, membership: "Membership", by: Any) -> bool:
        """Take a role away; False when somebody else already did. What the person labelled stays."""
        project, user = membership.project, membership.user
        with transaction.atomic():
            if not self.filter(pk=membership.pk).delete()[0]:
                return False
            data = {"user": user.get_username(), "person": user.pk, "role": membership.role}
            project.events.create(kind="role_taken", actor=by, data=data)
        return True


class Membership(models.Model):
    """One role of one person in one project."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    role = models.CharField(_("role"), max_length=10, choices=Role)
    created = models.DateTimeField(auto_now_add=True)

    objects = MembershipQuerySet.as_manager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("project", "user", "role"), name="one_row_per_role"),)

    def __str__(self) -> str:
        return f"{self.user} · {self.get_role_display()} · {self.project}"
