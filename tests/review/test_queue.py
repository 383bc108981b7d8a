"""Who gets which claim, for how long, and what an empty queue says."""

import threading
import uuid
from collections import Counter
from functools import partial
from typing import Any

import pytest
from django.db import connections

from audits.models import Audit, Project, Role
from review.adjudication import adjudicate
from review.models import ReviewItem, Skip, Slot
from review.queue import counts, expert_projects, release, renew, skip, take
from review.scope import Scope
from review.spotcheck import open_review
from tests.review.factory import C, S, U, expire, make_audit, patiently

pytestmark = pytest.mark.django_db
DISPUTES = [(S, C), (S, U), (C, U)]


@pytest.fixture
def audit(project: Project) -> Audit:
    """Three disputed claims under review."""
    audit = make_audit(project, DISPUTES)
    open_review(audit)
    return audit


@pytest.fixture
def second(person: Any, project: Project) -> Any:
    """A second expert of the project."""
    return person("emil", project, Role.EXPERT)


def settle(slot: Slot, user: Any, label: str = S) -> None:
    """Give a label."""
    adjudicate(slot, slot.token, user=user, label=label, idempotency_key=uuid.uuid4())


def test_a_live_lease_is_resumed_before_anything_new(audit: Audit, expert: Any, project: Project) -> None:
    first = take(expert, Scope((project,)))
    assert first is not None
    assert take(expert, Scope((project,))) == first
    assert Slot.objects.held().count() == 1


def test_two_experts_get_different_claims(audit: Audit, expert: Any, second: Any, project: Project) -> None:
    assert take(expert, Scope((project,))) != take(second, Scope((project,)))


def test_claims_come_by_rank(audit: Audit, expert: Any, project: Project) -> None:
    seen = []
    while slot := take(expert, Scope((project,))):
        seen.append(slot.item_id)
        settle(slot, expert)
    assert seen == list(ReviewItem.objects.order_by("rank", "order").values_list("pk", flat=True))


def test_a_lease_that_ran_out_frees_the_claim(audit: Audit, expert: Any, second: Any, project: Project) -> None:
    slot = take(expert, Scope((project,)))
    expire(slot)
    assert take(second, Scope((project,))) == slot
    assert not renew(slot, slot.token), "the first person's token is worth nothing now"


def test_renewing_holds_the_claim(audit: Audit, expert: Any, second: Any, project: Project) -> None:
    slot = take(expert, Scope((project,)))
    expire(slot)
    assert renew(slot, slot.token)
    assert take(second, Scope((project,))) != slot


def test_a_foreign_token_neither_renews_nor_releases(audit: Audit, expert: Any, project: Project) -> None:
    slot = take(expert, Scope((project,)))
    for token in (uuid.uuid4(), None):
        assert not renew(slot, token)
        assert not release(slot, token)
    assert take(expert, Scope((project,))) == slot


def test_released_claims_are_free_at_once(audit: Audit, expert: Any, second: Any, project: Project) -> None:
    slot = take(expert, Scope((project,)))
    assert release(slot, slot.token)
    assert take(second, Scope((project,))) == slot


def test_a_skipped_claim_comes_back_only_when_asked_for(
    audit: Audit, expert: Any, second: Any, project: Project
) -> None:
    slot = take(expert, Scope((project,)))
    assert skip(slot, slot.token, user=expert, reason="unclear", note="which branch?")
    assert not skip(slot, slot.token, user=expert, reason="unclear"), "twice is once"
    assert Skip.objects.count() == 1
    for _ in range(2):
        other = take(expert, Scope((project,)))
        assert other is not None and other != slot
        settle(other, expert)
    assert take(expert, Scope((project,))) is None
    assert counts(expert, Scope((project,))).state == "skipped"
    assert take(expert, Scope((project,)), again=True) == slot
    assert release(slot, Slot.objects.get(pk=slot.pk).token)
    assert take(second, Scope((project,))) == slot, "a colleague sees it as any other"


def test_skipped_claims_come_back_in_turn(audit: Audit, expert: Any, project: Project) -> None:
    order = []
    for _ in range(3):
        slot = take(expert, Scope((project,)))
        skip(slot, slot.token, user=expert, reason="not_my_field")
        order.append(slot.pk)
    back = []
    for _ in range(4):
        slot = take(expert, Scope((project,)), again=True)
        skip(slot, slot.token, user=expert, reason="not_my_field")
        back.append(slot.pk)
    assert back == [*order, order[0]]


def test_an_unknown_reason_is_refused(audit: Audit, expert: Any, project: Project) -> None:
    slot = take(expert, Scope((project,)))
    with pytest.raises(ValueError, match="unknown reason"):
        skip(slot, slot.token, user=expert, reason="bored")
    assert take(expert, Scope((project,))) == slot


def test_other_projects_and_other_states_are_out_of_reach(audit: Audit, expert: Any, stranger: Any) -> None:
    assert take(stranger, Scope(tuple(expert_projects(stranger)))) is None
    Audit.objects.filter(pk=audit.pk).update(status="cancelled")
    assert take(expert, Scope(tuple(expert_projects(expert)))) is None


def test_the_empty_queue_says_why(audit: Audit, expert: Any, second: Any, project: Project) -> None:
    slots = [take(expert, Scope((project,)))]
    now = counts(expert, Scope((project,)))
    assert (now.state, now.total, now.done, now.free, now.mine) == ("ready", 3, 0, 2, 1)
    assert now.next_free is None, "my own lease is not what I wait for"
    for _ in range(2):
        settle(take(second, Scope((project,))), second)
    waiting = counts(second, Scope((project,)))
    assert (waiting.state, waiting.colleagues, waiting.done) == ("colleagues", 1, 2)
    assert 1 <= waiting.minutes <= 10
    settle(slots[0], expert)
    assert counts(second, Scope((project,))).state == "done"


def test_nothing_under_review_is_not_all_done(project: Project, expert: Any) -> None:
    assert counts(expert, Scope((project,))).state == "nothing"
    make_audit(project, DISPUTES)
    assert counts(expert, Scope((project,))).state == "opening"


@pytest.mark.django_db(transaction=True)
def test_experts_at_the_same_moment_never_hold_the_same_claim(project: Project, person: Any) -> None:
    open_review(make_audit(project, DISPUTES * 4))
    people = [person(f"e{n}", project, Role.EXPERT) for n in range(4)]
    taken: list[int] = []
    failures: list[Exception] = []
    start = threading.Barrier(len(people))

    def work(user: Any) -> None:
        try:
            start.wait()
            while slot := patiently(partial(take, user, Scope((project,)))):
                taken.append(slot.pk)
                patiently(partial(settle, slot, user))
        except Exception as error:  # shown by the assertion below
            failures.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=work, args=(user,)) for user in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert Counter(taken) == Counter(Slot.objects.values_list("pk", flat=True))
