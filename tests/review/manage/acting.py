"""What is done and read on the pages of those who run a review."""

import datetime
import uuid
from typing import Any

from django.db import models
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from audits.models import Project
from review.models import Adjudication, ReviewItem, Skip, Slot
from review.queue import take
from review.scope import Scope
from tests.review.factory import S

PAGES = ("review_manage", "review_manage_people", "review_manage_skips", "review_manage_gold", "review_manage_rules")
SLUG = "loan-desk"


def take_one(user: Any, project: Project) -> Slot:
    slot = take(user, Scope((project,)))
    assert slot is not None
    return slot


def label(slot: Slot, user: Any, *, ms: int | None = None, days_ago: int = 0) -> None:
    """A label that counts, given some days ago."""
    row = Adjudication.objects.create(
        item=slot.item, slot=slot, reviewer=user, label=S, active_ms=ms, idempotency_key=uuid.uuid4()
    )
    when = timezone.now() - datetime.timedelta(days=days_ago)
    models.QuerySet(Adjudication).filter(pk=row.pk).update(created=when)  # its own rows are never changed
    Slot.objects.filter(pk=slot.pk).update(state="done", reviewer=user)


def skip(item: ReviewItem, user: Any, reason: str, note: str = "") -> None:
    Skip.objects.create(item=item, reviewer=user, reason=reason, note=note)


def get(browser: Client, name: str, *args: Any, **query: Any) -> str:
    response = browser.get(reverse(name, args=(SLUG, *args)), query)
    assert response.status_code == 200, response.status_code
    return str(response.content.decode())


def post(browser: Client, name: str, *args: Any, **data: Any) -> str:
    """The text of the page after the act."""
    response = browser.post(reverse(name, args=(SLUG, *args)), data, follow=True)
    assert response.status_code == 200, response.status_code
    return str(response.content.decode())
