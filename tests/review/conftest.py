"""An expert at the desk."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse

from audits.models import Audit, Membership, Project
from review.models import Slot
from review.spotcheck import open_review
from tests.review.factory import C, S, U, make_audit


@pytest.fixture
def audit(project: Project) -> Audit:
    """Two disputed claims and one agreed claim, all for experts."""
    audit = make_audit(project, [(S, C), (S, U), (S, S)])
    open_review(audit)
    return audit


@pytest.fixture
def browser(signed_in: Any, expert: Any) -> Client:
    """The expert's browser."""
    browser: Client = signed_in(expert)
    return browser


@pytest.fixture
def slot(audit: Audit, browser: Client, expert: Any) -> Slot:
    """The claim that the expert has taken."""
    browser.post(reverse("review_take"))
    return Slot.objects.held().get(reviewer=expert)


@pytest.fixture
def rightful(db: None) -> Callable[..., Any]:
    """As `person`, with roles given the product's own way, so that the log knows them."""

    def make(name: str, project: Project, *roles: str) -> Any:
        user = get_user_model().objects.create_user(name, f"{name}@example.com", "a-long-password-1")
        for role in roles:
            Membership.objects.give(project=project, user=user, role=role, by=None)
        return user

    return make
