"""The numbers of the work, and claims that a manager releases."""

import datetime
import uuid
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from audits.models import Audit, Claim, Event, Project, Role
from review.gold import add
from review.models import ReviewItem, Slot
from review.progress.work import work
from tests.review.factory import S, expire, settle_all
from tests.review.manage.acting import SLUG, get, label, post, take_one

pytestmark = pytest.mark.django_db


def test_the_numbers_of_the_work_add_up(audit: Audit, project: Project, expert: Any, person: Any) -> None:
    other = person("olga", project, Role.EXPERT)
    slots = list(Slot.objects.order_by("pk"))
    second = Slot.objects.create(item=slots[0].item, number=2)
    ReviewItem.objects.filter(pk=slots[0].item_id).update(needed=2)
    label(slots[0], expert, ms=10_000)
    label(second, other, ms=30_000)
    Slot.objects.create(item=slots[0].item, number=3, arbitrates=True)
    label(slots[1], expert, ms=20_000, days_ago=3)
    label(slots[2], expert, days_ago=9)
    take_one(expert, project)
    [row] = work(project)
    assert (row.open.total, row.open.settled, row.open.labels) == (6, 2, 4)  # three claims and an arbiter's label
    assert (row.open.doubles, row.open.doubles_in, row.open.arbitrations) == (1, 1, 1)
    assert (row.today, row.week, sum(n for _, n in row.days), len(row.days)) == (2, 3, 4, 14)
    assert (row.pace.labels, row.pace.measured, row.pace.seconds, row.pace.per_hour) == (4, 3, 20, 180)  # 3 in 60 s
    assert (row.left.seconds, row.left.reason, row.left.people) == (None, "too_few", 2)
    assert [held.name for held in row.held] == ["eve"] and row.held[0].since is not None


def test_the_time_left_says_its_assumptions(audit: Audit, project: Project, expert: Any, browser: Client) -> None:
    for slot in Slot.objects.order_by("pk")[:5]:
        label(slot, expert, ms=24_000)
    page = get(browser, "review_manage")
    assert reverse("review_labels_export", args=(SLUG, audit.pk, "csv")) in page
    assert "1 × 24 s, by the 1 person who labelled in the last seven days, without a break" in page
    assert "median of 5 measured of 5 labels" in page


def test_what_is_not_needed_is_not_counted(audit: Audit, project: Project, expert: Any, manager: Any) -> None:
    claim = Claim.objects.filter(audit=audit, review_item__isnull=True)[0]
    add(audit, claim, label=S, reason="sure", by=manager)  # a known label is no work that is owed
    first, second = Slot.objects.order_by("pk")[:2]
    Slot.objects.filter(pk=second.pk).update(state="done", reviewer=None)  # closed: its label is not needed any more
    ReviewItem.objects.filter(pk=first.item_id).update(replaced_at=timezone.now())  # its parts stand for it
    assert (work(project)[0].open.total, work(project)[0].open.labels) == (4, 4)


def test_a_person_holding_a_known_label_is_listed_like_any_other(
    audit: Audit, project: Project, expert: Any, manager: Any
) -> None:
    claim = Claim.objects.filter(audit=audit, review_item__isnull=True)[0]
    item = add(audit, claim, label=S, reason="sure", by=manager)
    until = timezone.now() + datetime.timedelta(minutes=5)
    Slot.objects.update_or_create(
        item=item, reserved_for=expert, defaults={"reviewer": expert, "token": uuid.uuid4(), "lease_until": until}
    )
    assert [held.name for held in work(project)[0].held] == ["eve"]


def test_a_manager_releases_a_claim_once(audit: Audit, project: Project, expert: Any, browser: Client) -> None:
    slot = take_one(expert, project)
    assert "Release" in get(browser, "review_manage")
    assert "The claim that eve held is free again." in post(browser, "review_free", slot.code, holder=expert.pk)
    assert not Slot.objects.held().exists()
    assert "is not with this person any more" in post(browser, "review_free", slot.code, holder=expert.pk)
    assert Event.objects.filter(kind="lease_released").count() == 1


def test_a_claim_that_has_passed_on_is_not_released(
    audit: Audit, project: Project, expert: Any, person: Any, browser: Client
) -> None:
    slot = take_one(expert, project)
    other = person("olga", project, Role.EXPERT)
    Slot.objects.filter(pk=slot.pk).update(reviewer=other)
    assert "is not with this person any more" in post(browser, "review_free", slot.code, holder=expert.pk)
    assert Slot.objects.held().filter(reviewer=other).exists()
    expire(slot)
    assert "given back or labelled meanwhile" in post(browser, "review_free", slot.code, holder=other.pk)


def test_too_few_experts_for_second_labels_are_pointed_out(audit: Audit, expert: Any, browser: Client) -> None:
    ReviewItem.objects.update(needed=2)
    Slot.objects.bulk_create(Slot(item=item, number=2) for item in ReviewItem.objects.all())
    page = get(browser, "review_manage")
    assert "6 open claims wait for more labels than there are experts left" in page


def test_the_old_address_leads_here(audit: Audit, browser: Client) -> None:
    response = browser.get(reverse("project_review", args=(SLUG,)))
    assert response["Location"] == reverse("review_manage", args=(SLUG,))


def test_the_numbers_alone_are_asked_for_while_something_is_open(
    audit: Audit, expert: Any, browser: Client, django_assert_max_num_queries: Any
) -> None:
    url = reverse("review_manage", args=(SLUG,))
    with django_assert_max_num_queries(14):
        part = browser.get(url, headers={"HX-Request": "true", "HX-Target": "review-work"}).content.decode()
    assert part.strip().startswith('<div id="review-work"') and "every 20s" in part
    settle_all(audit, expert)
    part = browser.get(url, headers={"HX-Request": "true", "HX-Target": "review-work"}).content.decode()
    assert "every 20s" not in part and "6 of 6" in part


def test_an_empty_desk_leads_those_who_run_the_review_to_it(
    audit: Audit, both: Any, expert: Any, signed_in: Any
) -> None:
    link = reverse("review_manage", args=(SLUG,))
    assert link in signed_in(both).get(reverse("review_desk")).content.decode()
    assert link not in signed_in(expert).get(reverse("review_desk")).content.decode()
