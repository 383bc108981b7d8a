"""The page of one claim in review: who sees how much of it, and that each of its controls works."""

import re
import uuid
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from audits.models import Audit, Membership, Project, Role, Sample
from review.comments import add
from review.models import Adjudication, Comment, EvidenceMark, Recut, Revelation, ReviewItem, Skip, Slot
from review.pseudonyms import numbers
from review.spotcheck import open_review
from tests.pages import Visitor
from tests.review.factory import C, S, U, make_audit

pytestmark = pytest.mark.django_db


@pytest.fixture
def item(project: Project) -> ReviewItem:
    """A disputed claim that needs the labels of two experts."""
    open_review(make_audit(project, [(S, C)]))
    item = ReviewItem.objects.select_related("claim").get()
    Slot.objects.create(item=item, number=2)
    return item


@pytest.fixture
def second(person: Any, project: Project) -> Any:
    """Another expert."""
    return person("emil", project, Role.EXPERT)


def label(item: ReviewItem, user: Any, word: str, reason: str = "", **more: Any) -> Adjudication:
    """A label of this person: the first fills a slot, later ones change it."""
    mine = Adjudication.objects.filter(item=item, reviewer=user).order_by("-revision").first()
    slot = mine.slot if mine else item.slots.filter(state=Slot.State.WAITING).order_by("number").first()
    if slot is not None:
        Slot.objects.filter(pk=slot.pk).update(state=Slot.State.DONE, reviewer=user)
    row: Adjudication = Adjudication.objects.create(
        item=item,
        slot=slot,
        reviewer=user,
        label=word,
        reason=reason,
        revision=mine.revision + 1 if mine else 1,
        idempotency_key=uuid.uuid4(),
        **more,
    )
    return row


def address(item: ReviewItem) -> str:
    return reverse("review_item", args=("loan-desk", item.pk))


def test_a_manager_reads_everything_by_name(item: ReviewItem, expert: Any, second: Any, manager: Any) -> None:
    first = label(item, expert, U, "Not in <it>.", active_ms=12_400)
    EvidenceMark.objects.create(adjudication=first, context=0, start=0, end=8, text="The bank")
    Revelation.objects.create(adjudication=first)
    label(item, expert, C, "另一个年份。", blind=False)
    Skip.objects.create(item=item, reviewer=second, reason="unclear", note="Which branch?")
    page = Visitor(manager).open(address(item))
    for words in (
        item.claim.text,
        "eve",
        "Not in <it>.",
        "12 s of reading and deciding",
        "The bank",
        "after the verdicts were shown",
        "另一个年份。",
        "In review as dispute",
        "RATIONALE of seat A",
        "emil · The claim is unclear",
        "Which branch?",
        "labels still open",
    ):
        assert words in page.text, words
    assert f'id="label-{first.pk}"' in page.source


def test_an_analyst_reads_everything_without_names(item: ReviewItem, expert: Any, second: Any, analyst: Any) -> None:
    label(item, expert, U)
    Skip.objects.create(item=item, reviewer=second, reason="unclear")
    page = Visitor(analyst).open(address(item))
    assert "Expert 1" in page.text and "Expert 2" in page.text and "RATIONALE of seat B" in page.text
    assert "eve" not in page.text and "emil" not in page.text


def test_an_expert_reads_nothing_before_the_own_label(item: ReviewItem, expert: Any, second: Any) -> None:
    label(item, second, U, "A reason.")
    page = Visitor(expert).open(address(item), status=403)
    assert "once you have given yours" in page.text
    for hidden in (item.claim.text, "RATIONALE", "A reason.", "emil"):
        assert hidden not in page.text


def test_an_expert_reads_the_own_part_until_all_labels_are_in(
    item: ReviewItem, expert: Any, second: Any, manager: Any
) -> None:
    label(item, expert, U, "Mine.")
    Skip.objects.create(item=item, reviewer=second, reason="not_my_field", note="Secret note.")
    Recut.objects.create(item=item, proposer=second, texts=["Secret part."])
    add(item, manager, "Secret remark.")
    page = Visitor(expert).open(address(item))
    assert "Mine." in page.text and "You" in page.text
    for hidden in ("RATIONALE", "Judge A", "emil", "Secret", "dispute", "max", "openai"):
        assert hidden not in page.text, hidden
    label(item, second, C, "Of Emil.")
    page = Visitor(expert).open(address(item))
    assert "Of Emil." in page.text and "Secret remark." in page.text and "Secret part." in page.text
    assert "emil" not in page.text and "RATIONALE" not in page.text, "labels stay without names, verdicts hidden"


def test_an_expert_reads_verdicts_only_where_they_were_shown(item: ReviewItem, expert: Any) -> None:
    Revelation.objects.create(adjudication=label(item, expert, U))
    page = Visitor(expert).open(address(item))
    assert "RATIONALE of seat A" in page.text and "openai" not in page.text


def test_a_manager_who_is_an_expert_too_is_blind_until_the_labels_are_in(
    item: ReviewItem, manager: Any, expert: Any, second: Any
) -> None:
    Membership.objects.create(project=item.plan.audit.project, user=manager, role=Role.EXPERT)
    label(item, expert, U)
    Visitor(manager).open(address(item), status=403)
    label(item, second, U)
    page = Visitor(manager).open(address(item)).text
    assert "RATIONALE of seat A" in page and "In review as" not in page


def test_a_known_label_is_for_managers_and_analysts(item: ReviewItem, expert: Any, manager: Any) -> None:
    ReviewItem.objects.update(kind="gold", gold_label=C, gold_reason="Known reason.")
    Slot.objects.filter(number=2).delete()
    label(item, expert, U)
    assert "Known reason." in Visitor(manager).open(address(item)).text
    page = Visitor(expert).open(address(item)).text
    assert "Known" not in page and "known" not in page


def test_the_history_of_a_cut_is_told(item: ReviewItem, expert: Any, second: Any, manager: Any) -> None:
    label(item, expert, U)
    label(item, second, U)
    recut = Recut.objects.create(
        item=item, proposer=expert, texts=["It opened.", "In 1950."], note="Two in one.", state="accepted"
    )
    Recut.objects.filter(pk=recut.pk).update(decided_by=manager, reply="Agreed.")
    old = item.claim
    part = type(old).every.create(
        audit=old.audit,
        extraction=old.extraction,
        sample=old.sample,
        position=99,
        sentence=1,
        text="It opened.",
        start=0,
        end=4,
        recut_of=old,
    )
    made = ReviewItem.objects.create(
        plan=item.plan, claim=part, kind=item.kind, stratum=item.stratum, order=9, parent=item
    )
    page = Visitor(manager).open(address(item))
    for words in ("It opened.", "In 1950.", "Two in one.", "accepted", "max: Agreed."):
        assert words in page.text
    assert page.links["It opened."] == address(made)
    page = Visitor(manager).open(address(made))
    assert page.links[old.text] == address(item) and "No judge is asked about a part" in page.text
    assert "In 1950." in Visitor(expert).open(address(item)).text


def test_the_whole_of_a_long_context_is_fetched(item: ReviewItem, expert: Any, second: Any, signed_in: Any) -> None:
    text = "Nothing of it. " * 200 + "Branch 0 opened in 1950, it says."
    Sample.objects.update(contexts=["Short.", text])
    url = reverse("review_item_context", args=("loan-desk", item.pk, 2))
    assert signed_in(expert).get(url).status_code == 403
    label(item, expert, U)
    page = Visitor(expert).open(address(item))
    assert url in page.links["Read the whole context"]
    assert text in re.sub("<[^>]+>", "", Visitor(expert).open(url).source)
    part = signed_in(expert).get(url, headers={"HX-Request": "true"})
    assert "<html" not in part.content.decode() and "text-block" in part.content.decode()
    assert signed_in(expert).get(url.replace("/2/", "/3/")).status_code == 404


def test_the_own_label_can_be_changed_from_here(item: ReviewItem, expert: Any, manager: Any) -> None:
    row = label(item, expert, U)
    change = reverse("review_change", args=(row.pk,)) + "?project=loan-desk"
    assert Visitor(expert).open(address(item)).links["Change the label"] == change
    assert "Change the label" not in Visitor(manager).open(address(item)).links
    Audit.objects.update(status=Audit.Status.CANCELLED)
    assert "Change the label" not in Visitor(expert).open(address(item)).links


def test_strangers_and_other_projects_find_nothing(item: ReviewItem, expert: Any, stranger: Any, person: Any) -> None:
    label(item, expert, U)
    Visitor(stranger).open(address(item), status=404)
    other = Project.objects.create(name="Other", slug="other")
    Visitor(person("otto", other, *Role.values)).open(reverse("review_item", args=("other", item.pk)), status=404)


def test_the_order_of_experts_is_another_one_for_every_item() -> None:
    people = [11, 12, 13]
    orders = {tuple(sorted(people, key=numbers(item, people).__getitem__)) for item in range(60)}
    assert len(orders) == 6
    assert numbers(5, people) == numbers(5, [13, 11, 12])


# --- Comments on the page -------------------------------------------------------------------------------------


def test_a_comment_is_written_and_linked(item: ReviewItem, expert: Any, second: Any, manager: Any) -> None:
    label(item, expert, U)
    visitor = Visitor(expert)
    form = visitor.open(address(item)).form("/comments/")
    page = visitor.send(form, text="看第 <3> 条。 @max")
    comment = Comment.objects.get()
    assert page.path == address(item) and "看第 <3> 条。 @max" in page.text
    assert f'id="comment-{comment.pk}"' in page.source and f"{address(item)}#comment-{comment.pk}" in page.source
    assert "看第 <3> 条。" in Visitor(manager).open(address(item)).text
    label(item, second, C)
    assert "看第 <3> 条。" in Visitor(second).open(address(item)).text


def test_htmx_gets_the_comments_alone(item: ReviewItem, expert: Any, signed_in: Any) -> None:
    label(item, expert, U)
    browser: Client = signed_in(expert)
    url = reverse("review_comment", args=("loan-desk", item.pk))
    answer = browser.post(url, {"text": "Seen."}, headers={"HX-Request": "true"})
    assert answer.status_code == 200 and answer.content.decode().lstrip().startswith('<section id="comments"')
    assert "Seen." in answer.content.decode() and answer.content.decode().count(" autofocus") == 1
    refused = browser.post(url, {"text": "x" * 5001}, headers={"HX-Request": "true"})
    assert refused.status_code == 422 and "x" * 5001 in refused.content.decode(), "what was typed stays"
    assert browser.post(url, {"text": " "}).status_code == 422
    assert Comment.objects.count() == 1


def test_who_may_not_write_is_told_so(
    item: ReviewItem, expert: Any, second: Any, manager: Any, signed_in: Any
) -> None:
    url = reverse("review_comment", args=("loan-desk", item.pk))
    assert signed_in(manager).post(url, {"text": "Early."}).status_code == 403
    assert not Visitor(manager).open(address(item)).has_form("/comments/")
    label(item, expert, U)
    assert signed_in(second).post(url, {"text": "Blind."}).status_code == 403
    assert not Comment.objects.exists()
