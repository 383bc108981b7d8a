"""Rights on the whole site, written down whichever way they are given: pages of the administration, or a command.

Roles in a project are no part of it: Membership.objects gives and takes those.
"""

from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.db.models.signals import m2m_changed, post_delete, post_save

from audits.models import Event

FLAGS = ("is_superuser", "is_staff", "is_active")
NONE: dict[str, Any] = {"is_superuser": False, "is_staff": False, "is_active": True, "groups": [], "permissions": []}
PERSON, GROUP, SO_FAR = "rights_changed", "group_rights_changed", "rights_so_far"  # kinds of events


def rights_of(user: Any) -> dict[str, Any]:
    """What this person may do beyond roles in projects. groups: their keys."""
    found: dict[str, Any] = {name: getattr(user, name) for name in FLAGS}
    found["groups"] = sorted(user.groups.values_list("pk", flat=True))
    return found | {"permissions": permissions(user.user_permissions)}


def permissions(rows: Any) -> list[str]:
    """Names of permissions, "app.codename"."""
    pairs = rows.values_list("content_type__app_label", "codename").order_by("content_type__app_label", "codename")
    return [f"{app}.{name}" for app, name in pairs]


def connect() -> None:
    """Listen to people and groups."""
    person: Any = get_user_model()
    post_save.connect(_saved, sender=person, dispatch_uid="rights_saved")
    post_delete.connect(_deleted, sender=person, dispatch_uid="rights_deleted")
    for relation in (person.groups, person.user_permissions):
        m2m_changed.connect(_given, sender=relation.through, dispatch_uid=f"rights_{relation.through.__name__}")
    m2m_changed.connect(_group_given, sender=Group.permissions.through, dispatch_uid="rights_of_group")


def _saved(instance: Any, raw: bool = False, update_fields: Any = None, **_: Any) -> None:
    if not raw and (update_fields is None or not {*update_fields}.isdisjoint(FLAGS)):
        _note(instance)


def _given(instance: Any, action: str, reverse: bool, model: Any, pk_set: Any, **_: Any) -> None:
    """Groups or permissions of a person, from either end of the relation."""
    if action in ("post_add", "post_remove", "post_clear"):
        people = model.objects.filter(pk__in=pk_set or ()) if reverse else [instance]
        for user in people:
            _note(user)


def _note(user: Any) -> None:
    """Write the person's rights down when they are not what the log says of them."""
    last = Event.objects.filter(kind__in=(PERSON, SO_FAR), project=None).order_by("-pk")
    known = last.filter(kind=PERSON, data__person=user.pk).values_list("data", flat=True).first()
    if known is None:
        so_far = last.filter(kind=SO_FAR).values_list("data", flat=True).first() or {}
        known = next((one for one in so_far.get("people", ()) if one["person"] == user.pk), NONE)
    now = rights_of(user)
    if any(known[name] != value for name, value in now.items()):
        _record(user, now)


def _deleted(instance: Any, **_: Any) -> None:
    if any(getattr(instance, name) != NONE[name] for name in FLAGS):
        _record(instance, NONE | {"is_active": False})


def _record(user: Any, rights: dict[str, Any]) -> None:
    about = {"user": user.get_username(), "person": user.pk}
    Event.record(PERSON, project=None, actor=getattr(user, "changed_by", None), **about, **rights)


def _group_given(instance: Any, action: str, reverse: bool, model: Any, pk_set: Any, **_: Any) -> None:
    if action in ("post_add", "post_remove", "post_clear"):
        groups = model.objects.filter(pk__in=pk_set or ()) if reverse else [instance]
        for group in groups:
            about = {"group": group.pk, "name": group.name, "permissions": permissions(group.permissions)}
            Event.record(GROUP, project=None, actor=getattr(group, "changed_by", None), **about)
