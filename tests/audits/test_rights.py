"""Rights on the whole site are events whichever way they are given, and one that came another way is found."""

from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import Group, Permission, User
from django.urls import reverse

from audits.models import Event, Membership, Project, Role
from audits.rights import GROUP, PERSON, SO_FAR
from review.log_check.people import check

pytestmark = pytest.mark.django_db


def noted() -> list[Any]:
    return list(Event.objects.filter(kind__in=(PERSON, GROUP)).order_by("pk"))


def strange() -> list[str]:
    return [finding.about for finding in check()]


def test_an_administrator_made_by_a_command_is_an_event() -> None:
    root = User.objects.create_superuser("root")
    (event,) = noted()
    assert (event.data["person"], event.data["is_superuser"], event.data["is_staff"]) == (root.pk, True, True)
    root.last_login = None
    root.save(update_fields=["last_login"])
    root.save()
    assert len(noted()) == 1 and strange() == []


def test_ordinary_people_are_no_event(person: Any) -> None:
    person("lee").save()
    assert noted() == [] and strange() == []


def test_the_administration_names_who_gave_a_right(signed_in: Any) -> None:
    root, lee = User.objects.create_superuser("root"), User.objects.create_user("lee")
    group, permission = Group.objects.create(name="Readers"), Permission.objects.get(codename="view_event")
    browser = signed_in(root)
    fields = {"username": "lee", "is_active": "on", "is_staff": "on", "groups": [group.pk],
              "date_joined_0": "2026-01-01", "date_joined_1": "10:00:00"}  # fmt: skip
    assert browser.post(reverse("admin:auth_user_change", args=[lee.pk]), fields).status_code == 302
    url = reverse("admin:auth_group_change", args=[group.pk])
    assert browser.post(url, {"name": "Readers", "permissions": [permission.pk]}).status_code == 302
    last = noted()[-2].data
    assert (last["person"], last["is_staff"], last["groups"]) == (lee.pk, True, [group.pk])
    assert noted()[-1].data["permissions"] == ["audits.view_event"]
    assert {event.actor for event in noted()[1:]} == {root} and strange() == []


def test_a_right_that_came_past_the_application_is_found(project: Project) -> None:
    lee = User.objects.create_user("lee")
    User.objects.filter(pk=lee.pk).update(is_superuser=True)
    assert strange() == [f"rights of person {lee.pk}"]
    User.objects.filter(pk=lee.pk).update(is_superuser=False)
    group = Group.objects.create(name="Readers")
    User.groups.through.objects.bulk_create([User.groups.through(user=lee, group=group)])
    assert strange() == [f"rights of person {lee.pk}"]
    User.groups.through.objects.all()._raw_delete("default")
    Membership.objects.create(project=project, user=lee, role=Role.MANAGER)
    assert strange() == [f"role manager of person {lee.pk} in project {project.pk}"]


def test_a_deactivated_person_who_comes_back_is_found() -> None:
    lee = User.objects.create_user("lee")
    lee.is_active = False
    lee.save()
    assert strange() == []
    User.objects.filter(pk=lee.pk).update(is_active=True)
    assert strange() == [f"rights of person {lee.pk}"]


def test_a_role_taken_past_the_application_is_found(project: Project) -> None:
    lee = User.objects.create_user("lee")
    Membership.objects.give(project=project, user=lee, role=Role.EXPERT, by=None)
    assert strange() == []
    lee.username = "lee-2"
    lee.save()
    assert strange() == [], "people are known by their keys"
    Membership.objects.all()._raw_delete("default")
    assert strange() == [f"role expert of person {lee.pk} in project {project.pk}"]


def test_rights_that_are_older_than_the_log_of_them_are_summed_up(person: Any, project: Project) -> None:
    lee, root = person("lee", project, Role.EXPERT), person("root")
    User.objects.filter(pk=root.pk).update(is_superuser=True)
    assert len(strange()) == 2
    note_rights = import_module("audits.migrations.0008_rights_so_far").note_rights
    note_rights(apps, None)
    note_rights(apps, None)
    assert Event.objects.filter(kind=SO_FAR).count() == 1 and strange() == []
    root.refresh_from_db()
    root.save()
    assert noted() == [], "nothing has changed since"
    Membership.objects.take(membership=Membership.objects.get(user=lee), by=root)
    root.is_superuser = False
    root.save()
    assert strange() == [] and len(noted()) == 1


def test_a_migration_of_an_empty_site_says_nothing() -> None:
    import_module("audits.migrations.0008_rights_so_far").note_rights(apps, None)
    assert not Event.objects.exists()
