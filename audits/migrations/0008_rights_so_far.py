"""What people may do on the day on which the log begins to tell of it: once, so that older rights are not strange."""

from typing import Any

from django.conf import settings
from django.db import migrations


def note_rights(apps: Any, schema_editor: Any) -> None:
    """One event with every right and every role that there is; none on an empty site."""
    events = apps.get_model("audits", "Event").objects
    users = apps.get_model(settings.AUTH_USER_MODEL).objects.order_by("pk")
    groups = apps.get_model("auth", "Group").objects.order_by("pk")
    roles = apps.get_model("audits", "Membership").objects.order_by("pk")
    people = [
        {
            "user": user.username,
            "person": user.pk,
            "is_superuser": user.is_superuser,
            "is_staff": user.is_staff,
            "is_active": user.is_active,
            "groups": sorted(user.groups.values_list("pk", flat=True)),
            "permissions": permissions(user.user_permissions),
        }
        for user in users
    ]
    of_groups = [
        {"group": group.pk, "name": group.name, "permissions": permissions(group.permissions)} for group in groups
    ]
    if (people or of_groups) and not events.filter(kind="rights_so_far").exists():
        data = {
            "people": people,
            "groups": of_groups,
            "roles": [list(row) for row in roles.values_list("project", "user", "role")],
        }
        events.create(kind="rights_so_far", data=data)


def permissions(rows: Any) -> list[str]:
    """As audits.rights names them."""
    return sorted(f"{row.content_type.app_label}.{row.codename}" for row in rows.select_related("content_type"))


class Migration(migrations.Migration):
    dependencies = [
        ("audits", "0007_hostile_auditor"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [migrations.RunPython(note_rights, migrations.RunPython.noop)]
