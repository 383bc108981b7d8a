"""Evidence on the page of an expert: highlights that tell nothing, and whole contexts that are fetched."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from audits.models import Audit, Claim, Project, Role, Sample, Verdict
from review.models import Slot
from review.passages import MARKS
from review.spotcheck import open_review
from tests.review.factory import C, S, U, expire, make_audit

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
CONTEXTS = ["The branch opened in 1950. It has a tower.", "Lyon has snow. Trams run. Rain falls."]


@pytest.fixture
def audit(project: Project) -> Audit:
    """One disputed claim."""
    audit = make_audit(project, [(S, C)])
    open_review(audit)
    return audit


def desk(browser: Client) -> str:
    """The desk without what differs from one request to the next."""
    page = browser.get(reverse("review_desk")).content.decode()
    return re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}|[0-9A-Za-z]{64}", "RANDOM", page)


def quotes(first: list[tuple[int, str]], second: list[tuple[int, str]]) -> None:
    """Let both judges quote these texts and nothing else."""
    for position, said in enumerate((first, second)):
        Verdict.objects.filter(member__position=position).update(
            quotes=[
                {"context": context, "text": text, "start": at, "end": at + len(text)}
                for context, text in said
                for at in [CONTEXTS[context].index(text)]
            ]
        )


def address(slot: Slot, number: int = 1) -> str:
    """Where the whole of a context is."""
    return reverse("review_context", args=(slot.code, number))


def text_of(html: str) -> str:
    """The texts of contexts in a piece of a page."""
    return "".join(re.sub("<[^>]+>", "", one) for one in re.findall(r'<span class="source".*?</span></span>', html))


# --- Highlights -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sentence", [(0, "opened in 1950"), (1, "Trams run")])
def test_the_page_is_the_same_whoever_quoted_a_sentence_and_how_much_of_it(
    browser: Client, slot: Slot, sentence: tuple[int, str]
) -> None:
    Sample.objects.update(contexts=CONTEXTS)
    context, text = sentence
    pages = set()
    for first, second in (
        ([sentence], []),
        ([], [sentence]),
        ([sentence], [sentence]),
        ([(context, text[3:])], [(context, text[:5]), sentence]),
    ):
        quotes(first, second)
        pages.add(desk(browser))
    assert len(pages) == 1
    assert "mark-worth" in pages.pop()


def test_the_page_is_the_same_whether_the_best_sentences_were_quoted_or_not(browser: Client, slot: Slot) -> None:
    Sample.objects.update(contexts=CONTEXTS)
    quotes([], [])
    page = desk(browser)
    assert page.count("data-mark=") == 3
    quotes([(0, "opened in 1950"), (0, "tower")], [(1, "Lyon has snow")])
    assert desk(browser) == page


def test_a_quote_that_was_not_found_highlights_nothing(browser: Client, slot: Slot) -> None:
    Sample.objects.update(contexts=CONTEXTS)
    quotes([], [])
    page = desk(browser)
    Verdict.objects.update(quotes=[{"context": 1, "text": "Trams run", "start": None, "end": None}])
    assert desk(browser) == page


def test_a_part_of_a_claim_has_the_quotes_of_the_claim(browser: Client, slot: Slot) -> None:
    Sample.objects.update(contexts=CONTEXTS)
    quotes([(1, "Rain falls")], [])
    page = desk(browser)
    assert "Rain falls." in page.split("data-mark=", 1)[1]
    claim = Claim.objects.get()
    fields = {
        name: getattr(claim, name) for name in ("audit", "extraction", "sample", "sentence", "text", "start", "end")
    }
    slot.item.claim = Claim.every.create(position=9, recut_of=claim, **fields)
    slot.item.save(update_fields=["claim"])
    assert desk(browser) == page


# --- Whole contexts ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sentence", ["Branch 0 opened in 1950. ", "分行0于1950年开业。"])
def test_a_long_context_is_sent_when_it_is_asked_for(browser: Client, slot: Slot, sentence: str) -> None:
    text = sentence * (200_000 // len(sentence))
    Claim.objects.update(text=sentence)
    Sample.objects.update(contexts=["Else.", text])
    page = desk(browser)
    assert len(page) < 60_000 and page.count("<mark") < 400
    assert address(slot, 2) in browser.get(reverse("review_desk")).content.decode()
    whole = browser.get(address(slot, 2), headers=HTMX).content.decode()
    assert text_of(whole) == text
    assert "Not all words of the claim are marked here" in whole
    assert whole.count('<mark class="mark-match') <= MARKS + 10  # one is parted where a highlight begins in it
    assert not whole.lstrip().startswith("<!doctype")


def test_pieces_say_where_they_stand_in_code_points(browser: Client, slot: Slot) -> None:
    text = "😀𠀀 is first. " + "Nothing. " * 100 + "Branch 0 opened in 1950. 🦦" + " Nothing." * 500
    Sample.objects.update(contexts=[text])
    whole = browser.get(address(slot), headers=HTMX).content.decode()
    pieces = re.findall(r'data-context="0" data-start="(\d+)">(.*?)</span></span>', whole)
    pieces += re.findall(r'data-context="0" data-start="(\d+)">(.*?)</span></span>', desk(browser))
    assert len(pieces) >= 3
    for start, html in pieces:
        assert text[int(start) :].startswith(re.sub("<[^>]+>", "", html))


def test_without_scripts_a_whole_context_is_a_page(browser: Client, slot: Slot) -> None:
    Sample.objects.update(contexts=["<script>alert(1)</script> " * 100])
    page = browser.get(address(slot)).content.decode()
    assert page.lstrip().startswith("<!doctype")
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page and "<script>alert" not in page


def test_a_whole_context_is_for_who_has_the_claim(
    browser: Client, slot: Slot, person: Any, project: Project, signed_in: Any, analyst: Any, stranger: Any
) -> None:
    colleague = signed_in(person("emil", project, Role.EXPERT))
    assert browser.get(address(slot)).status_code == 200
    assert browser.get(address(slot, 9)).status_code == browser.get(address(slot, 0)).status_code == 404
    assert browser.post(address(slot)).status_code == 405
    assert colleague.get(address(slot), headers=HTMX).status_code == 409
    assert colleague.get(address(slot)).headers["Location"] == reverse("review_desk")
    assert signed_in(analyst).get(address(slot)).status_code == 403
    assert signed_in(stranger).get(address(slot)).status_code == 404
    assert Client().get(address(slot)).status_code == 302
    expire(slot)
    assert browser.get(address(slot)).status_code == 200  # nobody has taken it yet
    colleague.post(reverse("review_take"))
    refused = browser.get(address(slot), headers=HTMX)
    assert refused.status_code == 409 and "ran out" in refused.content.decode()


def test_a_whole_context_tells_nothing_of_the_judges(browser: Client, slot: Slot) -> None:
    page = browser.get(address(slot), headers=HTMX).content.decode().lower()
    for word in ("rationale", "openai", "anthropic", "judge", "dispute", "mark-evidence"):
        assert word not in page


def test_after_the_label_the_whole_context_can_still_be_read(browser: Client, slot: Slot) -> None:
    data = {"label": U, "token": str(slot.token), "key": "12345678-1234-5678-1234-567812345678"}
    browser.post(reverse("review_label", args=(slot.code,)), data)
    assert browser.get(address(slot)).status_code == 200
