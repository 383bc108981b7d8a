"""Pages as a browser without scripts has them: text, links and forms. For tests that walk through the product."""

import html
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

from django.test import Client

SILENT = {"script", "style", "template", "title"}
BLOCKS = {"p", "div", "li", "td", "th", "dd", "dt", "h1", "h2", "h3", "br", "option"}


@dataclass
class Form:
    """A form with what it would send. buttons: (name, value, text)."""

    id: str
    action: str
    method: str
    fields: list[tuple[str, str]] = field(default_factory=list)
    buttons: list[tuple[str, str, str]] = field(default_factory=list)
    choices: dict[str, dict[str, str]] = field(default_factory=dict)  # select -> text of the option -> value

    def data(self, button: str = "", **values: Any) -> dict[str, Any]:
        """What is sent when `values` are filled in and the button with this text or value is pressed."""
        sent: dict[str, Any] = {}
        for name, value in self.fields:
            sent.setdefault(name, []).append(value)
        for name, value in values.items():
            sent[name] = value
        found = [(name, value) for name, value, text in self.buttons if button and button in (value, text)]
        assert found or not button, f"no button {button!r} in {self.buttons}"
        return sent | {name: value for name, value in found[:1] if name}


class Page(HTMLParser):
    """One answer of the server, read."""

    def __init__(self, response: Any) -> None:
        super().__init__()
        self.status: int = response.status_code
        self.path: str = response.request["PATH_INFO"]
        self.source = response.content.decode()
        self.forms: list[Form] = []
        self.links: dict[str, str] = {}  # text -> address
        self._by_id: dict[str, Form] = {}
        self._silent = 0
        self._words: list[str] = []
        self._open: dict[str, Any] = {}
        self.feed(self.source)
        self.text = " ".join("".join(self._words).split())

    def form(self, action: str) -> Form:
        """The form whose address ends so; AssertionError when there is none, or more than one."""
        found = [form for form in self.forms if form.action.endswith(action)]
        assert len(found) == 1, f"{len(found)} forms to …{action} on {self.path}: {[f.action for f in self.forms]}"
        return found[0]

    def has_form(self, action: str) -> bool:
        """Whether there is a form whose address ends so."""
        return any(form.action.endswith(action) for form in self.forms)

    def element_text(self, element_id: str) -> str:
        """The text of the first simple element with this id (one that holds no tags)."""
        found = re.search(rf'id="{re.escape(element_id)}"[^>]*>([^<]*)<', self.source)
        assert found, f"no element {element_id} on {self.path}"
        return html.unescape(found[1]).strip()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag in SILENT:
            self._silent += 1
        elif tag == "form" and given.get("method") != "dialog":
            form = Form(given.get("id", ""), given.get("action") or self.path, given.get("method", "get").lower())
            self.forms.append(form)
            if form.id:
                self._by_id[form.id] = form
            self._open["form"] = form
        elif tag == "a":
            self._open["link"] = (given.get("href", ""), len(self._words))
        elif tag in {"input", "textarea", "select", "button", "option"}:
            self._control(tag, given)
        if tag in BLOCKS:
            self._words.append(" ")

    def _control(self, tag: str, given: dict[str, str]) -> None:
        form = self._by_id.get(given.get("form", ""), self._open.get("form"))
        if form is None:
            return
        name, kind = given.get("name", ""), given.get("type", "text")
        if tag == "button":
            self._open["button"] = (form, name, given.get("value", ""), len(self._words))
        elif tag == "select":
            self._open["select"] = (form, name, "multiple" in given)
            form.choices[name] = {}
        elif tag == "option":
            self._option(given)
        elif tag == "textarea":
            self._open["textarea"] = (form, name, len(self._words))
        elif kind in {"checkbox", "radio"}:
            if "checked" in given:
                form.fields.append((name, given.get("value", "on")))
        elif name and kind not in {"file", "submit"}:
            form.fields.append((name, given.get("value", "")))

    def _option(self, given: dict[str, str]) -> None:
        form, name, multiple = self._open["select"]
        first = not multiple and all(pair[0] != name for pair in form.fields)
        if "selected" in given or first:
            form.fields[:] = [pair for pair in form.fields if multiple or pair[0] != name]
            form.fields.append((name, given.get("value", "")))
        self._open["option"] = (form, name, given.get("value", ""), len(self._words))

    def handle_endtag(self, tag: str) -> None:
        if tag in SILENT:
            self._silent -= 1
        elif tag == "form":
            self._open.pop("form", None)
        elif tag == "a" and (found := self._open.pop("link", None)):
            self.links.setdefault(self._since(found[1]), found[0])
        elif tag == "button" and (found := self._open.pop("button", None)):
            found[0].buttons.append((found[1], found[2], self._since(found[3])))
        elif tag == "option" and (found := self._open.pop("option", None)):
            found[0].choices[found[1]][self._since(found[3])] = found[2]
        elif tag == "textarea" and (found := self._open.pop("textarea", None)):
            found[0].fields.append((found[1], self._since(found[2])))

    def _since(self, place: int) -> str:
        return " ".join("".join(self._words[place:]).split())

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self._words.append(data)


class Visitor:
    """A person with a browser without scripts: opens addresses, fills in forms, follows redirects."""

    def __init__(self, user: Any = None, language: str = "en") -> None:
        self.client = Client(enforce_csrf_checks=True, headers={"accept-language": language})
        if user is not None:
            self.client.force_login(user)

    def open(self, url: str, status: int = 200) -> Page:
        """Open a page; AssertionError if the server answers with another status."""
        return self._read(self.client.get(url, follow=True), status)

    def send(self, form: Form, button: str = "", status: int = 200, **values: Any) -> Page:
        """Fill in a form and send it; the page at the end of the redirects."""
        data = form.data(button, **values)
        if form.method == "get":
            return self._read(self.client.get(form.action, data, follow=True), status)
        return self._read(self.client.post(form.action, data, follow=True), status)

    def download(self, url: str) -> bytes:
        """The bytes behind a link."""
        response = self.client.get(url)
        assert response.status_code == 200, f"{response.status_code} for {url}"
        streamed: bytes = b"".join(response) if response.streaming else response.content  # type: ignore[arg-type]
        return streamed

    def _read(self, response: Any, status: int) -> Page:
        page = Page(response)
        assert page.status == status, f"{page.status} at {page.path}: {page.text[:600]}"
        return page
