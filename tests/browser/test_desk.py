"""The desk under a real keyboard: nothing typed is lost, and no key decides that was not meant to."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.running import Running
from tests.browser.watching import PHONE, Watch

pytestmark = pytest.mark.parametrize("language", ["en"])
KEYDOWN = """(init) => document.activeElement.dispatchEvent(
  new KeyboardEvent('keydown', {bubbles: true, cancelable: true, ...init}))"""


@pytest.fixture
def desk(reviewing: Running, visit: Visit) -> Iterator[Page]:
    """An expert with a claim of the sample project in hand; the claim goes back at the end."""
    page = visit("expert")
    page.goto("/projects/sample/review/")
    page.keyboard.press("n")
    expect(page.locator("#desk")).to_have_attribute("data-desk", "claim")
    yield page
    page.goto("/projects/")  # leaving the page gives the claim back


def test_a_reason_survives_a_reload(desk: Page) -> None:
    claim = desk.locator("#claim").inner_text()
    desk.fill("#reason", "第二段说的是另一个期限 (see context 2)")
    desk.reload()
    expect(desk.locator("#claim")).to_have_text(claim)
    expect(desk.locator("#reason")).to_have_value("第二段说的是另一个期限 (see context 2)")
    desk.fill("#reason", "")


def test_digits_in_the_reason_decide_nothing(desk: Page) -> None:
    desk.focus("#reason")
    desk.keyboard.type("12 of 3 u n ?")
    expect(desk.locator("#reason")).to_have_value("12 of 3 u n ?")
    expect(desk.locator("#desk")).to_have_attribute("data-desk", "claim")
    desk.keyboard.press("Escape")
    expect(desk.locator("#reason")).not_to_be_focused()
    desk.fill("#reason", "")


@pytest.mark.parametrize("init", [{"isComposing": True}, {"keyCode": 229}, {"ctrlKey": True}, {"repeat": True}])
def test_keys_of_an_input_method_decide_nothing(desk: Page, init: dict[str, object]) -> None:
    desk.evaluate(KEYDOWN, {"key": "1", **init})
    desk.evaluate(KEYDOWN, {"key": "2"})  # meant: had the first one counted, this one would come too late
    expect(desk.locator(".said-own .label")).to_have_class(re.compile("label-contradicted"))
    desk.keyboard.press("u")
    expect(desk.locator("#desk")).to_have_attribute("data-desk", "claim")


def test_who_wants_no_verdicts_goes_on_at_once(desk: Page) -> None:
    claim = desk.locator("#claim").inner_text()
    desk.keyboard.press("?")
    desk.click("#desk-help button[name=go_on]")
    expect(desk.locator("#desk-help")).to_be_hidden()
    desk.keyboard.press("1")
    expect(desk.locator(".desk__work #claim")).not_to_have_text(claim)
    expect(desk.locator(".desk__said")).to_have_count(0)
    desk.keyboard.press("u")
    expect(desk.locator("#claim")).to_have_text(claim)
    desk.keyboard.press("?")
    desk.click("#desk-help button[name=go_on][value='0']")


def test_without_a_connection_the_label_waits(desk: Page, watch: Watch) -> None:
    watch.expected += ["ERR_INTERNET_DISCONNECTED", "htmx:sendError"]
    claim = desk.locator("#claim").inner_text()
    desk.fill("#reason", "kept")
    desk.keyboard.press("Escape")
    desk.context.set_offline(True)
    desk.keyboard.press("3")
    expect(desk.locator("#messages .message")).to_be_visible()
    expect(desk.locator("#claim")).to_have_text(claim)
    expect(desk.locator("#reason")).to_have_value("kept")
    desk.context.set_offline(False)
    desk.keyboard.press("3")
    expect(desk.locator(".said-own")).to_contain_text("kept")
    desk.keyboard.press("u")
    expect(desk.locator("#desk")).to_have_attribute("data-desk", "claim")


def test_after_the_session_has_ended_nothing_typed_is_lost(desk: Page) -> None:
    desk.fill("#reason", "kept")
    desk.keyboard.press("Escape")
    kept = desk.context.cookies()
    desk.context.clear_cookies(name="sessionid")
    desk.keyboard.press("1")
    expect(desk.locator("#messages a[href*='/account/login/']")).to_be_visible()
    expect(desk.locator("#reason")).to_have_value("kept")
    desk.context.add_cookies(kept)  # as if signed in again in another tab
    desk.keyboard.press("1")
    expect(desk.locator(".said-own")).to_contain_text("kept")
    desk.keyboard.press("u")
    expect(desk.locator("#desk")).to_have_attribute("data-desk", "claim")


def test_on_a_phone_the_decisions_are_within_reach(desk: Page) -> None:
    desk.set_viewport_size(PHONE)  # type: ignore[arg-type]
    for button in desk.locator(".decision-bar .decision").all():
        box = button.bounding_box()
        assert box is not None
        assert box["height"] >= 44 and box["y"] + box["height"] <= PHONE["height"], "a thumb must reach and hit it"
