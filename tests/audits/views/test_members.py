"""Who works in a project: managers give and take roles, and each change is on record."""

import pytest
from django.urls import reverse

from audits.models import Event, Membership, Role


def add(browser, project, username, role="expert"):
    return browser.post(reverse("member_add", args=[project.slug]), {"username": username, "role": role})


def test_every_member_sees_who_is_in(signed_in, expert, manager, project):
    page = signed_in(expert).get(reverse("members", args=[project.slug])).content.decode()
    assert "eve" in page
    assert "max" in page
    assert reverse("member_add", args=[project.slug]) not in page


def test_a_manager_gives_a_role(signed_in, manager, person, project):
    lee = person("lee")
    response = add(signed_in(manager), project, "lee")
    assert response["Location"] == reverse("members", args=[project.slug])
    assert project.roles_of(lee) == {Role.EXPERT}
    event = Event.objects.filter(kind__startswith="role_").get()
    said = {"user": "lee", "person": lee.pk, "role": "expert"}
    assert (event.kind, event.actor, event.data) == ("role_given", manager, said)


def test_giving_twice_is_once(signed_in, manager, person, project):
    person("lee")
    add(signed_in(manager), project, "lee")
    add(signed_in(manager), project, "lee")
    assert Membership.objects.filter(user__username="lee").count() == 1
    assert Event.objects.filter(kind__startswith="role_").count() == 1


def test_a_person_can_have_two_roles(signed_in, manager, person, project):
    lee = person("lee")
    add(signed_in(manager), project, "lee", "expert")
    add(signed_in(manager), project, "lee", "analyst")
    assert project.roles_of(lee) == {Role.EXPERT, Role.ANALYST}


@pytest.mark.parametrize(
    ("username", "role"), [("nobody", "expert"), ("", "expert"), ("lee", "owner"), ("gone", "expert")]
)
def test_what_cannot_be_given_is_said_on_the_page(signed_in, manager, person, project, username, role):
    person("lee")
    gone = person("gone")
    gone.is_active = False
    gone.save()
    response = add(signed_in(manager), project, username, role)
    assert response.status_code == 422
    assert response.context["form"].errors
    assert not Event.objects.filter(kind__startswith="role_").exists()


def test_a_manager_takes_a_role_away(signed_in, manager, expert, project):
    membership = Membership.objects.get(user=expert)
    url = reverse("member_remove", args=[project.slug, membership.pk])
    assert signed_in(manager).post(url).status_code == 302
    assert project.roles_of(expert) == frozenset()
    event = Event.objects.filter(kind__startswith="role_").get()
    assert (event.kind, event.data) == ("role_taken", {"user": "eve", "person": expert.pk, "role": "expert"})
    assert signed_in(manager).post(url).status_code == 404  # it is gone already
    assert Event.objects.filter(kind__startswith="role_").count() == 1


def test_of_two_who_take_the_same_role_one_changes_nothing(manager, expert, project):
    membership = Membership.objects.get(user=expert)
    twin = Membership.objects.get(user=expert)
    assert Membership.objects.take(membership=membership, by=manager)
    assert not Membership.objects.take(membership=twin, by=manager)
    assert Event.objects.filter(kind__startswith="role_").count() == 1


def test_a_manager_who_leaves_is_led_to_the_other_projects(signed_in, manager, project):
    membership = Membership.objects.get(user=manager)
    response = signed_in(manager).post(reverse("member_remove", args=[project.slug, membership.pk]))
    assert response["Location"] == reverse("projects")


def test_others_may_not_change_roles(signed_in, analyst, expert, project):
    membership = Membership.objects.get(user=expert)
    assert add(signed_in(analyst), project, "eve", "manager").status_code == 403
    assert signed_in(analyst).post(reverse("member_remove", args=[project.slug, membership.pk])).status_code == 403
    assert project.roles_of(expert) == {Role.EXPERT}


def test_a_stranger_finds_nothing(signed_in, stranger, expert, project):
    membership = Membership.objects.get(user=expert)
    browser = signed_in(stranger)
    assert browser.get(reverse("members", args=[project.slug])).status_code == 404
    assert add(browser, project, "sam", "manager").status_code == 404
    assert browser.post(reverse("member_remove", args=[project.slug, membership.pk])).status_code == 404
    # the role of another project cannot be reached through one's own
    assert browser.post(reverse("member_remove", args=["elsewhere", membership.pk])).status_code == 404
    assert Membership.objects.filter(pk=membership.pk).exists()


def test_a_get_changes_nothing(signed_in, manager, expert, project):
    membership = Membership.objects.get(user=expert)
    browser = signed_in(manager)
    assert browser.get(reverse("member_add", args=[project.slug])).status_code == 405
    assert browser.get(reverse("member_remove", args=[project.slug, membership.pk])).status_code == 405
    assert browser.post(reverse("members", args=[project.slug])).status_code == 405
