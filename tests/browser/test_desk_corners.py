"""Corners of the desk that an expert comes to: a label changed from elsewhere, refusals, small and low windows."""

import re
import sqlite3
from contextlib import closing

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.keyboard import READY, press
from tests.browser.running import Running
from tests.browser.watching import PHONE, Watch

pytestmark = pytest.mark.parametrize("language", ["en"])
AT_200_PERCENT = ViewportSize(width=640, height=450)
ON_ITS_SIDE = ViewportSize(width=PHONE["height"], height=PHONE["width"])


def test_a_label_is_changed_from_its_own_page_while_another_claim_is_in_hand(desk: Page) -> None:
    claim = desk.locator("#claim").inner_text()
    press(desk, "1")
    expect(desk.locator("#claim")).not_to_have_text(claim)
    desk.goto("/review/mine/")
    desk.locator(".mine__claim").first.click()
    expect(desk.locator("#claim")).to_have_text(claim)
    desk.click("main a[href*='/change/']")
    desk.wait_for_selector("#desk[data-ready]")
    expect(desk.locator("#claim")).to_have_text(claim)
    desk.check("#change [value=UNVERIFIED]")
    desk.click("#change .button-primary")
    expect(desk.locator("#desk-status")).to_contain_text("Your label was changed")
    expect(desk.locator("#desk")).to_have_attribute("data-desk", "claim")


def test_a_refusal_says_why_and_goes_when_it_is_overcome(desk: Page, watch: Watch) -> None:
    watch.expected += ["status of 400", "Error Code 400"]
    claim = desk.locator("#claim").inner_text()
    press(desk, "4")
    desk.fill("#recut", "One half.\nThe other half.")
    desk.click("[name=skip_reason][value=not_my_field]")
    message = desk.locator("#messages .message p")
    expect(message).to_have_text(
        "A proposed cut goes with two claims in one or an unclear claim. Nothing was skipped."
    )
    desk.click("[name=skip_reason][value=unclear]")
    expect(desk.locator("#claim")).not_to_have_text(claim)
    expect(message).to_have_count(0)


def test_a_label_that_cannot_be_written_is_not_said_to_be_saved(desk: Page, server: Running, watch: Watch) -> None:
    watch.expected += ["status of 500", "Error Code 500"]
    claim = desk.locator("#claim").inner_text()
    desk.fill("#reason", "kept")
    desk.keyboard.press("Escape")
    with closing(sqlite3.connect(server.data_dir / "assay.sqlite3", timeout=30, isolation_level=None)) as db:
        db.execute(
            "CREATE TRIGGER disk_full BEFORE INSERT ON review_adjudication BEGIN SELECT RAISE(ABORT, 'full'); END"
        )
        press(desk, "1")
        expect(desk.locator("#messages .message")).to_contain_text("The server failed on this step")
        db.execute("DROP TRIGGER disk_full")
    expect(desk.locator("#claim")).to_have_text(claim)
    expect(desk.locator("#reason")).to_have_value("kept")
    press(desk, "1")
    expect(desk.locator("#claim")).not_to_have_text(claim)
    expect(desk.locator("#desk-status")).to_have_text(re.compile("^Saved, "))


@pytest.mark.parametrize(
    "key",
    [{"key": "、", "code": "Backslash"}, {"key": "Backspace", "code": "Backspace"}, {"key": "！", "code": "Digit1"}],
)
def test_signs_of_an_input_method_and_backspace_do_nothing(desk: Page, key: dict[str, str]) -> None:
    claim = desk.locator("#claim").inner_text()
    desk.wait_for_selector(READY)
    shift = key["code"] == "Digit1"
    desk.evaluate(
        "(init) => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {bubbles: true, ...init}))",
        {**key, "shiftKey": shift},
    )
    press(desk, "4")  # had anything been decided or opened, this would not open the reasons of this claim
    expect(desk.locator(".skip__reasons")).to_be_visible()
    expect(desk.locator("#claim")).to_have_text(claim)
    assert desk.url.endswith("/review/")


@pytest.mark.parametrize("size", [AT_200_PERCENT, PHONE, ON_ITS_SIDE], ids=["200 %", "phone", "phone on its side"])
def test_all_reasons_to_skip_can_be_reached(desk: Page, size: ViewportSize) -> None:
    desk.set_viewport_size(size)
    press(desk, "4")
    box = desk.locator(".skip__reasons").bounding_box()
    assert box and box["y"] >= 0 and box["x"] >= 0 and box["x"] + box["width"] <= size["width"]
