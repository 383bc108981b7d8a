"""The desk: what an expert sees and does, what nobody else may, and that nothing is told too early."""

import re
import uuid
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape

from audits.models import Audit, Claim, Project, Role, Sample, Verdict
from review.models import Adjudication, Assignment, Recut, ReviewItem, Skip, Slot
from review.queue import lease_end, take
from review.scope import Scope
from tests.review.factory import S, U, expire

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true", "HX-Target": "desk"}


def label(browser: Client, slot: Slot, word: str = U, key: str = "", headers: Any = None, **more: str) -> Any:
    """Send a label as the form does."""
    data = {"label": word, "token": str(slot.token), "key": key or str(uuid.uuid4()), **more}
    return browser.post(reverse("review_label", args=(slot.code,)), data, headers=headers)


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


def test_a_dispute_a_spot_check_and_a_known_label_look_the_same(
    browser: Client, audit: Audit, expert: Any, project: Project
) -> None:
    Claim.objects.update(text="One text.", start=0, end=9)
    Sample.objects.update(answer="One text.", contexts=["One context."])
    Verdict.objects.update(quotes=[], rationale="RATIONALE")
    gold = ReviewItem.objects.filter(kind="dispute").first()
    ReviewItem.objects.filter(pk=gold.pk).update(kind="gold", gold_label=S, gold_reason="GOLD REASON")
    gold.slots.update(reserved_for=expert)
    pages = {}
    for slot in Slot.objects.select_related("item"):
        Slot.objects.exclude(pk=slot.pk).update(lease_until=None, reviewer=None, token=None)
        token = {"reviewer": expert, "token": uuid.uuid4(), "lease_until": lease_end(), "taken_at": timezone.now()}
        Slot.objects.filter(pk=slot.pk).update(**token)
        for name in ("page", "part"):
            headers = HTMX if name == "part" else {}
            url, sent = reverse("review_take"), {} if name == "part" else None
            answer = (
                browser.post(url, sent, headers=headers) if sent is not None else browser.get(reverse("review_desk"))
            )
            text = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}|[0-9A-Za-z]{64}", "CODE", answer.content.decode())
            pages.setdefault(name, {})[slot.item.kind] = text
    for found in pages.values():
        assert found.keys() == {"dispute", "spot_check", "gold"}
        assert len(set(found.values())) == 1 and "One text." in found["gold"]


def test_after_the_label_the_next_claim_comes_and_the_verdicts_stay_hidden(browser: Client, slot: Slot) -> None:
    page = label(browser, slot, headers=HTMX).content.decode()
    assert page.lstrip().startswith('<div id="desk"') and "Saved, 1 of 3" in page
    assert 'data-desk="claim"' in page and "RATIONALE" not in page
    assert "See what the judges said" in page and not Adjudication.objects.get().revealed


def test_nobody_sees_a_reveal_through_anothers_label(
    browser: Client, slot: Slot, person: Any, signed_in: Any
) -> None:
    label(browser, slot)
    other = signed_in(person("emil", slot.item.plan.audit.project, Role.EXPERT))
    assert other.get(reverse("review_saved", args=(Adjudication.objects.get().pk,))).status_code == 404


# --- Labels ---------------------------------------------------------------------------------------------------


def test_a_label_is_saved_without_scripts(browser: Client, slot: Slot) -> None:
    answer = label(browser, slot, U, reason="Not in the text.", active_ms="2500", keys="1")
    saved = Adjudication.objects.get()
    assert answer.status_code == 302 and answer.url == reverse("review_desk")
    page = browser.get(answer.url).content.decode()
    assert "1 of 3 labelled by you" in page and 'data-desk="claim"' in page
    assert (saved.label, saved.reason, saved.keys, saved.revealed) == (U, "Not in the text.", 1, False)
    assert saved.active_ms is not None and saved.active_ms <= 2500


def test_a_double_click_saves_once(browser: Client, slot: Slot) -> None:
    key = str(uuid.uuid4())
    label(browser, slot, U, key)
    again = label(browser, slot, U, key, headers=HTMX).content.decode()
    assert "already had your label" in again
    assert Adjudication.objects.count() == 1


@pytest.mark.parametrize("same_form", [True, False])
def test_another_label_that_comes_too_late_is_offered_as_a_change(
    browser: Client, slot: Slot, same_form: bool
) -> None:
    key = str(uuid.uuid4())
    label(browser, slot, U, key, reason="first")
    page = label(browser, slot, S, key if same_form else "", reason="第二 <b>", headers=HTMX).content.decode()
    assert "had arrived already" in page and "第二 &lt;b&gt;</textarea>" in page
    assert re.search(r'value="SUPPORTED" required checked', page)
    assert [row.label for row in Adjudication.objects.all()] == [U]


def test_a_form_that_somebody_else_typed_is_not_saved(browser: Client, slot: Slot) -> None:
    answer = label(browser, slot, person="999999")
    assert answer.status_code == 409 and "Somebody else" in answer.content.decode()
    assert not Adjudication.objects.exists()


def test_marked_evidence_is_kept_and_nonsense_is_refused(browser: Client, slot: Slot) -> None:
    assert label(browser, slot, mark="0:9000:9001").status_code == 400
    assert label(browser, slot, mark="first to last").status_code == 400
    assert not Adjudication.objects.exists()
    label(browser, slot, mark="0:0:8")
    assert [mark.text for mark in Adjudication.objects.get().marks.all()] == ["The bank"]


@pytest.mark.parametrize("word", ["", "disputed", "supported", "<b>"])
def test_no_label_no_row(browser: Client, slot: Slot, word: str) -> None:
    assert label(browser, slot, word).status_code == 400
    assert not Adjudication.objects.exists()


def test_a_late_label_is_told_in_words(browser: Client, slot: Slot, person: Any, project: Project) -> None:
    expire(slot)
    take(person("emil", project, Role.EXPERT), Scope((project,)))
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


def test_nothing_is_skipped_in_an_audit_that_was_cancelled(browser: Client, slot: Slot, audit: Audit) -> None:
    Audit.objects.filter(pk=audit.pk).update(status=Audit.Status.CANCELLED)
    url, data = reverse("review_skip", args=(slot.code,)), {"token": str(slot.token), "skip_reason": "unclear"}
    answer = browser.post(url, data | {"reason": "typed"}, headers=HTMX)
    assert answer.status_code == 409 and "not under review any more" in answer.content.decode()
    assert not Skip.objects.exists()


def test_a_proposed_cut_goes_to_the_analysts_and_the_claim_is_skipped(browser: Client, slot: Slot) -> None:
    url = reverse("review_skip", args=(slot.code,))
    data = {"token": str(slot.token), "skip_reason": "two_claims", "recut": "Branch X opened.\r\n\r\n It was 1950. "}
    for wrong in ({"skip_reason": "not_my_field"}, {"recut": slot.item.claim.text}, {"recut": "a\nb\nc\nd\ne\nf"}):
        assert browser.post(url, data | wrong, headers=HTMX).status_code == 400
    assert not Skip.objects.exists() and not Recut.objects.exists()
    for _ in range(2):
        page = browser.post(url, data, headers=HTMX).content.decode()
    assert "Your proposal is with the analysts" in page and slot.item.claim.text not in page
    assert Recut.objects.get().texts == ["Branch X opened.", "It was 1950."] and Skip.objects.count() == 1


def test_renewing_says_when_the_claim_is_in_other_hands(browser: Client, slot: Slot, person: Any) -> None:
    url, data = reverse("review_renew", args=(slot.code,)), {"token": str(slot.token)}
    assert browser.post(url, data).status_code == 204
    expire(slot)
    take(person("emil", slot.item.plan.audit.project, Role.EXPERT), Scope((slot.item.plan.audit.project,)))
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
    last = take(colleague, Scope((project,)))
    browser.post(reverse("review_take"))
    for _ in range(2):
        label(browser, Slot.objects.held().exclude(pk=last.pk).get())
    assert "1 claim is with colleagues" in browser.get(reverse("review_desk")).content.decode()
    theirs = signed_in(colleague)
    theirs.post(reverse("review_skip", args=(last.code,)), {"token": str(last.token), "skip_reason": "unclear"})
    assert "You skipped 1 claim" in theirs.get(reverse("review_desk")).content.decode()
    theirs.post(reverse("review_take"), {"again": "1"})
    label(theirs, Slot.objects.held().get())
    for one, words in ((browser, "2 of the labels are yours"), (theirs, "1 of the labels is yours")):
        page = one.get(reverse("review_desk")).content.decode()
        assert "All claims are settled" in page and words in page


def test_a_filter_that_hides_claims_says_so_and_can_be_taken_off(audit: Audit, browser: Client) -> None:
    Sample.objects.filter(claims__text__contains="Branch 0").update(tags=["fees & rates"], language="zh")
    page = browser.get(reverse("review_desk"), {"tag": "rates"}).content.decode()
    assert "Your filter hides 3 claims" in page and f'href="{reverse("review_desk")}" data-act="next"' in page
    for chosen in ({"tag": "fees & rates"}, {"language": "zh", "project": "loan-desk"}):
        page = browser.get(reverse("review_desk"), chosen).content.decode()
        assert "1 claim waits for you" in page
        for name, value in chosen.items():
            assert f'<input type="hidden" name="{name}" value="{escape(value)}">' in page
        browser.post(reverse("review_take"), chosen)
        slot = Slot.objects.held().get()
        assert "Branch 0" in slot.item.claim.text
        Slot.objects.update(lease_until=None)
    form = browser.get(reverse("review_filter"), {"tag": "fees & rates"}).content.decode()
    assert '<option value="fees &amp; rates" selected>' in form and '<option value="zh">Chinese' in form


def test_experts_of_other_tags_are_told_that_nothing_is_assigned_to_them(
    audit: Audit, browser: Client, expert: Any
) -> None:
    Assignment.objects.create(project=audit.project, expert=expert, tag="medicine")
    page = browser.get(reverse("review_desk")).content.decode()
    assert "Nothing that is assigned to you is open" in page and "3 claims wait for experts of other tags" in page


def test_who_has_given_all_labels_hears_what_waits_for_a_colleague(
    audit: Audit, browser: Client, expert: Any
) -> None:
    for item in ReviewItem.objects.all():
        Slot.objects.create(item=item, number=2)
    ReviewItem.objects.update(needed=2)
    browser.post(reverse("review_take"))
    for _ in range(3):
        label(browser, Slot.objects.held().get())
    page = browser.get(reverse("review_desk")).content.decode()
    assert "Your labels are all in" in page and "3 claims wait for another expert" in page


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
    for url in (*actions(slot), undo, reverse("review_take"), reverse("review_next")):
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


def test_managers_are_led_to_how_far_the_review_is(slot: Slot, manager: Any, signed_in: Any) -> None:
    answer = signed_in(manager).get(reverse("project_review", args=("loan-desk",)))
    assert answer.url == reverse("review_manage", args=("loan-desk",))


def test_hostile_text_stays_text(audit: Audit, browser: Client) -> None:
    Claim.objects.update(text="<script>alert(1)</script>")
    browser.post(reverse("review_take"))
    page = browser.get(reverse("review_desk")).content.decode()
    assert "<script>alert" not in page and "&lt;script&gt;alert(1)" in page
