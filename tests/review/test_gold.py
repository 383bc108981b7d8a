"""Claims with known labels: mixed in unseen, one slot for every expert, and nothing but experts measured by them."""

import threading
import uuid
from typing import Any

import pytest
from django.db import connection

from audits.models import Audit, Claim, Event, GivenLabel, Role
from review import gold
from review.gold import GoldError
from review.models import Adjudication, ReviewItem, ReviewRules, Slot
from review.outcomes import outcomes
from review.readiness import readiness
from review.spotcheck import open_review
from tests.review.factory import MIXED, C, S, U, make_audit, patiently, settle_all

pytestmark = pytest.mark.django_db


def opened(project: Any, pairs: Any = MIXED, **fields: Any) -> Audit:
    audit = make_audit(project, pairs, **{"spot_check": 8, **fields})
    open_review(audit)
    return audit


def put_in(audit: Audit, manager: Any, how_many: int = 1, label: str = S) -> list[ReviewItem]:
    claims = list(gold.candidates(audit)[:how_many])
    return [gold.add(audit, claim, label=label, reason="Read it.", by=manager) for claim in claims]


def say(item: ReviewItem, user: Any, label: str, revision: int = 1, blind: bool = True) -> None:
    slot = Slot.objects.filter(item=item, reserved_for=user).first()
    Adjudication.objects.create(
        item=item, slot=slot, reviewer=user, label=label, revision=revision, blind=blind, idempotency_key=uuid.uuid4()
    )
    Slot.objects.filter(pk=slot.pk).update(state="done", reviewer=user)


def test_a_claim_is_mixed_in(project: Any, manager: Any) -> None:
    audit = opened(project)
    before = audit.review_plan.items.count()
    (item,) = put_in(audit, manager, label=C)
    assert (item.kind, item.gold_label, item.gold_reason, item.order) == ("gold", C, "Read it.", before)
    assert sorted(audit.review_plan.items.values_list("rank", flat=True)) == list(range(before + 1))
    event = Event.objects.get(kind="gold_added")
    assert (event.actor, event.data["claim"], event.data["label"]) == (manager, item.claim_id, C)
    assert item.claim_id not in set(gold.candidates(audit).values_list("pk", flat=True))


def test_it_stands_anywhere_among_the_open_claims(project: Any, manager: Any) -> None:
    audit = opened(project, [(S, S)] * 200 + [(S, C)] * 5, spot_check=5)
    ranks = {item.rank for item in put_in(audit, manager, 30)}
    assert min(ranks) < 10 and len(ranks) > 5, "at random, but surely not 30 times in the same few places"


def test_it_stands_with_the_other_claims_of_its_answer(project: Any, manager: Any) -> None:
    audit = opened(project, [(S, S), (S, C), (S, S)] * 6, per_answer=3, spot_check=0)
    for claim in list(gold.candidates(audit)):
        gold.add(audit, claim, label=S, reason="", by=manager)
    rows = audit.review_plan.items.order_by("rank", "order").values_list("claim__sample__position", "claim__position")
    listed = list(rows)
    assert [place for _, place in listed] == [0, 1, 2] * 6
    assert [answer for answer, _ in listed] == [answer for answer, _ in listed[::3] for _ in range(3)]


@pytest.mark.parametrize("code", ["listed", "label", "other_audit", "not_judged", "closed"])
def test_what_cannot_be_mixed_in(project: Any, manager: Any, code: str) -> None:
    audit, label = opened(project), S
    claim = gold.candidates(audit)[0]
    if code == "listed":
        claim = ReviewItem.objects.first().claim
    elif code == "label":
        label = "MAYBE"
    elif code == "other_audit":
        claim = gold.candidates(opened(project))[0]
    elif code == "not_judged":
        claim.decision = ""
    else:
        Audit.objects.update(status="cancelled")
    with pytest.raises(GoldError) as caught:
        gold.add(audit, claim, label=label, reason="", by=manager)
    assert caught.value.code == code
    assert not ReviewItem.objects.filter(kind="gold").exists()


def test_it_is_taken_out_again_while_nobody_has_begun(project: Any, expert: Any, manager: Any) -> None:
    audit = opened(project)
    first, second = put_in(audit, manager, 2)
    gold.ensure_for(expert, [project])
    assert gold.remove(first, manager) is True
    assert gold.remove(first, manager) is False
    assert not Slot.objects.filter(item=first.pk).exists()
    assert Event.objects.filter(kind="gold_removed", actor=manager).count() == 1
    say(second, expert, C)
    for item, code in ((second, "used"), (ReviewItem.objects.exclude(kind="gold").first(), "not_gold")):
        with pytest.raises(GoldError) as caught:
            gold.remove(item, manager)
        assert caught.value.code == code


def test_every_expert_gets_an_own_slot_once(
    project: Any, expert: Any, manager: Any, person: Any, django_assert_num_queries: Any
) -> None:
    audit = opened(project)
    items = put_in(audit, manager, 3)
    other = person("ed", project, Role.EXPERT)
    for user in (expert, other, expert):
        gold.ensure_for(user, [project])
    for item in items:
        assert list(item.slots.values_list("number", "reserved_for")) == [(1, expert.pk), (2, other.pk)]
    with django_assert_num_queries(1):
        gold.ensure_for(expert, [project])
    assert Slot.objects.filter(item__kind="gold").count() == 6
    Audit.objects.filter(pk=audit.pk).update(status="cancelled")
    gold.ensure_for(person("eli", project, Role.EXPERT), [project])
    assert Slot.objects.filter(item__kind="gold").count() == 6


@pytest.mark.parametrize(
    ("agreed", "n", "below"),
    [
        (7, 10, True),  # 70 % is below 80 %
        (8, 10, False),
        (5, 9, False),  # upper limit 86 %: too few to say
        (1, 4, False),  # upper limit 81 %
        (0, 3, True),  # upper limit 71 %
    ],
)
def test_the_bar(project: Any, expert: Any, manager: Any, agreed: int, n: int, below: bool) -> None:
    items = put_in(opened(project), manager, n)
    gold.ensure_for(expert, [project])
    for number, item in enumerate(items):
        say(item, expert, S if number < agreed else U)
    (row,) = gold.results(project)
    assert (row.expert, row.n, row.agreed, row.below_bar) == (expert, n, agreed, below)
    assert row.share.value == agreed / n and row.share.n == n


def test_the_limits_are_exact(project: Any, expert: Any, manager: Any) -> None:
    """7 of 10: Clopper-Pearson 34.75 % to 93.33 % (any table)."""
    items = put_in(opened(project), manager, 10)
    gold.ensure_for(expert, [project])
    for number, item in enumerate(items):
        say(item, expert, S if number < 7 else C)
    (row,) = gold.results(project)
    assert row.share.low == pytest.approx(0.3475, abs=5e-5) and row.share.high == pytest.approx(0.9333, abs=5e-5)
    ReviewRules.objects.create(project=project, gold_bar=70)
    assert gold.results(project)[0].below_bar is False


def test_only_the_first_independent_label_counts(project: Any, expert: Any, manager: Any) -> None:
    slip, late = put_in(opened(project), manager, 2)
    gold.ensure_for(expert, [project])
    say(slip, expert, C)  # taken back at once, and corrected
    say(slip, expert, "", revision=2)
    say(slip, expert, S, revision=3)
    say(late, expert, C)
    say(late, expert, S, revision=2, blind=False)  # changed after the verdicts were seen
    (row,) = gold.results(project)
    assert (row.n, row.agreed) == (2, 1)


def test_nobody_met_a_known_label_yet(project: Any, expert: Any, manager: Any) -> None:
    put_in(opened(project), manager, 2)
    gold.ensure_for(expert, [project])
    assert gold.results(project) == []


def test_known_labels_touch_no_number(project: Any, expert: Any, manager: Any) -> None:
    audit = opened(project)
    settle_all(audit, expert)
    before, ready = outcomes(audit), readiness(audit)
    assert ready.issuable
    items = put_in(audit, manager, 3, label=C)
    gold.ensure_for(expert, [project])
    say(items[0], expert, U)  # the judges said supported
    assert outcomes(audit) == before
    assert readiness(audit) == ready


def test_labels_that_came_with_the_dataset_are_offered(project: Any) -> None:
    audit = opened(project, [(S, S)] * 6 + [(S, C)], spot_check=0)
    claims = list(Claim.objects.filter(audit=audit))

    def given(claim: Claim, text: str, label: str, position: int = 0) -> None:
        GivenLabel.objects.create(
            sample=claim.sample, position=position, claim=text, word=label.lower(), label=label
        )  # fmt: skip

    given(claims[0], "  branch 0 opened in １９５０ ", C)  # the same but for case, blanks, width and the full stop
    given(claims[1], claims[1].text, "NOT_SUPPORTED")  # none of the three
    given(claims[2], claims[0].text, S)  # of another sample
    given(claims[3], claims[3].text, S)
    given(claims[3], claims[3].text, U, position=1)  # two things at once
    given(claims[4], "", S)  # of the answer as a whole
    given(claims[6], claims[6].text, S)  # experts see it already
    found = gold.suggestions(audit)
    assert [(one.claim, one.label, one.word) for one in found] == [(claims[0], C, "contradicted")]


def test_candidates_can_be_looked_for(project: Any) -> None:
    audit = opened(project, spot_check=0)
    assert gold.candidates(audit).count() == 50
    assert [claim.text for claim in gold.candidates(audit, "branch 17 ")] == ["Branch 17 opened in 1967."]
    assert {claim.sample.external_id for claim in gold.candidates(audit, "q4")} == {
        "q4",
        *(f"q4{n}" for n in range(10)),
    }


@pytest.mark.django_db(transaction=True)
def test_experts_who_come_at_the_same_moment_get_one_slot_each(project: Any, manager: Any, person: Any) -> None:
    items = put_in(opened(project), manager, 3)
    experts = [person(f"expert-{number}", project, Role.EXPERT) for number in range(3)]

    def come(expert: Any) -> None:
        patiently(lambda: gold.ensure_for(expert, [project]))
        connection.close()

    threads = [threading.Thread(target=come, args=(expert,)) for expert in experts * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for item in items:
        assert sorted(item.slots.values_list("reserved_for", flat=True)) == sorted(one.pk for one in experts)
        assert list(item.slots.values_list("number", flat=True)) == [1, 2, 3]
