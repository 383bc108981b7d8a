"""The three journeys, by hand, in both languages: analyst, expert, manager, and the auditor outside."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.keyboard import READY, press
from tests.browser.stories import STORIES, Story
from tests.browser.watching import Look

DROP = """([bytes, name]) => {
  const data = new DataTransfer();
  data.items.add(new File([new Uint8Array(bytes)], name, {type: 'text/csv'}));
  return data;
}"""
JUDGING = 60_000  # ms; offline judges take a few seconds, on a busy machine longer


def test_from_a_file_to_a_certificate(visit: Visit, look: Look, language: str, tmp_path: Path) -> None:
    story = STORIES[language]
    look.brand = (story.name, story.filename, *story.columns)
    look.at(visit(), "sign-in")
    make_project(visit("admin"), story, look)
    analyst = visit("analyst")
    upload(analyst, story, look, tmp_path)
    choose_columns(analyst, story, look)
    audit = start_audit(analyst, story, look)
    read_result(analyst, story, look)
    manager = visit("manager")
    manager.goto(f"{audit}certificate/")
    expect(manager.locator(".check-open").first).to_be_visible()
    expect(manager.locator("#issue")).to_have_count(0)
    look.at(manager, "certificate, not ready")
    settle_claims(visit("expert"), story, look)
    number = issue(manager, audit, look)
    verify(visit(), manager, number, look, tmp_path)
    revoke(manager, audit, look)
    stranger = visit()
    stranger.goto(f"/verify/{number}/")
    expect(stranger.locator("main .notice-error").first).to_contain_text("Two rows were swapped.")
    look.at(stranger, "verify, revoked")


def follow(page: Page, selector: str) -> None:
    """Click something that leads to another page, and wait for its scripts as a person would."""
    with page.expect_navigation(wait_until="load"):
        page.click(selector)


def make_project(page: Page, story: Story, look: Look) -> None:
    """An administrator makes the project and says who works in it."""
    page.goto("/projects/new/")
    look.at(page, "new project")
    page.fill("#id_name", story.name)
    page.fill("#id_slug", story.slug)
    page.click("main form .button-primary")
    expect(page).to_have_url(re.compile(rf"/projects/{story.slug}/members/"))
    for name in ("analyst", "expert", "manager"):
        page.fill("#id_username", name)
        page.select_option("#id_role", name)
        page.click("main form .button-primary")
        expect(page.locator("main table")).to_contain_text(name)
    look.at(page, "people")


def upload(page: Page, story: Story, look: Look, folder: Path) -> None:
    """By file picker in one language, dropped on the page in the other."""
    page.goto("/projects/")
    look.at(page, "projects")
    follow(page, f"a[href='/projects/{story.slug}/']")
    look.at(page, "project, empty")
    follow(page, f"a[href='/projects/{story.slug}/datasets/new/'] >> nth=0")
    look.at(page, "upload")
    if story.encoding == "utf-8":
        path = folder / story.filename
        path.write_bytes(story.content())
        page.set_input_files("#id_file", path)
    else:
        data = page.evaluate_handle(DROP, [list(story.content()), story.filename])
        page.dispatch_event("[data-drop]", "drop", {"dataTransfer": data})
    expect(page.locator("[data-chosen]")).to_contain_text(story.filename)
    page.click("form[data-upload] button[type=submit]")
    expect(page).to_have_url(re.compile(r"/mapping/$"))


def choose_columns(page: Page, story: Story, look: Look) -> None:
    """Say which column is what, see the rows so, import, and wait without touching anything."""
    _, asked, passages, said = story.columns
    page.select_option("#id_answer", said)
    for box in page.locator("input[name=contexts]").all():
        box.set_checked(box.get_attribute("value") == passages)
    page.select_option("#id_question", asked)
    expect(page.locator("#mapping-preview .firsts")).to_contain_text(story.made_up)
    look.at(page, "columns")
    follow(page, "#mapping-form .button-primary")
    expect(page).to_have_url(re.compile(r"/datasets/\d+/$"))
    expect(page.locator("#dataset-state a[href*='/audits/new/']")).to_be_visible()
    expect(page.locator("#dataset-state")).not_to_have_attribute("hx-trigger", re.compile("every"))
    look.at(page, "dataset")


def start_audit(page: Page, story: Story, look: Look) -> str:
    """Choose two offline judges, see the plan follow the choice, start; the address of the audit."""
    follow(page, "#dataset-state a[href*='/audits/new/']")
    for field, judge in (("primary", "offline:rules"), ("extractor", "offline:rules"), ("second", "offline:rules")):
        page.select_option(f"#id_{field}", label=judge)
    expect(page.locator("#audit-plan .notice-error")).to_be_visible()  # both judges of one family
    page.select_option("#id_second", label="offline:vector")
    expect(page.locator("#audit-plan .notice-error")).to_have_count(0)
    page.fill("#id_spot_check_size", "2")
    page.press("#id_spot_check_size", "Tab")
    expect(page.locator("#audit-plan")).to_contain_text(re.compile(r"\D2\D.*\D6\D"))  # chosen, and what is proposed
    look.at(page, "new audit")
    follow(page, ".plan-form .button-primary")
    expect(page).to_have_url(re.compile(rf"/projects/{story.slug}/audits/\d+/$"))
    return page.url


def read_result(page: Page, story: Story, look: Look) -> None:
    """The result comes by itself: the page that saw the start is never loaded again."""
    page.evaluate("() => { window.stillTheSamePage = true; }")
    expect(page.locator("#audit-result .headline")).to_be_visible(timeout=JUDGING)
    expect(page.locator("[hx-trigger*='every']")).to_have_count(0, timeout=JUDGING)
    assert page.evaluate("() => window.stillTheSamePage")
    look.at(page, "result")
    follow(page, ".tabs a[href$='/claims/']")
    look.at(page, "claims")
    before = page.locator("#claims-list tbody tr").count()
    page.fill("#id_q", story.made_up)
    expect(page.locator("#claims-list tbody tr")).to_have_count(1)
    assert before > 1 and "q=" in page.url
    follow(page, "#claims-list .row-link__a")
    expect(page.locator(".sample__answer mark").filter(has_text=story.made_up)).to_be_visible()
    expect(page.locator(".context mark").first).to_be_visible()
    look.at(page, "sample")
    page.goto(page.url.split("/audits/")[0] + "/judges/")
    look.at(page, "judges")


def settle_claims(page: Page, story: Story, look: Look) -> None:
    """Settle all claims with keys alone; one is taken back, one changed later, one skipped."""
    page.goto(f"/projects/{story.slug}/review/")
    look.at(page, "desk, waiting")
    press(page, "n")
    claim = page.locator(".desk__work #claim")
    expect(claim).to_be_visible()
    expect(page.locator(".desk__said")).to_have_count(0)
    look.at(page, "desk, claim")
    first = claim.inner_text()
    press(page, "2")
    expect(claim).not_to_have_text(first)
    press(page, "u")
    expect(claim).to_have_text(first)
    press(page, "2")
    expect(claim).not_to_have_text(first)
    press(page, "v")
    expect(page.locator(".said-own .label")).to_have_class(re.compile("label-contradicted"))
    expect(page.locator(".said")).to_have_count(3)
    look.at(page, "desk, verdicts")
    press(page, "?")
    look.at(page, "desk, keys")
    page.keyboard.press("Escape")
    press(page, "c")
    press(page, "1")
    expect(claim).not_to_have_text(first)
    skipped = claim.inner_text()
    press(page, "4")
    expect(page.locator(".skip__reasons")).to_be_visible()
    press(page, "3")
    expect(page.locator("#desk")).not_to_contain_text(skipped)
    label_the_rest(page, skipped)
    look.at(page, "desk, done")


def label_the_rest(page: Page, skipped: str) -> None:
    """Until the desk is empty; the skipped claim is the last one."""
    desk = page.locator("#desk")
    last = ""
    for _ in range(50):
        page.wait_for_selector(READY)
        token = page.locator("#desk [name=token]").first
        if desk.get_attribute("data-desk") == "claim":
            last, held = page.locator("#claim").inner_text(), token.get_attribute("value")
            page.keyboard.press("3")
            expect(page.locator(f"#desk [value='{held}']")).to_have_count(0)
        elif page.locator(".desk__empty [name=again]").count():
            page.keyboard.press("n")
            expect(desk).to_have_attribute("data-desk", "claim")
        else:
            assert last == skipped
            return
    pytest.fail(f"the desk never became empty: {desk.inner_text()}")


def issue(page: Page, audit: str, look: Look) -> str:
    """Nothing is missing any more: issue, say yes, and read the number."""
    page.goto(f"{audit}agreement/")
    look.at(page, "agreement")
    page.goto(f"{audit}certificate/")
    expect(page.locator(".check-open")).to_have_count(0)
    look.at(page, "certificate, ready")
    page.click("#issue")
    page.click("#confirm-dialog [data-confirm-yes]")
    number = page.locator(".certificate-row__number")
    expect(number).to_have_count(1)
    look.at(page, "certificate, issued")
    return number.inner_text()


def verify(stranger: Page, manager: Page, number: str, look: Look, folder: Path) -> None:
    """The manager sends the files on; a stranger looks the number up and checks the file, true and changed."""
    for suffix, head in ((".pdf >> nth=0", b"%PDF-"), ("zh.pdf", b"%PDF-"), (".json", b"{")):
        address, _, place = suffix.partition(" >> ")
        with manager.expect_download() as download:
            manager.click(f".certificate-row a[href$='{address}'] >> {place or 'nth=0'}")
        path = folder / f"certificate-{suffix[:2]}{address}"
        download.value.save_as(path)
        assert path.read_bytes().startswith(head)
    stranger.goto("/verify/")
    look.at(stranger, "verify")
    stranger.fill("#number", number)
    stranger.click("form[method=get] button")
    expect(stranger.locator(".statement")).to_contain_text(number)
    expect(stranger.locator(".statement__mark").first).to_contain_text("SPECIMEN")
    look.at(stranger, "verify, number")
    file = folder / "certificate-.j.json"
    _check(stranger, file)
    expect(stranger.locator("#result .statement")).to_contain_text(number)
    look.at(stranger, "verify, file")
    certificate = json.loads(file.read_bytes())
    certificate["statement"]["specimen"] = False
    file.write_text(json.dumps(certificate))
    _check(stranger, file)
    expect(stranger.locator("#result.notice-error")).to_contain_text("SHA-256")
    look.at(stranger, "verify, changed file")


def _check(page: Page, file: Path) -> None:
    page.goto("/verify/")
    page.set_input_files("#file", file)
    page.click("form[enctype] button")


def revoke(page: Page, audit: str, look: Look) -> None:
    """Withdraw it, with a reason that everybody will see."""
    page.goto(f"{audit}certificate/")
    page.click(".certificate-row details:has(textarea) summary")
    page.fill(".certificate-row textarea", "Two rows were swapped.")
    page.click(".certificate-row .button-danger")
    page.click("#confirm-dialog [data-confirm-yes]")
    expect(page.locator(".certificate-row")).to_contain_text("Two rows were swapped.")
    page.goto(re.sub(r"audits/.*", "certificates/", audit))
    look.at(page, "certificates")
