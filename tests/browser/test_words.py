"""What people write beside labels, in a browser: guidelines at the desk, comments on a claim, the own labels."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.keyboard import begin, press
from tests.browser.running import Running
from tests.browser.watching import PHONE, Look, Watch

GUIDELINES = "/projects/sample/review/guidelines/"


def label_one(page: Page) -> None:
    """Label the next claim at the desk, and open the newest of the own labels."""
    begin(page)
    claim = page.locator("#claim").inner_text()
    press(page, "1")
    expect(page.locator("#claim")).not_to_have_text(claim)
    page.goto("/review/mine/")
    page.locator(".mine__claim").first.click()
    expect(page.locator("#claim")).to_have_text(claim)


@pytest.mark.parametrize("language", ["en"])
@pytest.mark.parametrize("phone", [False, True])
def test_the_guidelines_open_beside_the_claim_and_give_the_focus_back(
    reviewing: Running, visit: Visit, phone: bool
) -> None:
    page = visit("expert", viewport=PHONE) if phone else visit("expert")
    begin(page)
    panel, button = page.locator("#guidelines"), page.locator("[popovertarget=guidelines]").first
    button.click()
    expect(panel).to_be_focused()
    page.keyboard.press("End")
    expect(panel.get_by_role("link")).to_be_in_viewport()
    box = panel.bounding_box()
    assert box and box["x"] >= 0 and box["x"] + box["width"] <= page.evaluate("innerWidth")
    press(page, "1")
    expect(page.locator("#desk")).to_have_attribute("data-desk", "claim")
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(button).to_be_focused()
    press(page, "g")
    expect(panel).to_be_visible()
    panel.get_by_role("button").click()
    expect(panel).to_be_hidden()
    page.goto("/projects/")  # gives the claim back


@pytest.mark.parametrize("language", ["en"])
def test_a_comment_is_written_in_place(reviewing: Running, visit: Visit, watch: Watch) -> None:
    page = visit("expert")
    label_one(page)
    page.fill("#comment-text", "1 2 3: seen by @manager.")
    page.click("#comment-send")
    written = page.locator(".comment").last
    expect(written).to_contain_text("1 2 3: seen by @manager.")
    expect(written).to_be_focused()
    expect(page.locator("#comment-text")).to_have_value("")
    address = written.get_by_role("link").get_attribute("href")
    manager = visit("manager")
    manager.goto("/review/mine/")
    manager.get_by_role("link", name=page.locator("#claim").inner_text()[:40]).first.click()
    expect(manager).to_have_url(re.compile(re.escape(address or "none")))
    watch.expected.append("status of 422")
    page.fill("#comment-text", "   ")
    page.click("#comment-send")
    expect(page.locator(".comments .errorlist")).to_contain_text("Nothing was saved")


def test_the_pages_of_words(reviewing: Running, visit: Visit, look: Look) -> None:
    expert, manager = visit("expert"), visit("manager")
    label_one(expert)
    look.at(expert, "claim in review, as its expert sees it")
    manager.goto(expert.url)
    look.at(manager, "claim in review")
    expert.goto("/review/mine/")
    look.at(expert, "my labels")
    manager.goto(GUIDELINES)
    look.at(manager, "guidelines")
    manager.goto(f"{GUIDELINES}edit/")
    look.at(manager, "guidelines, changing")
