"""The desk: what an expert sees and does, what nobody else may, and that nothing is told too early."""

import re
import uuid
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from audits.models import Audit, Claim, Project, Role, Sample
from review.models import Adjudication, ReviewItem, Skip, Slot
from review.queue import take
from review.spotcheck import open_review
from tests.review.factory import C, S, U, expire, make_audit

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true", "HX-Target": "desk"}


@pytest.fixture
def audit(project: Project) -> Audit:
    """Two disputed claims and one agreed claim, all for experts."""
    audit = make_audit(project, [(S, C), (S, U), (S, S)])
    open_review(audit)
    return audit


@pytest.fixture
def browser(signed_in: Any, expert: Any) -> Client:
    """The expert's browser."""
    return signed_in(expert)


@pytest.fixture
def slot(audit: Audit, browser: Client, expert: Any) -> Slot:
    """The claim that the expert has taken."""
    browser.post(reverse("review_take"))
    return Slot.objects.held().get(reviewer=expert)


def label(browser: Client, slot: Slot, word: str = U, key: str = "", **more: str) -> Any:
    """Send a label as the form does."""
    data = {"label": word, "token": str(slot.token), "key": key or str(uuid.uuid4()), **more}
    return browser.post(reverse("review_label", args=(slot.code,)), data)


# --- Taking ---------------------------------------------------------------------------------------------------


def test_looking_takes_nothing(audit: Audit, browser: Client) -> None:
    page = browser.get(reverse("review_desk"))
    assert "3 claims wait for you" in page.content.decode()
    assert not Slot.objects.held().exists()


def test_taking_shows_the_claim_with_evidence_answer_and_question(browser: Client, slot: Slot) -> None:
    page = browser.get(reverse("review_desk")).content.decode()
    claim = slot.item.claim
    assert re.search(rf'<h1 id="claim"[^>]*>{re.escape(claim.text)}</h1>', page)
    assert "When did the branch open?" in page
    assert '<mark class="mark-claim" id="claim-in-answer">' in page
    assert "mark-match" in page
    for key in "1234":
        assert f'aria-keyshortcuts="{key}"' in page


def test_the_desk_of_one_project_offers_only_its_claims(
    audit: Audit, browser: Client, expert: Any, person: Any
) -> None:
    other = Project.objects.create(name="Other", slug="other")
    other.memberships.create(user=expert, role=Role.EXPERT)
    page = browser.get(reverse("project_review", args=("other",))).content.decode()
    assert "Nothing is under review" in page
    browser.post(reverse("review_take"), {"project": "other"})
    assert not Slot.objects.held().exists()


# --- Blindness ------------------------------------------------------------------------------------------------


def test_the_page_tells_nothing_of_the_judges_before_the_label(browser: Client, slot: Slot) -> None:
    for page in (browser.get(reverse("review_desk")), browser.post(reverse("review_take"), headers=HTMX)):
        text = page.content.decode().lower()
        for word in ("rationale", "openai", "anthropic", "spot", "dispute", "judge a", "judge b", "opened in 1994</"):
            assert word not in text
        # The other strata have the names of labels, which stand on the buttons.
        assert slot.item.kind not in text and "supported_vague" not in text


def test_a_dispute_and_a_spot_check_look_the_same(
    browser: Client, audit: Audit, expert: Any, project: Project
) -> None:
    Claim.objects.update(text="One text.", start=0, end=5)
    Sample.objects.update(answer="One text.", contexts=["One context."])
    pages = {}
    while len(pages) < 2:
        browser.post(reverse("review_take"))
        slot = Slot.objects.held().get(reviewer=expert)
        page = browser.get(reverse("review_desk")).content.decode()
        page = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}|[0-9A-Za-z]{64}", "UUID", page)
        pages[slot.item.kind] = re.sub(r"\d of \d", "n", page)
        Slot.objects.filter(pk=slot.pk).update(state="done", lease_until=None, token=None)
    first, second = pages.values()
    assert first == second


def test_the_reveal_comes_after_the_label_without_vendor_names(browser: Client, slot: Slot) -> None:
    answer = browser.post(
        reverse("review_label", args=(slot.code,)),
        {"label": U, "token": str(slot.token), "key": str(uuid.uuid4())},
        headers=HTMX,
    ).content.decode()
    assert "Judge A said" in answer and "Judge B said" in answer
    assert "RATIONALE of seat A" in answer and "opened in 1994" in answer
    assert "openai" not in answer and "anthropic" not in answer
    assert answer.lstrip().startswith('<div id="desk"')


def test_nobody_sees_a_reveal_through_anothers_label(
    browser: Client, slot: Slot, person: Any, signed_in: Any
) -> None:
    label(browser, slot)
    other = signed_in(person("emil", slot.item.plan.audit.project, Role.EXPERT))
    assert other.get(reverse("review_saved", args=(Adjudication.objects.get().pk,))).status_code == 404


def test_going_on_at_once_reveals_nothing(browser: Client, slot: Slot) -> None:
    browser.post(reverse("review_pace"), {"go_on": "1"})
    page = label(browser, slot, headers="").client.get(reverse("review_desk")).content.decode()
    saved = Adjudication.objects.get()
    assert not saved.revealed
    shown = browser.get(reverse("review_saved", args=(saved.pk,))).content.decode()
    assert "RATIONALE" not in shown and "RATIONALE" not in page


# --- Labels ---------------------------------------------------------------------------------------------------


def test_a_label_is_saved_and_shown_without_scripts(browser: Client, slot: Slot) -> None:
    answer = label(browser, slot, U, reason="Not in the text.")
    saved = Adjudication.objects.get()
    assert answer.status_code == 302 and answer.url == reverse("review_saved", args=(saved.pk,))
    page = browser.get(answer.url).content.decode()
    assert "Saved." in page and "Not in the text." in page and "Judge A said" in page
    assert (saved.label, saved.reason, saved.revealed) == (U, "Not in the text.", True)


def test_a_double_click_saves_once(browser: Client, slot: Slot) -> None:
    key = str(uuid.uuid4())
    first, second = label(browser, slot, U, key), label(browser, slot, U, key)
    assert first.url == second.url
    assert Adjudication.objects.count() == 1


@pytest.mark.parametrize("word", ["", "disputed", "supported", "<b>"])
def test_no_label_no_row(browser: Client, slot: Slot, word: str) -> None:
    assert label(browser, slot, word).status_code == 400
    assert not Adjudication.objects.exists()


def test_a_late_label_is_told_in_words(browser: Client, slot: Slot, person: Any, project: Project) -> None:
    expire(slot)
    take(person("emil", project, Role.EXPERT), [project])
    data = {"label": S, "token": str(slot.token), "key": str(uuid.uuid4())}
    page = browser.post(reverse("review_label", args=(slot.code,)), data, headers=HTMX).content.decode()
    assert "extra opinion" in page and "RATIONALE" not in page


def test_a_label_that_is_taken_back_gives_its_reason_back(browser: Client, slot: Slot) -> None:
    label(browser, slot, reason="见第 <3> 条")
    browser.post(reverse("review_undo", args=(Adjudication.objects.get().pk,)))
    page = browser.get(reverse("review_desk")).content.decode()
    assert re.search(r'<textarea id="reason"[^>]*>见第 &lt;3&gt; 条</textarea>', page)


def test_a_reason_of_somebody_else_is_not_shown(browser: Client, slot: Slot, person: Any, signed_in: Any) -> None:
    other = person("otto", slot.item.plan.audit.project, Role.EXPERT)
    label(browser, slot, reason="seen by me alone")
    browser.post(reverse("review_undo", args=(Adjudication.objects.get().pk,)))
    Slot.objects.exclude(pk=slot.pk).update(state=Slot.State.DONE, reviewer=None)
    expire(Slot.objects.get(pk=slot.pk))
    theirs = signed_in(other)
    page = theirs.post(reverse("review_take"), headers=HTMX).content.decode()
    assert slot.item.claim.text in page and "seen by me alone" not in page


def test_undo_puts_the_claim_back_on_the_desk(browser: Client, slot: Slot) -> None:
    label(browser, slot)
    pk = Adjudication.objects.get().pk
    answer = browser.post(reverse("review_undo", args=(pk,)))
    assert answer.url == reverse("review_desk")
    assert slot.item.claim.text in browser.get(answer.url).content.decode()
    browser.post(reverse("review_undo", args=(pk,)))
    assert Adjudication.objects.count() == 2, "twice is once"


# --- Skipping, renewing, releasing ----------------------------------------------------------------------------


def test_skipping_takes_a_reason_and_the_next_claim_follows(browser: Client, slot: Slot) -> None:
    url, data = reverse("review_skip", args=(slot.code,)), {"token": str(slot.token), "skip_reason": "unclear"}
    for _ in range(2):
        page = browser.post(url, data | {"reason": "Which branch?"}, headers=HTMX).content.decode()
    assert slot.item.claim.text not in page
    skipped = Skip.objects.get()
    assert (skipped.reason, skipped.note) == ("unclear", "Which branch?")
    assert browser.post(url, data | {"skip_reason": "bored"}).status_code == 400


def test_renewing_says_when_the_claim_is_in_other_hands(browser: Client, slot: Slot, person: Any) -> None:
    url, data = reverse("review_renew", args=(slot.code,)), {"token": str(slot.token)}
    assert browser.post(url, data).status_code == 204
    expire(slot)
    take(person("emil", slot.item.plan.audit.project, Role.EXPERT), [slot.item.plan.audit.project])
    assert browser.post(url, data).status_code == 409


def test_releasing_frees_the_claim(browser: Client, slot: Slot) -> None:
    for _ in range(2):
        answer = browser.post(reverse("review_release", args=(slot.code,)), {"token": str(slot.token)})
        assert answer.status_code == 204
    assert not Slot.objects.held().exists()


# --- Empty desks ----------------------------------------------------------------------------------------------


def test_each_empty_desk_says_its_own_reason(audit: Audit, browser: Client, person: Any, signed_in: Any) -> None:
    project = audit.project
    colleague = person("emil", project, Role.EXPERT)
    for _ in range(2):
        browser.post(reverse("review_take"))
        label(browser, Slot.objects.held().get())
    last = take(colleague, [project])
    assert "1 claim is with colleagues" in browser.get(reverse("review_desk")).content.decode()
    theirs = signed_in(colleague)
    theirs.post(reverse("review_skip", args=(last.code,)), {"token": str(last.token), "skip_reason": "unclear"})
    assert "You skipped 1 claim" in theirs.get(reverse("review_desk")).content.decode()
    theirs.post(reverse("review_take"), {"again": "1"})
    label(theirs, Slot.objects.held().get())
    for one in (browser, theirs):
        assert "All claims are settled" in one.get(reverse("review_desk")).content.decode()


def test_a_person_without_the_role_is_told_so(signed_in: Any, manager: Any) -> None:
    page = signed_in(manager).get(reverse("review_desk"))
    assert page.status_code == 200 and "You are not an expert" in page.content.decode()


# --- Everybody else -------------------------------------------------------------------------------------------


def actions(slot: Slot) -> list[str]:
    """Every address that changes something on this slot."""
    return [reverse(f"review_{name}", args=(slot.code,)) for name in ("label", "skip", "renew", "release")]


def test_acts_refuse_get(browser: Client, slot: Slot) -> None:
    label(browser, slot)
    undo = reverse("review_undo", args=(Adjudication.objects.get().pk,))
    for url in (*actions(slot), undo, reverse("review_take"), reverse("review_pace")):
        assert browser.get(url).status_code == 405


def test_strangers_find_nothing_and_other_roles_may_not(
    slot: Slot, stranger: Any, manager: Any, analyst: Any, signed_in: Any
) -> None:
    for url in actions(slot):
        assert signed_in(stranger).post(url).status_code == 404
        for member in (manager, analyst):
            assert signed_in(member).post(url).status_code == 403
    assert signed_in(stranger).get(reverse("project_review", args=("loan-desk",))).status_code == 404
    assert signed_in(stranger).post(reverse("review_take"), {"project": "loan-desk"}).status_code == 404
    for member in (manager, analyst):
        assert signed_in(member).post(reverse("review_take")).status_code == 403
    assert not Adjudication.objects.exists() and not Skip.objects.exists()


def test_without_a_session_one_is_sent_to_sign_in(slot: Slot) -> None:
    for url in (reverse("review_desk"), reverse("project_review", args=("loan-desk",))):
        assert Client().get(url).url.startswith(reverse("login"))


def test_managers_see_how_far_the_review_is_and_no_label(slot: Slot, manager: Any, signed_in: Any) -> None:
    page = signed_in(manager).get(reverse("project_review", args=("loan-desk",))).content.decode()
    assert "0 of 3" in page and "1 claim is open on a desk now" in page
    assert ReviewItem.objects.first().claim.text not in page


def test_hostile_text_stays_text(audit: Audit, browser: Client) -> None:
    Claim.objects.update(text="<script>alert(1)</script>")
    browser.post(reverse("review_take"))
    page = browser.get(reverse("review_desk")).content.decode()
    assert "<script>alert" not in page and "&lt;script&gt;alert(1)" in page
