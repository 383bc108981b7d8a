"""The administrators' back room: people and projects. Verdicts, claims and events are not edited anywhere."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from audits.judges.makers import FAMILIES
from audits.models import Event, FamilyRule, Judge, Membership, Project


class NotedAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic in the stubs alone
    """Who gives or takes a right here is named in the log (audits.rights)."""

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Save, and say who did."""
        obj.changed_by = request.user
        super().save_model(request, obj, form, change)


admin.site.unregister(User)
admin.site.unregister(Group)


@admin.register(User)
class PersonAdmin(NotedAdmin, UserAdmin):  # type: ignore[type-arg]  # generic in the stubs alone
    """People and what they may do beyond roles in projects."""


@admin.register(Group)
class RightsAdmin(NotedAdmin, GroupAdmin):
    """Rights of several people."""


class MembershipInline(admin.TabularInline):  # type: ignore[type-arg]  # generic in the stubs alone
    """Roles of a project: given and taken as on the project's own page, so that the log tells of it."""

    model = Membership
    extra = 0
    autocomplete_fields = ("user",)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """A role is taken and another one given; a changed row would hide one of the two."""
        return False


@admin.register(Project)
class ProjectAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic in the stubs alone
    """Projects with their people."""

    list_display = ("name", "slug", "client", "created")
    search_fields = ("name", "slug", "client")
    inlines = (MembershipInline,)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """A project stays: its verdicts are evidence, and the log of what was done in it is one chain."""
        return False

    def save_model(self, request: HttpRequest, obj: Project, form: Any, change: bool) -> None:
        """Save; certificates print what a project is called and for whom it is, so the log tells of it."""
        super().save_model(request, obj, form, change)
        kind = "project_changed" if change else "project_created"
        Event.record(kind, project=obj, actor=request.user, rows=[obj], name=obj.name)

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        """Give and take the roles."""
        for row in formset.save(commit=False):
            Membership.objects.give(project=row.project, user=row.user, role=row.role, by=request.user)
        for row in formset.deleted_objects:
            Membership.objects.take(membership=row, by=request.user)


class JudgeAdminForm(forms.ModelForm):  # type: ignore[type-arg]  # generic in the stubs alone
    """A judge with a field for its key, which goes in and never comes out."""

    new_key = forms.CharField(
        required=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text="Stored encrypted. Left empty, the stored key or else the environment's is used.",
    )

    def save(self, commit: bool = True) -> Any:
        """Encrypt a new key on the way in."""
        if self.cleaned_data["new_key"]:
            self.instance.api_key = self.cleaned_data["new_key"]
        return super().save(commit)


@admin.register(Judge)
class JudgeAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic in the stubs alone
    """Judges, those shared by all projects among them."""

    form = JudgeAdminForm
    list_display = ("__str__", "project", "active", "price_in", "price_out")
    list_filter = ("active", "vendor")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """What an audit has used keeps its name."""
        return ("project", "vendor", "model") if obj is not None and obj.used else ()

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Judges are put aside, not deleted: audits refer to them."""
        return False


@admin.register(FamilyRule)
class FamilyRuleAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic in the stubs alone
    """Names of models that the built-in table does not know, or knows as something else; the table stands below."""

    list_display = ("pattern", "family", "position")
    list_editable = ("position",)
    readonly_fields = ("built_in",)
    fieldsets = (
        (None, {"fields": ("pattern", "family", "position")}),
        (
            _("Built-in table, asked after these rules"),
            {
                "fields": ("built_in",),
                "description": _("Write the family as it stands in this table to make a model one of it."),
            },
        ),
    )

    @admin.display(description=_("Families"))
    def built_in(self, rule: FamilyRule) -> SafeString:
        """The table of judges.makers, to read."""
        rows = ((row.name, " | ".join(filter(None, (row.words, row.starts, row.makers)))) for row in FAMILIES)
        body = format_html_join("", "<tr><th scope='row'>{}</th><td><code>{}</code></td></tr>", rows)
        return format_html("<table>{}</table>", body)


@admin.register(Event)
class EventAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic in the stubs alone
    """What people did: to read, not to change."""

    list_display = ("created", "kind", "project", "actor")
    list_filter = ("kind",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Events write themselves."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Written once."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Written once."""
        return False
