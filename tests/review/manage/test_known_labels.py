"""Known labels, and the bar that experts are held to."""

from typing import Any

import pytest
from django.test import Client

from audits.models import Audit, Claim, GivenLabel
from review.gold import add
from review.models import ReviewItem, ReviewRules, Slot
from tests.review.factory import S, U
from tests.review.manage.acting import get, label, post

pytestmark = pytest.mark.django_db


def test_known_labels_are_found_added_and_taken_out(audit: Audit, manager: Any, browser: Client) -> None:
    claim = Claim.objects.filter(audit=audit, review_item__isnull=True)[0]
    assert claim.text in get(browser, "review_manage_gold", q=claim.text[:9])
    form = {"claim": claim.pk, "label": S, "reason": "The branch register says so."}
    assert "Say why" in post(browser, "review_gold_add", audit.pk, **form | {"reason": " "})
    assert "No claim was chosen" in post(browser, "review_gold_add", audit.pk)
    assert "No label was chosen" in post(browser, "review_gold_add", audit.pk, **form | {"label": "MAYBE"})
    page = post(browser, "review_gold_add", audit.pk, **form)
    assert "Added." in page and "The branch register says so." in page
    assert "Experts see this claim already" in post(browser, "review_gold_add", audit.pk, **form)
    item = ReviewItem.objects.get(kind="gold")
    assert "Taken out." in post(browser, "review_gold_remove", item.pk)
    assert "taken out before" in post(browser, "review_gold_remove", item.pk)
    assert not ReviewItem.objects.filter(kind="gold").exists()


def test_labels_of_the_dataset_are_offered(audit: Audit, browser: Client) -> None:
    claim = Claim.objects.filter(audit=audit, review_item__isnull=True)[0]
    GivenLabel.objects.create(sample=claim.sample, position=0, claim=claim.text, word="faithful", label=S)
    page = get(browser, "review_manage_gold")
    assert "Labelled in the dataset already" in page and "The dataset says: faithful" in page


def test_experts_below_the_bar_are_pointed_out(audit: Audit, expert: Any, manager: Any, browser: Client) -> None:
    claim = Claim.objects.filter(audit=audit, review_item__isnull=True)[0]
    item = add(audit, claim, label=U, reason="sure", by=manager)
    ReviewRules.objects.create(project=audit.project, gold_bar=100)
    slot, _new = Slot.objects.get_or_create(item=item, reserved_for=expert, defaults={"number": 9})
    label(slot, expert)
    assert "0 of 1 known labels" in get(browser, "review_manage_people")
    page = get(browser, "review_manage_gold")
    assert "Bar: 100 %" in page and ">in use<" in page
    assert "so it stays" in post(browser, "review_gold_remove", item.pk)
