"""The pages of those who run a review: numbers, who may do what, what is kept from a manager who labels too."""

import datetime
import uuid
from typing import Any

import pytest
from django.db import models
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from audits.models import Audit, Claim, Event, GivenLabel, Project, Role, Sample
from review.gold import add
from review.models import Adjudication, Assignment, Recut, ReviewItem, ReviewRules, Skip, Slot
from review.progress.people import people, tags_of
from review.progress.skips import reasons, skipped
from review.progress.work import work
from review.queue import take
from review.recut import propose
from review.scope import Scope
from review.spotcheck import open_review
from tests.review.factory import S, U, expire, make_audit, settle_all

pytestmark = pytest.mark.django_db

PAGES = ("review_manage", "review_manage_people", "review_manage_skips", "review_manage_gold", "review_manage_rules")
SLUG = "loan-desk"


@pytest.fixture
def audit(project: Project) -> Audit:
    """Six disputed claims, two agreed ones outside the spot check, opened."""
    audit = make_audit(project, [(S, U)] * 6 + [(S, S)] * 2, spot_check=0)
    open_review(audit)
    return audit


@pytest.fixture
def browser(manager: Any, signed_in: Any) -> Client:
    found: Client = signed_in(manager)
    return found


def take_one(user: Any, project: Project) -> Slot:
    slot = take(user, Scope((project,)))
    assert slot is not None
    return slot


def label(slot: Slot, user: Any, *, ms: int | None = None, days_ago: int = 0) -> None:
    """A label that counts, given some days ago."""
    row = Adjudication.objects.create(
        item=slot.item, slot=slot, reviewer=user, label=S, active_ms=ms, idempotency_key=uuid.uuid4()
    )
    when = timezone.now() - datetime.timedelta(days=days_ago)
    models.QuerySet(Adjudication).filter(pk=row.pk).update(created=when)  # its own rows are never changed
    Slot.objects.filter(pk=slot.pk).update(state="done", reviewer=user)


def skip(item: ReviewItem, user: Any, reason: str, note: str = "") -> None:
    Skip.objects.create(item=item, reviewer=user, reason=reason, note=note)


def get(browser: Client, name: str, *args: Any, **query: Any) -> str:
    response = browser.get(reverse(name, args=(SLUG, *args)), query)
    assert response.status_code == 200, response.status_code
    return str(response.content.decode())


def post(browser: Client, name: str, *args: Any, **data: Any) -> str:
    """The text of the page after the act."""
    response = browser.post(reverse(name, args=(SLUG, *args)), data, follow=True)
    assert response.status_code == 200, response.status_code
    return str(response.content.decode())


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


def test_experts_are_shown_with_their_labels_and_what_they_could_take(
    audit: Audit, project: Project, expert: Any, person: Any, browser: Client
) -> None:
    gone = person("gone")
    slots = list(Slot.objects.order_by("pk"))
    label(slots[0], expert, ms=12_000)
    label(slots[1], gone, days_ago=8)
    found = people(project)
    assert [(row.user.username, row.expert, row.pace.labels, row.week, row.could_take) for row in found.rows] == [
        ("eve", True, 1, 1, 4),
        ("gone", False, 1, 0, 0),
    ]
    page = get(browser, "review_manage_people")
    assert "no expert here any more; the labels stay" in page and "not measured" in page and "everything" in page


def test_tags_are_chosen_for_an_expert_and_searched_without_saving(
    audit: Audit, project: Project, expert: Any, browser: Client
) -> None:
    samples = list(Sample.objects.order_by("pk"))
    for sample, tags in zip(samples, (["tax"], ["tax", "law"], ["x" * 300]), strict=False):
        Sample.objects.filter(pk=sample.pk).update(tags=tags)
    assert tags_of(project) == [("law", 1), ("tax", 2)]  # one too long to be assigned is left out
    page = get(browser, "review_assign", expert.pk)
    assert "tax (2)" in page and "law (1)" in page
    searched = post(browser, "review_assign", expert.pk, find="la", search="1", tags=["tax"])
    assert "tax (2)" in searched and not Assignment.objects.exists()  # the tick is kept, nothing is saved
    assert "eve looks at claims with 1 tag now." in post(browser, "review_assign", expert.pk, tags=["tax"])
    assert [row.tag for row in Assignment.objects.all()] == ["tax"]
    page = get(browser, "review_manage_people")
    assert "4 open claims are looked at by nobody" in page and "without a tag" in page
    assert "these were the tags already" in post(browser, "review_assign", expert.pk, tags=["tax"])
    assert browser.post(reverse("review_assign", args=(SLUG, expert.pk)), {"tags": "nowhere"}).status_code == 422
    assert "eve looks at everything now." in post(browser, "review_assign", expert.pk)


def test_too_few_experts_for_second_labels_are_pointed_out(audit: Audit, expert: Any, browser: Client) -> None:
    ReviewItem.objects.update(needed=2)
    Slot.objects.bulk_create(Slot(item=item, number=2) for item in ReviewItem.objects.all())
    page = get(browser, "review_manage")
    assert "6 open claims wait for more labels than there are experts left" in page


def test_skips_are_counted_by_reason_and_listed_with_their_notes(
    audit: Audit, project: Project, expert: Any, person: Any, browser: Client
) -> None:
    other = person("olga", project, Role.EXPERT)
    first, second = ReviewItem.objects.order_by("pk")[:2]
    skip(first, expert, "context_missing", "page 3 <script>is</script> cut off")
    skip(first, other, "context_missing")
    skip(second, expert, "unclear")
    Slot.objects.filter(item=second).update(state="done", reviewer=other)
    counted = {row.value: (row.skips, row.claims, row.still_open) for row in reasons(project)}
    assert counted == {
        "context_missing": (2, 1, 1),
        "two_claims": (0, 0, 0),
        "unclear": (1, 1, 0),
        "not_my_field": (0, 0, 0),
    }
    page = get(browser, "review_manage_skips")
    assert first.claim.text in page and second.claim.text in page and "&lt;script&gt;is" in page
    page = get(browser, "review_manage_skips", only_open="on")
    assert first.claim.text in page and second.claim.text not in page
    page = get(browser, "review_manage_skips", reason="unclear")
    assert first.claim.text not in page and second.claim.text in page


def test_a_thousand_skips_come_in_pages_and_few_queries(
    audit: Audit, project: Project, expert: Any, browser: Client, django_assert_max_num_queries: Any
) -> None:
    Skip.objects.bulk_create(
        Skip(item=item, reviewer=expert, reason="unclear", note="n")
        for item in ReviewItem.objects.all()
        for _ in "x" * 170
    )
    assert sum(row.skips for row in reasons(project)) == 1020
    _page, rows = skipped(project, reason="", only_open=False, number="1")
    assert (len(rows), rows[0].times, len(rows[0].skips)) == (6, 170, 20)
    for name in PAGES:
        with django_assert_max_num_queries(26):
            get(browser, name)


def test_no_list_reads_the_texts_of_samples(
    audit: Audit, expert: Any, browser: Client, django_assert_max_num_queries: Any
) -> None:
    item = ReviewItem.objects.order_by("pk")[0]
    skip(item, expert, "unclear")
    propose(item, user=expert, texts=["One.", "Two."])
    for name in PAGES:
        with django_assert_max_num_queries(26) as seen:
            get(browser, name)
        assert not [query for query in seen.captured_queries if '"contexts"' in query["sql"]], name


def test_a_proposal_is_accepted_once(
    audit: Audit, project: Project, expert: Any, analyst: Any, signed_in: Any
) -> None:
    browser = signed_in(analyst)
    item = ReviewItem.objects.order_by("pk")[0]
    skip(item, expert, "two_claims")
    cut = propose(item, user=expert, texts=["Branch one opened.", "It was in 1950."], note="two facts")
    page = get(browser, "review_manage_skips")
    assert "Accepting makes 2 new claims" in page and "two facts" in page and "It was in 1950." in page
    assert "No decision arrived" in post(browser, "review_recut_decide", cut.pk)
    assert "Accepted." in post(browser, "review_recut_decide", cut.pk, decision="accept")
    assert "decided before" in post(browser, "review_recut_decide", cut.pk, decision="accept")
    item.refresh_from_db()
    assert item.replaced_at is not None and item.parts.count() == 2
    assert work(project)[0].open.total == 7  # the parts stand for it
    page = get(browser, "review_manage_skips")
    assert "Decided proposals" in page and ">cut anew<" in page and "settled<" not in page


def test_a_proposal_is_declined_with_a_reply(audit: Audit, expert: Any, browser: Client) -> None:
    cut = propose(ReviewItem.objects.all()[0], user=expert, texts=["One."])
    assert "Declined." in post(browser, "review_recut_decide", cut.pk, decision="decline", reply="It is one fact.")
    cut.refresh_from_db()
    assert (cut.state, cut.reply) == (Recut.State.DECLINED, "It is one fact.")
    assert "It is one fact." in get(browser, "review_manage_skips")


def test_known_labels_are_found_added_and_taken_out(audit: Audit, manager: Any, browser: Client) -> None:
    claim = Claim.objects.filter(audit=audit, review_item__isnull=True)[0]
    assert claim.text in get(browser, "review_manage_gold", q=claim.text[:9])
    form = {"claim": claim.pk, "label": S, "reason": "The branch register says so."}
    assert "Say why" in post(browser, "review_gold_add", audit.pk, **form | {"reason": " "})
    assert "No claim was chosen" in post(browser, "review_gold_add", audit.pk)
    assert "No label was chosen" in post(browser, "review_gold_add", audit.pk, **form | {"label": "MAYBE"})
    page = post(browser, "review_gold_add", audit.pk, **form)
    assert "Added." in page and "The branch register says so." in page
    assert "Experts see this claim already" in post(browser, "review_gold_add", audit.pk, **form)
    item = ReviewItem.objects.get(kind="gold")
    assert "Taken out." in post(browser, "review_gold_remove", item.pk)
    assert "taken out before" in post(browser, "review_gold_remove", item.pk)
    assert not ReviewItem.objects.filter(kind="gold").exists()


def test_labels_of_the_dataset_are_offered(audit: Audit, browser: Client) -> None:
    claim = Claim.objects.filter(audit=audit, review_item__isnull=True)[0]
    GivenLabel.objects.create(sample=claim.sample, position=0, claim=claim.text, word="faithful", label=S)
    page = get(browser, "review_manage_gold")
    assert "Labelled in the dataset already" in page and "The dataset says: faithful" in page


def test_experts_below_the_bar_are_pointed_out(audit: Audit, expert: Any, manager: Any, browser: Client) -> None:
    claim = Claim.objects.filter(audit=audit, review_item__isnull=True)[0]
    item = add(audit, claim, label=U, reason="sure", by=manager)
    ReviewRules.objects.create(project=audit.project, gold_bar=100)
    slot, _new = Slot.objects.get_or_create(item=item, reserved_for=expert, defaults={"number": 9})
    label(slot, expert)
    assert "0 of 1 known labels" in get(browser, "review_manage_people")
    page = get(browser, "review_manage_gold")
    assert "Bar: 100 %" in page and ">in use<" in page
    assert "so it stays" in post(browser, "review_gold_remove", item.pk)


def test_rules_are_changed_by_managers(project: Project, browser: Client, analyst: Any, signed_in: Any) -> None:
    assert "The rules are changed." in post(browser, "review_rules_set", gold_bar="90")
    assert "were the rules already" in post(browser, "review_rules_set", gold_bar="90")
    rules = ReviewRules.objects.get()
    assert (rules.reveal, rules.gold_bar) == (False, 90)
    url = reverse("review_rules_set", args=(SLUG,))
    assert browser.post(url, {"gold_bar": "101"}).status_code == 422
    page = get(signed_in(analyst), "review_manage_rules")
    assert "Bar for known labels: 90 %." in page and "Save the rules" not in page


def test_second_labels_are_ended_once(audit: Audit, browser: Client) -> None:
    ReviewItem.objects.update(needed=2)
    Slot.objects.bulk_create(Slot(item=item, number=2) for item in ReviewItem.objects.all())
    assert "End double labelling" in get(browser, "review_manage_rules")
    assert "6 second labels are not asked for any more." in post(browser, "review_waive", audit.pk)
    assert "No second label was missing" in post(browser, "review_waive", audit.pk)
    assert Slot.objects.open().count() == 6


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


@pytest.fixture
def both(person: Any, project: Project) -> Any:
    """A manager who labels too."""
    return person("both", project, Role.MANAGER, Role.EXPERT)


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
