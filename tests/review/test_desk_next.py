"""The claim that a page keeps ready: taken beside the one in hand, put on screen only while it is the person's."""

import re
import uuid
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from audits.models import Audit
from review.models import Adjudication, Skip, Slot
from review.queue import free_lease
from tests.review.factory import U

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true", "HX-Target": "desk"}


@pytest.fixture
def now(audit: Audit, browser: Client, expert: Any) -> Slot:
    """The claim in hand."""
    browser.post(reverse("review_take"))
    return Slot.objects.held().get(reviewer=expert)


@pytest.fixture
def ahead(now: Slot, browser: Client) -> Slot:
    """The claim that the page keeps ready."""
    assert browser.post(reverse("review_next"), {"besides": str(now.code)}).status_code == 200
    return Slot.objects.held().exclude(pk=now.pk).get()


def sent(slot: Slot, ahead: Slot, **more: str) -> dict[str, str]:
    own = {"token": str(slot.token), "key": str(uuid.uuid4()), "label": U, "skip_reason": "unclear", "total": "3"}
    return own | {"next": str(ahead.code), "next_token": str(ahead.token)} | more


def test_the_next_claim_is_whole_and_leased(now: Slot, browser: Client) -> None:
    page = browser.post(reverse("review_next"), {"besides": str(now.code)}).content.decode()
    other = Slot.objects.held().exclude(pk=now.pk).get()
    assert page.lstrip().startswith('<div id="desk"') and f'data-token="{other.token}"' in page
    assert other.item.claim.text in page and now.item.claim.text not in re.sub("<mark.*?</mark>", "", page)
    again = browser.post(reverse("review_next"), {"besides": str(now.code)}).content.decode()
    assert f'data-token="{other.token}"' in again, "the same one, not a third"


def test_when_nothing_is_left_there_is_no_next_claim(ahead: Slot, now: Slot, browser: Client) -> None:
    Slot.objects.exclude(pk=now.pk).update(state=Slot.State.DONE)
    assert browser.post(reverse("review_next"), {"besides": str(now.code)}).status_code == 204


@pytest.mark.parametrize("act", ["review_label", "review_skip"])
def test_after_the_act_only_the_line_above_the_claim_comes(browser: Client, now: Slot, ahead: Slot, act: str) -> None:
    answer = browser.post(reverse(act, args=(now.code,)), sent(now, ahead), headers=HTMX)
    assert answer["Assay-Next"] == str(ahead.code)
    page = answer.content.decode()
    assert page.lstrip().startswith('<div class="desk__meta">') and 'id="claim"' not in page
    assert "of 3" in page
    assert Adjudication.objects.count() + Skip.objects.count() == 1
    assert Slot.objects.held().get() == ahead


@pytest.mark.parametrize("how", ["freed", "other token", "filtered"])
def test_a_claim_that_is_lost_is_not_put_on_screen(
    browser: Client, now: Slot, ahead: Slot, how: str, person: Any
) -> None:
    more = {"freed": {}, "other token": {"next_token": str(uuid.uuid4())}, "filtered": {"language": "zh"}}[how]
    if how == "freed":
        free_lease(ahead, person("max"))
    answer = browser.post(reverse("review_label", args=(now.code,)), sent(now, ahead, **more), headers=HTMX)
    assert "Assay-Next" not in answer.headers
    assert answer.content.decode().lstrip().startswith('<div id="desk"')
    assert Adjudication.objects.count() == 1


def test_nobody_gets_a_claim_from_anothers_page(now: Slot, browser: Client, signed_in: Any, manager: Any) -> None:
    assert signed_in(manager).post(reverse("review_next"), {"besides": str(now.code)}).status_code == 403
    assert Client().post(reverse("review_next")).url.startswith(reverse("login"))


def test_a_page_that_is_loaded_again_gets_the_claim_it_showed(browser: Client, now: Slot, ahead: Slot) -> None:
    both = {"token": str(now.token), "next": str(ahead.code), "next_token": str(ahead.token)}
    assert browser.post(reverse("review_release", args=(now.code,)), both).status_code == 204
    assert not Slot.objects.held().exists()
    for slot in (ahead, now):  # whichever it was, and whatever the order of the queue says
        shown = {"shown": str(slot.code), "shown_token": str(slot.token)}
        page = browser.post(reverse("review_take"), shown, headers=HTMX).content.decode()
        assert f'data-slot="{slot.code}"' in page
    browser.post(reverse("review_release", args=(now.code,)), both)  # the page that was left is late
    assert {slot.pk for slot in Slot.objects.held()} == {now.pk, ahead.pk}
    renewed = browser.post(reverse("review_renew", args=(now.code,)), {"token": both["token"]})
    assert renewed.status_code == 204, "another window of the same person holds it, too"


def test_a_claim_that_is_gone_meanwhile_is_not_shown_again(browser: Client, now: Slot, manager: Any) -> None:
    free_lease(now, manager)
    shown = {"shown": str(now.code), "shown_token": str(now.token)}
    page = browser.post(reverse("review_take"), shown, headers=HTMX).content.decode()
    assert 'data-desk="claim"' in page, "the next one comes as always"
    assert f'data-token="{now.token}"' not in page
