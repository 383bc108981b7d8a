"""Judge against experts: the weights undo that disputed claims are all reviewed."""

import pytest

from audits.stats.agreement import LABELS
from audits.stats.expert_agreement import ReviewedClaim, judge_expert

S, C, U = LABELS
SIZES = {"supported": 912, "contradicted": 12, "unverified": 29, "disputed": 47}


def reviewed():
    """A spot check of 120 + 12 + 18 and 47 disputed claims; the judge said S or U on the disputed ones."""
    counts = [
        ("supported", S, {S: 118, U: 1, C: 1}),
        ("contradicted", C, {C: 5, S: 7}),
        ("unverified", U, {U: 6, S: 12}),
        ("disputed", S, {S: 18, U: 2}),
        ("disputed", U, {S: 24, U: 3}),
    ]
    return [
        ReviewedClaim(stratum, judge, expert)
        for stratum, judge, experts in counts
        for expert, count in experts.items()
        for _ in range(count)
    ]


def test_weighted_table():
    result = judge_expert(reviewed(), SIZES)
    assert result.n == 197
    # claims on which the judge said S: 912 agreed ones and 20 of the disputed
    assert sum(result.table[0]) == pytest.approx(932 / 1000)
    # of these the expert said S to 912 * 118/120 + 18
    assert result.table[0][0] == pytest.approx((912 * 118 / 120 + 18) / 1000)
    agreed = 912 * 118 / 120 + 18 + 5 + 29 * 6 / 18 + 3
    assert result.percent.value == pytest.approx(agreed / 1000)


def test_weighted_kappa():
    # scikit-learn cohen_kappa_score(sample_weight = N_h / n_h): 0.318517; without the weights it would be 0.295197
    result = judge_expert(reviewed(), SIZES)
    assert result.kappa.value == pytest.approx(0.318517, abs=1e-6)
    # MOVER-exact limits of kappa by an independent implementation
    assert (result.kappa.low, result.kappa.high) == pytest.approx((0.174249, 0.447842), abs=1e-6)
    assert result.ac1.value == pytest.approx(0.928967, abs=1e-6)
    # Krippendorff's alpha of the weighted table, 1,000 claims of two labels each
    shares = [(r + c) / 2 for r, c in zip(*result.rates, strict=True)]
    expected = (1 - sum(share**2 for share in shares)) * 2000 / 1999
    assert result.alpha.value == pytest.approx(1 - (1 - result.percent.value) / expected)
    for each in (result.percent, result.kappa, result.ac1, result.alpha):
        assert each.low < each.value < each.high


def test_all_reviewed_leaves_no_doubt():
    rows = [ReviewedClaim("supported", S, S)] * 8 + [ReviewedClaim("disputed", S, U)] * 2
    result = judge_expert(rows, {"supported": 8, "disputed": 2})
    assert result.percent.value == result.percent.low == result.percent.high == pytest.approx(0.8)


def test_an_unchecked_stratum_leaves_everything_undefined():
    rows = [ReviewedClaim("disputed", S, U)] * 5
    result = judge_expert(rows, {"supported": 100, "disputed": 5})
    assert result.kappa.reason == result.percent.reason == "stratum_not_checked"
    assert result.percent.value is None
    assert judge_expert([], {}).percent.reason == "no_shared_items"


def test_a_silent_judge_is_excluded_and_counted():
    rows = [ReviewedClaim("supported", S, S)] * 20
    rows += [ReviewedClaim("disputed", None, U)] * 2 + [ReviewedClaim("disputed", S, U)] * 2
    result = judge_expert(rows, {"supported": 100, "disputed": 4})
    assert (result.n, result.excluded) == (22, 2)
    assert result.percent.value == pytest.approx(100 / 102)


def test_one_label_only():
    rows = [ReviewedClaim("supported", S, S)] * 20
    result = judge_expert(rows, {"supported": 100})
    assert (result.kappa.value, result.kappa.reason) == (None, "one_label")
    assert result.percent.value == 1.0
    assert result.percent.low < 0.95


def test_disputes_that_nobody_settled_may_be_anything():
    """Experts take the weightiest disputes first: of 100 the judge is right on the 20 that are reviewed, and wrong on
    all others. The limits at 20 hold what is known at 100; no random draw speaks of the open ones."""
    sizes = {"supported": 200, "disputed": 100}
    first = [ReviewedClaim("supported", S, S)] * 200 + [ReviewedClaim("disputed", U, U)] * 20
    at_first = judge_expert(first, sizes)
    in_the_end = judge_expert([*first, *[ReviewedClaim("disputed", U, S)] * 80], sizes)
    assert in_the_end.percent.value == in_the_end.percent.low == pytest.approx(220 / 300)
    assert at_first.percent.low == pytest.approx(220 / 300)
    assert at_first.percent.high == 1
    for kind in ("kappa", "ac1", "alpha"):
        assert getattr(at_first, kind).low <= getattr(in_the_end, kind).value < getattr(at_first, kind).value


def test_open_disputes_are_added_to_the_chance_of_the_draw_and_not_in_quadrature():
    sizes = {"supported": 200, "disputed": 100}
    rows = [ReviewedClaim("supported", S, S)] * 40 + [ReviewedClaim("disputed", U, U)] * 90
    open_alone = judge_expert([ReviewedClaim("supported", S, S)] * 200 + rows[40:], sizes).percent
    drawn_alone = judge_expert([*rows, *[ReviewedClaim("disputed", U, U)] * 10], sizes).percent
    both = judge_expert(rows, sizes).percent
    assert both.low == pytest.approx(open_alone.low + drawn_alone.low - 1)
