"""The administrators' back room opens, keeps keys to itself and deletes no evidence."""

import pytest
from django.urls import reverse

from audits.models import Audit, Event, Judge, Project
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


def test_evidence_is_not_deleted(browser, project):
    Audit.objects.create(project=project, dataset=make_dataset(project), name="First", seed=1)
    event = Event.record("upload", project=project)
    assert browser.post(reverse("admin:audits_project_delete", args=[project.pk]), {"post": "yes"}).status_code == 403
    assert browser.post(reverse("admin:audits_event_delete", args=[event.pk]), {"post": "yes"}).status_code == 403
    assert Project.objects.filter(pk=project.pk).exists()
