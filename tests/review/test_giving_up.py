"""Claims that no expert can decide: closed by a manager, with a reason, and counted against the system."""

import uuid
from typing import Any

import pytest

from audits.models import Audit, Event
from review.adjudication import Outcome, adjudicate, undo
from review.certify import issue, revoke
from review.giving_up import NotGivenUp, give_up, given_up, take_up, undecidable
from review.models import Adjudication, ReviewItem, Slot
from review.outcomes import outcomes
from review.queue import skip, take
from review.readiness import readiness
from review.recut import accept, propose
from review.scope import Scope
from review.settling import waive_second
from review.spotcheck import open_review
from tests.review.factory import MIXED, C, S, U, make_audit, settle_all

pytestmark = pytest.mark.django_db


@pytest.fixture
def audit(project: Any) -> Audit:
    """An audit whose claims are drawn."""
    audit = make_audit(project, MIXED, spot_check=50)
    open_review(audit)
    return audit


def refused(act: Any, *arguments: Any) -> str:
    with pytest.raises(NotGivenUp) as caught:
        act(*arguments)
    return caught.value.code


def taken(expert: Any, audit: Audit) -> Slot:
    """The claim that the expert gets next."""
    slot = take(expert, Scope((audit.project,)))
    assert slot is not None
    return slot


def limits_of(audit: Audit) -> tuple[float, float]:
    """One-sided, of the data set."""
    found = readiness(audit).estimate.dataset_limits
    assert found is not None
    return found


def label(slot: Slot, expert: Any, word: str = S) -> Any:
    return adjudicate(slot, slot.token, user=expert, label=word, idempotency_key=uuid.uuid4())


def test_a_claim_that_nobody_can_decide_stands_in_the_way_until_it_is_given_up(
    audit: Audit, expert: Any, manager: Any
) -> None:
    settle_all(audit, expert, leave=1)
    slot = taken(expert, audit)
    assert skip(slot, slot.token, user=expert, reason="context_missing")
    assert readiness(audit).acceptance is None
    (item,) = undecidable(audit)
    before = readiness(audit).estimate
    assert give_up(item, manager, " The contract is not there. ") is True
    assert give_up(item, manager, "Again.") is False, "once"
    item.refresh_from_db()
    assert item.given_up_reason == "The contract is not there." and list(given_up(audit)) == [item]
    assert not item.slots.filter(state="waiting").exists() and take(expert, Scope((audit.project,))) is None
    found = readiness(audit)
    assert found.acceptance is not None and not undecidable(audit).exists()
    assert sum(s.given_up for s in found.estimate.strata) == 1 and sum(s.owed for s in found.estimate.strata) == 0
    assert found.estimate.rate == before.rate, "the rate is of what experts decided"
    assert "given_up" in {check.code for check in found.checks}
    (left,) = [one for one in outcomes(audit) if one.given_up]
    assert (left.claim, left.label, left.expert) == (item.claim_id, None, None)
    event = Event.objects.get(kind="claim_given_up")
    assert event.actor == manager and event.data["reason"] == item.given_up_reason
    strata = issue(audit, manager).envelope["statement"]["spot_check"]
    assert sum(row["given_up"] for row in strata) == 1


def test_no_better_limits_than_with_any_label(audit: Audit, expert: Any, manager: Any) -> None:
    settle_all(audit, expert, leave=1)
    slot = Slot.objects.get(state="waiting")
    limits = {}
    for word in (S, C):
        label(slot, expert, word)
        limits[word] = limits_of(audit)
        undo(expert, Adjudication.objects.filter(item=slot.item).latest("pk"))
    give_up(slot.item, manager, "Nobody knows.")
    low, high = limits_of(audit)
    assert low == pytest.approx(limits[S][0]) and high == pytest.approx(limits[C][1])
    assert low < limits[C][0] and high > limits[S][1]


def test_it_can_be_undone_while_no_certificate_rests_on_it(audit: Audit, expert: Any, manager: Any) -> None:
    settle_all(audit, expert, leave=1)
    item = Slot.objects.get(state="waiting").item
    give_up(item, manager, "Nobody knows.")
    certificate = issue(audit, manager)
    assert refused(take_up, item, manager) == "certified"
    revoke(certificate, manager, "Wrong.")
    assert take_up(item, manager) is True and take_up(item, manager) is False
    item.refresh_from_db()
    assert item.given_up_at is None and item.given_up_reason == ""
    slot = taken(expert, audit)
    assert slot.item == item
    label(slot, expert)
    assert readiness(audit).issuable
    assert Event.objects.get(kind="claim_taken_up").data["reason"] == "Nobody knows."


def test_a_label_on_its_way_is_kept_as_an_opinion(audit: Audit, expert: Any, manager: Any) -> None:
    slot = taken(expert, audit)
    give_up(slot.item, manager, "Nobody knows.")
    saved = label(slot, expert)
    assert saved.outcome == Outcome.NOT_NEEDED and saved.adjudication.slot is None
    assert [one.given_up for one in outcomes(audit) if one.claim == slot.item.claim_id] == [True]
    take_up(slot.item, manager)
    assert Slot.objects.filter(item=slot.item, state="waiting").count() == 1


def test_of_two_labels_both_places_come_back(project: Any, person: Any, manager: Any) -> None:
    audit = make_audit(project, [(S, U)], double_percent=100)
    open_review(audit)
    one, two = (person(name, project, "expert") for name in ("one", "two"))
    slot = taken(one, audit)
    label(slot, one)
    item = slot.item
    give_up(item, manager, "The second expert cannot read it.")
    assert [found.given_up for found in outcomes(audit)] == [True], "one of two labels settles nothing"
    assert take(two, Scope((project,))) is None
    assert waive_second(audit, manager).items == 0
    take_up(item, manager)
    second = taken(two, audit)
    label(second, two)
    assert readiness(audit).issuable and [found.expert for found in outcomes(audit)] == [S]


def test_who_and_what_is_refused(audit: Audit, expert: Any, manager: Any, person: Any) -> None:
    item = ReviewItem.objects.filter(plan__audit=audit)[0]
    assert refused(give_up, item, manager, "  ") == "reason"
    both = person("both", audit.project, "manager", "expert")
    assert refused(give_up, item, both, "Hard.") == "expert"
    slot = taken(expert, audit)
    label(slot, expert)
    assert refused(give_up, slot.item, manager, "Hard.") == "settled"
    audit.project.memberships.get(user=expert).delete()
    assert refused(give_up, item, expert, "Hard.") == "expert", "who has labelled here before"
    Audit.objects.update(status=Audit.Status.CANCELLED)
    assert refused(give_up, item, manager, "Hard.") == "closed"
    assert not given_up(audit).exists() and not Event.objects.filter(kind="claim_given_up").exists()


def test_a_part_that_is_given_up_leaves_the_whole_claim_undecided(audit: Audit, expert: Any, manager: Any) -> None:
    slot = Slot.objects.filter(item__plan__audit=audit)[0]
    accept(propose(slot.item, user=expert, texts=["One half.", "Other half."]), manager)
    assert refused(give_up, slot.item, manager, "Hard.") == "replaced"
    first, second = ReviewItem.objects.filter(parent=slot.item)
    give_up(first, manager, "Nobody knows.")
    (whole,) = [one for one in outcomes(audit) if one.claim == slot.item.claim_id]
    assert (whole.given_up, whole.expert) == (False, None), "the other part is open"
    adjudicate(second.slots.get(), None, user=expert, label=S, idempotency_key=uuid.uuid4())
    (whole,) = [one for one in outcomes(audit) if one.claim == slot.item.claim_id]
    assert (whole.given_up, whole.expert) == (True, None)
