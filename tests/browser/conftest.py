"""The running product, the browser, and signed-in people for the tests of this folder."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.keyboard import begin
from tests.browser.running import Running, assay, chromium
from tests.browser.watching import DESKTOP, Look, Watch

PATIENCE = 30_000  # ms until an expectation gives up; none waits that long when all is well
Visit = Callable[..., Page]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything in this folder needs Chromium."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Assay with its sample project, as `make run` starts it."""
    with assay(tmp_path_factory.mktemp("assay")) as running:
        yield running


@pytest.fixture(scope="session")
def reviewing(server: Running) -> Running:
    """The server once both audits of the sample project are under review."""
    server.wait_for_line("Review of audit 2 opened")
    return server


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium."""
    expect.set_options(timeout=PATIENCE)
    with chromium() as found:
        yield found


@pytest.fixture(scope="session")
def cookies() -> dict[tuple[str, str], Any]:
    """Signed-in states, so that each person signs in once per language."""
    return {}


@pytest.fixture(params=["en", "zh-hans"])
def language(request: pytest.FixtureRequest) -> str:
    """Both languages of the interface."""
    return str(request.param)


@pytest.fixture
def look(language: str) -> Look:
    """Checks pages of the journey's language."""
    return Look(language)


@pytest.fixture
def watch() -> Iterator[Watch]:
    """What the consoles of all pages said; a test fails on any error that it did not expect."""
    watching = Watch()
    yield watching
    assert not watching.problems


@pytest.fixture
def visit(
    server: Running, browser: Browser, language: str, watch: Watch, cookies: dict[tuple[str, str], Any]
) -> Iterator[Visit]:
    """A function that gives a page of a browser of its own: visit() for anybody, visit("expert") for a person."""
    opened: list[BrowserContext] = []

    def come(name: str = "", **options: Any) -> Page:
        state = cookies.get((name, language))
        settings: dict[str, Any] = {"viewport": DESKTOP, "locale": "en-GB", "storage_state": state, **options}
        context = browser.new_context(base_url=server.url, reduced_motion="reduce", **settings)
        context.set_default_timeout(PATIENCE)
        opened.append(context)
        page = context.new_page()
        watch.on(page)
        if state is None:
            sign_in(page, name, server.logins.get(name, ""), language)
            cookies[name, language] = context.storage_state()
        return page

    yield come
    for context in opened:
        context.close()


@pytest.fixture
def desk(reviewing: Running, visit: Visit) -> Iterator[Page]:
    """An expert with a claim of the sample project in hand; the claim goes back at the end."""
    page = visit("expert")
    begin(page)
    yield page
    page.goto("/projects/")  # leaving the page gives the claims back


def sign_in(page: Page, name: str, password: str, language: str) -> None:
    """Choose the language with the button in the header, then sign in; an empty name stays outside."""
    page.goto("/account/login/")
    if language == "zh-hans":
        page.click("button[name=language][value=zh-hans]")
    if name:
        page.fill("#id_username", name)
        page.fill("#id_password", password)
        page.click("main form button[type=submit]")
        expect(page).to_have_url("/projects/")
