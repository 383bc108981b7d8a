"""Vague and flagged claims look like any other at the desk until the label is given."""

import uuid
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from audits.models import Claim, Project
from review.models import Adjudication, Slot
from review.spotcheck import open_review
from tests.review.factory import C, S, U, make_audit

pytestmark = pytest.mark.django_db
WORDS = ("sway the judges", "gives orders", "in context 1", "marked as vague")


@pytest.fixture
def browser(signed_in: Any, expert: Any) -> Client:
    return signed_in(expert)


@pytest.fixture
def slot(project: Project, browser: Client, expert: Any) -> Slot:
    """A vague and flagged claim in the expert's hand."""
    open_review(make_audit(project, [(S, C)]))
    Claim.objects.update(vague=True, flags=[{"code": "instruction", "where": "context 1"}])
    browser.post(reverse("review_take"))
    return Slot.objects.held().get(reviewer=expert)


def label(browser: Client, slot: Slot) -> str:
    data = {"label": U, "token": str(slot.token), "key": str(uuid.uuid4())}
    answer = browser.post(reverse("review_label", args=(slot.code,)), data, follow=True)
    return answer.content.decode().lower()


def test_nothing_of_it_is_told_before_the_label(browser: Client, slot: Slot) -> None:
    page = browser.get(reverse("review_desk")).content.decode().lower()
    assert slot.item.claim.text.lower() in page
    assert not [word for word in WORDS if word in page]


def test_all_of_it_is_told_with_the_verdicts(browser: Client, slot: Slot) -> None:
    assert not [word for word in WORDS if word in label(browser, slot)]
    url = reverse("review_reveal", args=(Adjudication.objects.get().pk,))
    page = browser.post(url, follow=True).content.decode().lower()
    assert all(word in page for word in WORDS)
