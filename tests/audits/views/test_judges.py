"""Judges of a project: who adds and changes them, and that a key never comes out and never travels."""

import json

import pytest
from django.urls import reverse

from audits.judges import offline_accuracy
from audits.models import Event, Judge, Project
from tests.audits.factory import make_dataset
from tests.audits.views.test_projects import administrator  # noqa: F401  # a fixture

NEW = {"vendor": "openai", "model": "gpt-x", "concurrency": "4"}


@pytest.fixture(autouse=True)
def no_keys(monkeypatch):
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OLLAMA_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def judge(project, analyst):
    return Judge.objects.add(
        project=project, user=analyst, vendor="openai", model="gpt-x", concurrency=4, api_key="sk-secret"
    )


def rows(browser, project):
    return {row.judge.model: row for row in browser.get(reverse("judges", args=[project.slug])).context["cards"]}


def edit(browser, project, judge, **changed):
    return browser.post(reverse("judge_edit", args=[project.slug, judge.pk]), NEW | changed)


def test_the_offline_judges_are_there_and_named_specimens(signed_in, expert, project):
    browser = signed_in(expert)
    assert {model for model, row in rows(browser, project).items() if row.offline} == {"rules", "vector"}
    assert "lexical baseline" in browser.get(reverse("judges", args=[project.slug])).content.decode()


def test_an_analyst_adds_a_judge(signed_in, analyst, project):
    data = NEW | {"api_key": "sk-secret", "price_in": "1.25", "price_out": "10"}
    response = signed_in(analyst).post(reverse("judge_new", args=[project.slug]), data)
    assert response["Location"] == reverse("judges", args=[project.slug])
    judge = Judge.objects.get(project=project)
    assert (str(judge), judge.api_key, judge.concurrency) == ("openai:gpt-x", "sk-secret", 4)
    assert "sk-secret" not in judge.key_encrypted
    event = Event.objects.exclude(kind="signed_in").get()
    assert event.kind == "judge_added"
    assert "sk-secret" not in json.dumps(event.data)


def test_prices_are_written_as_they_were_entered(signed_in, analyst, project, judge):
    browser = signed_in(analyst)
    edit(browser, project, judge, price_in="0.075", price_out="10")
    assert rows(browser, project)["gpt-x"].prices == "0.075 / 10"


def test_prices_left_empty_are_unknown_not_free(signed_in, manager, project):
    browser = signed_in(manager)
    browser.post(reverse("judge_new", args=[project.slug]), NEW)
    judge = Judge.objects.get(project=project)
    assert judge.price_in is None
    assert "unknown" in browser.get(reverse("judges", args=[project.slug])).content.decode()


def test_adding_twice_is_once(signed_in, analyst, project):
    browser = signed_in(analyst)
    browser.post(reverse("judge_new", args=[project.slug]), NEW)
    again = browser.post(reverse("judge_new", args=[project.slug]), NEW)
    assert again.status_code == 422
    assert Judge.objects.filter(project=project).count() == 1


def test_where_the_key_comes_from_is_said(signed_in, analyst, project, judge, monkeypatch):
    add = Judge.objects.add
    add(project=project, user=analyst, vendor="anthropic", model="c-1")
    add(project=project, user=analyst, vendor="ollama", model="q-1")
    assert {m: r.key for m, r in rows(signed_in(analyst), project).items() if not r.offline} == {
        "gpt-x": "stored",
        "c-1": "missing",
        "q-1": "none",
    }
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-env")
    assert rows(signed_in(analyst), project)["c-1"].key == "environment"


def test_a_key_is_never_shown_again(signed_in, analyst, project, judge):
    browser = signed_in(analyst)
    edit_page = browser.get(reverse("judge_edit", args=[project.slug, judge.pk])).content.decode()
    refused = edit(browser, project, judge, api_key="sk-typed", concurrency="0").content.decode()
    for text in (edit_page, refused, browser.get(reverse("judges", args=[project.slug])).content.decode()):
        assert "sk-secret" not in text
        assert "sk-typed" not in text
        assert judge.key_encrypted not in text


def test_an_empty_key_keeps_the_stored_one(signed_in, analyst, project, judge):
    assert edit(signed_in(analyst), project, judge, concurrency="2").status_code == 302
    judge.refresh_from_db()
    assert (judge.concurrency, judge.api_key) == (2, "sk-secret")
    edit(signed_in(analyst), project, judge, api_key="sk-new")
    judge.refresh_from_db()
    assert judge.api_key == "sk-new"


def test_saving_the_same_again_is_no_event(signed_in, analyst, project, judge):
    edit(signed_in(analyst), project, judge, concurrency="2")
    edit(signed_in(analyst), project, judge, concurrency="2")
    assert Event.objects.filter(kind="judge_changed").count() == 1


@pytest.mark.parametrize("changed", [{"base_url": "https://elsewhere.example/v1"}, {"vendor": "deepseek"}])
def test_a_stored_key_is_not_sent_to_another_address(signed_in, analyst, project, judge, changed):
    response = edit(signed_in(analyst), project, judge, **changed)
    assert response.status_code == 422
    assert "api_key" in response.context["form"].errors
    judge.refresh_from_db()
    assert (judge.vendor, judge.base_url) == ("openai", "")
    assert edit(signed_in(analyst), project, judge, api_key="sk-other", **changed).status_code == 302


def test_the_environments_key_is_not_sent_to_an_address_of_ones_own(signed_in, analyst, project, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-env")
    monkeypatch.setenv("OLLAMA_API_KEY", "sk-env")
    add = reverse("judge_new", args=[project.slug])
    elsewhere = {"base_url": "https://elsewhere.example/v1"}
    assert signed_in(analyst).post(add, NEW | elsewhere).status_code == 422
    assert signed_in(analyst).post(add, NEW | elsewhere | {"vendor": "ollama"}).status_code == 422
    monkeypatch.delenv("OLLAMA_API_KEY")
    assert signed_in(analyst).post(add, NEW | elsewhere | {"vendor": "ollama"}).status_code == 302


@pytest.mark.parametrize(
    "url",
    ["ftp://host/v1", "file:///etc/passwd", "javascript:alert(1)", "host/v1", "https://", "https://u:p@host/v1",
     "https://host/v1?x=1", "https://host/#x", "https://ho st/", "http://[::1/v1", "https://host:99999/v1"],
)  # fmt: skip
def test_an_address_that_cannot_be_called_is_refused(signed_in, analyst, project, url):
    data = NEW | {"base_url": url, "api_key": "sk-1"}
    response = signed_in(analyst).post(reverse("judge_new", args=[project.slug]), data)
    assert response.status_code == 422
    assert "base_url" in response.context["form"].errors
    assert not Judge.objects.filter(project=project).exists()


def test_a_host_of_ones_own_network_may_be_called(signed_in, analyst, project):
    data = NEW | {"vendor": "vllm", "base_url": "http://vllm:8000/v1/"}
    assert signed_in(analyst).post(reverse("judge_new", args=[project.slug]), data).status_code == 302
    assert Judge.objects.get(project=project).base_url == "http://vllm:8000/v1"


@pytest.mark.parametrize(
    "bad", [{"vendor": "offline"}, {"vendor": "nobody"}, {"price_in": "-1"}, {"concurrency": "0"}]
)
def test_values_that_cannot_be_are_refused(signed_in, analyst, project, bad):
    assert signed_in(analyst).post(reverse("judge_new", args=[project.slug]), NEW | bad).status_code == 422


def test_vendor_and_model_stay_once_an_audit_has_used_the_judge(signed_in, analyst, project, judge):
    audit = project.audits.create(dataset=make_dataset(project), name="First", seed=1)
    audit.members.create(
        judge=judge, role="judge", position=0, vendor=judge.vendor, model=judge.model, family="openai"
    )
    assert edit(signed_in(analyst), project, judge, model="gpt-y", vendor="qwen", concurrency="1").status_code == 302
    judge.refresh_from_db()
    assert (judge.vendor, judge.model, judge.concurrency) == ("openai", "gpt-x", 1)


def test_put_aside_and_offered_again_twice_is_once(signed_in, analyst, project, judge):
    browser, url = signed_in(analyst), reverse("judge_switch", args=[project.slug, judge.pk])
    for _ in range(2):
        assert browser.post(url, {"active": "0"}).status_code == 302
        assert "gpt-x" not in rows(browser, project)
    assert Event.objects.filter(kind="judge_deactivated").count() == 1
    browser.post(url, {"active": "1"})
    assert "gpt-x" in rows(browser, project)


def test_shared_judges_are_changed_by_administrators_alone(signed_in, manager, administrator, project):  # noqa: F811
    shared = Judge.objects.create(vendor="openai", model="gpt-x")
    assert edit(signed_in(manager), project, shared, concurrency="2").status_code == 403
    url = reverse("judge_switch", args=[project.slug, shared.pk])
    assert signed_in(manager).post(url, {"active": "0"}).status_code == 403
    assert edit(signed_in(administrator), project, shared, concurrency="2").status_code == 302
    shared.refresh_from_db()
    assert (shared.concurrency, shared.project) == (2, None)


def test_judges_of_other_projects_do_not_exist_here(signed_in, analyst, project):
    other = Judge.objects.create(project=Project.objects.create(name="O", slug="o"), vendor="openai", model="gpt-o")
    browser = signed_in(analyst)
    assert browser.get(reverse("judge_edit", args=[project.slug, other.pk])).status_code == 404
    assert browser.post(reverse("judge_switch", args=[project.slug, other.pk]), {"active": "0"}).status_code == 404
    assert "gpt-o" not in rows(browser, project)


def test_experts_look_but_do_not_touch(signed_in, expert, project, judge):
    browser = signed_in(expert)
    assert browser.get(reverse("judges", args=[project.slug])).status_code == 200
    assert browser.get(reverse("judge_new", args=[project.slug])).status_code == 403
    assert edit(browser, project, judge).status_code == 403
    assert browser.post(reverse("judge_switch", args=[project.slug, judge.pk])).status_code == 403


def test_a_stranger_finds_nothing(signed_in, stranger, project, judge):
    browser = signed_in(stranger)
    assert browser.get(reverse("judges", args=[project.slug])).status_code == 404
    assert browser.get(reverse("judge_new", args=[project.slug])).status_code == 404
    assert edit(browser, project, judge).status_code == 404
    assert edit(browser, Project.objects.get(slug="elsewhere"), judge).status_code == 404
    assert browser.post(reverse("judge_switch", args=[project.slug, judge.pk])).status_code == 404


def test_a_get_changes_nothing(signed_in, analyst, project, judge):
    assert signed_in(analyst).get(reverse("judge_switch", args=[project.slug, judge.pk])).status_code == 405
    assert signed_in(analyst).post(reverse("judges", args=[project.slug])).status_code == 405


def test_the_offline_judges_cannot_be_edited(signed_in, administrator, project):  # noqa: F811
    offline = Judge.objects.get(vendor="offline", model="rules")
    assert signed_in(administrator).get(reverse("judge_edit", args=[project.slug, offline.pk])).status_code == 404


def test_the_measured_accuracy_stands_beside_its_baseline_and_n(signed_in, analyst, project, monkeypatch, tmp_path):
    table = tmp_path / "accuracy.json"
    means = {"balanced_accuracy": {"rules": 0.715, "vector": 0.665, "baseline": 0.645}}
    sets = [
        {
            "set": "a",
            "language": "zh",
            "claims": 504,
            "balanced_accuracy": {"rules": 0.8, "vector": 0.7, "baseline": 0.6},
        },
        {"set": "b", "language": "en", "claims": 409, "macro_f1": {"rules": 0.4}},
    ]
    table.write_text(json.dumps({"claims": 913, "means": means, "sets": sets}))
    monkeypatch.setattr(offline_accuracy, "TABLE", table)
    offline_accuracy.measured.cache_clear()
    text = signed_in(analyst).get(reverse("judges", args=[project.slug])).content.decode()
    for words in ("504", "80.0 %", "70.0 %", "60.0 %", "undefined: one label only", "913", "71.5 %", "64.5 %"):
        assert words in text
    offline_accuracy.measured.cache_clear()
