"""Every state of the desk is accessible: WCAG 2.2 AA by axe in both themes, 200 % zoom, a phone."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.keyboard import begin, press
from tests.browser.running import ROOT, Running
from tests.browser.watching import CUT_ON_THE_LEFT, DESKTOP, PHONE, WIDER_THAN_PAGE

LEVEL = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}}
AT_200_PERCENT = {"width": DESKTOP["width"] // 2, "height": DESKTOP["height"] // 2}
DIFFER = """
import uuid
from django.contrib.auth import get_user_model
from audits.models import Project, Role
from review.adjudication import adjudicate
from review.models import ReviewItem, Slot
from review.queue import lease_end
project = Project.objects.get(slug="sample")
slot = Slot.objects.open().free().filter(item__plan__audit__project=project, number=1).order_by("-item__rank")[0]
ReviewItem.objects.filter(pk=slot.item_id).update(needed=2)
Slot.objects.get_or_create(item=slot.item, number=2)
for name, label in (("anna", "SUPPORTED"), ("bert", "UNVERIFIED")):
    user, _ = get_user_model().objects.get_or_create(username=name)
    project.memberships.get_or_create(user=user, role=Role.EXPERT)
    free = Slot.objects.open().free().filter(item=slot.item, arbitrates=False).first()
    adjudicate(free, None, user=user, label=label, reason="第 3 条 " * 40, idempotency_key=uuid.uuid4())
assert Slot.objects.filter(item=slot.item, arbitrates=True).exists()
Slot.objects.filter(item=slot.item, arbitrates=True).update(
    reviewer=get_user_model().objects.get(username="expert"), token=uuid.uuid4(), lease_until=lease_end()
)
"""


def look(page: Page, name: str) -> None:
    """AssertionError with all that is wrong with the page as it stands."""
    wrong: list[str] = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
        found: list[dict[str, Any]] = Axe().run(page, options=LEVEL).response["violations"]
        wrong += [f"{scheme}: {one['id']}: {node['html'][:200]}" for one in found for node in one["nodes"][:3]]
    page.emulate_media(color_scheme="light")
    for size in (PHONE, AT_200_PERCENT):
        page.set_viewport_size(size)  # type: ignore[arg-type]
        wrong += [f"too wide at {size['width']}: {one}" for one in page.evaluate(WIDER_THAN_PAGE)]
        wrong += [f"cut off at {size['width']}: {one}" for one in page.evaluate(CUT_ON_THE_LEFT)]
    page.set_viewport_size(DESKTOP)  # type: ignore[arg-type]
    assert not wrong, f"{name}:\n" + "\n".join(wrong)


def arbitration(server: Running) -> None:
    """Let two experts differ on a claim of the sample project, and put it in the expert's hands."""
    environment = {"ASSAY_DATA_DIR": str(server.data_dir), "PATH": str(Path(sys.executable).parent)}
    command = [sys.executable, "manage.py", "shell", "-v0", "-c", DIFFER]
    subprocess.run(command, cwd=ROOT, env=environment, check=True, timeout=120)


def test_every_state_of_the_desk_is_accessible(reviewing: Running, visit: Visit) -> None:
    page = visit("expert")
    page.goto("/review/")
    look(page, "waiting")
    begin(page)
    look(page, "claim")
    press(page, "4")
    look(page, "skip")
    page.keyboard.press("Escape")
    press(page, "3")
    expect(page.locator("#desk [data-act=verdicts]")).to_be_visible()
    press(page, "v")
    expect(page.locator(".said")).to_have_count(3)
    look(page, "verdicts")
    press(page, "c")
    expect(page.locator("#change form")).to_be_visible()
    look(page, "change after the verdicts")
    page.goto(page.locator("#change form").get_attribute("action") or "")
    look(page, "change later")
    for name in ("settings", "filter"):
        page.goto(f"/review/{name}/")
        look(page, name)
    begin(page)
    for selector in ("#desk-help a", ".desk__where a"):
        if "help" in selector:
            press(page, "?")
        page.click(selector)
        expect(page.locator("#desk-dialog")).to_be_visible()
        look(page, f"dialog by {selector}")
        page.click("#desk-dialog [data-close-dialog]")
    page.goto("/review/?tag=nothing")
    expect(page.locator(".desk__empty [data-act=next]")).to_be_visible()
    look(page, "hidden by the filter")


@pytest.mark.parametrize("language", ["en"])
def test_a_third_expert_has_both_labels_in_view(reviewing: Running, visit: Visit) -> None:
    page = visit("expert")
    page.goto("/projects/")
    arbitration(reviewing)
    page.goto("/review/")
    expect(page.locator(".opinions li")).to_have_count(2)
    look(page, "arbitration")
    text = page.locator("#desk").inner_text()
    assert "anna" not in text and "bert" not in text
    claim = page.locator("#claim").inner_text()
    page.focus(".opinions")
    press(page, "1")
    expect(page.locator("#claim")).not_to_have_text(claim)
