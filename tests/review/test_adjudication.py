"""A label given, given twice, given late, taken back: nothing is lost and nothing is overwritten."""

import uuid
from typing import Any

import pytest

from audits.models import Audit, Event, Project, Role
from audits.models.written_once import Frozen
from review.adjudication import Outcome, Refused, Saved, adjudicate, reveal, undo, undoable
from review.models import Adjudication, Slot
from review.queue import release, take
from review.scope import Scope
from review.spotcheck import open_review
from tests.review.factory import C, S, U, expire, make_audit

pytestmark = pytest.mark.django_db


@pytest.fixture
def slot(project: Project, expert: Any) -> Slot:
    """A claim that the expert holds; two more wait."""
    open_review(make_audit(project, [(S, C), (S, U), (C, U)]))
    taken = take(expert, Scope((project,)))
    assert taken is not None
    return taken


@pytest.fixture
def second(person: Any, project: Project) -> Any:
    """A second expert of the project."""
    return person("emil", project, Role.EXPERT)


def give(slot: Slot, user: Any, label: str = S, key: uuid.UUID | None = None, **more: Any) -> Saved:
    """Send a label."""
    return adjudicate(slot, slot.token, user=user, label=label, idempotency_key=key or uuid.uuid4(), **more)


def test_a_label_is_stored_and_the_slot_is_done(slot: Slot, expert: Any) -> None:
    saved = give(slot, expert, U, reason="The context says nothing of it.")
    assert saved.outcome == Outcome.SAVED
    row = Adjudication.objects.get()
    assert (row.label, row.reason, row.reviewer, row.revision, row.blind) == (
        U,
        "The context says nothing of it.",
        expert,
        1,
        True,
    )
    slot.refresh_from_db()
    assert (slot.state, slot.token) == ("done", None)
    assert Event.objects.get(kind="adjudicated").actor == expert


def test_the_same_key_twice_is_once(slot: Slot, expert: Any) -> None:
    key = uuid.uuid4()
    give(slot, expert, S, key)
    again = give(slot, expert, S, key)
    assert again.outcome == Outcome.ALREADY_SAVED
    assert Adjudication.objects.count() == 1


def test_another_window_does_not_add_a_second_vote(slot: Slot, expert: Any) -> None:
    give(slot, expert, S)
    late = give(slot, expert, C)
    assert (late.outcome, late.adjudication.label) == (Outcome.CHANGED_ELSEWHERE, S)
    assert give(slot, expert, S).outcome == Outcome.ALREADY_SAVED
    assert Adjudication.objects.count() == 1


def test_a_label_after_the_lease_still_counts_when_nobody_took_the_claim(slot: Slot, expert: Any) -> None:
    expire(slot)
    assert give(slot, expert).outcome == Outcome.LEASE_LOST_BUT_SAVED
    assert Adjudication.objects.counting().count() == 1


def test_a_label_after_a_release_still_counts(slot: Slot, expert: Any) -> None:
    release(slot, slot.token)
    assert give(slot, expert).outcome == Outcome.LEASE_LOST_BUT_SAVED


def test_a_label_on_a_claim_taken_by_another_is_kept_and_not_counted(
    slot: Slot, expert: Any, second: Any, project: Project
) -> None:
    expire(slot)
    theirs = take(second, Scope((project,)))
    assert theirs == slot
    assert give(slot, expert, C).outcome == Outcome.TAKEN_BY_OTHER
    assert give(theirs, second, U).outcome == Outcome.SAVED
    assert list(Adjudication.objects.counting().values_list("label", flat=True)) == [U]
    assert Adjudication.objects.standing().count() == 2


def test_a_foreign_key_is_refused(slot: Slot, expert: Any, second: Any) -> None:
    key = uuid.uuid4()
    give(slot, expert, S, key)
    with pytest.raises(Refused, match="not_yours"):
        give(slot, second, S, key)


def test_an_unknown_label_is_refused(slot: Slot, expert: Any) -> None:
    with pytest.raises(ValueError):
        give(slot, expert, "disputed")
    assert not Adjudication.objects.exists()


def test_nothing_is_stored_once_the_audit_is_cancelled(slot: Slot, expert: Any) -> None:
    Audit.objects.update(status="cancelled")
    with pytest.raises(Refused, match="closed"):
        give(slot, expert)


def test_undo_withdraws_and_gives_the_claim_back(slot: Slot, expert: Any, project: Project) -> None:
    row = give(slot, expert, S).adjudication
    back = undo(expert, row)
    assert back == slot and take(expert, Scope((project,))) == slot
    assert list(Adjudication.objects.values_list("label", "revision")) == [(S, 1), ("", 2)]
    assert not Adjudication.objects.standing().exists()
    assert give(back, expert, C).adjudication.revision == 3
    assert list(Adjudication.objects.counting().values_list("label", flat=True)) == [C]
    assert Event.objects.filter(kind="adjudication_undone").count() == 1


def test_undo_twice_is_once(slot: Slot, expert: Any) -> None:
    row = give(slot, expert).adjudication
    undo(expert, row)
    assert undo(expert, row) is None
    assert Adjudication.objects.count() == 2


def test_a_label_given_after_the_reveal_is_not_blind(slot: Slot, expert: Any) -> None:
    row = give(slot, expert, S).adjudication
    assert reveal(expert, row)
    back = undo(expert, row)
    assert not give(back, expert, C).adjudication.blind


def test_a_slip_corrected_before_any_reveal_is_blind(slot: Slot, expert: Any) -> None:
    row = give(slot, expert, S).adjudication
    back = undo(expert, row)
    assert give(back, expert, C).adjudication.blind


def test_only_the_last_own_label_can_be_undone(slot: Slot, expert: Any, second: Any, project: Project) -> None:
    first = give(slot, expert).adjudication
    last = give(take(expert, Scope((project,))), expert).adjudication
    with pytest.raises(Refused, match="not_yours"):
        undo(second, last)
    with pytest.raises(Refused, match="not_last"):
        undo(expert, first)
    assert undoable(expert, Scope((project,))) == last
    assert undoable(second, Scope((project,))) is None


def test_history_cannot_be_changed(slot: Slot, expert: Any) -> None:
    row = give(slot, expert).adjudication
    row.label = C
    with pytest.raises(Frozen):
        row.save()
    with pytest.raises(Frozen):
        row.delete()
    with pytest.raises(Frozen):
        Adjudication.objects.update(label=C)
    with pytest.raises(Frozen):
        Adjudication.objects.all().delete()
    assert Adjudication.objects.get().label == S
