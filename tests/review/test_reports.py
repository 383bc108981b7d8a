"""What managers see of experts and judges over all audits; who sees it; and what it keeps from one who labels too."""

import datetime
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from audits.models import Audit, Membership, Role
from review.models import ReviewItem, ReviewPlan, Skip, Slot
from review.reports.experts import expert_reports
from review.reports.judges import judge_reports, parts_of
from tests.review.factory import C, S, U, make_audit
from tests.review.words import double, items_of, say

pytestmark = pytest.mark.django_db


@pytest.fixture
def emil(person: Any, project: Any) -> Any:
    """A second expert."""
    return person("emil", project, Role.EXPERT)


def doubled(audit: Audit) -> list[ReviewItem]:
    """The items of the audit, every one drawn for two experts."""
    items = items_of(audit)
    for item in items:
        double(item)
    ReviewPlan.objects.filter(audit=audit).update(doubles=len(items))
    return items


def url(project: Any, query: str = "") -> str:
    return reverse("review_reports", args=(project.slug,)) + query


def test_each_expert_is_told_in_numbers(project: Any, expert: Any, emil: Any) -> None:
    """eve: three labels in 10, 20 and 60 s (one more in 30 s was taken back), with 1, 1 and 4 keys; one changed."""
    audit = make_audit(project, [(S, C)] * 4)
    a, b, c, d = doubled(audit)
    say(a, expert, S, active_ms=10_000, keys=1, shown=True)
    say(a, expert, C, active_ms=60_000, keys=4)
    say(b, expert, C, active_ms=20_000, keys=1)
    say(c, expert, U)
    say(d, expert, S, active_ms=30_000, keys=9)
    say(d, expert, "")
    for item, label in ((a, S), (b, S), (c, U)):
        say(item, emil, label, number=2)
    Skip.objects.create(item=d, reviewer=emil, reason=Skip.Reason.NOT_MY_FIELD)
    first, second = expert_reports(project)
    assert (first.name, second.name) == ("emil", "eve")
    assert (second.pace.labels, second.pace.measured, second.pace.seconds) == (3, 2, 40.0)
    assert (second.active, second.keys, second.changed, second.skips) == (120.0, 2.5, 1, 0)
    # eve's independent labels are S, C, U and emil's S, S, U: the change after the reveal is not in it
    assert (second.peers.n, second.peers.value) == (3, pytest.approx(2 / 3))
    assert second.peers.low is not None and second.peers.low < 0.2, "exact limits: three claims say little"
    assert (first.active, first.keys, first.skips, first.gold) == (None, None, 1, None)


def test_known_labels_are_a_figure_of_their_own(project: Any, expert: Any) -> None:
    audit = make_audit(project, [(S, C)] * 3)
    items = items_of(audit)
    ReviewItem.objects.filter(pk__in=[item.pk for item in items[:2]]).update(kind="gold", gold_label=S)
    for item in items:
        say(item, expert, C, active_ms=1000)
    (row,) = expert_reports(project)
    assert row.gold is not None and (row.gold.n, row.gold.agreed) == (2, 0)
    assert row.pace.labels == 1 and row.active == 3.0, "it is work all the same"


def test_drift_follows_agreement_with_colleagues(project: Any, expert: Any, emil: Any) -> None:
    audit = make_audit(project, [(S, C)] * 40)
    start = timezone.now() - datetime.timedelta(days=1)
    for number, item in enumerate(doubled(audit)):
        at = start + datetime.timedelta(minutes=number)
        say(item, expert, S, at=at)
        say(item, emil, S if number < 20 else C, number=2, at=at)
    assert [row.drift.trend for row in expert_reports(project)] == ["fell", "fell"]


def test_judges_are_followed_from_audit_to_audit(project: Any, expert: Any) -> None:
    """In the first audit judge B is right on all five disputed claims, in the second on two of five."""
    for right in (5, 2):
        audit = make_audit(project, [(S, C)] * 5)
        for number, item in enumerate(items_of(audit)):
            say(item, expert, C if number < right else S)
    make_audit(project, [(S, S)] * 3)  # which no expert has seen
    anthropic, openai = judge_reports(project)
    assert anthropic.vendor == "anthropic" and len(anthropic.audits) == 2
    assert [one.detection.precision.value for one in anthropic.audits] == [1, pytest.approx(2 / 5)]
    assert [one.detection.recall.value for one in openai.audits] == [0, 0]
    assert openai.audits[0].detection.precision.reason == "no_alarms"
    (_, parts), _ = parts_of(anthropic)
    assert [(letter, one.precision.value) for letter, one in parts.sizes[0].by_judge] == [("B", 1)]


def test_only_managers_see_it(project: Any, expert: Any, analyst: Any, stranger: Any, signed_in: Any) -> None:
    assert [signed_in(user).get(url(project)).status_code for user in (expert, analyst, stranger)] == [403, 403, 404]


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_a_manager_sees_experts_and_judges(
    project: Any, manager: Any, expert: Any, emil: Any, signed_in: Any, language: str
) -> None:
    audit = make_audit(project, [(S, C)] * 3)
    for item in doubled(audit):
        say(item, expert, C, active_ms=4000, keys=1)
        say(item, emil, C, number=2)
    browser = signed_in(manager)
    browser.cookies["django_language"] = language
    page = browser.get(url(project)).content.decode()
    assert "eve" in page and "emil" in page and "anthropic-model-x" in page and "100" in page
    key = judge_reports(project)[0].key
    assert browser.get(url(project, f"?judge={key}")).status_code == 200
    assert browser.get(url(project, "?judge=x")).status_code == 404
    assert browser.post(url(project)).status_code == 405


def test_a_manager_who_labels_sees_the_own_row_while_claims_wait(
    project: Any, manager: Any, expert: Any, signed_in: Any
) -> None:
    """And known labels never: they would not test this person any more."""
    Membership.objects.create(project=project, user=manager, role=Role.EXPERT)
    audit = make_audit(project, [(S, C)] * 2)
    first, second = items_of(audit)
    ReviewItem.objects.filter(pk=first.pk).update(kind="gold", gold_label=S)
    say(first, expert, C)
    page = signed_in(manager).get(url(project)).content.decode()
    assert ">max" in page and ">eve" not in page and "known labels" not in page.lower()
    say(second, manager, S)
    Slot.objects.filter(item=second).update(state="done")
    page = signed_in(manager).get(url(project)).content.decode()
    assert ">eve" in page and "known labels" not in page.lower()


def test_an_empty_project_says_so(project: Any, manager: Any, signed_in: Any) -> None:
    page = signed_in(manager).get(url(project)).content.decode()
    assert "Nobody is an expert of this project" in page and "to the end yet" in page


def test_the_page_asks_no_more_for_more_claims(
    project: Any, expert: Any, emil: Any, django_assert_max_num_queries: Any
) -> None:
    for size in (2, 12):
        audit = make_audit(project, [(S, C)] * size)
        for item in doubled(audit):
            say(item, expert, S)
            say(item, emil, S, number=2)
        with django_assert_max_num_queries(10):
            expert_reports(project)
