"""Who is offered which claim, in which order, and that what is counted is what can be taken."""

import datetime
import uuid
from typing import Any

import pytest
from django.utils import timezone

from audits.models import Audit, Project, Role, Sample
from review.adjudication import Outcome, adjudicate
from review.models import Adjudication, Assignment, ReviewItem, Slot
from review.queue import Counts, counts, free_lease, held, renew, skip, take
from review.scope import Scope
from review.spotcheck import open_review
from tests.review.factory import C, S, U, expire, make_audit

pytestmark = pytest.mark.django_db


@pytest.fixture
def audit(project: Project) -> Audit:
    """Six disputed claims of three answers under review."""
    audit = make_audit(project, [(S, C)] * 6, per_answer=2)
    open_review(audit)
    return audit


@pytest.fixture
def scope(project: Project) -> Scope:
    """The whole project."""
    return Scope((project,), project.slug)


@pytest.fixture
def second(person: Any, project: Project) -> Any:
    """A second expert of the project."""
    return person("emil", project, Role.EXPERT)


def double(*items: ReviewItem) -> None:
    """Have these items labelled by two experts."""
    for item in items:
        ReviewItem.objects.filter(pk=item.pk).update(needed=2)
        Slot.objects.create(item=item, number=2)


def give(slot: Slot | None, user: Any, label: str = S) -> None:
    """Give a label."""
    assert slot is not None
    adjudicate(slot, slot.token, user=user, label=label, idempotency_key=uuid.uuid4())


def work_off(user: Any, scope: Scope, label: str = S) -> list[Slot]:
    """Label everything that is offered."""
    done = []
    while slot := take(user, scope):
        give(slot, user, label)
        done.append(slot)
    return done


def adds_up(now: Counts) -> bool:
    """Whether every slot is counted once."""
    return now.total == now.done + now.free + now.skipped + now.mine + now.colleagues + now.others_only


# --- Who gets what --------------------------------------------------------------------------------------------


def test_a_claim_for_two_comes_to_two_and_never_twice_to_one(
    audit: Audit, scope: Scope, expert: Any, second: Any
) -> None:
    double(*ReviewItem.objects.all())
    mine = work_off(expert, scope)
    assert len({slot.item_id for slot in mine}) == len(mine) == 6
    waiting = counts(expert, scope)
    assert (waiting.state, waiting.others_only, waiting.done) == ("others_only", 6, 6) and adds_up(waiting)
    assert counts(second, scope).free == 6, "the second one's queue is not empty because the first is done"
    assert len(work_off(second, scope)) == 6
    assert counts(expert, scope).state == counts(second, scope).state == "done"
    assert set(Adjudication.objects.values_list("item", "reviewer").distinct()) == {
        (item.pk, user.pk) for item in ReviewItem.objects.all() for user in (expert, second)
    }


def test_an_own_slot_is_nobody_elses(audit: Audit, scope: Scope, expert: Any, second: Any) -> None:
    item = ReviewItem.objects.all()[0]
    Slot.objects.filter(item=item).update(reserved_for=second)
    assert counts(expert, scope).total == 5
    assert item.pk not in {slot.item_id for slot in work_off(expert, scope)}
    assert counts(expert, scope).state == "done"
    assert [slot.item_id for slot in work_off(second, scope)] == [item.pk]


def test_an_arbiter_has_no_word_on_the_claim(
    audit: Audit, scope: Scope, expert: Any, second: Any, person: Any, project: Project
) -> None:
    item = ReviewItem.objects.all()[0]
    Slot.objects.exclude(item=item).delete()
    third, late = person("ada", project, Role.EXPERT), person("lea", project, Role.EXPERT)
    double(item)
    slot = take(late, scope)
    expire(Slot.objects.get(pk=slot.pk))
    give(take(expert, scope), expert, S)
    give(take(second, scope), second, C)
    adjudicate(slot, slot.token, user=late, label=U, idempotency_key=uuid.uuid4())  # an extra opinion, too late
    for user in (expert, second, late):
        assert take(user, scope) is None
        assert counts(user, scope).state == "others_only"
    arbiter = take(third, scope)
    assert arbiter is not None and arbiter.arbitrates and arbiter.number == 3
    assert release_and_take_again(arbiter, third, scope) == arbiter


def release_and_take_again(slot: Slot, user: Any, scope: Scope) -> Slot | None:
    """Lose the slot by time and ask for the next one."""
    expire(slot)
    return take(user, scope)


def test_who_has_tags_in_a_project_sees_these_there_and_all_elsewhere(
    audit: Audit, expert: Any, second: Any, project: Project
) -> None:
    other = Project.objects.create(name="Other", slug="other")
    other.memberships.create(user=expert, role=Role.EXPERT)
    open_review(make_audit(other, [(S, C)] * 2))
    both = Scope((project, other))
    Assignment.objects.create(project=project, expert=expert, tag="债券")
    Assignment.objects.create(project=project, expert=expert, tag="loans")
    assert counts(expert, both).free == 2
    assert counts(expert, Scope((project,))).state == "unassigned"
    assert counts(expert, Scope((project,))).unassigned == 6
    assert counts(second, Scope((project,))).free == 6
    first, last = audit.dataset.samples.all()[0], audit.dataset.samples.all()[2]
    Sample.objects.filter(pk=first.pk).update(tags=["债券", "x"])
    Sample.objects.filter(pk=last.pk).update(tags=["loans", "债券"])
    now = counts(expert, both)
    assert (now.free, now.unassigned, now.total) == (6, 2, 6) and adds_up(now)
    samples = {slot.item.claim.sample_id for slot in work_off(expert, Scope((project,)))}
    assert samples == {first.pk, last.pk}
    assert counts(expert, Scope((project,))).state == "unassigned"


def test_a_claim_in_hand_stays_there_when_tags_change(audit: Audit, scope: Scope, expert: Any) -> None:
    slot = take(expert, scope)
    Assignment.objects.create(project=scope.projects[0], expert=expert, tag="loans")
    assert held(expert, scope) == slot == take(expert, scope)
    now = counts(expert, scope)
    assert (now.state, now.mine, now.total) == ("ready", 1, 1) and adds_up(now)


def test_filters_hide_and_the_empty_queue_says_how_many(audit: Audit, scope: Scope, expert: Any, second: Any) -> None:
    Sample.objects.filter(position=0).update(tags=["loans"])
    Sample.objects.filter(position=1).update(language="zh")
    tagged = Scope(scope.projects, tag="loans")
    now = counts(expert, tagged)
    assert (now.free, now.total, now.hidden) == (2, 2, 4)
    assert {slot.item.claim.sample.position for slot in work_off(expert, tagged)} == {0}
    now = counts(expert, tagged)
    assert (now.state, now.hidden, now.done) == ("hidden", 4, 2) and adds_up(now)
    assert counts(expert, Scope(scope.projects, tag="none of them")).state == "hidden"
    chinese = Scope(scope.projects, language="zh")
    assert {slot.item.claim.sample.position for slot in work_off(expert, chinese)} == {1}
    work_off(expert, scope)
    assert counts(expert, tagged).state == counts(expert, chinese).state == "done"


def test_a_claim_that_was_cut_anew_is_not_offered(audit: Audit, scope: Scope, expert: Any) -> None:
    item = ReviewItem.objects.all()[0]
    ReviewItem.objects.filter(pk=item.pk).update(replaced_at=timezone.now())
    assert counts(expert, scope).total == 5
    assert item.pk not in {slot.item_id for slot in work_off(expert, scope)}


# --- Order ----------------------------------------------------------------------------------------------------


def test_claims_of_the_answer_just_read_come_first(audit: Audit, scope: Scope, expert: Any) -> None:
    ReviewItem.objects.update(rank=0)  # by place then, which is shuffled
    read = [slot.item.claim.sample_id for slot in work_off(expert, scope)]
    assert read[0::2] == read[1::2] and len(set(read)) == 3


def test_colleagues_read_different_answers_while_there_are_some(
    audit: Audit, scope: Scope, expert: Any, second: Any, person: Any, project: Project
) -> None:
    people = [expert, second, person("ada", project, Role.EXPERT), person("lea", project, Role.EXPERT)]
    taken = [take(user, scope) for user in people]
    samples = [slot.item.claim.sample_id for slot in taken if slot]
    assert len(set(samples[:3])) == 3, "one answer each"
    assert samples[3] in samples[:3], "then a claim is better than none"


def test_the_next_claim_is_taken_while_one_is_in_hand(
    audit: Audit, scope: Scope, expert: Any, django_assert_max_num_queries: Any
) -> None:
    first = take(expert, scope)
    with django_assert_max_num_queries(8):
        second = take(expert, scope, besides=first)
    assert first is not None and second is not None and second.item_id != first.item_id
    assert second.item.claim.sample_id == first.item.claim.sample_id, "of the same answer"
    assert take(expert, scope, besides=first) == second, "asked twice is taken once"
    assert take(expert, scope) == first == held(expert, scope), "a reload shows the one in hand"
    give(first, expert)
    assert take(expert, scope) == second


def test_nothing_is_left_besides_the_last_claim(audit: Audit, scope: Scope, expert: Any) -> None:
    item = ReviewItem.objects.all()[0]
    Slot.objects.exclude(item=item).delete()
    double(item)
    last = take(expert, scope)
    assert take(expert, scope, besides=last) is None, "never the second label of the claim in hand"
    expire(last)
    assert take(expert, scope, besides=last) is None


# --- Leases ---------------------------------------------------------------------------------------------------


def test_the_clock_starts_when_the_claim_is_taken_and_not_again(audit: Audit, scope: Scope, expert: Any) -> None:
    slot = take(expert, scope)
    began = Slot.objects.get(pk=slot.pk).taken_at
    assert began is not None and timezone.now() - began < datetime.timedelta(minutes=1)
    renew(slot, slot.token)
    expire(slot)
    renew(slot, slot.token)
    take(expert, scope)
    assert Slot.objects.get(pk=slot.pk).taken_at == began


def test_a_manager_frees_a_forgotten_lease(
    audit: Audit, scope: Scope, expert: Any, second: Any, manager: Any
) -> None:
    slot = take(expert, scope)
    for other in Slot.objects.exclude(pk=slot.pk):
        other.delete()
    assert take(second, scope) is None
    assert free_lease(slot, manager)
    assert not free_lease(slot, manager), "twice is once"
    event = audit.events.get(kind="lease_released")
    assert (event.actor, event.data) == (manager, {"item": slot.item_id, "expert": "eve"})
    assert not renew(slot, slot.token), "the forgotten page does not take it back by itself"
    given = adjudicate(slot, slot.token, user=expert, label=S, idempotency_key=uuid.uuid4())
    assert given.outcome == Outcome.LEASE_LOST_BUT_SAVED, "what was typed there still counts while nobody took it"


def test_a_skip_in_one_window_is_not_undone_by_the_others_heartbeat(audit: Audit, scope: Scope, expert: Any) -> None:
    slot = take(expert, scope)
    skip(slot, slot.token, user=expert, reason="unclear")
    assert not renew(slot, slot.token)


# --- Truth ----------------------------------------------------------------------------------------------------


def test_what_is_counted_can_be_taken(audit: Audit, expert: Any, second: Any, project: Project) -> None:
    items = list(ReviewItem.objects.all())
    double(items[0], items[1])
    Slot.objects.filter(item=items[2]).update(reserved_for=second)
    Sample.objects.filter(position=0).update(tags=["loans"])
    scopes = [Scope((project,)), Scope((project,), tag="loans"), Scope((project,), language="en")]
    for turn in range(20):
        for user in (expert, second):
            for scope in scopes:
                now = counts(user, scope)
                assert adds_up(now)
                slot = take(user, scope)
                assert (slot is not None) == (now.state == "ready"), now
                if slot is not None:
                    kind = (turn + slot.pk) % 3
                    if kind == 0:
                        skip(slot, slot.token, user=user, reason="unclear")
                    elif kind == 1:
                        give(slot, user, (S, C)[user == second])
                    else:
                        expire(slot)
    assert counts(expert, scopes[0]).free == 0


def test_counting_and_taking_take_few_queries(
    audit: Audit, scope: Scope, expert: Any, django_assert_max_num_queries: Any
) -> None:
    with django_assert_max_num_queries(5):
        counts(expert, scope)
    with django_assert_max_num_queries(8):
        take(expert, scope)


def test_claims_of_a_finished_audit_do_not_hide_one_that_is_being_drawn(
    audit: Audit, scope: Scope, expert: Any, project: Project
) -> None:
    work_off(expert, scope)
    make_audit(project, [(S, C)])
    assert counts(expert, scope).state == "opening"


def test_a_claim_comes_with_its_texts(
    audit: Audit, scope: Scope, expert: Any, django_assert_num_queries: Any
) -> None:
    slot = take(expert, scope)
    assert slot is not None
    with django_assert_num_queries(0):
        assert slot.item.claim.sample.answer and slot.item.plan.audit.project == scope.projects[0]
