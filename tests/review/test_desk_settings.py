"""Keys and pace: a person's own choice, checked, and shown on the desk."""

import json
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from audits.models import Project
from review.desk_keys import DEFAULTS, Problem, merged, moved, normal, problems
from review.models import DeskSettings
from review.preferences import preferences
from review.spotcheck import open_review
from tests.review.factory import C, S, make_audit


@pytest.fixture
def browser(project: Project, signed_in: Any, expert: Any) -> Client:
    """The expert's browser, with a claim in hand."""
    open_review(make_audit(project, [(S, C)]))
    client = signed_in(expert)
    client.post(reverse("review_take"))
    return client


def sent(**more: str) -> dict[str, str]:
    return {"pace": "next", "single_keys": "on"} | {f"key_{act}": key for act, key in DEFAULTS.items()} | more


def keys_of(browser: Client) -> Any:
    page = browser.get(reverse("review_desk")).content.decode()
    return json.loads(unescape(page.split('data-keys="')[1].split('"')[0]))


@pytest.mark.parametrize(
    ("key", "problem"),
    [
        ("", Problem.MISSING),
        ("ab", Problem.NOT_ONE),
        ("\u7684", Problem.NOT_ONE),
        ("\x07", Problem.NOT_ONE),
        ("/", Problem.RESERVED),
        ("'", Problem.RESERVED),
        ("u", Problem.TWICE),
    ],
)
def test_keys_that_cannot_be_had(key: str, problem: Problem) -> None:
    assert problems(DEFAULTS | {"next": key})["next"] == problem


def test_the_usual_keys_have_no_problem_and_full_width_ones_are_narrow() -> None:
    assert problems(DEFAULTS) == {}
    assert normal(" \uff11") == "1" and normal("\uff1f") == "?" and normal("S") == "s"


def test_only_moved_keys_are_stored_and_nonsense_in_the_store_is_passed_over() -> None:
    assert moved(DEFAULTS | {"supported": "s"}) == {"supported": "s"}
    assert merged({"supported": "s", "gone": "x"})["supported"] == "s"
    assert merged({"supported": "u"}) == DEFAULTS == merged({"supported": ["x"]})


@pytest.mark.django_db
def test_a_moved_key_is_on_the_button_and_in_the_script(browser: Client, expert: Any) -> None:
    answer = browser.post(reverse("review_settings"), sent(key_supported="S", pace="verdicts", project="loan-desk"))
    assert answer.url == reverse("project_review", args=("loan-desk",))
    assert keys_of(browser)["s"] == "supported" and "1" not in keys_of(browser)
    page = browser.get(reverse("review_desk")).content.decode()
    assert 'aria-keyshortcuts="S"><kbd>S</kbd>' in page
    assert preferences(expert).shows_verdicts
    browser.post(reverse("review_settings"), sent(defaults="1"))
    assert keys_of(browser)["1"] == "supported" and DeskSettings.objects.get().keys == {}


@pytest.mark.django_db
def test_a_key_that_is_markup_stays_text(browser: Client, expert: Any) -> None:
    browser.post(reverse("review_settings"), sent(key_supported='"', key_skip="<"))
    assert keys_of(browser)['"'] == "supported" and keys_of(browser)["<"] == "skip"
    page = browser.get(reverse("review_desk")).content.decode()
    assert (
        "<kbd>&quot;</kbd>" in page and "<kbd>&lt;</kbd>" in page and "<kbd><" not in page.replace("<kbd></kbd>", "")
    )


@pytest.mark.django_db
def test_what_cannot_be_had_is_said_beside_the_key_and_nothing_is_stored(browser: Client) -> None:
    answer = browser.post(reverse("review_settings"), sent(key_supported='"><q', key_undo="n"))
    page = answer.content.decode()
    assert answer.status_code == 422 and not DeskSettings.objects.exists()
    assert page.count("Two acts have this key") == 2 and "One letter, one digit or one sign" in page
    assert "&quot;&gt;&lt;q" in page and '"><q' not in page


@pytest.mark.django_db
def test_without_single_keys_no_key_is_left_but_the_chords(browser: Client) -> None:
    data = sent()
    del data["single_keys"]
    browser.post(reverse("review_settings"), data)
    assert keys_of(browser) == {}
    page = browser.get(reverse("review_desk")).content.decode()
    assert 'aria-keyshortcuts="Control+1 Alt+1"' in page and "<kbd>U</kbd>" not in page


@pytest.mark.django_db
def test_settings_are_for_experts_and_come_as_a_dialog_too(browser: Client, signed_in: Any, manager: Any) -> None:
    assert signed_in(manager).get(reverse("review_settings")).status_code == 403
    headers = {"HX-Request": "true", "HX-Target": "desk-dialog-body"}
    for name in ("review_settings", "review_filter"):
        part = browser.get(reverse(name), headers=headers).content.decode()
        assert part.lstrip().startswith("<form") and "<html" not in part
        assert "<html" in browser.get(reverse(name)).content.decode()
