"""The page on which a manager changes the rule, and the plan on the pages of an audit."""

from decimal import Decimal
from typing import Any

import pytest
from django.urls import reverse

from audits.models import Audit, Event, Project
from audits.planning import Density, Rule, outlook
from tests.audits.factory import judged_audit, make_dataset
from tests.audits.views.test_audits import form_for, new_url

pytestmark = pytest.mark.django_db
SENT = {
    "threshold": "1",
    "scope": "traffic",
    "confidence": "0.9",
    "expected_rate": "0.2",
    "looks": "2",
    "reason": "Asked.",
}


@pytest.fixture
def audit(project: Project) -> Audit:
    plan = outlook(Rule(Decimal("0.02"), "dataset"), answers=3, density=Density(2.0, "measured"))
    return judged_audit(project, plan=plan.stored(), spot_check_size=4)


def rule_url(audit: Audit) -> str:
    return reverse("audit_rule", args=[audit.project.slug, audit.pk])


def test_the_form_shows_the_plan_and_the_start_keeps_it(signed_in: Any, analyst: Any, project: Project) -> None:
    dataset, browser = make_dataset(project), signed_in(analyst)
    data = form_for(dataset, expected_rate="0.4", looks="2", confidence="0.99")
    shown = browser.post(new_url(project), data | {"recalculate": "1"})
    html = shown.content.decode()
    assert "Chance to pass" in html and "0.4 %" in html and "Assumed of the judges" in html
    browser.post(new_url(project), data)
    audit = Audit.objects.get()
    assert audit.plan == shown.context["draft"].outlook.stored()
    assert (audit.expected_rate, audit.looks, audit.confidence) == (Decimal("0.004"), 2, Decimal("0.99"))


def test_the_form_warns_of_too_few_answers_for_the_traffic(signed_in: Any, analyst: Any, project: Project) -> None:
    data = form_for(make_dataset(project), scope="traffic", threshold="5", recalculate="1")
    html = signed_in(analyst).post(new_url(project), data).content.decode()
    assert "nothing can be said with fewer than 30 answers" in html and "A good chance (80 %) needs about" in html


def test_the_result_page_holds_the_plan_and_leads_managers_to_the_rule(
    signed_in: Any, manager: Any, analyst: Any, audit: Audit
) -> None:
    url = reverse("audit", args=[audit.project.slug, audit.pk])
    html = signed_in(manager).get(url).content.decode()
    assert "As planned" in html and "as in an earlier audit of this dataset" in html and rule_url(audit) in html
    assert rule_url(audit) not in signed_in(analyst).get(url).content.decode()


def test_a_manager_changes_the_rule_before_the_first_label(signed_in: Any, manager: Any, audit: Audit) -> None:
    browser = signed_in(manager)
    page = browser.get(rule_url(audit)).content.decode()
    assert 'value="2"' in page and "may still change" in page and 'name="confirmed"' not in page
    assert browser.post(rule_url(audit), SENT | {"reason": " "}).status_code == 422
    browser.post(rule_url(audit), SENT)
    audit.refresh_from_db()
    assert (audit.threshold, audit.scope, audit.looks) == (Decimal("0.01"), "traffic", 2)
    assert Event.objects.get(kind="rule_changed").actor == manager and audit.rule_changed_at is None
    browser.post(rule_url(audit), SENT)
    assert Event.objects.filter(kind="rule_changed").count() == 1


def test_after_the_first_label_the_page_says_what_it_costs(signed_in: Any, manager: Any, audit: Audit) -> None:
    audit.mark_labelled()
    browser = signed_in(manager)
    assert "this audit can never pass" in browser.get(rule_url(audit)).content.decode()
    assert browser.post(rule_url(audit), SENT).status_code == 422  # not confirmed
    audit.refresh_from_db()
    assert audit.threshold == Decimal("0.02")
    browser.post(rule_url(audit), SENT | {"confirmed": "on"})
    audit.refresh_from_db()
    assert audit.rule_changed_at is not None and audit.threshold == Decimal("0.01")
    url = reverse("audit", args=[audit.project.slug, audit.pk])
    assert "this audit cannot pass" in browser.get(url).content.decode()


def test_a_cancelled_audit_keeps_its_rule(signed_in: Any, manager: Any, audit: Audit) -> None:
    Audit.objects.update(status=Audit.Status.CANCELLED)
    page = signed_in(manager).post(rule_url(audit), SENT)
    assert page.status_code == 422 and "was cancelled" in page.content.decode()
