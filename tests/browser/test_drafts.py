"""What an expert typed and did not send is never lost: not by Next, an undo, a reload, a sign-in, a lost claim."""

import re
import sqlite3
from contextlib import closing

import pytest
from playwright.sync_api import Error, Page, Route, expect

from tests.browser.keyboard import begin, press
from tests.browser.running import Running
from tests.browser.watching import Watch

pytestmark = pytest.mark.parametrize("language", ["en"])
TEXT = "第二段说的是另一个期限 (see context 2)\n1 2 3"
UNSENT = "[data-unsent]"


def change(server: Running, statement: str, *values: object) -> None:
    """Alter the server's database."""
    with closing(sqlite3.connect(server.data_dir / "assay.sqlite3", timeout=30, isolation_level=None)) as db:
        db.execute(statement, values)


def hand_over(server: Running, code: str, name: str, token: str = "0" * 32) -> None:
    """Put a slot in this person's hands for an hour, as the one taken first."""
    change(
        server,
        "UPDATE review_slot SET token = ?, lease_until = datetime('now', '+1 hour'), taken_at = '2000-01-01',"
        " reviewer_id = (SELECT id FROM auth_user WHERE username = ?) WHERE code = ?",
        token,
        name,
        code,
    )


def code_of(page: Page) -> str:
    return (page.locator(".desk__work").get_attribute("data-slot") or "").replace("-", "")


def label(page: Page, key: str = "1") -> str:
    """Label the claim in hand, and wait for the next; the text of the one labelled."""
    claim = page.locator("#claim").inner_text()
    press(page, key)
    expect(page.locator("#claim")).not_to_have_text(claim)
    return claim


def look_back(page: Page, claim: str) -> None:
    press(page, "v")
    expect(page.locator("#claim")).to_have_text(claim)
    expect(page.locator("#comment-text")).to_be_visible()


def test_a_comment_that_was_not_sent_waits_behind_next(desk: Page) -> None:
    claim = label(desk)
    expect(desk.locator(UNSENT)).to_be_hidden()
    look_back(desk, claim)
    desk.fill("#comment-text", TEXT)
    desk.keyboard.press("Escape")
    press(desk, "k")
    expect(desk.locator("#desk")).to_have_attribute("data-desk", "claim")
    expect(desk.locator(UNSENT)).to_be_visible()
    look_back(desk, claim)
    expect(desk.locator("#comment-text")).to_have_value(TEXT)
    expect(desk.locator(UNSENT)).to_be_hidden()  # it is in view
    press(desk, "k")
    expect(desk.locator("#desk")).to_have_attribute("data-desk", "claim")
    label(desk)
    desk.reload()
    expect(desk.locator("#desk")).to_have_attribute("data-desk", "claim")
    desk.click(UNSENT)
    expect(desk.locator("#claim")).to_have_text(claim)
    expect(desk.locator("#comment-text")).to_have_value(TEXT)
    desk.click("#comment-send")
    expect(desk.locator(".comment").last).to_contain_text("第二段说的是另一个期限")
    expect(desk.locator("#comment-text")).to_have_value("")
    begin(desk)
    expect(desk.locator(UNSENT)).to_be_hidden()


def test_a_next_claim_that_comes_late_does_not_replace_the_one_in_hand(desk: Page) -> None:
    waiting: list[Route] = []
    desk.route("**/review/next/", lambda route: waiting.append(route))
    with desk.expect_request("**/review/next/"):
        desk.reload()
    first = label(desk)
    in_hand = desk.locator("#claim").inner_text()
    look_back(desk, first)
    with desk.expect_response("**/release/"):
        waiting[0].continue_()
    press(desk, "k")
    expect(desk.locator("#claim")).to_have_text(in_hand)


def test_a_comment_sent_from_the_desk_is_forgotten(desk: Page) -> None:
    look_back(desk, label(desk))
    desk.fill("#comment-text", TEXT)
    desk.click("#comment-send")
    expect(desk.locator(".comment").last).to_contain_text("1 2 3")
    expect(desk.locator("#comment-text")).to_have_value("")
    press(desk, "k")
    expect(desk.locator("#desk")).to_have_attribute("data-desk", "claim")
    expect(desk.locator(UNSENT)).to_be_hidden()


def test_reason_and_proposal_survive_a_reload_and_a_label_taken_back(desk: Page, watch: Watch) -> None:
    watch.expected += ["status of 400", "Error Code 400"]
    claim = desk.locator("#claim").inner_text()
    press(desk, "4")
    desk.fill("#recut", "Half of it.\nThe other half.")
    desk.fill("#reason", TEXT)
    desk.reload()
    expect(desk.locator("#claim")).to_have_text(claim)
    expect(desk.locator("#reason")).to_have_value(TEXT)
    expect(desk.locator("#recut")).to_have_value("Half of it.\nThe other half.")
    desk.keyboard.press("Escape")
    label(desk)
    press(desk, "u")
    expect(desk.locator("#claim")).to_have_text(claim)
    expect(desk.locator("#reason")).to_have_value(TEXT)  # from the server: the label had it
    expect(desk.locator("#recut")).to_have_value("Half of it.\nThe other half.")
    desk.fill("#reason", "")  # what was deleted stays deleted
    desk.reload()
    expect(desk.locator("#claim")).to_have_text(claim)
    expect(desk.locator("#recut")).to_have_value("Half of it.\nThe other half.")
    expect(desk.locator("#reason")).to_have_value("")
    desk.fill("#reason", "two facts")
    desk.keyboard.press("Escape")
    press(desk, "4")
    desk.click("[name=skip_reason][value=not_my_field]")
    expect(desk.locator("#messages .message")).to_contain_text("Nothing was skipped")
    expect(desk.locator("#recut")).to_have_value("Half of it.\nThe other half.")
    desk.click("[name=skip_reason][value=two_claims]")
    expect(desk.locator("#claim")).not_to_have_text(claim)
    assert not desk.evaluate("Object.values(sessionStorage).some((one) => /Half of it|two facts/.test(one))")


def test_a_change_that_was_not_saved_is_there_again(desk: Page) -> None:
    label(desk)
    press(desk, "v")
    desk.goto(desk.locator("#change form").get_attribute("action") or "")
    desk.fill("#change-reason", TEXT)
    desk.reload()
    expect(desk.locator("#change-reason")).to_have_value(TEXT)
    address = desk.url
    desk.click("[data-discards]")
    expect(desk.locator("#desk")).to_have_attribute("data-desk", "claim")
    desk.goto(address)
    expect(desk.locator("#change-reason")).to_have_value("")


def test_what_came_too_late_from_a_second_window_stays_until_it_is_saved(desk: Page) -> None:
    claim = desk.locator("#claim").inner_text()
    other = desk.context.new_page()
    begin(other)
    expect(other.locator("#claim")).to_have_text(claim)
    label(other, "1")
    desk.fill("#reason", TEXT)
    desk.keyboard.press("Escape")
    press(desk, "2")
    expect(desk.locator("#change-reason")).to_have_value(TEXT)
    address = desk.locator("#change").get_attribute("action") or ""
    desk.goto(address)
    expect(desk.locator("#change-reason")).to_have_value(TEXT)
    desk.check("#change [value=CONTRADICTED]")
    desk.click("#change .button-primary")
    expect(desk.locator("#desk")).to_have_attribute("data-desk", "claim")
    assert not desk.evaluate("Object.values(sessionStorage).some((one) => one.includes('see context 2'))")
    other.close()


def test_what_was_saved_in_a_second_window_is_not_hidden_by_a_draft(desk: Page) -> None:
    claim = desk.locator("#claim").inner_text()
    desk.fill("#reason", "typed before")
    other = desk.context.new_page()
    begin(other)
    expect(other.locator("#claim")).to_have_text(claim)
    other.fill("#reason", "saved since")
    other.keyboard.press("Escape")
    label(other, "1")
    press(other, "v")
    address = other.locator("#change form").get_attribute("action") or ""
    desk.goto(address)
    expect(desk.locator("#change-reason")).to_have_value("saved since\n\ntyped before")
    desk.reload()
    expect(desk.locator("#change-reason")).to_have_value("saved since\n\ntyped before")
    desk.click("#change .button-primary")
    expect(desk.locator("#desk")).to_have_attribute("data-desk", "claim")
    assert not desk.evaluate("Object.values(sessionStorage).some((one) => one.includes('typed before'))")
    other.close()


def test_a_reason_survives_a_sign_in_and_a_server_that_is_away(desk: Page, server: Running, watch: Watch) -> None:
    watch.expected += ["ERR_INTERNET_DISCONNECTED", "status of 403"]
    claim = desk.locator("#claim").inner_text()
    desk.fill("#reason", TEXT)
    desk.context.set_offline(True)
    with pytest.raises(Error, match="ERR_INTERNET_DISCONNECTED"):
        desk.reload()
    desk.context.set_offline(False)
    desk.goto("/projects/sample/review/")
    expect(desk.locator("#claim")).to_have_text(claim)
    expect(desk.locator("#reason")).to_have_value(TEXT)
    desk.context.clear_cookies(name="sessionid")
    desk.reload()
    expect(desk).to_have_url(re.compile("/account/login/"))
    desk.fill("#id_username", "expert")
    desk.fill("#id_password", server.logins["expert"])
    desk.click("main form button[type=submit]")
    expect(desk.locator("#claim")).to_have_text(claim)
    expect(desk.locator("#reason")).to_have_value(TEXT)


def test_a_lost_claim_that_comes_again_brings_its_text(desk: Page, server: Running) -> None:
    claim, code = desk.locator("#claim").inner_text(), code_of(desk)
    desk.fill("#reason", TEXT)
    hand_over(server, code, "admin")
    desk.reload()
    expect(desk.locator("#claim")).not_to_have_text(claim)
    expect(desk.locator("#reason")).to_have_value("")
    other = code_of(desk)
    desk.goto("/projects/")
    # Whoever comes back goes on with the claim that was on the screen, unless that is gone.
    change(server, "UPDATE review_slot SET reviewer_id = NULL, lease_until = NULL WHERE code = ?", other)
    hand_over(server, code, "expert", "1" * 32)
    begin(desk)
    expect(desk.locator("#claim")).to_have_text(claim)
    expect(desk.locator("#reason")).to_have_value(TEXT)


def test_nobody_else_at_this_screen_reads_it(desk: Page, server: Running) -> None:
    claim, code = desk.locator("#claim").inner_text(), code_of(desk)
    desk.fill("#reason", TEXT)
    mark = desk.locator("[data-mark]").first
    mark.focus()
    desk.keyboard.press("Enter")
    expect(desk.locator("input[name=mark]")).not_to_have_count(0)
    change(
        server,
        "INSERT INTO audits_membership (project_id, user_id, role, created) SELECT p.id, u.id, 'expert',"
        " datetime('now') FROM audits_project p, auth_user u WHERE p.slug = 'sample' AND u.username = 'analyst'",
    )
    desk.goto("/projects/")
    desk.context.clear_cookies(name="sessionid")
    hand_over(server, code, "analyst")
    desk.goto("/account/login/?next=/projects/sample/review/")
    desk.fill("#id_username", "analyst")
    desk.fill("#id_password", server.logins["analyst"])
    desk.click("main form button[type=submit]")
    expect(desk.locator("#claim")).to_have_text(claim)
    expect(desk.locator("#reason")).to_have_value("")
    expect(desk.locator("input[name=mark]")).to_have_count(0)
    desk.goto("/projects/")
    change(
        server,
        "DELETE FROM audits_membership WHERE role = 'expert'"
        " AND user_id = (SELECT id FROM auth_user WHERE username = 'analyst')",
    )
    change(server, "UPDATE review_slot SET reviewer_id = NULL, token = NULL, lease_until = NULL WHERE code = ?", code)
