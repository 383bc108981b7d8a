"""The page about looks and claims that nobody can decide: what it offers to whom, and what its forms do."""

from typing import Any

import pytest
from django.urls import reverse

from audits.models import Audit, Role
from review.models import ReviewItem, ReviewPlan, Skip, Slot
from tests.pages import Visitor
from tests.review.factory import MIXED, make_audit, settle_all

pytestmark = pytest.mark.django_db


def made(project: Any, expert: Any, *, leave: int = 0, **fields: Any) -> Audit:
    audit = make_audit(project, MIXED, **{"spot_check": 20, "looks": 2, "threshold": "0.45", **fields})
    settle_all(audit, expert, leave=leave)
    return Audit.objects.get(pk=audit.pk)


def page_of(audit: Audit, name: str = "review_looks") -> str:
    return reverse(name, args=(audit.project.slug, audit.pk))


def test_a_manager_takes_the_next_look_without_javascript(project: Any, expert: Any, manager: Any) -> None:
    audit = made(project, expert)
    visitor = Visitor(manager)
    page = visitor.open(page_of(audit))
    assert "Look 1 of 2" in page.text and "30 agreed claims are left to draw" in page.text
    after = visitor.send(page.form(page_of(audit, "review_look_extend")), more="7")
    assert "7 claims go to the experts." in after.text and "Look 2 of 2" in after.text
    assert ReviewPlan.objects.get().items.filter(slots__state="waiting").count() == 7
    assert "All looks that were registered are taken." in after.text


def test_no_figure_is_shown_between_looks(project: Any, expert: Any, manager: Any, signed_in: Any) -> None:
    audit = made(project, expert)
    browser = signed_in(manager)
    browser.post(page_of(audit, "review_look_extend"), {"more": "7"})
    for name in ("certificate", "review_looks"):
        page = browser.get(page_of(audit, name)).content.decode()
        assert "Limits that decide" not in page and 'class="stamp' not in page
        assert "would decide" not in page


def test_one_look_says_why_there_is_no_other(project: Any, expert: Any, manager: Any, signed_in: Any) -> None:
    audit = made(project, expert, looks=1)
    browser = signed_in(manager)
    page = browser.get(page_of(audit)).content.decode()
    assert "10 to 14 in a hundred" in page and "Start a new audit" in page and "looks/extend" not in page
    told = browser.post(page_of(audit, "review_look_extend"), {"more": "5"}, follow=True).content.decode()
    assert "Nothing was changed." in told and ReviewPlan.objects.get().looks == []


@pytest.mark.parametrize("more", ["", "0", "31", "x"])
def test_a_number_that_is_none_changes_nothing(
    project: Any, expert: Any, manager: Any, signed_in: Any, more: str
) -> None:
    audit = made(project, expert)
    answer = signed_in(manager).post(page_of(audit, "review_look_extend"), {"more": more})
    assert answer.status_code == 422 and "errorlist" in answer.content.decode()
    assert ReviewPlan.objects.get().looks == []


def test_a_claim_is_given_up_and_given_back(project: Any, expert: Any, manager: Any) -> None:
    audit = made(project, expert, leave=1)
    item = Slot.objects.get(state="waiting").item
    visitor = Visitor(manager)
    assert "No open claim was skipped by an expert." in visitor.open(page_of(audit)).text
    Skip.objects.create(item=item, reviewer=expert, reason="unclear", note="Which branch?")
    page = visitor.open(page_of(audit))
    assert item.claim.text in page.text and "Which branch?" in page.text
    give_up = reverse("review_give_up", args=(project.slug, item.pk))
    after = visitor.send(page.form(give_up), reason="The branch is not named.")
    assert "It counts against the system." in after.text and "The branch is not named." in after.text
    assert "was given up: no expert could decide it" in visitor.open(page_of(audit, "certificate")).text
    back = visitor.send(after.form(reverse("review_take_up", args=(project.slug, item.pk))))
    assert "The claim is with the experts again." in back.text
    assert ReviewItem.objects.get(pk=item.pk).given_up_at is None


def test_a_reason_is_needed_and_an_expert_may_not(
    project: Any, expert: Any, manager: Any, person: Any, signed_in: Any
) -> None:
    audit = made(project, expert, leave=1)
    item = Slot.objects.get(state="waiting").item
    Skip.objects.create(item=item, reviewer=expert, reason="unclear")
    url = reverse("review_give_up", args=(project.slug, item.pk))
    told = signed_in(manager).post(url, {"reason": " "}, follow=True).content.decode()
    assert "is given up with a reason" in told
    both = signed_in(person("both", project, Role.MANAGER, Role.EXPERT))
    assert both.post(url, {"reason": "Hard."}).status_code == 403
    assert item.claim.text not in both.get(page_of(audit)).content.decode()
    assert ReviewItem.objects.get(pk=item.pk).given_up_at is None


def test_an_analyst_reads_and_does_nothing(project: Any, expert: Any, analyst: Any, signed_in: Any) -> None:
    audit = made(project, expert)
    page = signed_in(analyst).get(page_of(audit)).content.decode()
    assert "A manager of the project can take it." in page and "looks/extend" not in page
