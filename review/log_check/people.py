"""Who may do what: rights on the whole site and roles in projects, as the log tells of them."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group

from audits.models import Event, Membership
from audits.rights import FLAGS, GROUP, NONE, PERSON, SO_FAR, permissions, rights_of
from review.log_check.finding import Finding

CHUNK = 2000
Role = tuple[int, int, str]
"""(project, person, role)."""


def check() -> Iterator[Finding]:
    """Rights and roles of which the log knows nothing, or which it knows and nobody has."""
    so_far = Event.objects.filter(kind=SO_FAR).order_by("pk").values_list("data", flat=True).first() or {}
    yield from _people(so_far)
    yield from _groups(so_far)
    yield from _roles(so_far)


def _people(so_far: Mapping[str, Any]) -> Iterator[Finding]:
    known: dict[int, Mapping[str, Any]] = {one["person"]: one for one in so_far.get("people", ())}
    known |= {data["person"]: data for data in _data(PERSON)}
    people = get_user_model()._default_manager.order_by("pk")
    given = set(people.exclude(groups=None, user_permissions=None).values_list("pk", flat=True))
    for user in people:
        said = known.get(user.pk, NONE)
        wrong = [name for name in FLAGS if said[name] != getattr(user, name)]
        if user.pk in given:
            now = rights_of(user)
            wrong += [name for name in ("groups", "permissions") if not set(now[name]) <= set(said[name])]
        if wrong:
            yield Finding(f"rights of person {user.pk}", f"The log knows nothing of this: {', '.join(wrong)}.")


def _groups(so_far: Mapping[str, Any]) -> Iterator[Finding]:
    known = {one["group"]: set(one["permissions"]) for one in so_far.get("groups", ())}
    known |= {data["group"]: set(data["permissions"]) for data in _data(GROUP)}
    for group in Group.objects.order_by("pk"):
        if strange := sorted(set(permissions(group.permissions)) - known.get(group.pk, set())):
            yield Finding(f"rights of group {group.pk}", f"The log knows nothing of this: {', '.join(strange)}.")


def _roles(so_far: Mapping[str, Any]) -> Iterator[Finding]:
    held: dict[Role, bool] = defaultdict(bool)
    for project, person, role in so_far.get("roles", ()):
        held[project, person, role] = True
    rows = Event.objects.filter(kind__in=("role_given", "role_taken")).order_by("pk")
    for kind, project, data in rows.values_list("kind", "project", "data").iterator(CHUNK):
        if "person" in data:  # older ones are summed up in the rights so far
            held[project, data["person"], data["role"]] = kind == "role_given"
    there = set(Membership.objects.order_by().values_list("project", "user", "role"))
    people = set(get_user_model()._default_manager.values_list("pk", flat=True))
    for role in sorted(there - {role for role, is_held in held.items() if is_held}):
        yield Finding(_name(role), "The log knows nothing of it.")
    for role in sorted({role for role, is_held in held.items() if is_held and role[1] in people} - there):
        yield Finding(_name(role), "The log says that it was given, and not that it was taken.")


def _name(role: Role) -> str:
    return f"role {role[2]} of person {role[1]} in project {role[0]}"


def _data(kind: str) -> Iterator[dict[str, Any]]:
    yield from Event.objects.filter(kind=kind).order_by("pk").values_list("data", flat=True).iterator(CHUNK)
