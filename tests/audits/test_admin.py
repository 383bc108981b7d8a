"""The administrators' back room opens, keeps keys to itself and deletes no evidence."""

import pytest
from django.urls import reverse

from audits.models import Audit, Event, FamilyRule, Judge, Membership, Project
from audits.pipeline.panel import PanelError, check_panel
from tests.audits.factory import make_dataset


@pytest.fixture
def browser(signed_in, person):
    user = person("root")
    user.is_superuser = user.is_staff = True
    user.save()
    return signed_in(user)


@pytest.mark.parametrize("model", ["project", "judge", "event"])
def test_the_lists_open(browser, project, model):
    Event.record("upload", project=project)
    assert browser.get(reverse(f"admin:audits_{model}_changelist")).status_code == 200


def test_members_of_the_staff_alone_come_in(signed_in, manager):
    assert signed_in(manager).get(reverse("admin:audits_project_changelist")).status_code == 302


def test_a_key_goes_in_and_never_comes_out(browser, project):
    judge = Judge.objects.create(vendor="openai", model="gpt-x")
    url = reverse("admin:audits_judge_change", args=[judge.pk])
    data = {"vendor": "openai", "model": "gpt-x", "params": "{}", "concurrency": "8", "active": "on", "base_url": ""}
    assert browser.post(url, data | {"new_key": "sk-secret"}).status_code == 302
    judge.refresh_from_db()
    assert judge.api_key == "sk-secret"
    assert browser.post(url, data | {"new_key": "", "concurrency": "2"}).status_code == 302
    judge.refresh_from_db()
    assert (judge.api_key, judge.concurrency) == ("sk-secret", 2)
    page = browser.get(url).content.decode()
    assert "sk-secret" not in page
    assert judge.key_encrypted not in page


def test_roles_are_given_and_taken_with_an_event(browser, project, person):
    lee = person("lee")
    url = reverse("admin:audits_project_change", args=[project.pk])
    fields = {"name": project.name, "slug": project.slug, "client": project.client, "system": project.system}
    rows = {"memberships-TOTAL_FORMS": "1", "memberships-INITIAL_FORMS": "0"}
    given = rows | {
        "memberships-0-user": str(lee.pk),
        "memberships-0-role": "expert",
        "memberships-0-project": project.pk,
    }
    assert browser.post(url, fields | given).status_code == 302
    row = Membership.objects.get(project=project, user=lee)
    taken = rows | {"memberships-INITIAL_FORMS": "1", "memberships-0-id": str(row.pk), "memberships-0-DELETE": "on"}
    assert browser.post(url, fields | taken | {"memberships-0-project": project.pk}).status_code == 302
    assert not Membership.objects.filter(project=project, user=lee).exists()
    events = Event.objects.filter(project=project, kind__startswith="role_").order_by("pk")
    said = {"user": "lee", "person": lee.pk, "role": "expert"}
    assert list(events.values_list("kind", "data")) == [(f"role_{act}", said) for act in ("given", "taken")]


def test_evidence_is_not_deleted(browser, project):
    Audit.objects.create(project=project, dataset=make_dataset(project), name="First", seed=1)
    event = Event.record("upload", project=project)
    assert browser.post(reverse("admin:audits_project_delete", args=[project.pk]), {"post": "yes"}).status_code == 403
    assert browser.post(reverse("admin:audits_event_delete", args=[event.pk]), {"post": "yes"}).status_code == 403
    assert Project.objects.filter(pk=project.pk).exists()


def test_a_family_rule_is_written_checked_and_used(browser, project):
    url = reverse("admin:audits_familyrule_add")
    page = browser.get(url).content.decode()
    assert "claude" in page and "doubao" in page  # the built-in table stands beside
    refused = browser.post(url, {"pattern": "(a+)+", "family": "x", "position": "0"})
    assert refused.status_code == 200 and "Write it more simply" in refused.content.decode()
    assert (
        "no regular expression"
        in browser.post(url, {"pattern": "[", "family": "x", "position": "0"}).content.decode()
    )
    assert not FamilyRule.objects.exists()
    browser.post(url, {"pattern": "prod-judge", "family": " OpenAI ", "position": "0"})
    assert FamilyRule.objects.get().family == "openai"
    assert browser.get(reverse("admin:audits_familyrule_changelist")).status_code == 200
    judges = [Judge(vendor="openai", model="gpt-5"), Judge(vendor="vllm", model="prod-judge")]
    with pytest.raises(PanelError) as refused:
        check_panel(dataset=make_dataset(project), judges=judges)
    assert refused.value.code == "same_family"


def test_a_bad_rule_written_past_the_form_stops_no_start(project):
    FamilyRule.objects.create(pattern="[", family="openai")
    judges = [Judge(vendor="openai", model="gpt-5"), Judge(vendor="vllm", model="prod-judge")]
    check_panel(dataset=make_dataset(project), judges=judges)
