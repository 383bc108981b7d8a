"""Claims that two experts label: what they agree on stands, on the others a third decides; what a claim comes to."""

import datetime
import uuid
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from audits.models import Audit, Event, Project, Role
from review.adjudication import Outcome, Refused, Saved, adjudicate, reveal, revise, undo
from review.models import Adjudication, ReviewItem, Slot
from review.outcomes import outcomes
from review.queue import counts, renew, skip, take
from review.readiness import readiness
from review.recut import accept, propose
from review.scope import Scope
from review.settling import Waived, Word, settled, waive_second
from review.spotcheck import open_review
from tests.review.factory import C, S, U, expire, make_audit

pytestmark = pytest.mark.django_db


@pytest.fixture
def audit(project: Project) -> Audit:
    """One disputed claim that two experts label."""
    audit = make_audit(project, [(S, C)], double_percent=100)
    open_review(audit)
    assert ReviewItem.objects.get().needed == 2
    return audit


@pytest.fixture
def people(expert: Any, person: Any, project: Project) -> list[Any]:
    """Four experts."""
    return [expert, *(person(name, project, Role.EXPERT) for name in ("emil", "ada", "lea"))]


def give(user: Any, project: Project, label: str) -> Adjudication:
    """Take the next claim and label it."""
    slot = take(user, Scope((project,)))
    assert slot is not None
    return adjudicate(slot, slot.token, user=user, label=label, idempotency_key=uuid.uuid4()).adjudication


def change(row: Adjudication, label: str) -> Saved:
    """Change a label."""
    return revise(row.reviewer, row, label=label, idempotency_key=uuid.uuid4())


def arbiters() -> list[Slot]:
    """The slots for a third expert that are wanted."""
    return list(Slot.objects.needed().filter(arbitrates=True))


def outcome(audit: Audit) -> str | None:
    """What the experts say of the only claim."""
    (one,) = outcomes(audit)
    return one.expert


# --- The rule -------------------------------------------------------------------------------------------------


def word(reviewer: int, label: str, *, seen: bool = False, arbitrates: bool = False) -> Word:
    """A word of an expert."""
    return Word(reviewer, arbitrates, label, not seen)


THIRD = {"reviewer": 3, "arbitrates": True}


@pytest.mark.parametrize(
    ("needed", "words", "label"),
    [
        (1, [], ""),
        (1, [word(1, S)], S),
        (1, [word(1, S), word(1, C)], C),
        (1, [word(1, S), word(1, "")], ""),
        (1, [word(1, S), word(2, C), word(1, U)], U),
        (2, [word(1, S)], ""),
        (2, [word(1, S), word(2, S)], S),
        (2, [word(1, S), word(2, C)], ""),
        (2, [word(1, S), word(2, C), word(**THIRD, label=U)], U),
        (2, [word(1, S), word(2, C), word(**THIRD, label=U), word(**THIRD, label=C)], C),
        (2, [word(1, S), word(2, C), word(2, S)], S),
        (2, [word(1, S), word(2, S), word(2, "")], ""),
        (2, [word(1, S), word(1, ""), word(1, C), word(2, C)], C),
        (2, [word(1, S), word(2, C), word(2, S, seen=True)], ""),  # agreement after a look does not end a dispute
        (2, [word(1, S), word(2, S), word(2, C, seen=True)], ""),  # nor hides one that it makes
        (2, [word(1, S), word(2, C), word(2, S, seen=True), word(**THIRD, label=C)], C),
    ],
)
def test_what_the_words_on_a_claim_come_to(needed: int, words: list[Word], label: str) -> None:
    assert settled(needed, words) == label


# --- A third expert -------------------------------------------------------------------------------------------


def test_what_two_agree_on_stands(audit: Audit, people: list[Any], project: Project) -> None:
    give(people[0], project, U)
    assert outcome(audit) is None, "one of two is not enough"
    give(people[1], project, U)
    assert outcome(audit) == U and not arbiters()


def test_when_two_differ_a_third_decides(audit: Audit, people: list[Any], project: Project) -> None:
    give(people[0], project, S)
    give(people[1], project, C)
    assert outcome(audit) is None
    (slot,) = arbiters()
    assert (slot.number, slot.state) == (3, "waiting")
    row = give(people[2], project, C)
    assert row.slot == slot and outcome(audit) == C
    assert counts(people[3], Scope((project,))).state == "done"
    change(row, U)
    assert outcome(audit) == U, "the arbiter's newest word"


def test_the_arbiter_goes_when_the_two_agree_after_all(audit: Audit, people: list[Any], project: Project) -> None:
    give(people[0], project, S)
    last = give(people[1], project, C)
    undo(people[1], last)
    assert not arbiters() and not Slot.objects.filter(arbitrates=True).exists()
    last = give(people[1], project, C)
    assert len(arbiters()) == 1
    assert change(last, S).outcome == Outcome.SAVED
    assert not arbiters() and outcome(audit) == S


def test_agreement_after_a_look_at_the_verdicts_does_not_send_the_arbiter_away(
    audit: Audit, people: list[Any], project: Project
) -> None:
    give(people[0], project, S)
    last = give(people[1], project, C)
    assert reveal(people[1], last)
    saved = change(last, S)
    assert not saved.adjudication.blind
    assert len(arbiters()) == 1 and outcome(audit) is None
    give(people[2], project, C)
    assert outcome(audit) == C


def test_a_label_that_comes_when_the_arbiter_is_not_needed_any_more_is_kept(
    audit: Audit, people: list[Any], project: Project
) -> None:
    give(people[0], project, S)
    last = give(people[1], project, C)
    slot = take(people[2], Scope((project,)))
    change(last, S)
    assert not arbiters()
    late = adjudicate(slot, slot.token, user=people[2], label=U, idempotency_key=uuid.uuid4())
    assert late.outcome == Outcome.NOT_NEEDED and late.adjudication.slot is None
    assert outcome(audit) == S
    assert change(Adjudication.objects.get(reviewer=people[0]), C).outcome == Outcome.SAVED
    assert [one.pk for one in arbiters()] == [slot.pk], "they differ again: the same slot waits again"
    assert take(people[2], Scope((project,))) is None, "for somebody who has not spoken yet"
    assert take(people[3], Scope((project,))) == slot


def test_a_label_on_which_an_arbiters_rests_stays(audit: Audit, people: list[Any], project: Project) -> None:
    first = give(people[0], project, S)
    second = give(people[1], project, C)
    third = give(people[2], project, C)
    for row in (first, second):
        with pytest.raises(Refused, match="arbitrated"):
            undo(row.reviewer, row)
        with pytest.raises(Refused, match="arbitrated"):
            change(row, U)
    assert undo(people[2], third) is not None
    assert undo(people[1], second) is not None


def test_a_late_label_fills_the_other_place_of_its_claim(audit: Audit, people: list[Any], project: Project) -> None:
    slot = take(people[0], Scope((project,)))
    expire(slot)
    assert take(people[1], Scope((project,))) == slot
    saved = adjudicate(slot, slot.token, user=people[0], label=S, idempotency_key=uuid.uuid4())
    assert saved.outcome == Outcome.LEASE_LOST_BUT_SAVED
    assert saved.adjudication.slot.number == 2, "a colleague has the first place; the label counts all the same"
    give(people[1], project, S)
    assert outcome(audit) == S


def test_one_person_fills_one_place_even_with_two_in_hand(audit: Audit, people: list[Any], project: Project) -> None:
    """As after a lease that ran out in one window, and was taken up again there."""
    first, other = Slot.objects.order_by("number")
    held = {"reviewer": people[0], "lease_until": timezone.now() + datetime.timedelta(minutes=5)}
    for slot in (first, other):
        Slot.objects.filter(pk=slot.pk).update(token=uuid.uuid4(), **held)
    kinds = []
    for slot in Slot.objects.order_by("number"):
        sent = adjudicate(slot, slot.token, user=people[0], label=S, idempotency_key=uuid.uuid4())
        kinds.append(sent.outcome)
    assert kinds == [Outcome.SAVED, Outcome.ALREADY_SAVED]
    assert Adjudication.objects.count() == 1 and outcome(audit) is None


def test_only_one_person_arbitrates(audit: Audit, people: list[Any], project: Project) -> None:
    give(people[0], project, S)
    give(people[1], project, C)
    slot = take(people[2], Scope((project,)))
    assert take(people[3], Scope((project,))) is None
    late = adjudicate(slot, None, user=people[3], label=U, idempotency_key=uuid.uuid4())
    assert late.outcome == Outcome.TAKEN_BY_OTHER, "the second one neither overwrites nor counts"
    adjudicate(slot, slot.token, user=people[2], label=C, idempotency_key=uuid.uuid4())
    assert outcome(audit) == C
    with pytest.raises(Refused, match="own_label"):
        adjudicate(slot, None, user=people[0], label=S, idempotency_key=uuid.uuid4())


def test_who_sends_an_own_label_late_does_not_arbitrate(
    audit: Audit, people: list[Any], project: Project, signed_in: Any
) -> None:
    first = take(people[2], Scope((project,)))
    expire(first)
    give(people[0], project, S)
    give(people[1], project, C)
    slot = take(people[2], Scope((project,)))
    assert slot is not None and slot.arbitrates
    late = adjudicate(first, first.token, user=people[2], label=S, idempotency_key=uuid.uuid4())
    assert late.outcome == Outcome.TAKEN_BY_OTHER
    sent = {"token": slot.token, "key": uuid.uuid4(), "revision": 1, "label": S}
    refused = signed_in(people[2]).post(reverse("review_label", args=(slot.code,)), sent)
    assert refused.status_code == 409 and "a label yourself meanwhile" in refused.content.decode()
    assert outcome(audit) is None and give(people[3], project, C).slot == slot


def test_who_holds_a_claim_is_not_told_that_colleagues_are_done_with_it(
    audit: Audit, people: list[Any], project: Project
) -> None:
    mine = take(people[0], Scope((project,)))
    give(people[1], project, S)
    assert mine is not None and renew(mine, mine.token)
    assert counts(people[0], Scope((project,))).mine == 1
    saved = adjudicate(mine, mine.token, user=people[0], label=S, idempotency_key=uuid.uuid4())
    assert saved.outcome == Outcome.SAVED


def test_skips_and_extra_opinions_are_no_labels(audit: Audit, people: list[Any], project: Project) -> None:
    scope = Scope((project,))
    passed = take(people[0], scope)
    assert passed is not None and skip(passed, passed.token, user=people[0], reason="unclear")
    give(people[1], project, S)
    assert outcome(audit) is None and counts(people[2], scope).free == 1
    give(people[2], project, S)
    assert outcome(audit) == S and take(people[0], scope, again=True) is None, "two were needed, two are in"
    late = adjudicate(passed, passed.token, user=people[0], label=C, idempotency_key=uuid.uuid4())
    assert late.outcome == Outcome.TAKEN_BY_OTHER
    assert outcome(audit) == S and not arbiters()


# --- Doing without the second label ---------------------------------------------------------------------------


def test_a_manager_does_without_second_labels(project: Project, people: list[Any], manager: Any) -> None:
    audit = make_audit(project, [(S, C)] * 4, double_percent=100)
    open_review(audit)
    both, half, none, coming = ReviewItem.objects.order_by("claim")

    def label(item: ReviewItem, number: int, user: Any, word: str) -> None:
        slot = item.slots.get(number=number)
        adjudicate(slot, None, user=user, label=word, idempotency_key=uuid.uuid4())

    label(both, 1, people[0], S)
    label(both, 2, people[1], C)
    label(half, 2, people[0], U)
    label(coming, 1, people[0], S)
    in_hand = coming.slots.get(number=2)
    now = timezone.now()
    lease = {"taken_at": now, "lease_until": now + datetime.timedelta(minutes=5), "token": uuid.uuid4()}
    Slot.objects.filter(pk=in_hand.pk).update(reviewer=people[1], **lease)

    assert waive_second(audit, manager) == Waived(items=2, in_hand=1)
    event = Event.objects.get(kind="second_label_waived")
    assert (event.actor, set(event.data["items"])) == (manager, {half.pk, none.pk})
    assert waive_second(audit, manager) == Waived(0, 1), "twice is once"
    needed = {item.pk: (item.needed, item.slots.count()) for item in ReviewItem.objects.all()}
    assert needed == {both.pk: (2, 3), half.pk: (1, 1), none.pk: (1, 1), coming.pk: (2, 2)}
    found = {one.claim: one.expert for one in outcomes(audit)}
    assert (found[both.claim_id], found[half.claim_id], found[none.claim_id]) == (None, U, None)
    expire(in_hand)
    assert waive_second(coming, manager) == Waived(1, 0)
    assert {one.claim: one.expert for one in outcomes(audit)}[coming.claim_id] == S
    late = adjudicate(in_hand, None, user=people[1], label=C, idempotency_key=uuid.uuid4())
    assert late.outcome == Outcome.NOT_NEEDED and late.adjudication.slot is None
    assert {one.claim: one.expert for one in outcomes(audit)}[coming.claim_id] == S


# --- Parts of a claim, known labels, readiness ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("labels", "worst"), [((S, S), S), ((S, U), U), ((U, C), C), ((C, S), C), ((S, ""), None), (("", ""), None)]
)
def test_a_claim_that_was_cut_anew_is_as_bad_as_its_worst_part(
    project: Project, expert: Any, manager: Any, labels: tuple[str, str], worst: str | None
) -> None:
    audit = make_audit(project, [(S, C), (S, S)], spot_check=1)
    open_review(audit)
    item = ReviewItem.objects.get(kind="dispute")
    accept(propose(item, user=expert, texts=["It opened.", "It was 1950."]), manager)
    for part, label in zip(item.parts.order_by("order"), labels, strict=True):
        if label:
            adjudicate(part.slots.get(), None, user=expert, label=label, idempotency_key=uuid.uuid4())
    found = {one.claim: one for one in outcomes(audit)}
    assert len(found) == 2 and found[item.claim_id].label == worst
    codes = {check.code: check for check in readiness(audit).checks}
    assert codes["disputes"].state == ("open" if "" in labels else "done")
    assert codes["recut"].state == "note" and "arbitrated" not in codes


def test_readiness_waits_for_the_third_expert_and_tells_of_it(
    audit: Audit, people: list[Any], project: Project
) -> None:
    def line() -> tuple[str, str]:
        found = {check.code: check for check in readiness(audit).checks}["disputes"]
        return found.state, found.text

    assert line() == ("open", "Labels of experts on disputed claims: 0 of 2.")
    give(people[0], project, S)
    give(people[1], project, C)
    assert line() == ("open", "Labels of experts on disputed claims: 2 of 3.")
    give(people[2], project, C)
    assert line() == ("done", "Labels of experts on disputed claims: 3 of 3.")
    assert "arbitrated" in {check.code for check in readiness(audit).checks if check.state == "note"}


def test_a_proposed_cut_is_a_note_and_blocks_nothing(audit: Audit, people: list[Any], project: Project) -> None:
    propose(ReviewItem.objects.get(), user=people[0], texts=["It opened."])
    give(people[0], project, S)
    give(people[1], project, S)
    state = readiness(audit)
    assert "recuts_proposed" in {check.code for check in state.checks if check.state == "note"}
    assert not [check for check in state.checks if check.code == "disputes" and check.state == "open"]
