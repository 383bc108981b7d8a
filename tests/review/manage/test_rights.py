"""Who may do what, and what is kept from a manager who labels too."""

from typing import Any

import pytest
from django.urls import reverse

from audits.models import Audit, Claim, Event, Project, Role
from review.gold import add
from review.models import ReviewItem, Slot
from review.recut import propose
from tests.review.factory import S, U, settle_all
from tests.review.manage.acting import PAGES, SLUG, get, label, skip, take_one

pytestmark = pytest.mark.django_db


def acts(audit: Audit, expert: Any, slot: Slot) -> dict[str, tuple[Any, ...]]:
    """Every act with what it is about."""
    cut = propose(slot.item, user=expert, texts=["One."])
    claim = Claim.objects.filter(audit=audit, review_item__isnull=True)[0]
    item = add(audit, claim, label=S, reason="sure", by=None)
    return {
        "review_free": (slot.code,),
        "review_assign": (expert.pk,),
        "review_recut_decide": (cut.pk,),
        "review_rules_set": (),
        "review_gold_add": (audit.pk,),
        "review_gold_remove": (item.pk,),
        "review_waive": (audit.pk,),
    }


def test_strangers_and_wrong_roles_get_nowhere(
    audit: Audit, project: Project, expert: Any, analyst: Any, stranger: Any, signed_in: Any
) -> None:
    places = acts(audit, expert, take_one(expert, project))
    for name in PAGES:
        assert signed_in(stranger).get(reverse(name, args=(SLUG,))).status_code == 404, name
        assert signed_in(expert).get(reverse(name, args=(SLUG,))).status_code == 403, name
        assert signed_in(analyst).get(reverse(name, args=(SLUG,))).status_code == 200, name
    events = Event.objects.filter(project=project).count()
    for name, args in places.items():
        url = reverse(name, args=(SLUG, *args))
        assert signed_in(stranger).post(url).status_code == 404, name
        assert signed_in(expert).post(url).status_code == 403, name
        if name != "review_recut_decide":
            assert signed_in(analyst).post(url).status_code == 403, name
    assert Event.objects.filter(project=project).count() == events and Slot.objects.held().count() == 1


def test_ids_of_another_project_are_not_found(
    audit: Audit, project: Project, expert: Any, person: Any, signed_in: Any
) -> None:
    places = acts(audit, expert, take_one(expert, project))
    other = Project.objects.create(name="Other", slug="other")
    browser = signed_in(person("mona", other, Role.MANAGER))
    for name, args in places.items():
        if args:
            assert browser.post(reverse(name, args=("other", *args))).status_code == 404, name


def test_a_manager_who_labels_reads_nothing_about_claims_that_may_come(
    audit: Audit, project: Project, expert: Any, both: Any, signed_in: Any
) -> None:
    item = ReviewItem.objects.order_by("pk")[0]
    skip(item, expert, "context_missing", "SECRET NOTE")
    cut = propose(item, user=expert, texts=["SECRET TEXT"], note="SECRET NOTE")
    browser = signed_in(both)
    for name in PAGES:
        page = get(browser, name)
        assert "SECRET" not in page, name
        assert not [claim for claim in Claim.objects.all() if claim.text in page], name
    assert "hidden from you until you have labelled them" in get(browser, "review_manage_skips")
    url = reverse("review_recut_decide", args=(SLUG, cut.pk))
    assert browser.post(url, {"decision": "accept"}).status_code == 403
    settle_all(audit, both)
    assert "SECRET NOTE" in get(browser, "review_manage_skips")


def test_known_labels_are_hidden_from_whoever_labels(
    audit: Audit, project: Project, expert: Any, both: Any, manager: Any, signed_in: Any
) -> None:
    claim, other = Claim.objects.filter(audit=audit, review_item__isnull=True)[:2]
    item = add(audit, claim, label=U, reason="SECRET", by=manager)
    slot, _new = Slot.objects.get_or_create(item=item, reserved_for=expert, defaults={"number": 9})
    label(slot, expert)
    settle_all(audit, both)  # nothing waits for this person any more, and still
    browser = signed_in(both)
    page = get(browser, "review_manage_gold", q="Branch")
    assert "SECRET" not in page and claim.text not in page and other.text not in page
    assert "they would tell you which claims are a test" in page
    assert "known labels</div>" not in get(browser, "review_manage_people")
    form = {"claim": other.pk, "label": S, "reason": "sure"}
    assert browser.post(reverse("review_gold_add", args=(SLUG, audit.pk)), form).status_code == 403
    assert browser.post(reverse("review_gold_remove", args=(SLUG, item.pk))).status_code == 403
