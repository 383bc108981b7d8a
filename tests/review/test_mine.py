"""My labels: all of mine, nobody else's, with my own pace."""

import datetime
import uuid
from typing import Any

import pytest
from django.urls import reverse

from audits.models import Membership, Project, Role
from review.comments import add
from review.mine import labels_of, pace_of
from review.models import Adjudication, ReviewItem, Slot
from review.spotcheck import open_review
from tests.pages import Visitor
from tests.review.factory import C, S, U, make_audit

pytestmark = pytest.mark.django_db
MINE = "/review/mine/"


@pytest.fixture
def items(project: Project) -> list[ReviewItem]:
    """Four claims, each for one expert."""
    open_review(make_audit(project, [(S, C)] * 4))
    return list(ReviewItem.objects.select_related("claim").order_by("claim"))


def label(item: ReviewItem, user: Any, word: str, **more: Any) -> Adjudication:
    """One more word of this person on the item."""
    slot = item.slots.get()
    Slot.objects.filter(pk=slot.pk).update(state=Slot.State.DONE if word else Slot.State.WAITING, reviewer=user)
    revision = Adjudication.objects.filter(item=item, reviewer=user).count() + 1
    row: Adjudication = Adjudication.objects.create(
        item=item, slot=slot, reviewer=user, label=word, revision=revision, idempotency_key=uuid.uuid4(), **more
    )
    return row


def test_own_labels_the_newest_first(items: list[ReviewItem], expert: Any, person: Any, project: Project) -> None:
    label(items[0], expert, S)
    label(items[1], expert, U)
    label(items[2], person("emil", project, Role.EXPERT), C)
    label(items[3], expert, C)
    label(items[3], expert, "")
    page = Visitor(expert).open(MINE)
    texts = [item.claim.text for item in items]
    assert page.text.index(texts[1]) < page.text.index(texts[0])
    assert texts[2] not in page.text, "another person's"
    assert texts[3] not in page.text, "taken back"
    assert page.links[texts[1]] == reverse("review_item", args=("loan-desk", items[1].pk))
    assert Visitor(expert).open(page.links[texts[1]]).status == 200


def test_what_was_changed_and_where_i_am_mentioned(items: list[ReviewItem], expert: Any, manager: Any) -> None:
    label(items[0], expert, S)
    label(items[0], expert, U)
    label(items[1], expert, S)
    label(items[1], expert, S)
    label(items[2], expert, S)
    add(items[2], manager, "@eve why?")
    found = {row.item_id: (row.label, row.changed, row.mentioned) for row in labels_of(expert)}
    assert found == {
        items[0].pk: (U, True, False),
        items[1].pk: (S, False, False),
        items[2].pk: (S, False, True),
    }
    page = Visitor(expert).open(MINE)
    assert "Mentioned you max" in page.text
    comment = items[2].comments.get()
    assert f"/items/{items[2].pk}/#comment-{comment.pk}" in page.source


def test_a_mention_that_cannot_be_read_yet_is_not_told(items: list[ReviewItem], expert: Any, manager: Any) -> None:
    Slot.objects.create(item=items[0], number=2)
    slot = items[0].slots.get(number=1)
    Slot.objects.filter(pk=slot.pk).update(state=Slot.State.DONE, reviewer=expert)
    Adjudication.objects.create(item=items[0], slot=slot, reviewer=expert, label=S, idempotency_key=uuid.uuid4())
    add(items[0], manager, "@eve why?")
    page = Visitor(expert).open(MINE)
    assert "entioned you" not in page.text
    Slot.objects.filter(number=2).update(state=Slot.State.DONE, reviewer=manager)
    assert "Mentioned you" in Visitor(expert).open(MINE).text


def test_one_who_labels_nothing_still_reads_mentions(items: list[ReviewItem], expert: Any, manager: Any) -> None:
    label(items[0], expert, S)
    add(items[0], expert, "@max please look")
    page = Visitor(manager).open(MINE)
    assert "Mentioned you eve" in page.text and "You have not labelled anything yet" in page.text


def test_filters_find(items: list[ReviewItem], expert: Any, project: Project) -> None:
    other = Project.objects.create(name="Other", slug="other")
    Membership.objects.create(project=other, user=expert, role=Role.EXPERT)
    open_review(make_audit(other, [(S, C)]))
    far = ReviewItem.objects.select_related("claim").get(plan__audit__project=other)
    label(items[1], expert, S)
    label(items[2], expert, U)
    label(far, expert, U)
    visitor = Visitor(expert)
    form = visitor.open(MINE).form(MINE)

    def found(**chosen: str) -> str:
        return visitor.send(form, **chosen).text

    assert "2 labels" in found(label=U)
    assert "1 label " in found(label=U, project="loan-desk")
    assert "1 label " in found(q="Branch 1") and items[1].claim.text in found(q="branch 1")
    assert "No label of yours passes this filter" in found(q="nowhere")
    assert "3 labels" in found(label="<b>", project="elsewhere"), "what is on no list counts as not chosen"


def test_pages_are_turned(items: list[ReviewItem], expert: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("review.views.mine.PAGE", 2)
    for item in items:
        label(item, expert, S)
    visitor = Visitor(expert)
    page = visitor.open(f"{MINE}?label={S}")
    assert "Page 1 of 2" in page.text
    page = visitor.open(MINE + page.links["Next"].removeprefix(MINE))
    assert "Page 2 of 2" in page.text and f"label={S}" in page.links["Previous"]


def test_labels_of_a_project_that_one_has_left_are_out_of_reach(items: list[ReviewItem], expert: Any) -> None:
    label(items[0], expert, S)
    Membership.objects.filter(user=expert).delete()
    assert items[0].claim.text not in Visitor(expert).open(MINE).text


def test_the_pace_is_my_own(
    items: list[ReviewItem], expert: Any, person: Any, project: Project, time_machine: Any
) -> None:
    wednesday = datetime.datetime(2026, 3, 4, 9, tzinfo=datetime.UTC)
    time_machine.move_to(wednesday - datetime.timedelta(days=3), tick=False)  # Sunday
    label(items[0], expert, S, active_ms=4_000, keys=1)
    time_machine.move_to(wednesday - datetime.timedelta(days=1), tick=False)
    label(items[1], expert, S, active_ms=10_000, keys=2)
    time_machine.move_to(wednesday, tick=False)
    label(items[2], expert, S, active_ms=30_000)
    label(items[2], expert, U)
    label(items[3], person("emil", project, Role.EXPERT), S, active_ms=1_000, keys=9)
    pace = pace_of(expert)
    assert (pace.today, pace.week) == (1, 2), "a change is no second claim"
    assert (pace.seconds, pace.keys, pace.measured) == (10.0, 1.5, 3)
    page = Visitor(expert).open(MINE).text
    assert "10 s" in page and "1.5" in page


def test_a_pace_that_was_not_measured_is_none(expert: Any) -> None:
    pace = pace_of(expert)
    assert (pace.today, pace.week, pace.seconds, pace.keys) == (0, 0, None, None)
    assert "none of your labels has been measured yet" in Visitor(expert).open(MINE).text


def test_an_address_reaches_no_other_column(items: list[ReviewItem], expert: Any) -> None:
    label(items[0], expert, S)
    for query in ("reviewer__password__startswith=x", "order_by=reviewer__password", "item__kind=gold", "q__regex=x"):
        assert items[0].claim.text in Visitor(expert).open(f"{MINE}?{query}").text
