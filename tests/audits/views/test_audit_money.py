"""Money on the pages that start an audit and follow it: budget, batches, reuse, probes, limits of judges."""

import datetime
from decimal import Decimal
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from audits.models import Audit, Dataset, PanelMember, Project
from tests.audits.factory import make_audit, make_dataset, make_judge
from tests.audits.views.test_audits import form_for

D = Decimal
pytestmark = pytest.mark.django_db
TICKED = {"reuse": "on", "probe_percent": "0", "budget": ""}


@pytest.fixture
def dataset(project: Project) -> Dataset:
    return make_dataset(project)


@pytest.fixture
def browser(signed_in: Any, analyst: Any) -> Any:
    return signed_in(analyst)


def send(browser: Any, dataset: Dataset, **changed: Any) -> Any:
    return browser.post(reverse("audit_new", args=[dataset.project.slug]), form_for(dataset, **(TICKED | changed)))


def plan(browser: Any, dataset: Dataset, **changed: Any) -> str:
    page = send(browser, dataset, recalculate="1", **changed)
    assert page.status_code == 200 and not Audit.objects.exists()
    return str(page.content.decode())


def test_what_is_chosen_is_what_starts(browser: Any, dataset: Dataset) -> None:
    send(browser, dataset, budget="12.50", batch="on", reuse="", probe_percent="5")
    audit = Audit.objects.get()
    assert (audit.budget, audit.batch, audit.reuse, audit.probe_percent) == (D("12.50"), True, False, 5)
    assert audit.expected and audit.spent == 0


def test_left_alone_there_is_no_budget_and_answers_are_reused(browser: Any, dataset: Dataset) -> None:
    first = browser.get(reverse("audit_new", args=[dataset.project.slug]))
    shown = first.context["form"]
    assert shown["reuse"].value() is True and not shown["batch"].value() and shown["probe_percent"].value() == 0
    send(browser, dataset)
    audit = Audit.objects.get()
    assert (audit.budget, audit.batch, audit.reuse, audit.probe_percent) == (None, False, True, 0)


def test_an_unticked_box_stays_so_when_the_plan_is_worked_out_again(browser: Any, dataset: Dataset) -> None:
    page = send(browser, dataset, recalculate="1", reuse="")
    assert not page.context["form"]["reuse"].value()
    assert "found again" not in page.content.decode()
    assert "found again cost nothing" in plan(browser, dataset)


@pytest.mark.parametrize("budget", ["0", "-1", "x", "2000000"])
def test_a_budget_that_is_none_is_refused(browser: Any, dataset: Dataset, budget: str) -> None:
    page = send(browser, dataset, budget=budget)
    assert page.status_code == 422 and page.context["form"].errors["budget"] and not Audit.objects.exists()


def test_a_budget_without_a_price_names_the_judge(browser: Any, dataset: Dataset) -> None:
    dear = make_judge("qwen", "qwen-max", price=None)
    page = send(browser, dataset, second=dear.pk, budget="5")
    assert page.status_code == 422 and not Audit.objects.exists()
    assert "No price is known for qwen:qwen-max" in page.context["form"].errors["budget"][0]
    send(browser, dataset, second=dear.pk)
    assert Audit.objects.get().budget is None


def test_a_budget_below_the_estimate_is_pointed_out(browser: Any, dataset: Dataset) -> None:
    assert "less than the expected cost" in plan(browser, dataset, budget="0.01")
    assert "less than the expected cost" not in plan(browser, dataset, budget="500")


def test_the_plan_says_who_has_batches(browser: Any, dataset: Dataset) -> None:
    html = plan(browser, dataset, batch="on")
    assert "batch, half price" in html  # Anthropic
    assert "deepseek:deepseek-v4 has no batches" in html
    assert "batch, half price" not in plan(browser, dataset)


def test_probes_and_a_span_are_in_the_plan(browser: Any, dataset: Dataset) -> None:
    plain = send(browser, dataset, recalculate="1").context["draft"].estimate
    page = send(browser, dataset, recalculate="1", probe_percent="50")
    assert page.context["draft"].estimate.calls > plain.calls
    assert "how these models count and write is not known here yet" in page.content.decode()


@pytest.fixture
def running(dataset: Dataset) -> Audit:
    return make_audit(dataset, budget=D(5))


def member_of(audit: Audit, **fields: Any) -> PanelMember:
    member: PanelMember = audit.panel[0]
    PanelMember.objects.filter(pk=member.pk).update(**fields)
    return member


def html_of(browser: Any, audit: Audit) -> str:
    return str(browser.get(reverse("audit", args=[audit.project.slug, audit.pk])).content.decode())


def test_how_hard_a_judge_is_worked(browser: Any, running: Audit) -> None:
    assert "calls at a time" not in html_of(browser, running)  # nothing was called yet
    member_of(running, limit_now=8)
    assert "8 calls at a time" in html_of(browser, running)
    member_of(running, limit_now=3, limit_reason="rate_limit")
    assert "3 of 8 calls at a time: the vendor answered that there are too many requests" in html_of(browser, running)
    running.advance("judging", "paused")
    assert "calls at a time" not in html_of(browser, running)


def test_waiting_says_until_when_and_for_whom(browser: Any, running: Audit) -> None:
    later = timezone.now() + datetime.timedelta(minutes=5)
    member_of(running, limit_now=1, limit_reason="overloaded", resumes_at=later)
    assert f"waiting until {later:%H:%M:%S}, as the vendor asked" in html_of(browser, running)
    member_of(running, limit_reason="rpm")
    assert f"waiting until {later:%H:%M:%S}: the requests of this minute are used up" in html_of(browser, running)
    member_of(running, resumes_at=timezone.now() - datetime.timedelta(seconds=1))
    assert "waiting until" not in html_of(browser, running)


def test_refused_parameters_are_noted(browser: Any, running: Audit) -> None:
    refused = (
        "temperature: refused by the model, left out",
        "max_tokens: refused by the model, sent as max_completion",
    )
    member_of(running, notes=[*refused, "something new"])
    html = html_of(browser, running)
    assert "The model refused temperature; it is left out." in html
    assert "The model refused max_tokens; max_completion is sent instead." in html
    assert "something new" in html


def test_the_budget_stands_beside_the_cost(browser: Any, running: Audit, dataset: Dataset) -> None:
    assert "budget USD 5.00" in html_of(browser, running)
    assert "budget USD" not in html_of(browser, make_audit(dataset))
