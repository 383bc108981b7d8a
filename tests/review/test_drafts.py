"""The browser remembers what is typed until the server says that it has it; under a name that is one person's."""

import re
import uuid
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from audits.models import Project, Role
from review.drafts import draft_name
from review.models import Adjudication, Comment, Slot
from tests.review.factory import C, S

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


def send(browser: Client, url: str, **data: str) -> bool:
    """Post a form of the desk; whether the page may forget what was typed."""
    answer = browser.post(url, data, headers=HTMX)
    return answer.headers.get("Assay-Kept") == "1"


def label(browser: Client, slot: Slot, word: str, **more: str) -> bool:
    key = more.pop("key", str(uuid.uuid4()))
    return send(browser, reverse("review_label", args=(slot.code,)), label=word, key=key, **more)


def test_the_page_forgets_what_is_stored_and_nothing_else(browser: Client, slot: Slot) -> None:
    key, token = str(uuid.uuid4()), {"token": str(slot.token)}
    assert not label(browser, slot, "", reason="typed", **token)
    assert label(browser, slot, S, reason="typed", key=key, **token)
    assert label(browser, slot, S, reason="typed", key=key, **token), "the answer was lost on the way"
    assert not label(browser, slot, C, reason="something else", **token), (
        "it waits in a form, to be saved as a change"
    )
    item, given = slot.item, Adjudication.objects.get()
    comment = reverse("review_comment", args=(item.plan.audit.project.slug, item.pk))
    assert not send(browser, comment, text=" ")
    assert send(browser, comment, text="Look at the date.")
    change = reverse("review_change", args=(given.pk,))
    assert not send(browser, change, label="", reason="on second thoughts")
    assert send(browser, change, label=C, reason="on second thoughts", key=str(uuid.uuid4()))


def test_a_note_is_forgotten_with_the_skip_that_it_goes_with(browser: Client, slot: Slot) -> None:
    url, typed = reverse("review_skip", args=(slot.code,)), {"reason": "Which branch?", "token": str(slot.token)}
    cut = {"skip_reason": "two_claims", "recut": "Branch X opened.\nIt was 1950."}
    assert not send(browser, url, skip_reason="not_my_field", recut=cut["recut"], **typed)
    assert send(browser, url, skip_reason="unclear", **typed)
    assert not send(browser, url, skip_reason="unclear", **typed), "nothing was stored: it is not in hand any more"
    assert send(browser, url, **cut, **typed), "the note went with the proposal"


def test_drafts_are_one_persons_and_the_same_in_every_slot(
    browser: Client, slot: Slot, expert: Any, person: Any, project: Project
) -> None:
    other = person("emil", project, Role.EXPERT)
    name = draft_name(slot.item, expert)
    page = browser.get(reverse("review_desk")).content.decode()
    fields = [f"{name}-reason", f"{name}-recut"]
    assert re.findall(r'data-draft="([^"]+)"', page) == fields and f'data-own="{name}"' in page
    assert draft_name(slot.item, other) != name


def test_a_comment_that_somebody_else_typed_is_not_saved(
    browser: Client, slot: Slot, expert: Any, manager: Any, signed_in: Any
) -> None:
    label(browser, slot, S, token=str(slot.token))
    comment = reverse("review_comment", args=(slot.item.plan.audit.project.slug, slot.item.pk))
    page = browser.get(reverse("review_item", args=(slot.item.plan.audit.project.slug, slot.item.pk)))
    assert f'name="person" value="{expert.pk}"' in page.content.decode()
    answer = signed_in(manager).post(comment, {"text": "Of Eve.", "person": str(expert.pk)}, headers=HTMX)
    assert answer.status_code == 409 and not Comment.objects.exists()
    assert send(browser, comment, text="Of Eve.", person=str(expert.pk)) and Comment.objects.get().author == expert
