"""Starting an audit, and its switches: pause, resume, cancel, try failed samples again."""

from decimal import Decimal
from typing import Any

import pytest
from django.urls import reverse

from audits.models import Audit, Dataset, Extraction, FamilyRule, Judge, PanelMember, Project, Role
from tests.audits.factory import cut, judged_audit, make_audit, make_dataset, make_judge


@pytest.fixture
def dataset(project: Project) -> Dataset:
    return make_dataset(project, generator="gpt-5")


def form_for(dataset: Dataset, **changed: Any) -> dict[str, Any]:
    first, second = make_judge("deepseek", "deepseek-v4"), make_judge("anthropic", "claude-x")
    return {
        "name": "October",
        "dataset": dataset.pk,
        "primary": first.pk,
        "second": second.pk,
        "extractor": first.pk,
        "threshold": "2",
        "scope": "dataset",
        "confidence": "0.95",
        "expected_rate": "",
        "looks": "1",
        "spot_check_size": "",
        "override_reason": "",
        "token": "form-1",
    } | changed


def new_url(project: Project) -> str:
    return reverse("audit_new", args=[project.slug])


def test_the_page_shows_calls_and_cost_before_anything_is_started(
    signed_in: Any, analyst: Any, project: Project, dataset: Dataset
) -> None:
    make_judge("deepseek", "deepseek-v4")
    make_judge("anthropic", "claude-x")
    page = signed_in(analyst).get(new_url(project), {"dataset": dataset.pk})
    assert page.status_code == 200
    draft = page.context["draft"]
    assert draft.dataset == dataset and draft.estimate.calls > 0 and draft.estimate.cost > 0
    assert not draft.specimen and not draft.problem
    html = page.content.decode()
    assert "USD" in html and f"About {draft.estimate.calls} calls" in html
    assert not Audit.objects.exists()


def test_an_unknown_price_is_said_and_never_zero(
    signed_in: Any, analyst: Any, project: Project, dataset: Dataset
) -> None:
    dear = make_judge("qwen", "qwen-max", price=None)
    data = form_for(dataset, second=dear.pk, recalculate="1")
    page = signed_in(analyst).post(new_url(project), data)
    assert page.context["draft"].estimate.cost is None
    html = page.content.decode()
    assert "No price is known for qwen:qwen-max" in html and "unknown" in html


def test_offline_is_free_and_a_specimen(signed_in: Any, analyst: Any, project: Project, dataset: Dataset) -> None:
    page = signed_in(analyst).get(new_url(project))  # no other judge exists: the offline pair is proposed
    html = page.content.decode()
    assert page.context["draft"].specimen and "free" in html and "Specimen only" in html


def test_recalculating_answers_with_the_plan_alone_and_starts_nothing(
    signed_in: Any, analyst: Any, project: Project, dataset: Dataset
) -> None:
    data = form_for(dataset, threshold="5", recalculate="1")
    part = signed_in(analyst).post(new_url(project), data, headers={"hx-request": "true", "hx-target": "audit-plan"})
    html = part.content.decode()
    assert part.status_code == 200 and 'id="audit-plan"' in html and "<html" not in html
    assert part.context["draft"].spot_check == 2 * part.context["draft"].estimate.claims or "agreed claims" in html
    assert not Audit.objects.exists()


def test_start_freezes_panel_and_rule(signed_in: Any, analyst: Any, project: Project, dataset: Dataset) -> None:
    answer = signed_in(analyst).post(new_url(project), form_for(dataset, threshold="2.5", spot_check_size="40"))
    audit = Audit.objects.get()
    assert answer.url == reverse("audit", args=[project.slug, audit.pk])
    assert audit.threshold == Decimal("0.025") and audit.confidence == Decimal("0.95")
    assert (audit.spot_check_size, audit.scope, audit.created_by) == (40, "dataset", analyst)
    assert [member.name for member in audit.panel] == ["deepseek:deepseek-v4", "anthropic:claude-x"]
    assert audit.extractions.count() == 3


def test_the_same_form_sent_twice_starts_one_audit(
    signed_in: Any, analyst: Any, project: Project, dataset: Dataset
) -> None:
    browser, data = signed_in(analyst), form_for(dataset)
    first, second = browser.post(new_url(project), data), browser.post(new_url(project), data)
    assert first.url == second.url and Audit.objects.count() == 1
    browser.post(new_url(project), data | {"token": "form-2"})
    assert Audit.objects.count() == 2


def test_judges_of_one_family_are_refused_with_the_reason(
    signed_in: Any, analyst: Any, project: Project, dataset: Dataset
) -> None:
    other = make_judge("deepseek", "deepseek-r2")
    page = signed_in(analyst).post(new_url(project), form_for(dataset, second=other.pk))
    assert page.status_code == 422 and not Audit.objects.exists()
    assert "of the same vendor family" in page.context["form"].errors["second"][0]


def test_a_judge_of_the_generators_family_needs_a_reason(
    signed_in: Any, analyst: Any, project: Project, dataset: Dataset
) -> None:
    kin, browser = make_judge("openai", "gpt-5-mini"), signed_in(analyst)
    page = browser.post(new_url(project), form_for(dataset, second=kin.pk))
    assert page.status_code == 422 and page.context["draft"].own_family and not Audit.objects.exists()
    assert 'name="override_reason"' in page.content.decode()
    browser.post(new_url(project), form_for(dataset, second=kin.pk, override_reason="The client wants it."))
    assert Audit.objects.get().override_reason == "The client wants it."


def test_typed_values_stay_when_the_form_is_refused(
    signed_in: Any, analyst: Any, project: Project, dataset: Dataset
) -> None:
    page = signed_in(analyst).post(new_url(project), form_for(dataset, name="Mine", threshold="80"))
    assert page.status_code == 422 and 'value="Mine"' in page.content.decode()
    assert page.context["form"].errors["threshold"]


def test_nothing_of_another_project_can_be_chosen(
    signed_in: Any, analyst: Any, project: Project, dataset: Dataset
) -> None:
    other = Project.objects.create(name="Other", slug="other")
    theirs = make_dataset(other)
    judge = Judge.objects.create(project=other, vendor="qwen", model="qwen-max")
    browser = signed_in(analyst)
    assert "dataset" in browser.post(new_url(project), form_for(theirs)).context["form"].errors
    assert "second" in browser.post(new_url(project), form_for(dataset, second=judge.pk)).context["form"].errors
    assert not Audit.objects.exists()


def test_only_ready_datasets_are_offered(signed_in: Any, analyst: Any, project: Project) -> None:
    make_dataset(project, status=Dataset.Status.IMPORTING)
    page = signed_in(analyst).get(new_url(project))
    assert page.status_code == 200 and "No dataset is ready" in page.content.decode()


def test_who_may_start(signed_in: Any, manager: Any, expert: Any, stranger: Any, project: Project) -> None:
    for person, status in ((manager, 403), (expert, 403), (stranger, 404)):
        assert signed_in(person).get(new_url(project)).status_code == status
        assert signed_in(person).post(new_url(project), {}).status_code == status


@pytest.fixture
def running(project: Project) -> Audit:
    return make_audit(make_dataset(project))


def switch(browser: Any, name: str, audit: Audit) -> Any:
    return browser.post(reverse(name, args=[audit.project.slug, audit.pk]), follow=True)


def status(audit: Audit) -> str:
    audit.refresh_from_db()
    return audit.status


def test_pause_and_resume_each_once(signed_in: Any, analyst: Any, running: Audit) -> None:
    browser = signed_in(analyst)
    switch(browser, "audit_pause", running)
    assert status(running) == "paused"
    assert "Nothing was changed" in switch(browser, "audit_pause", running).content.decode()
    switch(browser, "audit_resume", running)
    assert status(running) == "judging"
    switch(browser, "audit_resume", running)
    assert list(running.events.values_list("kind", flat=True)) == ["pause", "resume"]


def test_resume_tries_stopped_judges_again(signed_in: Any, manager: Any, running: Audit) -> None:
    PanelMember.objects.filter(audit=running, position=1).update(stopped_fault="auth", stopped_message="Key refused.")
    switch(signed_in(manager), "audit_resume", running)
    assert not running.members.exclude(stopped_fault="").exists()


def test_cancel_is_for_good(signed_in: Any, analyst: Any, running: Audit) -> None:
    browser = signed_in(analyst)
    switch(browser, "audit_cancel", running)
    assert status(running) == "cancelled"
    switch(browser, "audit_resume", running)
    assert status(running) == "cancelled"
    switch(browser, "audit_cancel", running)
    assert running.events.count() == 1


def test_failed_samples_are_owed_again(signed_in: Any, analyst: Any, running: Audit) -> None:
    cut(running, running.dataset.samples.all()[0], status=Extraction.Status.FAILED, failure="Unreadable.")
    browser = signed_in(analyst)
    switch(browser, "audit_retry", running)
    assert not running.extractions.filter(status=Extraction.Status.FAILED).exists()
    assert "Nothing was changed" in switch(browser, "audit_retry", running).content.decode()


SWITCHES = ["audit_pause", "audit_resume", "audit_cancel", "audit_retry"]


@pytest.mark.parametrize("name", SWITCHES)
def test_switches_refuse_get_strangers_and_experts(
    name: str, signed_in: Any, analyst: Any, expert: Any, stranger: Any, running: Audit
) -> None:
    url = reverse(name, args=[running.project.slug, running.pk])
    assert signed_in(analyst).get(url).status_code == 405
    assert signed_in(expert).post(url).status_code == 403
    assert signed_in(stranger).post(url).status_code == 404
    assert status(running) == "judging"


def test_an_audit_is_found_in_its_own_project_only(signed_in: Any, person: Any, running: Audit) -> None:
    other = Project.objects.create(name="Other", slug="other")
    browser = signed_in(person("both", other, "analyst"))
    assert browser.post(reverse("audit_cancel", args=[other.slug, running.pk])).status_code == 404
    assert status(running) == "judging"


def test_a_finished_audit_cannot_be_paused(signed_in: Any, analyst: Any, project: Project) -> None:
    audit = judged_audit(project)
    switch(signed_in(analyst), "audit_pause", audit)
    assert status(audit) == "reviewing"


def test_the_form_says_which_families_it_cannot_check(signed_in: Any, analyst: Any, project: Project) -> None:
    dataset, browser = make_dataset(project, generator="LoanBot-7b"), signed_in(analyst)
    data = form_for(dataset, second=make_judge("openai", "prod-judge").pk, recalculate="1")
    html = browser.post(new_url(project), data).content.decode()
    assert "No family is known for “LoanBot-7b”" in html
    assert "The name of openai:prod-judge tells no family" in html
    FamilyRule.objects.create(pattern="loanbot", family="house")
    FamilyRule.objects.create(pattern="prod-judge", family="house")
    page = browser.post(new_url(project), data)
    html = page.content.decode()
    assert "No family is known" not in html and "tells no family" not in html
    assert page.context["draft"].own_family
    silent = make_dataset(project)
    html = browser.post(new_url(project), form_for(silent, recalculate="1")).content.decode()
    assert "It is not stated which model wrote the answers" in html


def test_a_second_label_is_proposed_where_two_experts_are(
    signed_in: Any, analyst: Any, person: Any, project: Project, dataset: Dataset
) -> None:
    make_judge("deepseek", "deepseek-v4")
    make_judge("anthropic", "claude-x")
    browser = signed_in(analyst)
    for experts, percent in ((0, 0), (1, 0), (2, 10), (3, 10)):
        while project.memberships.filter(role=Role.EXPERT).count() < experts:
            person(f"expert-{project.memberships.count()}", project, Role.EXPERT)
        page = browser.get(new_url(project), {"dataset": dataset.pk})
        assert page.context["form"].initial["double_percent"] == percent
        assert page.context["draft"].doubles == percent


@pytest.mark.parametrize(
    ("experts", "said"),
    [
        (0, "stays open until two experts come"),
        (1, "stays open until a second expert comes"),
        (2, "stays open until a third one comes"),
        (3, ""),
    ],
)
def test_the_plan_says_what_second_labels_take(
    signed_in: Any, analyst: Any, person: Any, project: Project, dataset: Dataset, experts: int, said: str
) -> None:
    for number in range(experts):
        person(f"expert-{number}", project, Role.EXPERT)
    data = form_for(dataset, spot_check_size="45", double_percent="15", recalculate="1")
    html = signed_in(analyst).post(new_url(project), data).content.decode()
    assert "15 % of them get a second label: about 52 labels for the spot check, and 115 for every 100" in html
    warnings = [part for part in ("until two experts", "until a second expert", "until a third one") if part in html]
    assert len(warnings) == bool(said) and said in html


def test_without_second_labels_the_plan_is_silent(
    signed_in: Any, analyst: Any, project: Project, dataset: Dataset
) -> None:
    html = signed_in(analyst).post(new_url(project), form_for(dataset, recalculate="1")).content.decode()
    assert "second label:" not in html and "stays open" not in html


@pytest.mark.parametrize(("sent", "stored"), [("", 0), ("0", 0), ("100", 100)])
def test_the_share_of_second_labels_is_kept(
    signed_in: Any, analyst: Any, project: Project, dataset: Dataset, sent: str, stored: int
) -> None:
    signed_in(analyst).post(new_url(project), form_for(dataset, double_percent=sent))
    assert Audit.objects.get().double_percent == stored


@pytest.mark.parametrize("sent", ["-1", "101", "some"])
def test_a_share_lies_between_0_and_100(
    signed_in: Any, analyst: Any, project: Project, dataset: Dataset, sent: str
) -> None:
    page = signed_in(analyst).post(new_url(project), form_for(dataset, double_percent=sent))
    assert page.status_code == 422 and page.context["form"].errors["double_percent"]
    assert not Audit.objects.exists()
