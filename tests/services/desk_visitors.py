"""Experts at the desk over HTTP: each with an own session, reading forms out of pages and sending them back."""

import html
import http.client
import random
import re
import threading
import time
import uuid
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.db import connections
from django.test import Client

from review.models import Slot
from tests.review.factory import C, S, expire

DONE, WAITS, BEGIN = "All claims are settled", ("with colleagues", "for another expert"), "for you</h1>"
OWN_LABEL = "a colleague decides between the labels"
DIFFERS = "What you have sent now differs"
SKIPPED = "nothing else waits for you"
PATIENCE = 90.0  # seconds without a claim and without "all claims are settled": somebody is stuck


@dataclass(frozen=True)
class Form:
    """The form of a claim in hand, as the page gave it."""

    action: str
    fields: Mapping[str, str]
    skip: str
    release: str

    @property
    def code(self) -> str:
        """The slot's."""
        return self.action.split("/")[-3]

    @property
    def key(self) -> uuid.UUID:
        """Names this form's label, however often it is sent."""
        return uuid.UUID(self.fields["key"])


def form_in(page: str) -> Form | None:
    """The form of the claim in a page; None when there is none."""
    found = re.search(r'<form id="decision"[^>]* action="([^"]+)".*?</form>', page, re.DOTALL)
    if found is None:
        return None
    inputs = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', found[0])
    skip = re.search(r'class="skip__reasons"[^>]* action="([^"]+)"', page)
    release = re.search(r'data-release="([^"]+)"', page)
    assert skip is not None and release is not None
    return Form(found[1], {name: html.unescape(value) for name, value in inputs}, skip[1], release[1])


@dataclass
class Ledger:
    """What all visitors saw, by many threads."""

    sent: list[tuple[Any, Form, str]] = field(default_factory=list)  # (person, form, label), answered as kept
    times: dict[str, list[float]] = field(default_factory=lambda: {"take": [], "label": []})  # seconds
    pages: Counter[str] = field(default_factory=Counter)  # by what they said
    wrong: list[str] = field(default_factory=list)
    moved: threading.Condition = field(default_factory=threading.Condition)


class Browser:
    """One window of a person; several share their session."""

    def __init__(self, address: str, cookies: dict[str, str], ledger: Ledger) -> None:
        self.cookies = cookies
        self.ledger = ledger
        self.connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=120)

    def ask(self, method: str, path: str, fields: Mapping[str, str] | None = None) -> tuple[int, str, Any]:
        """Status, text and headers of an answer, as HTMX asks for it."""
        headers = {
            "Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()),
            "X-CSRFToken": self.cookies.get(settings.CSRF_COOKIE_NAME, ""),
            "Content-Type": "application/x-www-form-urlencoded",
            "HX-Request": "true" if method == "POST" else "false",
            "Connection": "close",  # the server ends idle ones, and a browser would try again
        }
        self.connection.request(method, path, urlencode(fields or {}), headers)
        answer = self.connection.getresponse()
        text = answer.read().decode()
        for name, value in answer.getheaders():
            if name.lower() == "set-cookie":
                cookie, _, rest = value.partition("=")
                self.cookies[cookie] = rest.split(";")[0]
        if answer.status >= 400 and OWN_LABEL not in text:
            self.ledger.wrong.append(f"{answer.status} {method} {path}: {text[:200]}")
        return answer.status, text, answer.headers

    def close(self) -> None:
        """Close the window."""
        self.connection.close()


class Expert(threading.Thread):
    """Takes claims and labels them until the desk says that all are settled, with the habits of people."""

    def __init__(self, user: Any, address: str, ledger: Ledger, seed: int) -> None:
        super().__init__(name=user.get_username())
        client = Client()
        client.force_login(user)
        self.user = user
        self.ledger = ledger
        self.chance = random.Random(seed)
        cookies = {settings.SESSION_COOKIE_NAME: client.cookies[settings.SESSION_COOKIE_NAME].value}
        self.window, self.second_window = (Browser(address, cookies, ledger) for _ in range(2))
        self.stale: list[Form] = []  # left open until their time was over
        self.labels = 0

    def run(self) -> None:
        """Work until all is settled; what goes wrong is noted."""
        try:
            self.window.ask("GET", "/review/")
            self._work()
        except Exception as error:
            self.ledger.wrong.append(f"{self.name}: {type(error).__name__}: {error}")
        finally:
            self.window.close()
            self.second_window.close()
            connections.close_all()
            with self.ledger.moved:
                self.ledger.moved.notify_all()

    def _work(self) -> None:
        page, idle_since = "", time.monotonic()
        while True:
            form = form_in(page)
            if form is not None:
                idle_since = time.monotonic()
                page = self._act(form)
                continue
            if DONE in page and not self.stale:
                return
            if self.stale:
                page = self._label(self.stale.pop())
                continue
            if any(words in page for words in WAITS):
                with self.ledger.moved:
                    self.ledger.moved.wait(1)
            assert time.monotonic() - idle_since < PATIENCE, f"no claim, and not done either: {_heading(page)}"
            page = self._take(again=SKIPPED in page)

    def _take(self, again: bool = False) -> str:
        began = time.monotonic()
        _status, page, _ = self.window.ask("POST", "/review/take/", {"again": "1"} if again else {})
        self.ledger.times["take"].append(time.monotonic() - began)
        if form_in(page) is None:
            self.ledger.pages[_heading(page)] += 1
            if DONE in page and Slot.objects.open().exists():
                self.ledger.wrong.append(f"{self.name}: told that all is settled, and it is not")
        return page

    def _act(self, form: Form) -> str:
        """Do with a claim what people do."""
        habit = self.chance.random()
        if habit < 0.04:
            self.window.ask("POST", form.release, {"token": form.fields["token"]})
            return self._take()
        if habit < 0.08:
            fields = {"token": form.fields["token"], "skip_reason": "unclear"}
            return self.window.ask("POST", form.skip, fields)[1]
        if habit < 0.12 and len(self.stale) < 2:
            expire(Slot.objects.get(code=form.code))
            self.stale.append(form)
            return self._take()
        if habit < 0.2:
            return self._label(form, twice=True)
        return self._label(self.stale.pop() if self.stale and habit < 0.4 else form)

    def _label(self, form: Form, twice: bool = False) -> str:
        """Send a label; twice: from two windows at the same moment."""
        label = self.chance.choices((S, C), (4, 1))[0]
        other = threading.Thread(target=self._send_too, args=(form, label))
        if twice:
            other.start()
        began = time.monotonic()
        page = self._send(self.window, form, label)
        self.ledger.times["label"].append(time.monotonic() - began)
        if twice:
            other.join()
        self.labels += 1
        with self.ledger.moved:
            self.ledger.moved.notify_all()
        return page

    def _send_too(self, form: Form, label: str) -> None:
        try:
            self._send(self.second_window, form, label)
        except Exception as error:
            self.ledger.wrong.append(f"{self.name}, second window: {type(error).__name__}: {error}")

    def _send(self, window: Browser, form: Form, label: str) -> str:
        status, page, headers = window.ask("POST", form.action, {**form.fields, "label": label})
        if status == 200 and headers.get("Assay-Kept") == "1":
            self.ledger.sent.append((self.user, form, label))
        elif status == 409 and OWN_LABEL in page:
            self.ledger.pages["an arbiter who had sent an own label late"] += 1
        elif status == 200 and DIFFERS in page and re.search(rf'<input[^>]*value="{label}"[^>]* checked', page):
            self.ledger.pages["another label of one's own stands, this one waits in a form"] += 1
        else:
            self.ledger.wrong.append(f"{self.name}: a label was not kept: {status} {page[:200]}")
        return page


def _heading(page: str) -> str:
    found = re.search(r"<h1[^>]*>(.*?)</h1>", page)
    return re.sub(r"\d+", "n", found[1]) if found else page[:100]
