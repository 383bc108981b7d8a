"""After the label: the verdicts on demand, keeping and changing, and what a third expert sees."""

import re
import uuid
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from audits.models import Audit, Event, Project, Role
from review.models import Adjudication, DeskSettings, ReviewItem, Slot
from review.queue import take
from review.rules import set_rules
from review.scope import Scope
from tests.review.factory import C, S, U

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true", "HX-Target": "desk"}


def label(browser: Client, slot: Slot, word: str = U, **more: str) -> str:
    data = {"label": word, "token": str(slot.token), "key": str(uuid.uuid4()), **more}
    return str(browser.post(reverse("review_label", args=(slot.code,)), data, headers=HTMX).content.decode())


def act(name: str, row: Adjudication) -> str:
    return reverse(f"review_{name}", args=(row.pk,))


def test_the_verdicts_are_shown_on_demand_without_vendor_names(browser: Client, slot: Slot) -> None:
    label(browser, slot)
    row = Adjudication.objects.get()
    for _ in range(2):
        page = browser.post(act("reveal", row), headers=HTMX).content.decode()
    assert row.revealed
    assert "Judge A said" in page and "Judge B said" in page and "RATIONALE of seat A" in page
    assert "counts for the outcome, never for agreement" in page
    assert "openai" not in page and "anthropic" not in page
    assert slot.item.claim.text in browser.post(act("reveal", row), follow=True).content.decode()


def test_who_wants_verdicts_gets_them_after_each_label(browser: Client, slot: Slot, expert: Any) -> None:
    DeskSettings.remember(expert, pace="verdicts", single_keys=True, keys={})
    page = label(browser, slot)
    assert "Judge A said" in page and "Saved, 1 of 3" in page and Adjudication.objects.get().revealed


def test_a_project_without_verdicts_shows_none_whatever_the_person_wants(
    browser: Client, slot: Slot, expert: Any, manager: Any
) -> None:
    set_rules(project=slot.item.plan.audit.project, reveal=False, gold_bar=80, by=manager)
    DeskSettings.remember(expert, pace="verdicts", single_keys=True, keys={})
    page = label(browser, slot)
    assert 'data-desk="claim"' in page and 'data-act="verdicts"' not in page
    row = Adjudication.objects.get()
    assert browser.post(act("reveal", row), headers=HTMX).status_code == 409
    saved = browser.get(reverse("review_saved", args=(row.pk,))).content.decode()
    assert "RATIONALE" not in saved and not row.revealed


def test_keeping_is_noted_once_and_the_next_claim_follows(browser: Client, slot: Slot) -> None:
    label(browser, slot)
    row = Adjudication.objects.get()
    browser.post(act("reveal", row))
    for _ in range(2):
        page = browser.post(act("keep", row), headers=HTMX).content.decode()
    assert 'data-desk="claim"' in page
    assert Event.objects.filter(kind="kept_after_reveal").count() == 1


def test_a_change_after_the_verdicts_is_logged_and_keeps_reason_and_evidence(browser: Client, slot: Slot) -> None:
    label(browser, slot, reason="see line 1", mark="0:0:8")
    row = Adjudication.objects.get()
    page = browser.post(act("reveal", row), headers=HTMX).content.decode()
    form = page.split(f'action="{act("change", row)}"')[1].split("</form>")[0]
    assert re.findall(r'name="label" value="(\w+)"', form) == [S, C]
    assert 'name="mark" value="0:0:8"' in form and "see line 1</textarea>" in form
    data = {"label": C, "key": str(uuid.uuid4()), "reason": "see line 1", "mark": "0:0:8"}
    for _ in range(2):
        page = browser.post(act("change", row), data, headers=HTMX).content.decode()
    assert 'data-desk="claim"' in page
    first, second = Adjudication.objects.order_by("revision")
    assert (first.label, second.label, second.blind) == (U, C, False)
    assert (second.reason, second.marks.count()) == ("see line 1", 1)
    assert Event.objects.filter(kind="changed_after_reveal").count() == 1


def test_after_the_grace_time_undo_becomes_a_change(browser: Client, slot: Slot, settings: Any) -> None:
    page = label(browser, slot)
    assert 'id="undo"' in page and re.search(r"data-later[^>]* hidden", page)
    settings.ASSAY_UNDO_SECONDS = 0
    row = Adjudication.objects.get()
    late = browser.post(act("undo", row), headers=HTMX).content.decode()
    assert "too late to take this label back" in late and f'action="{act("change", row)}"' in late
    page = browser.get(reverse("review_desk")).content.decode()
    assert 'id="undo"' not in page and "Change my last label" in page
    page = browser.get(act("change", row)).content.decode()
    assert re.search(r'value="UNVERIFIED" required checked', page) and "RATIONALE" not in page
    browser.post(act("change", row), {"label": S, "key": str(uuid.uuid4()), "reason": ""})
    assert [(one.label, one.blind) for one in Adjudication.objects.order_by("revision")] == [(U, True), (S, True)]


def test_labels_of_other_projects_are_not_offered_for_undo(browser: Client, slot: Slot, expert: Any) -> None:
    label(browser, slot)
    other = Project.objects.create(name="Other", slug="other")
    other.memberships.create(user=expert, role=Role.EXPERT)
    assert "my last label" not in browser.get(reverse("project_review", args=("other",))).content.decode()
    assert "my last label" in browser.get(reverse("review_desk")).content.decode()


def test_only_the_own_label_can_be_looked_at_kept_and_changed(
    browser: Client, slot: Slot, person: Any, signed_in: Any
) -> None:
    label(browser, slot)
    row = Adjudication.objects.get()
    other = signed_in(person("emil", slot.item.plan.audit.project, Role.EXPERT))
    data = {"label": S, "key": str(uuid.uuid4())}
    for name in ("reveal", "keep", "change"):
        assert other.post(act(name, row), data).status_code == 404
    assert other.get(act("change", row)).status_code == 404
    assert browser.get(act("reveal", row)).status_code == browser.get(act("keep", row)).status_code == 405
    assert Adjudication.objects.count() == 1 and not row.revealed


@pytest.fixture
def differing(audit: Audit, expert: Any, person: Any) -> ReviewItem:
    """A claim on which two experts, anna and bert, differ; an arbiter is wanted."""
    item = ReviewItem.objects.first()
    assert item is not None
    Slot.objects.create(item=item, number=2)
    ReviewItem.objects.filter(pk=item.pk).update(needed=2)
    Slot.objects.exclude(item=item).update(state=Slot.State.DONE, reviewer=expert)
    return item


def test_a_third_expert_sees_both_labels_without_names(
    differing: ReviewItem, browser: Client, signed_in: Any, person: Any, project: Project
) -> None:
    for name, word in (("anna", S), ("bert", C)):
        who = signed_in(person(name, project, Role.EXPERT))
        held = take(person_of(name), Scope((project,)))
        assert held is not None
        page = who.get(reverse("review_desk")).content.decode()
        assert "Two experts differ" not in page
        label(who, held, word, reason=f"REASON of {word}")
    browser.post(reverse("review_take"))
    page = browser.get(reverse("review_desk")).content.decode()
    shown = page.split('class="opinions__list"')[1].split("</ul>")[0]
    assert "Two experts differ" in page and f"REASON of {S}" in shown and f"REASON of {C}" in shown
    assert "anna" not in page and "bert" not in page and "RATIONALE" not in page


def person_of(name: str) -> Any:
    from django.contrib.auth import get_user_model

    return get_user_model().objects.get(username=name)
