"""Pages that no journey comes by, in both languages: with much on them, with mistakes, and where nothing is."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.running import Running
from tests.browser.watching import PHONE, Look, Watch

# Where they are below the project -> who looks.
AUDIT_PAGES = ("extraction", "stability", "costs", "agreement", "bias", "certificate", "estimate", "looks", "compare")
PROJECT_PAGES = ("costs", "members", "certificates", "review/reports", "calibrations")
MANAGE_PAGES = ("people", "skips", "known", "rules")
BROKEN = b"question,contexts,answer\nQ1,a context,An answer stands here.\nQ2,,\nQ3,another context,It is so.\n"


def test_the_sample_project(reviewing: Running, visit: Visit, look: Look) -> None:
    analyst, manager, expert = visit("analyst"), visit("manager"), visit("expert")
    for number in (1, 2):
        analyst.goto(f"/projects/sample/audits/{number}/")
        look.at(analyst, f"result {number}")
    analyst.goto("/projects/sample/")
    look.at(analyst, "project")
    analyst.goto("/projects/sample/audits/1/claims/?q=nothing-holds-this")
    look.at(analyst, "claims, none")
    analyst.goto("/projects/sample/judges/new/")
    look.at(analyst, "new judge")
    manager.goto("/projects/sample/review/")
    look.at(manager, "review, how far")
    expert.goto("/projects/sample/")
    look.at(expert, "project, as an expert sees it")
    expert.goto("/review/")
    look.at(expert, "desk, all projects")
    expert.goto("/account/password_change/")
    look.at(expert, "change password")


def test_the_other_pages_of_the_sample_project(reviewing: Running, visit: Visit, look: Look) -> None:
    manager = visit("manager")
    pages = [f"audits/1/{name}" for name in AUDIT_PAGES] + [*PROJECT_PAGES]
    for path in pages + [f"review/manage/{name}" for name in MANAGE_PAGES]:
        manager.goto(f"/projects/sample/{path}/")
        look.at(manager, path)
    expert = visit("expert")
    expert.goto("/review/settings/")
    look.at(expert, "keys and pace")


@pytest.mark.parametrize("language", ["en"])
def test_a_phone_shows_which_tab_one_is_on(reviewing: Running, visit: Visit) -> None:
    page = visit("manager", viewport=PHONE)
    for path in ("audits/1/certificate/", "members/", "review/manage/rules/"):
        page.goto(f"/projects/sample/{path}")
        for current in page.locator(":is(.tabs, .rail) [aria-current]").all():
            expect(current).to_be_in_viewport(ratio=0.95)  # a border lies outside


@pytest.mark.parametrize("language", ["en"])
def test_fields_of_a_filter_are_of_one_height(visit: Visit) -> None:
    page = visit("expert")
    page.goto("/review/mine/")
    fields = page.locator(".filters .field :is(input, select)").all()
    assert len({(box or {}).get("height") for box in (field.bounding_box() for field in fields)}) == 1


def test_a_file_with_bad_rows(visit: Visit, look: Look, watch: Watch, tmp_path: Path) -> None:
    watch.expected.append("status of 422")  # the answer to a file that cannot be read
    look.brand = ("bad.csv", "bad")
    page = visit("analyst")
    page.goto("/projects/sample/datasets/new/")
    path = tmp_path / "bad.csv"
    path.write_bytes(b"")
    page.set_input_files("#id_file", path)
    page.click("form[data-upload] button[type=submit]")
    expect(page.locator("main .notice-error")).to_be_focused()
    look.at(page, "upload, refused")
    path.write_bytes(BROKEN)
    page.set_input_files("#id_file", path)
    page.click("form[data-upload] button[type=submit]")
    expect(page).to_have_url(re.compile("/mapping/$"))
    page.click("#mapping-form .button-primary")
    expect(page.locator("#dataset-state a[href*='/audits/new/']")).to_be_visible()
    look.at(page, "dataset, bad rows")


def test_where_nothing_is(visit: Visit, look: Look, watch: Watch) -> None:
    watch.expected += ["status of 404", "status of 403"]
    page = visit("expert")
    page.goto("/projects/elsewhere/")
    look.at(page, "404")
    page.goto("/projects/sample/audits/1/")
    look.at(page, "hidden from experts")
    page.goto("/verify/A-1999-0001/")
    look.at(page, "no such certificate")
