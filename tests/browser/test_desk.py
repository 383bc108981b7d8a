"""The desk under a real keyboard: nothing typed is lost, nothing saved twice, no key decides by mistake."""

import re
import sqlite3
import time

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.keyboard import begin, press
from tests.browser.running import Running
from tests.browser.watching import PHONE, Watch

pytestmark = pytest.mark.parametrize("language", ["en"])
KEYDOWN = """(init) => document.activeElement.dispatchEvent(
  new KeyboardEvent('keydown', {bubbles: true, cancelable: true, ...init}))"""


def ask(server: Running, question: str) -> list[tuple[object, ...]]:
    """What the server's database holds."""
    with sqlite3.connect(f"file:{server.data_dir / 'assay.sqlite3'}?mode=ro", uri=True) as connection:
        return connection.execute(question).fetchall()


def labels(server: Running) -> int:
    """Labels stored so far."""
    return len(ask(server, "SELECT 1 FROM review_adjudication WHERE label != ''"))


def undo(page: Page, claim: str) -> None:
    press(page, "u")
    expect(page.locator("#claim")).to_have_text(claim)
    expect(page.locator("#desk")).to_have_attribute("data-desk", "claim")


# --- One key decides ---------------------------------------------------------------------------------------------


def test_one_key_decides_and_the_next_claim_is_there(desk: Page) -> None:
    first = desk.locator("#claim").inner_text()
    expect(desk.locator("#desk")).to_have_attribute("data-ahead", "")
    press(desk, "1")
    expect(desk.locator("#claim")).not_to_have_text(first)
    expect(desk.locator("#claim")).to_be_focused()
    expect(desk.locator("#desk-status")).to_have_text(re.compile(r"^Saved, \d+ of \d+$"))
    expect(desk.locator(".desk__said")).to_have_count(0)
    undo(desk, first)


def test_a_look_at_the_verdicts_leaves_the_claim_in_hand_as_it_is(desk: Page) -> None:
    first = desk.locator("#claim").inner_text()
    press(desk, "2")
    expect(desk.locator("#claim")).not_to_have_text(first)
    second = desk.locator("#claim").inner_text()
    desk.fill("#reason", "half a sentence")
    desk.keyboard.press("Escape")
    press(desk, "v")
    expect(desk.locator(".said")).to_have_count(3)
    expect(desk.locator("#claim")).to_have_text(first)
    press(desk, "c")
    press(desk, "1")  # changed, and logged as changed after the verdicts
    expect(desk.locator("#claim")).to_have_text(second)
    expect(desk.locator("#reason")).to_have_value("half a sentence")
    expect(desk.locator("#desk-status")).to_contain_text("Your label was changed")
    desk.fill("#reason", "")


def test_who_wants_verdicts_first_goes_on_from_them(desk: Page) -> None:
    def want(pace: str) -> None:
        desk.goto("/review/settings/?project=sample")
        desk.check(f"[name=pace][value={pace}]")
        desk.click("main .button-primary")
        desk.wait_for_selector("#desk[data-desk=claim][data-ahead]")

    want("verdicts")
    claim, ready = desk.locator("#claim").inner_text(), "#desk[data-desk=saved][data-ahead]"
    press(desk, "1")
    desk.wait_for_selector(ready)  # the next claim is still held
    expect(desk.locator(".said-own .label")).to_have_class(re.compile("label-supported"))
    press(desk, "k")
    expect(desk.locator("#desk")).to_have_attribute("data-desk", "claim")
    expect(desk.locator("#claim")).not_to_have_text(claim)
    want("next")


def test_a_double_click_decides_one_claim(desk: Page, server: Running) -> None:
    first, before = desk.locator("#claim").inner_text(), labels(server)
    expect(desk.locator("#desk")).to_have_attribute("data-ahead", "")
    desk.dblclick(".decision-unverified", delay=1)
    expect(desk.locator("#claim")).not_to_have_text(first)
    second = desk.locator("#claim").inner_text()
    desk.wait_for_selector("#desk[data-ready]")
    assert desk.locator("#claim").inner_text() == second and labels(server) == before + 1
    undo(desk, first)


def test_leaving_the_desk_gives_both_claims_back(desk: Page, server: Running) -> None:
    expect(desk.locator("#desk")).to_have_attribute("data-ahead", "")
    live = "SELECT 1 FROM review_slot WHERE state = 'waiting' AND lease_until > datetime('now')"
    assert len(ask(server, live)) == 2
    desk.goto("/projects/")
    end = time.monotonic() + 30
    while ask(server, live):
        assert time.monotonic() < end, "a claim was kept"
        desk.wait_for_timeout(50)


# --- Keys that decide nothing ------------------------------------------------------------------------------------


def test_digits_in_the_reason_decide_nothing(desk: Page) -> None:
    desk.focus("#reason")
    desk.keyboard.type("12 of 3 u n ?")
    expect(desk.locator("#reason")).to_have_value("12 of 3 u n ?")
    expect(desk.locator("#desk")).to_have_attribute("data-desk", "claim")
    desk.keyboard.press("Escape")
    expect(desk.locator("#reason")).not_to_be_focused()
    desk.fill("#reason", "")


@pytest.mark.parametrize("init", [{"isComposing": True}, {"keyCode": 229}, {"ctrlKey": True}, {"repeat": True}])
def test_keys_of_an_input_method_decide_nothing(desk: Page, server: Running, init: dict[str, object]) -> None:
    claim, before = desk.locator("#claim").inner_text(), labels(server)
    desk.wait_for_selector("#desk[data-ready]")
    desk.evaluate(KEYDOWN, {"key": "1", "code": "Digit1", **init})
    desk.evaluate(KEYDOWN, {"key": "\uff12"})  # meant, in full width: had the first one counted, this came too late
    expect(desk.locator("#claim")).not_to_have_text(claim)
    assert ask(server, "SELECT label FROM review_adjudication ORDER BY id DESC LIMIT 1") == [("CONTRADICTED",)]
    assert labels(server) == before + 1
    undo(desk, claim)


def test_keys_can_be_moved_and_switched_off(desk: Page, watch: Watch) -> None:
    watch.expected.append("status of 422")
    claim = desk.locator("#claim").inner_text()
    press(desk, "?")
    desk.click("#desk-help a")
    desk.fill("#desk_key_unverified", "1")
    desk.click("#desk-dialog .button-primary")
    expect(desk.locator(".desk-settings .errorlist").first).to_be_visible()  # the page, with the field marked
    desk.fill("#desk_key_unverified", "s")
    desk.click("main .button-primary")
    expect(desk.locator(".decision-unverified kbd")).to_have_text("S")
    press(desk, "3")
    press(desk, "s")
    expect(desk.locator("#claim")).not_to_have_text(claim)
    undo(desk, claim)
    desk.goto("/review/settings/?project=sample")
    desk.uncheck("#desk_single_keys")
    desk.click("main button[name=defaults]")
    desk.wait_for_selector("#desk[data-ready][data-desk=claim]")
    press(desk, "1")
    desk.focus(".decision-supported")
    desk.keyboard.press("ArrowRight")
    expect(desk.locator(".decision-contradicted")).to_be_focused()
    expect(desk.locator("#claim")).to_have_text(claim)
    desk.keyboard.press("Space")
    expect(desk.locator("#claim")).not_to_have_text(claim)
    desk.click("#undo button")
    expect(desk.locator("#claim")).to_have_text(claim)
    press(desk, "Control+2")
    expect(desk.locator("#claim")).not_to_have_text(claim)
    desk.click("#undo button")
    expect(desk.locator("#claim")).to_have_text(claim)
    desk.goto("/review/settings/?project=sample")
    desk.check("#desk_single_keys")
    desk.click("main .button-primary")
    desk.wait_for_selector("#desk[data-ready]")


# --- When something goes wrong -----------------------------------------------------------------------------------


def test_a_reason_survives_a_reload(desk: Page) -> None:
    claim = desk.locator("#claim").inner_text()
    desk.fill("#reason", "第二段说的是另一个期限 (see context 2)")
    for _ in range(3):
        expect(desk.locator("#desk")).to_have_attribute("data-ahead", "")  # the next claim is held, too
        desk.reload()
        expect(desk.locator("#claim")).to_have_text(claim)
        expect(desk.locator("#reason")).to_have_value("第二段说的是另一个期限 (see context 2)")
    desk.fill("#reason", "")


def test_without_a_connection_the_label_waits(desk: Page, watch: Watch) -> None:
    watch.expected += ["ERR_INTERNET_DISCONNECTED", "htmx:sendError"]
    claim = desk.locator("#claim").inner_text()
    desk.fill("#reason", "kept")
    desk.keyboard.press("Escape")
    desk.context.set_offline(True)
    press(desk, "3")
    expect(desk.locator("#messages .message")).to_be_visible()
    expect(desk.locator("#claim")).to_have_text(claim)
    expect(desk.locator("#reason")).to_have_value("kept")
    desk.context.set_offline(False)
    press(desk, "3")
    expect(desk.locator("#claim")).not_to_have_text(claim)
    undo(desk, claim)
    expect(desk.locator("#reason")).to_have_value("kept")
    desk.fill("#reason", "")


def test_an_answer_that_is_lost_on_the_way_saves_the_label_once(desk: Page, server: Running, watch: Watch) -> None:
    watch.expected += ["ERR_FAILED", "htmx:sendError"]
    claim, before = desk.locator("#claim").inner_text(), labels(server)

    def lose(route: Route) -> None:
        route.fetch()
        route.abort()

    desk.route("**/label/", lose, times=1)
    press(desk, "3")
    expect(desk.locator("#messages .message")).to_be_visible()
    expect(desk.locator("#claim")).to_have_text(claim)
    press(desk, "3")
    expect(desk.locator("#claim")).not_to_have_text(claim)
    expect(desk.locator("#desk-status")).to_contain_text("already had your label")
    assert labels(server) == before + 1
    undo(desk, claim)


@pytest.mark.parametrize("lost", ["sessionid", None], ids=["session", "all cookies"])
def test_a_session_that_ends_while_typing_is_opened_again_on_the_spot(
    desk: Page, server: Running, watch: Watch, lost: str | None
) -> None:
    watch.expected += ["status of 403", "Error Code 403"]
    claim, before = desk.locator("#claim").inner_text(), labels(server)
    desk.fill("#reason", "kept")
    desk.keyboard.press("Escape")
    if lost:
        desk.context.clear_cookies(name=lost)
    else:
        desk.context.clear_cookies()
    press(desk, "1")
    expect(desk.locator("#sign-in")).to_be_visible()
    expect(desk.locator("#reason")).to_have_value("kept")
    desk.fill("#sign-in-password", "not the password")
    desk.keyboard.press("Enter")
    expect(desk.locator("#sign-in [data-sign-in-error]")).to_contain_text("The password is not right")
    desk.fill("#sign-in-password", server.logins["expert"])
    desk.keyboard.press("Enter")
    expect(desk.locator("#claim")).not_to_have_text(claim)
    expect(desk.locator("#sign-in")).to_be_hidden()
    found = ask(server, "SELECT label, reason FROM review_adjudication ORDER BY id DESC LIMIT 1")
    assert found == [("SUPPORTED", "kept")] and labels(server) == before + 1
    undo(desk, claim)
    desk.fill("#reason", "")


def test_signing_in_elsewhere_does_not_make_the_page_too_old(desk: Page, server: Running) -> None:
    claim = desk.locator("#claim").inner_text()
    desk.context.clear_cookies()
    other = desk.context.new_page()
    other.goto("/account/login/")
    other.fill("#id_username", "expert")
    other.fill("#id_password", server.logins["expert"])
    other.click("main form button[type=submit]")
    expect(other).to_have_url("/projects/")
    press(desk, "1")
    expect(desk.locator("#claim")).not_to_have_text(claim)
    undo(desk, claim)


def test_in_a_second_window_another_label_is_offered_as_a_change(desk: Page, server: Running) -> None:
    claim, before = desk.locator("#claim").inner_text(), labels(server)
    other = desk.context.new_page()
    begin(other)
    expect(other.locator("#claim")).to_have_text(claim)
    press(other, "1")
    expect(other.locator("#claim")).not_to_have_text(claim)
    desk.fill("#reason", "on second thoughts")
    desk.keyboard.press("Escape")
    press(desk, "2")
    expect(desk.locator("#change")).to_contain_text("had arrived already")
    expect(desk.locator("#change-reason")).to_have_value("on second thoughts")
    assert labels(server) == before + 1
    desk.click("#change .button-primary")
    expect(desk.locator("#desk")).to_have_attribute("data-desk", "claim")
    newest = "SELECT label, reason FROM review_adjudication ORDER BY id DESC LIMIT 1"
    assert ask(server, newest) == [("CONTRADICTED", "on second thoughts")]
    other.close()


# --- A phone -----------------------------------------------------------------------------------------------------


def test_on_a_phone_the_decisions_are_within_reach(desk: Page) -> None:
    desk.set_viewport_size(PHONE)  # type: ignore[arg-type]
    for button in desk.locator(".decision-bar .decision").all():
        box = button.bounding_box()
        assert box is not None
        assert box["height"] >= 44 and box["y"] + box["height"] <= PHONE["height"], "a thumb must reach and hit it"
