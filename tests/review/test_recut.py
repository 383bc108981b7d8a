"""Sending a badly cut claim back: a proposal, a decision taken once, parts in the claim's place in the queue."""

import threading
import uuid
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from audits.models import Audit, Claim, Event
from review import gold
from review.adjudication import adjudicate
from review.certify import issue, revoke
from review.models import Adjudication, Recut, ReviewItem, ReviewPlan, Slot
from review.outcomes import outcomes
from review.queue import take
from review.recut import LONGEST, RecutError, accept, decline, propose
from review.scope import Scope
from review.spotcheck import is_stale, open_review, strata_of
from tests.review.factory import MIXED, C, S, U, make_audit, patiently, settle_all

pytestmark = pytest.mark.django_db
TEXTS = ["The branch opened.", "That was in 1950."]


@pytest.fixture
def audit(project: Any) -> Audit:
    made = make_audit(project, MIXED, double_percent=100)
    open_review(made)
    return made


@pytest.fixture
def item(audit: Audit) -> ReviewItem:
    return audit.review_plan.items.get(rank=3)


@pytest.fixture
def proposal(item: ReviewItem, expert: Any) -> Recut:
    return propose(item, user=expert, texts=TEXTS, note="Two things.")


def label(slot: Slot, user: Any, word: str) -> None:
    Adjudication.objects.create(item=slot.item, slot=slot, reviewer=user, label=word, idempotency_key=uuid.uuid4())
    Slot.objects.filter(pk=slot.pk).update(state="done", reviewer=user)


def test_a_proposal_is_stored_once(item: ReviewItem, expert: Any) -> None:
    first = propose(
        item.slots.first(), user=expert, texts=["  The branch opened. ", *TEXTS[1:]], note=" Two things. "
    )
    assert propose(item, user=expert, texts=TEXTS) == first
    assert (first.texts, first.note, first.state, first.proposer) == (TEXTS, "Two things.", "proposed", expert)
    event = Event.objects.get(kind="recut_proposed")
    assert (event.actor, event.data["item"], event.data["texts"]) == (expert, item.pk, TEXTS)


@pytest.mark.parametrize(
    ("texts", "code"),
    [
        ([], "texts"),
        (["a", "b", "c", "d", "e", "f"], "texts"),
        (["One.", "  "], "empty"),
        (["x" * (LONGEST + 1)], "long"),
        (["One.", "the CLAIM itself"], "same"),
        (["One.", "one"], "twice"),
    ],
)
def test_texts_that_cannot_be_parts(item: ReviewItem, expert: Any, texts: list[str], code: str) -> None:
    Claim.objects.filter(pk=item.claim_id).update(text="The claim itself.")
    item.refresh_from_db()
    with pytest.raises(RecutError) as caught:
        propose(item, user=expert, texts=texts)
    assert caught.value.code == code
    assert not Recut.objects.exists()


def test_the_parts_take_the_place_of_the_claim(audit: Audit, item: ReviewItem, proposal: Recut, analyst: Any) -> None:
    before, strata = audit.review_plan.items.count(), strata_of(audit)
    assert accept(proposal, analyst) is True
    item.refresh_from_db()
    parts = list(item.parts.all())
    assert [part.claim.text for part in parts] == TEXTS
    assert [part.order for part in parts] == [before, before + 1]
    for part in parts:
        assert (part.kind, part.stratum, part.rank, part.needed) == (item.kind, item.stratum, 3, 2)
        assert list(part.slots.values_list("number", "state", "arbitrates")) == [
            (1, "waiting", False),
            (2, "waiting", False),
        ]
    assert item.replaced_at is not None
    assert not item.slots.exists()
    assert (proposal.state, proposal.decided_by) == ("accepted", analyst)
    assert strata_of(audit) == strata
    assert not Slot.objects.open().filter(item=item).exists()
    event = Event.objects.get(kind="recut_accepted")
    assert (event.actor, event.data["parts"]) == (analyst, [part.pk for part in parts])


def test_labels_given_before_stay(item: ReviewItem, proposal: Recut, expert: Any, analyst: Any) -> None:
    done, _ = item.slots.all()
    label(done, expert, C)
    accept(proposal, analyst)
    assert list(item.slots.values_list("pk", "state")) == [(done.pk, "done")]
    assert Adjudication.objects.get(slot=done).label == C


def test_accepting_twice_is_once(proposal: Recut, item: ReviewItem, expert: Any, analyst: Any, manager: Any) -> None:
    other = propose(item, user=analyst, texts=["Another cut.", "Its rest."])
    assert accept(proposal, analyst) is True
    assert accept(Recut.objects.get(pk=proposal.pk), manager) is False
    assert accept(other, manager) is False
    assert decline(proposal, manager, "No.") is False
    other.refresh_from_db()
    assert (other.state, other.decided_by) == ("declined", analyst)
    assert item.parts.count() == 2
    assert Event.objects.filter(kind="recut_accepted").count() == 1
    with pytest.raises(RecutError) as caught:
        propose(item, user=expert, texts=["A third cut.", "Its rest."])
    assert caught.value.code == "replaced"


def test_declining_leaves_the_claim_as_it_is(proposal: Recut, item: ReviewItem, manager: Any) -> None:
    assert decline(proposal, manager, " It is one claim. ") is True
    assert decline(proposal, manager) is False
    assert (proposal.state, proposal.reply, proposal.decided_by) == ("declined", "It is one claim.", manager)
    assert not item.parts.exists() and item.slots.count() == 2
    assert Event.objects.get(kind="recut_declined").data["reply"] == "It is one claim."
    assert accept(proposal, manager) is False


def refused(proposal: Recut, by: Any) -> str:
    with pytest.raises(RecutError) as caught:
        accept(proposal, by)
    proposal.refresh_from_db()
    assert proposal.state == "proposed"
    return caught.value.code


def test_a_part_is_not_cut_again(proposal: Recut, item: ReviewItem, expert: Any, analyst: Any) -> None:
    accept(proposal, analyst)
    nested = propose(item.parts.first(), user=expert, texts=["Finer.", "Still finer."])
    assert refused(nested, analyst) == "part"
    assert not Claim.every.filter(recut_of__recut_of__isnull=False).exists()


def test_a_claim_with_a_known_label_is_not_cut(audit: Audit, expert: Any, manager: Any) -> None:
    """The expert may propose it: a refusal would say that the label is known."""
    known = gold.add(audit, gold.candidates(audit)[0], label=S, reason="", by=manager)
    assert refused(propose(known, user=expert, texts=TEXTS), manager) == "gold"


def test_nothing_is_cut_when_the_audit_is_over(proposal: Recut, item: ReviewItem, expert: Any, analyst: Any) -> None:
    Audit.objects.update(status="cancelled")
    assert refused(proposal, analyst) == "closed"
    with pytest.raises(RecutError):
        propose(item, user=expert, texts=["Something else.", "Its rest."])


def test_nothing_is_cut_under_a_valid_certificate(
    project: Any, expert: Any, manager: Any, settings: Any, tmp_path: Any
) -> None:
    settings.SIGNING_KEY_FILE = tmp_path / "signing-key.pem"
    audit = make_audit(project, MIXED)
    settle_all(audit, expert)
    certificate = issue(audit, manager)
    proposal = propose(audit.review_plan.items.first(), user=expert, texts=TEXTS)
    assert refused(proposal, manager) == "certified"
    assert revoke(certificate, manager, "A claim was cut badly.")
    assert accept(proposal, manager) is True


def test_a_label_is_possible_on_every_part(proposal: Recut, item: ReviewItem, expert: Any, analyst: Any) -> None:
    accept(proposal, analyst)
    for part in item.parts.all():
        label(part.slots.first(), expert, U)
    assert Slot.objects.needed().filter(item__parent=item, state="done").count() == 2


def test_a_proposed_cut_keeps_the_plan_as_a_label_does(audit: Audit, proposal: Recut) -> None:
    audit.refresh_from_db()
    assert audit.labelled_at is not None, "so that nothing is judged anew"
    Audit.objects.filter(pk=audit.pk).update(judged_at=timezone.now())
    assert open_review(audit) is None
    assert is_stale(ReviewPlan.objects.get())


def test_a_label_on_its_way_is_kept_and_said_to_be_not_needed(
    project: Any, item: ReviewItem, proposal: Recut, expert: Any, analyst: Any
) -> None:
    ReviewItem.objects.filter(pk=item.pk).update(rank=0)
    ReviewItem.objects.exclude(pk=item.pk).update(rank=9)
    slot = take(expert, Scope((project,)))
    assert slot is not None and slot.item_id == item.pk
    accept(proposal, analyst)
    saved = adjudicate(slot, slot.token, user=expert, label=C, idempotency_key=uuid.uuid4())
    assert saved.outcome == "not_needed"
    assert saved.adjudication.slot is None and saved.adjudication.label == C
    following = take(expert, Scope((project,)))
    assert following is not None and following.item.parent_id == item.pk, "the parts stand where the claim stood"


def test_the_outcome_stays_one_per_claim(audit: Audit, proposal: Recut, analyst: Any) -> None:
    before = outcomes(audit)
    accept(proposal, analyst)
    found = outcomes(audit)
    assert [one.claim for one in found] == [one.claim for one in before]
    assert {one.claim for one in found if one.drawn} == {one.claim for one in before if one.drawn}


@pytest.mark.django_db(transaction=True)
def test_accepting_at_the_same_moment_is_once(proposal: Recut, item: ReviewItem, analyst: Any) -> None:
    found: list[bool] = []

    def press() -> None:
        found.append(patiently(lambda: accept(Recut.objects.get(pk=proposal.pk), analyst)))
        connection.close()

    threads = [threading.Thread(target=press) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [False, False, False, True]
    assert item.parts.count() == 2 and Claim.every.filter(recut_of=item.claim_id).count() == 2
