"""A label given, given twice, given late, taken back: nothing is lost and nothing is overwritten."""

import datetime
import uuid
from typing import Any

import pytest
from django.utils import timezone

from audits.models import Audit, Event, Project, Role
from audits.models.written_once import Frozen
from review.adjudication import (
    Outcome,
    Refused,
    Saved,
    adjudicate,
    keep,
    may_reveal,
    reveal,
    revise,
    undo,
    undoable,
)
from review.evidence_marks import BadMark
from review.models import Adjudication, Guidelines, ReviewRules, Skip, Slot
from review.queue import lease_end, release, renew, skip, take
from review.scope import Scope
from review.spotcheck import open_review
from review.words import next_revision
from tests.review.factory import CONTEXT, C, S, U, expire, make_audit

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


def test_a_label_taken_back_can_become_a_skip(slot: Slot, expert: Any) -> None:
    given = give(slot, expert, S)
    back = undo(expert, given.adjudication)
    assert back is not None and skip(back, back.token, user=expert, reason="unclear")
    assert not Adjudication.objects.standing().exists()
    assert list(Adjudication.objects.order_by("revision").values_list("label", flat=True)) == [S, ""], "all is there"
    assert Slot.objects.get(pk=slot.pk).state == Slot.State.WAITING and Skip.objects.get().item == slot.item


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


# --- Two windows of one person --------------------------------------------------------------------------------


def test_a_form_that_does_not_know_the_newest_word_writes_nothing(slot: Slot, expert: Any) -> None:
    """Window one shows the claim; window two labels it and takes the label back."""
    assert next_revision(slot.item, expert) == 1
    undo(expert, give(slot, expert, S, expected_revision=1).adjudication)
    late = give(slot, expert, C, expected_revision=1)
    assert (late.outcome, late.adjudication.label) == (Outcome.CHANGED_ELSEWHERE, "")
    assert Adjudication.objects.count() == 2
    assert next_revision(slot.item, expert) == 3
    assert give(slot, expert, C, expected_revision=3).outcome == Outcome.SAVED


def test_a_lost_label_is_told_with_the_reason_that_was_not_kept(slot: Slot, expert: Any) -> None:
    give(slot, expert, S, reason="Page 2.")
    again = give(slot, expert, S, reason="Page 3, clause 4.")
    assert (again.outcome, again.adjudication.reason) == (Outcome.CHANGED_ELSEWHERE, "Page 2.")


def test_the_older_of_two_windows_still_saves(slot: Slot, expert: Any, project: Project) -> None:
    expire(slot)
    assert take(expert, Scope((project,))) == slot, "taken again, with another token"
    assert give(slot, expert).outcome == Outcome.SAVED


def test_a_closed_window_does_not_take_the_claim_from_the_other(slot: Slot, expert: Any, second: Any) -> None:
    scope = Scope((slot.item.plan.audit.project,))
    release(slot, slot.token)
    assert renew(slot, slot.token), "the other window is still at it"
    assert take(second, scope) != slot
    release(slot, slot.token)
    assert take(second, Scope(scope.projects)) is not None
    Slot.objects.filter(pk=slot.pk).update(reviewer=second, token=uuid.uuid4(), lease_until=lease_end())
    assert not renew(slot, slot.token), "a colleague has it now"


def test_a_claim_that_a_colleague_settled_is_told_so(slot: Slot, expert: Any, second: Any, project: Project) -> None:
    expire(slot)
    give(take(second, Scope((project,))), second, U)
    late = give(slot, expert, C)
    assert late.outcome == Outcome.TAKEN_BY_OTHER
    assert undo(expert, late.adjudication) is None
    assert list(Adjudication.objects.standing().values_list("label", flat=True)) == [U]


# --- What is stored beside the label --------------------------------------------------------------------------


def test_marks_are_stored_with_the_label_or_not_at_all(slot: Slot, expert: Any) -> None:
    for bad in [(9, 0, 4)], [(0, 4, 4_000)]:
        with pytest.raises(BadMark):
            give(slot, expert, marks=bad)
    assert not Adjudication.objects.exists()
    assert Slot.objects.get(pk=slot.pk).state == "waiting"
    row = give(slot, expert, marks=[(0, 4, 15)]).adjudication
    assert [(mark.context, mark.text) for mark in row.marks.all()] == [(0, CONTEXT[4:15])]


@pytest.mark.parametrize(("told", "stored"), [(None, None), (-5, 0), (40, 40), (10**12, 90_000)])
def test_reading_time_is_at_most_the_time_since_the_claim_was_taken(
    slot: Slot, expert: Any, told: int | None, stored: int | None
) -> None:
    began = timezone.now() - datetime.timedelta(seconds=90)
    Slot.objects.filter(pk=slot.pk).update(taken_at=began)
    row = give(slot, expert, active_ms=told, keys=10**6).adjudication
    assert row.taken_at == began and row.keys == 32_767
    assert row.active_ms == stored or (told == 10**12 and 90_000 <= row.active_ms < 150_000)


def test_a_label_that_nobody_took_the_claim_for_has_no_reading_time(slot: Slot, expert: Any, second: Any) -> None:
    release(slot, slot.token)
    row = give(slot, second, active_ms=500).adjudication
    assert (row.taken_at, row.active_ms) == (None, None)


def test_the_guidelines_in_force_are_named(slot: Slot, expert: Any, project: Project) -> None:
    other = Project.objects.create(name="Other", slug="other")
    for number, where in enumerate((project, project, other), start=1):
        Guidelines.objects.create(project=where, version=number)
    assert give(slot, expert).adjudication.guidelines.version == 2


# --- Taking back in time --------------------------------------------------------------------------------------


def test_after_the_grace_time_a_label_is_changed_not_taken_back(slot: Slot, expert: Any, settings: Any) -> None:
    scope = Scope((slot.item.plan.audit.project,))
    row = give(slot, expert).adjudication
    assert undoable(expert, scope) == row
    settings.ASSAY_UNDO_SECONDS = 0
    assert undoable(expert, scope) is None
    with pytest.raises(Refused, match="grace_over"):
        undo(expert, row)
    assert change(row, C).outcome == Outcome.SAVED


def test_only_labels_of_the_desk_in_view_are_offered_for_undoing(slot: Slot, expert: Any, project: Project) -> None:
    row = give(slot, expert).adjudication
    other = Project.objects.create(name="Other", slug="other")
    other.memberships.create(user=expert, role=Role.EXPERT)
    open_review(make_audit(other, [(S, C)]))
    assert undoable(expert, Scope((other,))) is None
    there = give(take(expert, Scope((other,))), expert).adjudication
    assert undoable(expert, Scope((other,))) == undoable(expert, Scope((project, other))) == there
    assert undoable(expert, Scope((project,))) == row
    assert undo(expert, row) is not None, "the later label belongs to another project"


# --- Changing a label -----------------------------------------------------------------------------------------


def change(row: Adjudication, label: str, **more: Any) -> Saved:
    """Change a label."""
    return revise(row.reviewer, row, label=label, idempotency_key=more.pop("key", uuid.uuid4()), **more)


def test_a_change_is_a_revision_in_the_same_place_and_not_a_second_vote(slot: Slot, expert: Any) -> None:
    row = give(slot, expert, S).adjudication
    key = uuid.uuid4()
    saved = change(row, C, reason="Clause 7.", marks=[(0, 0, 3)], expected_revision=2, key=key)
    now = saved.adjudication
    assert (saved.outcome, now.revision, now.slot, now.blind) == (Outcome.SAVED, 2, slot, True)
    assert now.marks.count() == 1
    assert change(row, C, reason="Clause 7.", key=key).outcome == Outcome.ALREADY_SAVED
    assert list(Adjudication.objects.counting().values_list("label", flat=True)) == [C]
    assert Event.objects.get(kind="adjudication_revised").data["before"] == S


def test_a_change_in_another_window_is_not_overwritten(slot: Slot, expert: Any) -> None:
    row = give(slot, expert, S).adjudication
    change(row, C, expected_revision=2)
    late = change(row, U, expected_revision=2)
    assert (late.outcome, late.adjudication.label) == (Outcome.CHANGED_ELSEWHERE, C)
    assert change(row, C, expected_revision=2).outcome == Outcome.ALREADY_SAVED
    assert Adjudication.objects.count() == 2


def test_the_same_again_is_no_revision(slot: Slot, expert: Any) -> None:
    row = give(slot, expert, S, reason="As it says.").adjudication
    assert change(row, S, reason="As it says.").outcome == Outcome.ALREADY_SAVED
    assert change(row, S, reason="Clearer now.").outcome == Outcome.SAVED


def test_what_may_not_be_changed(slot: Slot, expert: Any, second: Any, project: Project) -> None:
    row = give(slot, expert, S).adjudication
    with pytest.raises(Refused, match="not_yours"):
        revise(second, row, label=C, idempotency_key=uuid.uuid4())
    undo(expert, row)
    withdrawn = Adjudication.objects.get(label="")
    with pytest.raises(Refused, match="not_last"):
        change(withdrawn, C)
    row = give(slot, expert, S).adjudication
    Audit.objects.update(status="cancelled")
    with pytest.raises(Refused, match="closed"):
        change(row, C)


# --- Seeing the verdicts --------------------------------------------------------------------------------------


def test_a_change_after_the_reveal_is_told_as_such(slot: Slot, expert: Any) -> None:
    row = give(slot, expert, S).adjudication
    assert reveal(expert, row) and reveal(expert, row)
    assert row.revealed
    now = change(row, C).adjudication
    assert not now.blind
    assert Event.objects.get(kind="changed_after_reveal").data["label"] == C
    assert not reveal(expert, row), "another word stands by now"


def test_keeping_a_label_after_the_reveal_is_noted_once(slot: Slot, expert: Any, second: Any) -> None:
    row = give(slot, expert, S).adjudication
    assert not keep(expert, row), "nothing was shown"
    reveal(expert, row)
    assert keep(expert, row) and not keep(expert, row)
    assert Event.objects.get(kind="kept_after_reveal").data["label"] == S
    for act in (keep, reveal):
        with pytest.raises(Refused, match="not_yours"):
            act(second, row)


def test_the_verdicts_are_shown_only_for_labels_that_count_and_where_the_project_shows_them(
    slot: Slot, expert: Any, second: Any, project: Project
) -> None:
    expire(slot)
    theirs = take(second, Scope((project,)))
    extra = give(slot, expert, C).adjudication
    assert not reveal(expert, extra)
    row = give(theirs, second, U).adjudication
    rules = ReviewRules.objects.create(project=project, reveal=False)
    assert not may_reveal(project) and not reveal(second, row)
    rules.reveal = True
    rules.save()
    assert reveal(second, row)
    last = give(take(second, Scope((project,))), second).adjudication
    undo(second, last)
    assert not reveal(second, last) and not reveal(second, Adjudication.objects.get(label=""))
