"""Who looks at what: tags are set as a whole, written down, lost with the role; and who can settle what is open."""

from typing import Any

import pytest

from audits.models import Event, Membership, Project, Role
from review.assigning import Change, Coverage, OpenClaim, assign, coverage, tags_by_expert
from review.models import Adjudication, Assignment, Slot
from review.queue import take
from review.scope import Scope
from tests.review.factory import S, U, make_audit, settle_all

TAX, LAW = frozenset({"tax"}), frozenset({"law"})


@pytest.mark.django_db
def test_tags_are_set_as_a_whole_and_written_down(project: Project, expert: Any, manager: Any) -> None:
    assert assign(project=project, expert=expert, tags=["tax", "law"], by=manager) == Change(("law", "tax"), ())
    assert tags_by_expert(project) == {expert.pk: frozenset({"tax", "law"})}
    assert assign(project=project, expert=expert, tags=["tax", "law"], by=manager) == Change((), ())  # twice is once
    assert assign(project=project, expert=expert, tags=["law", "loans"], by=manager) == Change(("loans",), ("tax",))
    told = [
        (event.kind, event.actor, event.data["tags"]) for event in Event.objects.filter(kind__contains="assigned")
    ]
    assert told == [
        ("assigned", manager, ["law", "tax"]),
        ("unassigned", manager, ["tax"]),
        ("assigned", manager, ["loans"]),
    ]


@pytest.mark.django_db
def test_only_experts_get_tags(project: Project, manager: Any) -> None:
    with pytest.raises(ValueError, match="no expert"):
        assign(project=project, expert=manager, tags=["tax"], by=manager)
    assert not Assignment.objects.exists()


@pytest.mark.django_db
def test_who_leaves_loses_tags_and_claims_in_hand_but_no_label(project: Project, expert: Any, manager: Any) -> None:
    settle_all(make_audit(project, [(S, U)] * 3, spot_check=0), expert, leave=1)
    assign(project=project, expert=expert, tags=["tax"], by=manager)
    Assignment.objects.all().delete()  # the sample has no tag; this one is about the claim in hand
    slot = take(expert, Scope((project,)))
    assert slot is not None
    assign(project=project, expert=expert, tags=["tax"], by=manager)
    role = Membership.objects.get(user=expert, role=Role.EXPERT)
    Membership.objects.take(membership=role, by=manager)
    assert not Assignment.objects.exists() and not Slot.objects.held().exists()
    assert Adjudication.objects.count() == 2
    assert Event.objects.get(kind="unassigned").data == {"expert": "eve", "tags": ["tax"]}


@pytest.mark.django_db
def test_another_role_is_taken_without_touching_tags(project: Project, person: Any, manager: Any) -> None:
    both = person("both", project, Role.EXPERT, Role.ANALYST)
    assign(project=project, expert=both, tags=["tax"], by=manager)
    Membership.objects.take(membership=Membership.objects.get(user=both, role=Role.ANALYST), by=manager)
    assert Assignment.objects.count() == 1


@pytest.mark.django_db
def test_a_project_is_deleted_with_its_tags(project: Project, expert: Any, manager: Any) -> None:
    assign(project=project, expert=expert, tags=["tax"], by=manager)
    project.delete()
    assert not Assignment.objects.exists()


def test_every_expert_could_take_what_fits_and_is_not_labelled() -> None:
    claims = [OpenClaim(TAX, 1), OpenClaim(LAW, 1), OpenClaim(TAX, 1, spoken=frozenset({1}))]
    found = coverage(claims, {1, 2, 3}, {1: TAX, 2: LAW})
    assert found == Coverage({1: 1, 2: 1, 3: 3}, 0, [], 0, 0)


def test_claims_that_nobody_looks_at_are_named_by_their_tags() -> None:
    claims = [OpenClaim(LAW, 1), OpenClaim(LAW, 1), OpenClaim(frozenset(), 1), OpenClaim(TAX, 1)]
    found = coverage(claims, {1}, {1: TAX})
    assert (found.unseen, found.unseen_tags) == (3, [("law", 2), ("", 1)])
    assert coverage(claims, set(), {}).unseen == 4


def test_a_claim_that_waits_for_more_labels_than_experts_is_stuck() -> None:
    doubled = OpenClaim(TAX, 2, doubled=True)
    assert coverage([doubled], {1}, {}).stuck == 1
    assert coverage([OpenClaim(TAX, 1, spoken=frozenset({1, 2}))], {1, 2}, {}).stuck == 1  # waits for an arbiter
    two, three = coverage([doubled], {1, 2}, {}), coverage([doubled], {1, 2, 3}, {})
    assert (two.stuck, two.no_arbiter) == (0, 1)  # would be stuck if the two differed
    assert (three.stuck, three.no_arbiter) == (0, 0)
    half = OpenClaim(TAX, 1, doubled=True, spoken=frozenset({1}))
    assert coverage([half], {1, 2, 3}, {3: LAW}).no_arbiter == 1  # the third does not look at it
