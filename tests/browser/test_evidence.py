"""Evidence under a real mouse, keyboard and finger: marks stand where they were made, whole contexts are searched."""

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Visit
from tests.browser.keyboard import begin, press
from tests.browser.running import Running
from tests.browser.watching import PHONE, Look

pytestmark = pytest.mark.parametrize("language", ["en"])
SHORT = "😀𠀀 Fees are <b>waived</b> for students. 家🦦 It opens at noon."
LONG = (
    "".join(f"Sentence {n} says nothing. " for n in range(2000)) + "🦦𪚥 The Vault opened. " + "It rains. 雨。" * 4000
)
SELECT = """([context, text]) => {
  for (const source of document.querySelectorAll(`.source[data-context="${context}"]`)) {
    const at = source.textContent.indexOf(text);
    if (at < 0) continue;
    const walker = document.createTreeWalker(source, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    let before = 0, begun = false;
    while (walker.nextNode()) {
      const node = walker.currentNode, after = before + node.length;
      if (!begun && at < after) { range.setStart(node, at - before); begun = true; }
      if (begun && at + text.length <= after) { range.setEnd(node, at + text.length - before); break; }
      before = after;
    }
    const selection = getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    return true;
  }
  return false;
}"""
PAINTED = """(name) => "highlights" in CSS
  ? [...CSS.highlights.get(name) || []].map((range) => range.toString())
  : [...document.querySelectorAll(".painted-" + name)].map((mark) => mark.textContent)"""


def database(running: Running) -> sqlite3.Connection:
    """The database of the server under test."""
    return sqlite3.connect(running.data_dir / "assay.sqlite3", timeout=30, isolation_level=None)


@pytest.fixture
def opened(reviewing: Running, visit: Visit) -> Iterator[Any]:
    """A function that gives an expert with a claim in hand; all contexts are SHORT and LONG until the test ends.

    All claims speak of SHORT until then: which context comes first, and what is highlighted, follows from the claim,
    and which claim an expert gets follows from a draw. No next claim is fetched ahead: a reload gives the same one.
    """
    with closing(database(reviewing)) as db:
        contexts = db.execute("SELECT contexts, id FROM audits_sample").fetchall()
        claims = db.execute("SELECT text, id FROM audits_claim").fetchall()
        db.execute("UPDATE audits_sample SET contexts = ?", (json.dumps([SHORT, LONG]),))
        db.execute("UPDATE audits_claim SET text = 'Fees are waived for students of room ' || id || '.'")
    pages: list[Page] = []

    def desk(script: str = "", **options: Any) -> Page:
        page = visit("expert", **options)
        page.route("**/review/next/", lambda route: route.fulfill(status=204))
        if script:
            page.add_init_script(script)
        begin(page)
        pages.append(page)
        return page

    yield desk
    for page in pages:
        page.goto("/projects/")  # leaving the page gives the claim back
    with closing(database(reviewing)) as db:
        db.executemany("UPDATE audits_sample SET contexts = ? WHERE id = ?", contexts)
        db.executemany("UPDATE audits_claim SET text = ? WHERE id = ?", claims)


def marks(page: Page) -> list[str]:
    """The marks that would go with the label."""
    found: list[str] = page.locator("input[name=mark]").evaluate_all("all => all.map((one) => one.value)")
    return found


def mark(page: Page, context: int, text: str) -> None:
    """Select a text and mark it with the key."""
    assert page.evaluate(SELECT, [context, text])
    expect(page.locator(".mark-button")).to_be_visible()
    page.keyboard.press("m")
    expect(page.locator(".mark-button")).to_be_hidden()


def unmark(page: Page) -> None:
    """Remove all marks, those of a label that was taken back too."""
    while page.locator(".own__list button").count():
        page.locator(".own__list button").first.click()
    assert marks(page) == []


def test_marks_stand_in_code_points_and_survive_a_reload_and_an_undo(opened: Any, reviewing: Running) -> None:
    desk = opened()
    unmark(desk)
    start = SHORT.index("waived</b>")
    mark(desk, 0, "waived</b> for")
    mark(desk, 0, "家🦦")
    wanted = [f"0:{start}:{start + 14}", f"0:{SHORT.index('家')}:{SHORT.index('家') + 2}"]
    assert marks(desk) == wanted
    expect(desk.locator(".own__list q")).to_have_text(["waived</b> for", "家🦦"])
    claim = desk.locator("#claim").inner_text()
    desk.reload()
    expect(desk.locator("#claim")).to_have_text(claim)
    expect(desk.locator(".own__list q")).to_have_text(["waived</b> for", "家🦦"])
    assert desk.evaluate(PAINTED, "own") == ["waived</b> for", "家🦦"]
    press(desk, "2")
    expect(desk.locator("#claim")).not_to_have_text(claim)
    with closing(database(reviewing)) as db:
        newest = (
            "SELECT text FROM review_evidencemark WHERE adjudication_id = (SELECT max(id) FROM review_adjudication)"
        )
        assert db.execute(newest).fetchall() == [("waived</b> for",), ("家🦦",)]
    press(desk, "u")
    expect(desk.locator("#claim")).to_have_text(claim)
    assert marks(desk) == wanted
    desk.locator(".own__list button").first.click()
    assert marks(desk) == wanted[1:]
    unmark(desk)


def test_nothing_outside_of_contexts_can_be_marked(opened: Any) -> None:
    desk = opened()
    desk.evaluate("getSelection().selectAllChildren(document.querySelector('.desk__answer'))")
    desk.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    expect(desk.locator(".mark-button")).to_be_hidden()
    # Of a selection over everything only the texts of contexts count, as one mark for each stretch.
    desk.evaluate("getSelection().selectAllChildren(document.querySelector('.desk__columns'))")
    desk.locator(".mark-button").click()
    assert f"0:0:{len(SHORT)}" in marks(desk)
    assert all(one.startswith(("0:", "1:")) for one in marks(desk))
    unmark(desk)


def test_a_sentence_is_marked_without_a_mouse(opened: Any, look: Look) -> None:
    desk = opened()
    sentence = desk.locator("[data-mark]").first
    sentence.focus()
    expect(sentence).to_be_visible()
    assert len(desk.evaluate(PAINTED, "pointed")) == 1
    desk.keyboard.press("Enter")
    assert sentence.get_attribute("data-mark") in marks(desk)
    look.at(desk, "a desk with marked evidence")
    unmark(desk)


@pytest.mark.parametrize("script", ["", "delete CSS.highlights"], ids=["highlights", "marks"])
def test_whole_contexts_are_searched(opened: Any, script: str) -> None:
    desk = opened(script)
    unmark(desk)
    mark(desk, 0, "students")
    press(desk, "f")
    desk.locator("#evidence-query").press_sequentially("VAULT")
    expect(desk.locator("#evidence-search output")).to_have_text("1 of 1")
    # A search may have begun before the last letter came, and have found as much.
    desk.wait_for_function(f"() => JSON.stringify(({PAINTED})('current')) === '[\"Vault\"]'")
    desk.fill("#evidence-query", "雨")
    expect(desk.locator("#evidence-search output")).to_have_text("1 of 4,000")
    desk.keyboard.press("Shift+Enter")
    expect(desk.locator("#evidence-search output")).to_have_text("4,000 of 4,000")
    desk.keyboard.press("Enter")
    expect(desk.locator("#evidence-search output")).to_have_text("1 of 4,000")
    desk.fill("#evidence-query", "<b>")
    expect(desk.locator("#evidence-search output")).to_have_text("1 of 1")
    desk.fill("#evidence-query", "no such words")
    expect(desk.locator("#evidence-search output")).to_have_text("Not found")
    desk.keyboard.press("Escape")
    expect(desk.locator("#evidence-search")).to_be_hidden()
    expect(desk.locator("#claim")).to_be_focused()
    mark(desk, 1, "🦦𪚥 The Vault")
    at = LONG.index("🦦")
    assert f"1:{at}:{at + 12}" in marks(desk)
    assert desk.evaluate(PAINTED, "own")[0] == "students"
    assert "".join(desk.evaluate(PAINTED, "own")[1:]).startswith("🦦𪚥 The Vault")
    unmark(desk)


def test_an_input_method_neither_searches_nor_steps(opened: Any) -> None:
    desk = opened()
    press(desk, "f")
    desk.fill("#evidence-query", "雨")
    expect(desk.locator("#evidence-search output")).to_have_text("1 of 4,000")
    for init in (
        {"key": "Enter", "isComposing": True},
        {"key": "Enter", "keyCode": 229},
        {"key": "Escape", "isComposing": True},
    ):
        desk.locator("#evidence-query").dispatch_event("keydown", init)
    expect(desk.locator("#evidence-search output")).to_have_text("1 of 4,000")
    desk.keyboard.press("Escape")


def test_highlights_are_switched_off_on_this_device(opened: Any) -> None:
    desk = opened()
    press(desk, "h")
    expect(desk.locator("[data-act=highlights]")).to_have_attribute("aria-pressed", "false")
    desk.reload()
    expect(desk.locator("[data-act=highlights]")).to_have_attribute("aria-pressed", "false")
    background = "getComputedStyle(document.querySelector('mark.mark-worth')).backgroundColor"
    assert desk.evaluate(background) == "rgba(0, 0, 0, 0)"
    press(desk, "h")
    expect(desk.locator("html")).not_to_have_class(re.compile("highlights-off"))


def test_a_context_on_its_way_holds_no_label_up(opened: Any) -> None:
    desk = opened()
    waiting: list[Route] = []
    desk.route("**/contexts/*/", lambda route: waiting.append(route))
    with desk.expect_request("**/contexts/2/"):
        press(desk, "e")
    claim = desk.locator("#claim").inner_text()
    press(desk, "3")
    expect(desk.locator("#claim")).not_to_have_text(claim)
    for route in waiting:
        route.fulfill(status=204)
    press(desk, "u")
    expect(desk.locator("#claim")).to_have_text(claim)


def test_a_finger_marks_too(opened: Any) -> None:
    desk = opened(viewport=PHONE, has_touch=True)
    desk.evaluate(SELECT, [0, "opens at noon"])
    button = desk.locator(".mark-button")
    expect(button).to_be_visible()
    box = button.bounding_box()
    assert box is not None and box["height"] >= 44 and box["y"] + box["height"] <= PHONE["height"]
    button.tap()
    assert f"0:{SHORT.index('opens')}:{SHORT.index('opens') + 13}" in marks(desk)
    unmark(desk)
