"""The rules of a review, and the end of double labelling."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from audits.models import Audit, Project
from review.models import ReviewItem, ReviewRules, Slot
from tests.review.manage.acting import SLUG, get, post

pytestmark = pytest.mark.django_db


def test_rules_are_changed_by_managers(project: Project, browser: Client, analyst: Any, signed_in: Any) -> None:
    assert "The rules are changed." in post(browser, "review_rules_set", gold_bar="90")
    assert "were the rules already" in post(browser, "review_rules_set", gold_bar="90")
    rules = ReviewRules.objects.get()
    assert (rules.reveal, rules.gold_bar) == (False, 90)
    url = reverse("review_rules_set", args=(SLUG,))
    assert browser.post(url, {"gold_bar": "101"}).status_code == 422
    page = get(signed_in(analyst), "review_manage_rules")
    assert "Bar for known labels: 90 %." in page and "Save the rules" not in page


def test_second_labels_are_ended_once(audit: Audit, browser: Client) -> None:
    ReviewItem.objects.update(needed=2)
    Slot.objects.bulk_create(Slot(item=item, number=2) for item in ReviewItem.objects.all())
    assert "End double labelling" in get(browser, "review_manage_rules")
    assert "6 second labels are not asked for any more." in post(browser, "review_waive", audit.pk)
    assert "No second label was missing" in post(browser, "review_waive", audit.pk)
    assert Slot.objects.open().count() == 6
