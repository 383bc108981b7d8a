"""Makes docs/screenshots: starts Assay on its sample data, works an audit off by hand, and takes pictures on the way.

make screenshots            needs Chromium; the pictures of the printed certificate need pdftoppm (poppler-utils)
"""

import csv
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from playwright.sync_api import Browser, Page, expect  # noqa: E402  # the path above comes first

from tests.browser.keyboard import press  # noqa: E402
from tests.browser.running import Running, assay, chromium  # noqa: E402

PICTURES = ROOT / "docs" / "screenshots"
COPIES = 250  # of the sample file, so that its audit can be seen at work
LARGEST = 250_000  # bytes of one picture
TALLEST = 1500  # CSS pixels; what lies below is cut off
DESKTOP = {"width": 1280, "height": 860}
PHONE = {"width": 390, "height": 844}
# What an expert would say of the sample answers: made up (3) or against the context (2); all else is supported (1).
MADE_UP = (
    "recommendation", "employer", "best rates", "telephone", "six instalments", "day of the increase",
    "收入证明", "附加运动险", "性价比", "一小时内上门", "九折",
)  # fmt: skip
WRONG = ("2 percent", "70th", "6.49", "free of charge", "8 pm", "200元", "十日内可以解除", "无需通知", "一至四类")


class Studio:
    """Signed-in browsers and a camera."""

    def __init__(self, server: Running, browser: Browser, folder: Path) -> None:
        self.server, self.browser, self.folder = server, browser, folder

    def page(self, name: str = "", language: str = "en", **options: Any) -> Page:
        """A page of this person in this language; an empty name is a visitor."""
        settings = {"viewport": DESKTOP, "base_url": self.server.url, "reduced_motion": "reduce", **options}
        page = self.browser.new_context(**settings).new_page()
        page.goto("/account/login/")
        if language == "zh-hans":
            page.click("button[name=language][value=zh-hans]")
        if name:
            page.fill("#id_username", name)
            page.fill("#id_password", self.server.logins[name])
            page.click("main form button[type=submit]")
            expect(page).to_have_url("/projects/")
        return page

    def shoot(self, page: Page, name: str, whole: bool = True) -> None:
        """One picture: the page from its top, or with whole=False only what the window shows."""
        path = PICTURES / f"{name}.png"
        for close in page.locator("[data-close-message]:visible").all():
            close.click()
        page.evaluate("window.scrollTo(0, 0)")
        page.mouse.move(0, 0)
        if whole:
            height = min(page.evaluate("document.documentElement.scrollHeight"), TALLEST)
            page.screenshot(
                path=path,
                full_page=True,
                clip={"x": 0, "y": 0, "width": page.viewport_size["width"], "height": height},  # type: ignore[index]
            )
        else:
            page.screenshot(path=path)
        size = path.stat().st_size
        print(f"{name:<28} {size // 1000:>4} kB{'   too large' if size > LARGEST else ''}")


def before_the_review(studio: Studio) -> str:
    """Sign-in, projects, and an audit as its judges left it; the address of that audit."""
    studio.shoot(studio.page(), "login", whole=False)
    page = studio.page("analyst")
    studio.shoot(page, "projects")
    page.goto("/projects/sample/")
    studio.shoot(page, "project")
    page.click("a[href*='/audits/'] >> text=loan-desk")
    page.wait_for_load_state()
    address = page.url
    studio.shoot(page, "result")
    page.goto(f"{address}claims/")
    studio.shoot(page, "claims")
    page.locator(".claims__text", has_text="2 percent").click()
    page.wait_for_load_state()
    studio.shoot(page, "sample")
    page.goto("/projects/sample/judges/")
    studio.shoot(page, "judges")
    chinese = studio.page("analyst", "zh-hans")
    chinese.goto("/projects/sample/")
    chinese.click("a[href*='/audits/'] >> text=insurance-zh")
    chinese.wait_for_load_state()
    studio.shoot(chinese, "result-zh")
    manager = studio.page("manager")
    manager.goto(f"{address}certificate/")
    studio.shoot(manager, "certificate-not-ready")
    return address


def a_running_audit(studio: Studio) -> None:
    """A larger file goes in, so that its audit can be seen at work; it is cancelled afterwards."""
    page = studio.page("analyst")
    page.goto("/projects/sample/datasets/new/")
    page.set_input_files("#id_file", _many_rows(studio.folder / "loan-desk-october.csv"))
    page.click("form[data-upload] button[type=submit]")
    expect(page.locator("#mapping-form")).to_be_visible()
    page.select_option("#id_answer", "reply")
    page.check("input[name=contexts][value=retrieved]")
    page.select_option("#id_question", "customer asked")
    page.select_option("#id_id", "ticket")
    expect(page.locator("#mapping-preview .firsts")).to_contain_text("Harbour personal loan?")
    studio.shoot(page, "mapping")
    page.click("#mapping-form .button-primary")
    expect(page.locator("#dataset-state a[href*='/audits/new/']")).to_be_visible(timeout=60_000)
    studio.shoot(page, "dataset")
    page.click("#dataset-state a[href*='/audits/new/']")
    studio.shoot(page, "audit-new")
    page.click(".plan-form .button-primary")
    expect(page.locator(".live__title")).to_contain_text(re.compile(r"[3-8]\d\s%"), timeout=120_000)
    studio.shoot(page, "audit-running")
    page.click("#cancel")
    page.click("#confirm-dialog [data-confirm-yes]")
    expect(page.locator("#pause")).to_have_count(0)


def _many_rows(path: Path) -> Path:
    with (ROOT / "audits" / "samples" / "loan-desk.csv").open(encoding="utf-8-sig", newline="") as file:
        _, *rows = csv.reader(file)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["ticket", "customer asked", "retrieved", "reply"])
        for copy in range(COPIES):  # each asked by another customer, so that no row is there twice
            for identifier, question, *rest in rows:
                asked = f"{question} (customer {copy + 1})" if copy else question
                writer.writerow([f"{identifier.replace('-', '')}{copy:03}", asked, *rest])
    return path


def at_the_desk(studio: Studio) -> None:
    """An expert settles all claims with one key each; pictures of the first ones in each language."""
    page = studio.page("expert")
    page.goto("/review/")
    studio.shoot(page, "desk-waiting")
    press(page, "n")
    desk = page.locator("#desk")
    expect(desk).to_have_attribute("data-desk", "claim")
    taken: set[str] = set()
    while desk.get_attribute("data-desk") == "claim":
        claim = page.locator("#claim").inner_text()
        language = "zh" if re.search("[\u4e00-\u9fff]", claim) else "en"
        if language not in taken:
            taken.add(language)
            _shoot_desk(studio, page, language)
        slot = page.locator(".desk__work").get_attribute("data-slot")
        press(page, _label(claim))
        expect(page.locator(f".desk__work[data-slot='{slot}']")).to_have_count(0)
        if _label(claim) != "1" and language == "en" and "verdicts" not in taken:
            taken.add("verdicts")
            press(page, "v")
            expect(page.locator(".said-own")).to_be_visible()
            studio.shoot(page, "desk-verdicts", whole=False)
            press(page, "k")
            expect(page.locator(".said-own")).to_have_count(0)
    studio.shoot(page, "desk-done")
    page.goto("/review/mine/")
    studio.shoot(page, "my-labels", whole=False)
    manager = studio.page("manager")
    manager.goto("/projects/sample/review/manage/")
    studio.shoot(manager, "review-manage")


def _shoot_desk(studio: Studio, page: Page, language: str) -> None:
    if language == "en":
        studio.shoot(page, "desk", whole=False)
        press(page, "g")
        expect(page.locator("#guidelines")).to_be_visible()
        studio.shoot(page, "desk-guidelines", whole=False)
        page.keyboard.press("Escape")
        expect(page.locator("#guidelines")).to_be_hidden()
        return
    page.goto("/projects/")  # gives the claim back, so that it is free for the next windows
    for name, options in (("desk-zh", {}), ("desk-zh-phone-dark", {"viewport": PHONE, "color_scheme": "dark"})):
        other = studio.page("expert", "zh-hans", **options)
        other.goto("/review/")
        press(other, "n")
        expect(other.locator("#desk")).to_have_attribute("data-desk", "claim")
        studio.shoot(other, name, whole=False)
        other.goto("/projects/")
        other.context.close()
    page.goto("/review/")  # takes the claim up again by itself
    expect(page.locator("#desk")).to_have_attribute("data-desk", "claim")


def _label(claim: str) -> str:
    if any(words in claim for words in MADE_UP):
        return "3"
    return "2" if any(words in claim for words in WRONG) else "1"


def after_the_review(studio: Studio, address: str) -> None:
    """Agreement, the certificate, and what a stranger sees of it."""
    manager = studio.page("manager")
    manager.goto(address)
    expect(manager.get_by_text("Hallucination rate, corrected by experts")).to_be_visible()
    studio.shoot(manager, "result-corrected")
    for name in ("agreement", "bias"):
        manager.goto(f"{address}{name}/")
        studio.shoot(manager, name)
    manager.goto(f"{address}certificate/")
    studio.shoot(manager, "certificate-ready")
    manager.click("#issue")
    studio.shoot(manager, "certificate-confirm", whole=False)
    manager.click("#confirm-dialog [data-confirm-yes]")
    number = manager.locator(".certificate-row__number").inner_text()
    studio.shoot(manager, "certificate-issued")
    for language in ("en", "zh"):
        _print(studio, manager, f"/verify/{number}/{language}.pdf", f"certificate-pdf-{language}")
    visitor = studio.page(language="zh-hans")
    visitor.goto(f"/verify/{number}/")
    studio.shoot(visitor, "verify-number-zh")
    visitor = studio.page()
    visitor.goto("/verify/")
    studio.shoot(visitor, "verify")
    altered = studio.folder / f"{number}-altered.json"
    answer = visitor.request.get(f"/verify/{number}/certificate.json").body()
    altered.write_bytes(answer.replace(b'"threshold":0.05', b'"threshold":0.09', 1))
    visitor.set_input_files("input[type=file]", altered)
    visitor.click("form[enctype] button[type=submit]")
    studio.shoot(visitor, "verify-altered")


def _print(studio: Studio, page: Page, url: str, name: str) -> None:
    with page.expect_download() as download:
        page.click(f"a[href='{url}'] >> nth=0")
    pdf = studio.folder / f"{name}.pdf"
    download.value.save_as(pdf)
    command = ["pdftoppm", "-png", "-r", "80", "-f", "1", "-l", "1", "-singlefile", pdf, PICTURES / name]
    subprocess.run(command, check=True)  # noqa: S603  # a fixed command line


def main() -> None:
    """Take all pictures."""
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, assay(Path(folder)) as server, chromium() as browser:
        server.wait_for_line("Review of audit 2 opened")
        studio = Studio(server, browser, Path(folder))
        address = before_the_review(studio)
        a_running_audit(studio)
        at_the_desk(studio)
        after_the_review(studio, address)


if __name__ == "__main__":
    main()
