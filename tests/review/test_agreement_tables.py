"""Agreement is read over all claims, weighted where experts saw a part, from labels given blind."""

import uuid
from typing import Any

import pytest

from audits.models import Role
from review.adjudication import adjudicate, undo
from review.agreement import agreement_page
from review.outcomes import outcomes
from review.queue import take
from review.spotcheck import open_review
from tests.review.factory import C, S, U, expire, make_audit

pytestmark = pytest.mark.django_db


def settle(user: Any, project: Any, label: str) -> Any:
    """Give a label to the next claim."""
    slot = take(user, [project])
    return adjudicate(slot, slot.token, user=user, label=label, idempotency_key=uuid.uuid4()).adjudication


def test_judges_are_compared_over_all_claims(project: Any) -> None:
    audit = make_audit(project, [(S, S)] * 6 + [(C, C)] + [(S, U)] * 2 + [(S, "")])
    (pair,) = agreement_page(audit).pairs
    assert (pair.agreement.n, pair.agreement.excluded) == (9, 1)
    assert pair.agreement.percent.value == pytest.approx(7 / 9)
    assert pair.agreement.table == ((6, 0, 2), (0, 1, 0), (0, 0, 0))


def test_nothing_reviewed_is_undefined_with_a_reason(project: Any) -> None:
    audit = make_audit(project, [(S, S)] * 3)
    page = agreement_page(audit)
    assert page.judges[0].weighted.kappa.value is None
    assert page.judges[0].weighted.kappa.reason in {"no_shared_items", "stratum_not_checked"}
    assert page.experts is None


def test_experts_count_by_the_size_of_the_stratum(project: Any, expert: Any) -> None:
    """100 agreed claims of which 10 are drawn, 5 disputed: each drawn claim stands for 10.

    Experts say what judge B says: B agrees always; A agrees on 100 of 105 claims (95.2 %), counted on the reviewed
    ones only 10 of 15 (66.7 %).
    """
    audit = make_audit(project, [(S, S)] * 100 + [(S, C)] * 5, spot_check=10)
    open_review(audit)
    while slot := take(expert, [project]):
        said = slot.item.claim.verdicts.last().label
        adjudicate(slot, slot.token, user=expert, label=said, idempotency_key=uuid.uuid4())
    first, second = agreement_page(audit).judges
    assert first.weighted.percent.value == pytest.approx(100 / 105)
    assert first.counted.percent.value == pytest.approx(10 / 15)
    assert second.weighted.percent.value == 1


def test_a_label_changed_after_the_reveal_enters_outcomes_not_agreement(project: Any, expert: Any) -> None:
    audit = make_audit(project, [(S, C)])
    open_review(audit)
    undo(expert, settle(expert, project, S))
    settle(expert, project, C)
    (outcome,) = outcomes(audit)
    assert outcome.label == C
    page = agreement_page(audit)
    assert page.judges[0].counted.percent.value == 1, "the blind label was judge A's"
    assert page.changed == 1


def test_two_experts_on_one_claim_are_compared(project: Any, expert: Any, person: Any) -> None:
    audit = make_audit(project, [(S, C)])
    open_review(audit)
    second = person("emil", project, Role.EXPERT)
    slot = take(expert, [project])
    expire(slot)
    settle(second, project, U)
    adjudicate(slot, slot.token, user=expert, label=U, idempotency_key=uuid.uuid4())
    experts = agreement_page(audit).experts
    assert experts is not None and (experts.n, experts.percent.value) == (1, 1)
    assert outcomes(audit)[0].label == U


def test_an_outcome_is_the_experts_word_else_the_decision(project: Any, expert: Any) -> None:
    audit = make_audit(project, [(S, S), (S, C), (U, U)], spot_check=0)
    assert [one.label for one in outcomes(audit)] == [S, None, U]
    open_review(audit)
    settle(expert, project, C)
    assert [one.label for one in outcomes(audit)] == [S, C, U]
