"""Pressing keys at the desk as a person does: not before the claim can have been read, not while a label is saved."""

from playwright.sync_api import Page

READY = "#desk[data-ready]:not([data-busy])"


def press(page: Page, key: str) -> None:
    """Press the key once the desk listens to it."""
    page.wait_for_selector(READY)
    page.keyboard.press(key)


def begin(page: Page, path: str = "/projects/sample/review/") -> None:
    """Come to the desk and take a claim."""
    page.goto(path)
    page.wait_for_selector(READY)
    if page.locator("#desk").get_attribute("data-desk") != "claim":
        page.keyboard.press("n")
    page.wait_for_selector("#desk[data-desk=claim][data-ready]")
