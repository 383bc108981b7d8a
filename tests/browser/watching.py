"""What must be true of every page, whatever is on it: quiet console, right language, room on a phone, accessible."""

import re
from dataclasses import dataclass, field
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import ConsoleMessage, Page

PHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1280, "height": 900}
SERIOUS = {"serious", "critical"}
LANGUAGES = {"en": "en", "zh-hans": "zh-Hans"}
# Words of the interface, from every page. None of them may be left on a Chinese page.
ENGLISH = (
    "Projects|Review|Verify|Sign in|Sign out|Dark theme|Account|Skip to the content|Overview|Certificates|Judges"
    "|People|Datasets?|Audits?|Upload|Import|Later|Cancel|Delete|Answer|Question|Contexts?|Identifier|Encoding|Line"
    "|Columns|Claims?|Samples?|Result|Agreement|Download|Pause|Resume|Judging|Paused|Panel|Primary judge|Extractor"
    "|Second judge|Acceptance rule|Expected cost|Start the audit|Hallucination rate|Faithfulness|Coverage|Accepted"
    "|Counted apart|Refusals|Unscored|Disputed|Supported|Contradicted|Unverified|Vague|Decision|Verdict|Filter"
    "|Evidence|Your reason|Skip|Keys|Undo|Next|Previous|Settled|Begin|You said|Judge [AB]|What is this|Ready|Number"
    "|Not ready yet|Issued|Revoked?|Reason|Version|Valid|By number|By file|Look up|Key|Undefined|unknown|Total|Status"
    "|Started|optional|claims?|samples?|and|the|with|from|not|this|are"
)
SAMPLE_DATA = ("Sample · 示例", "Example Bank", "Loan assistant", "loan-desk", "insurance-zh", "Assay")
# Reads what a person sees, apart from data, code and what is marked as English.
VISIBLE_WORDS = """() => {
  const foreign = '[lang="en"], .data-text, .mono, code, pre, kbd, script, style, template, .brand, .explain';
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement;
    if (!parent || parent.closest(foreign) || !parent.checkVisibility()) continue;
    const text = walker.currentNode.textContent.trim();
    if (text) found.push(text);
  }
  return found;
}"""
WIDER_THAN_PAGE = """() => {
  const limit = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= limit) return [];
  return [...document.querySelectorAll('body *')]
    .filter((one) => one.getBoundingClientRect().right > limit + 1 && !one.closest('.table-wrap, .matrix-box, pre'))
    .slice(0, 5).map((one) => one.tagName + '.' + one.className + ' ' + one.getBoundingClientRect().right);
}"""
CUT_ON_THE_LEFT = """() => [...document.querySelectorAll('main *')]
  .filter((one) => one.getBoundingClientRect().width > 1 && one.getBoundingClientRect().left < -1)
  .filter((one) => one.checkVisibility() && !one.closest('.table-wrap, .tabs, .matrix-box, pre, svg'))
  .slice(0, 5).map((one) => one.tagName + '.' + one.className + ' ' + one.getBoundingClientRect().left)"""


@dataclass
class Watch:
    """Collects what a page's console says. `expected`: patterns of answers that a test asks for, such as a 404."""

    problems: list[str] = field(default_factory=list)
    # A request that a later one replaces, or that leaving the page ends, is no error, though HTMX logs it as one.
    expected: list[str] = field(default_factory=lambda: ["htmx:(sendAbort|afterRequest)"])

    def on(self, page: Page) -> None:
        """Begin to listen."""
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.problems.append(f"{page.url}: {error}"))

    def _heard(self, message: ConsoleMessage) -> None:
        said = f"{message.text} ({message.location.get('url', '')})"
        wanted = message.type == "error" or "Content Security Policy" in message.text
        if wanted and not any(re.search(pattern, said) for pattern in self.expected):
            self.problems.append(said)


@dataclass
class Look:
    """Looks at pages as they come by and says of each what is wrong with it; each kind of page is looked at once."""

    language: str
    brand: tuple[str, ...] = ()  # words of the data that may stand anywhere, such as names of projects and files
    seen: set[str] = field(default_factory=set)

    def at(self, page: Page, name: str) -> None:
        """Check the page in both themes, at both widths. AssertionError lists all that is wrong."""
        if name in self.seen:
            return
        self.seen.add(name)
        wrong = self._language(page) + self._accessible(page, "light") + self._accessible(page, "dark")
        page.emulate_media(color_scheme="light")
        page.set_viewport_size(PHONE)  # type: ignore[arg-type]
        wrong += [f"too wide for a phone: {one}" for one in page.evaluate(WIDER_THAN_PAGE)]
        wrong += [f"cut off on a phone: {one}" for one in page.evaluate(CUT_ON_THE_LEFT)]
        page.set_viewport_size(DESKTOP)  # type: ignore[arg-type]
        assert not wrong, f"{name} ({self.language}, {page.url}):\n" + "\n".join(wrong)

    def _language(self, page: Page) -> list[str]:
        wrong = []
        if page.evaluate("document.documentElement.lang") != LANGUAGES[self.language]:
            wrong.append("the page's lang is " + page.evaluate("document.documentElement.lang"))
        if self.language == "zh-hans":
            wrong += [f"English words: {text!r}" for text in page.evaluate(VISIBLE_WORDS) if self._is_english(text)]
        return wrong

    def _is_english(self, text: str) -> bool:
        for word in (*SAMPLE_DATA, *self.brand):
            text = text.replace(word, "")
        return re.search(rf"(?<![\w-])(?:{ENGLISH})(?![\w-])", text) is not None

    def _accessible(self, page: Page, scheme: str) -> list[str]:
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
        found: list[dict[str, Any]] = Axe().run(page).response["violations"]
        return [
            f"{scheme}: {one['id']} ({one['impact']}): {node['html'][:160]} {_why(node)}"
            for one in found
            if one["impact"] in SERIOUS
            for node in one["nodes"][:3]
        ]


def _why(node: dict[str, Any]) -> str:
    return str(node.get("failureSummary", "")).replace("\n", " ")[:200]
