"""Agreement is read over all claims, weighted where experts saw a part, from first independent labels."""

from typing import Any

import pytest

from audits.models import Role
from review.agreement import Material, agreement_page
from review.models import ReviewItem
from review.outcomes import outcomes
from tests.review.factory import C, S, U, make_audit
from tests.review.words import double, items_of, say

pytestmark = pytest.mark.django_db


@pytest.fixture
def emil(person: Any, project: Any) -> Any:
    """A second expert."""
    return person("emil", project, Role.EXPERT)


@pytest.fixture
def fay(person: Any, project: Any) -> Any:
    """A third expert."""
    return person("fay", project, Role.EXPERT)


def test_judges_are_compared_over_all_claims(project: Any) -> None:
    audit = make_audit(project, [(S, S)] * 6 + [(C, C)] + [(S, U)] * 2 + [(S, "")])
    (pair,) = agreement_page(audit).pairs
    assert (pair.agreement.n, pair.agreement.excluded) == (9, 1)
    assert pair.agreement.percent.value == pytest.approx(7 / 9)
    assert pair.agreement.table == ((6, 0, 2), (0, 1, 0), (0, 0, 0))
    # margins 8/1/0 and 6/1/2 of 9; pi = (7/9, 1/9, 1/9); alpha = 1 - (2/9) / ((1 - 51/81) * 18/17)
    assert pair.agreement.alpha.value == pytest.approx(1 - (2 / 9) / ((1 - 51 / 81) * 18 / 17))


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
    for item in items_of(audit):
        say(item, expert, item.claim.verdicts.last().label)
    first, second = agreement_page(audit).judges
    assert first.weighted.percent.value == pytest.approx(100 / 105)
    assert first.counted.percent.value == pytest.approx(10 / 15)
    assert second.weighted.percent.value == 1


def test_a_label_changed_after_the_reveal_enters_outcomes_not_agreement(project: Any, expert: Any) -> None:
    audit = make_audit(project, [(S, C)])
    (item,) = items_of(audit)
    say(item, expert, S, shown=True)
    say(item, expert, C)
    assert outcomes(audit)[0].label == C
    assert agreement_page(audit).judges[0].counted.percent.value == 1, "the independent label was judge A's"


def test_a_slip_that_is_taken_back_before_the_reveal_was_never_given(project: Any, expert: Any) -> None:
    audit = make_audit(project, [(S, C)])
    (item,) = items_of(audit)
    for label in (S, "", C):
        say(item, expert, label)
    assert agreement_page(audit).judges[0].counted.percent.value == 0
    assert agreement_page(audit).judges[1].counted.percent.value == 1


def test_experts_are_compared_on_claims_labelled_twice(project: Any, expert: Any, emil: Any, fay: Any) -> None:
    """Two of three doubled claims agree. Extra opinions, arbiters, and a claim that one expert saw are not in it."""
    audit = make_audit(project, [(S, C)] * 6)
    a, b, c, single, gold, replaced = items_of(audit)
    for item, first, second in ((a, S, S), (b, C, C), (c, S, U)):
        double(item)
        say(item, expert, first, number=1)
        say(item, emil, second, number=2)
    say(c, fay, U, number=3, arbitrates=True)
    say(a, fay, C, number=None)
    say(single, expert, S)
    say(single, emil, C, number=None)
    for item, change in ((gold, {"kind": ReviewItem.Kind.GOLD}), (replaced, {"replaced_at": audit.created})):
        ReviewItem.objects.filter(pk=item.pk).update(needed=2, **change)
        say(item, expert, S, number=1)
        say(item, emil, C, number=2)
    page = agreement_page(audit)
    assert page.experts is not None
    assert (page.experts.n, page.experts.percent.value) == (3, pytest.approx(2 / 3))
    assert page.experts.table == ((1, 0, 1), (0, 1, 0), (0, 0, 0))
    assert page.reviewed == 4, "three doubled ones and the single one"


def test_the_experts_side_of_a_doubled_claim_is_both_or_the_arbiter(
    project: Any, expert: Any, emil: Any, fay: Any
) -> None:
    audit = make_audit(project, [(S, C)] * 4)
    both, differ, waiting, half = items_of(audit)
    for item in (both, differ, waiting, half):
        double(item)
        say(item, expert, S, number=1)
    say(both, emil, S, number=2)
    for item in (differ, waiting):
        say(item, emil, C, number=2)
    say(differ, fay, U, number=3, arbitrates=True, shown=True)
    say(differ, fay, S, number=3, arbitrates=True)
    settled = {one.claim: one.label for one in Material(audit).settled}
    assert settled == {both.claim_id: S, differ.claim_id: U}


def test_an_outcome_is_the_experts_word_else_the_decision(project: Any, expert: Any) -> None:
    audit = make_audit(project, [(S, S), (S, C), (U, U)], spot_check=0)
    assert [one.label for one in outcomes(audit)] == [S, None, U]
    (item,) = items_of(audit)
    say(item, expert, C)
    assert [one.label for one in outcomes(audit)] == [S, C, U]
