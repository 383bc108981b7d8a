"""Measures of bias on made-up audits: what is weighted, what is undefined and why, how wide intervals are."""

import math
import random

import pytest

from audits.stats.bias import Reviewed, Strata, length_slope, wrong_by_length
from audits.stats.difference import mover
from audits.stats.estimate import Estimate, undefined
from audits.stats.leniency import Both, false_support, generator_gap, leniency_gap, p_of, vagueness
from audits.stats.logit import weighted_logit
from audits.stats.proportions import wilson_estimate

SIZES = {"supported": 800, "contradicted": 100, "disputed": 100}
CHECKED = {"supported": 80, "contradicted": 20, "disputed": 100}
STRATA = Strata(SIZES, CHECKED)


def reviewed(slope: float = 0.0, seed: int = 3) -> list[Reviewed]:
    """200 reviewed claims in answers of 1 to 5 claims; a judge whose errors go with the length where slope > 0."""
    chance = random.Random(seed)
    rows = []
    for stratum, count in CHECKED.items():
        for number in range(count):
            claims = 1 + number % 5
            z = (math.log(claims) - 0.96) / 0.57
            hallucinated = chance.random() < {"supported": 0.1, "contradicted": 0.9, "disputed": 0.5}[stratum]
            wrong = chance.random() < (1 / (1 + math.exp(1.5 - slope * z)) if hallucinated else 0.1)
            rows.append(Reviewed(f"{stratum} {number // 2}", stratum, hallucinated, wrong is hallucinated, claims))
    return rows


LENGTHS = [1 + n % 5 for n in range(1000)]


def test_the_slope_is_the_weighted_one_per_standard_deviation():
    rows = reviewed(slope=1.0)
    found = length_slope(rows, STRATA, LENGTHS)
    logs = [math.log(length) for length in LENGTHS]
    mean = sum(logs) / 1000
    deviation = math.sqrt(sum((x - mean) ** 2 for x in logs) / 1000)
    weight = {"supported": 10.0, "contradicted": 5.0, "disputed": 1.0}
    fit = weighted_logit(
        [[(math.log(r.claims) - mean) / deviation for r in rows], [float(r.hallucinated) for r in rows]],
        [r.supported for r in rows],
        [weight[r.stratum] for r in rows],
        [r.answer for r in rows],
    )
    assert found.estimate.value == pytest.approx(fit.beta[1]) and found.estimate.n == 200
    assert found.p is not None and 0 < found.p < 1
    assert found.estimate.low < fit.beta[1] - 1.96 * fit.se[1] and found.detectable is not None
    assert found.inflation > 200 * (80 * 100 + 20 * 25 + 100) / (800 + 100 + 100) ** 2  # weights, and answers on top


@pytest.mark.parametrize(
    ("rows", "strata", "lengths", "reason"),
    [
        (reviewed(), Strata(SIZES, CHECKED, open=3), LENGTHS, "disputed_open"),
        (reviewed(), Strata(SIZES | {"unverified": 5}, CHECKED), LENGTHS, "stratum_not_checked"),
        ([], STRATA, LENGTHS, "no_shared_items"),
        (reviewed(), STRATA, [2] * 1000, "same_length"),
        ([r for r in reviewed() if not r.wrong], STRATA, LENGTHS, "too_few_errors"),
        ([r for r in reviewed() if r.answer == "disputed 0"], STRATA, LENGTHS, "too_few_answers"),
    ],
)
def test_a_slope_that_would_mislead_is_undefined(rows, strata, lengths, reason):
    found = length_slope(rows, strata, lengths)
    assert (found.estimate.value, found.estimate.reason, found.p, found.detectable) == (None, reason, None, None)


def test_a_judge_whose_answers_split_perfectly_has_no_slope():
    rows = [Reviewed(n, "disputed", False, n >= 30, 1 if n < 30 else 4) for n in range(60)]
    found = length_slope(rows, Strata({"disputed": 60}, {"disputed": 60}), [1, 4] * 30)
    assert found.estimate.reason == "separation"


def test_thirds_keep_answers_of_one_length_together_and_weight_their_claims():
    rows = [
        Reviewed("a", "supported", True, True, 1),  # wrong, stands for 10
        Reviewed("b", "disputed", True, False, 1),  # right, stands for 1
        Reviewed("c", "disputed", False, True, 5),
    ]
    strata = Strata({"supported": 10, "disputed": 2}, {"supported": 1, "disputed": 2})
    short, long = wrong_by_length(rows, strata, [1] * 7 + [5] * 5)
    assert (short.least, short.most, long.least, long.most) == (1, 1, 5, 5)
    assert short.wrong.value == pytest.approx(10 / 11) and long.wrong.reason == "one_answer"
    (whole,) = wrong_by_length([], strata, [2] * 12)
    assert whole.wrong.reason == "not_checked"
    assert {t.wrong.reason for t in wrong_by_length(rows, Strata({}, {}, open=1), [1, 2, 3])} == {"disputed_open"}
    assert wrong_by_length([], strata, []) == []


# False support


def hallucinated(stratum: str, count: int, supported: bool, vague: bool = False) -> list[Reviewed]:
    tag = f"{stratum} {supported} {vague}"
    return [Reviewed(f"{tag} {n}", stratum, True, supported, 1, vague) for n in range(count)]


def test_false_support_counts_each_claim_for_its_stratum():
    # Missed: 2 of 80 seen among 800 supported (20 claims) and 10 disputed; found: 30 disputed, 18 of 20 in 100 (90).
    rows = hallucinated("supported", 2, True) + hallucinated("disputed", 10, True)
    rows += hallucinated("disputed", 30, False) + hallucinated("contradicted", 18, False)
    found = false_support(rows, STRATA, SIZES)
    assert found.rate.value == pytest.approx(30 / 150) and found.rate.n == 60
    # 2 of 80 leaves room for 8.7 % of 800 = 69 missed claims: the interval must hold (69 + 10) / (79 + 120).
    assert found.rate.high > 79 / 199 and found.rate.low < 0.13


def test_claims_that_nobody_saw_keep_the_interval_open():
    rows = hallucinated("disputed", 40, False)
    found = false_support(rows, STRATA, SIZES)
    # None of 80 seen leaves room for 4.5 % of 800 = 36 missed ones beside 40 found: 47 %.
    assert found.rate.value == 0.0 and found.rate.high > 0.45
    few = false_support(rows, STRATA, {"supported": 3, "disputed": 100})  # at most three of this kind are there
    assert few.rate.high < 0.2


def test_vague_minus_specific():
    strata = Strata({"disputed": 100}, {"disputed": 100})
    rows = hallucinated("disputed", 20, True, vague=True) + hallucinated("disputed", 20, False, vague=True)
    rows += hallucinated("disputed", 6, True) + hallucinated("disputed", 34, False)
    found, vague, specific = vagueness(rows, strata, ({"disputed": 50}, {"disputed": 50}))
    assert (vague.rate.value, specific.rate.value) == pytest.approx((0.5, 0.15))
    # All were seen and each stands for itself: Newcombe's interval for 20/40 and 6/40.
    assert (found.estimate.value, found.estimate.n) == (pytest.approx(0.35), 80)
    limits = mover(wilson_estimate(6, 40), wilson_estimate(20, 40))
    assert (found.estimate.low, found.estimate.high) == pytest.approx(limits)
    assert found.p < 0.01 and found.detectable is not None


def test_vagueness_without_one_kind_says_which():
    strata = Strata({"disputed": 9}, {"disputed": 9})
    vague, specific = hallucinated("disputed", 3, True, vague=True), hallucinated("disputed", 3, True)
    kinds = ({"disputed": 3}, {"disputed": 6})
    assert vagueness(specific, strata, kinds)[0].estimate.reason == "no_vague_hallucinated"
    assert vagueness(vague, strata, kinds)[0].estimate.reason == "no_specific_hallucinated"
    assert vagueness(vague, Strata({}, {}, open=1), kinds)[0].estimate.reason == "disputed_open"


def test_p_of_an_interval():
    # z = 0.2 / (0.2 / 1.96) = 1.96, so 0.05 when the limit touches 0
    assert p_of(Estimate(0.2, 0.0, 0.5, 9, 0.95)) == pytest.approx(0.05)
    assert p_of(Estimate(-0.2, -0.5, 0.1, 9, 0.95)) == pytest.approx(0.1914, abs=1e-4)  # z = 1.3067
    assert p_of(Estimate(0.0, -0.1, 0.1, 9, 0.95)) == 1.0
    assert p_of(undefined("no_claims")) is None


# One judge against the other


def test_the_leniency_gap_is_shared_out_over_all_hallucinated_claims():
    # 12 hallucinated disputes only the first lets pass, 4 only the second; 90 found by both, 20 missed by both.
    rows = [Both(f"d{n}", "disputed", 1 if n < 12 else -1) for n in range(16)]
    rows += [Both(f"c{n}", "contradicted", 0) for n in range(18)] + [Both(f"s{n}", "supported", 0) for n in range(2)]
    rows += [Both("x", "disputed", 1, hallucinated=False)]
    found = leniency_gap(rows, STRATA)
    assert found.estimate.value == pytest.approx(8 / (16 + 90 + 20)) and found.estimate.n == 36
    assert found.p == pytest.approx(0.0768, abs=1e-4)  # binomial: 2 * P(X <= 4 | 16, 1/2)
    assert found.estimate.low < 0 < found.estimate.high


def test_misses_that_nobody_saw_pull_the_gap_to_zero():
    rows = [Both(f"d{n}", "disputed", 1) for n in range(20)] + [Both(f"c{n}", "contradicted", 0) for n in range(18)]
    wide = leniency_gap(rows, STRATA).estimate
    sure = leniency_gap(rows, Strata(SIZES | {"supported": 80}, CHECKED)).estimate  # all supported claims were seen
    assert wide.value == sure.value == pytest.approx(20 / 110)
    assert wide.low < sure.low and wide.low < 20 / (110 + 30)


def test_a_gap_without_claims_is_undefined():
    assert leniency_gap([], STRATA).estimate.reason == "none_hallucinated"
    assert leniency_gap([Both("a", "disputed", 1)] * 3, STRATA).estimate.reason == "one_answer"
    assert leniency_gap([], Strata(SIZES, {})).estimate.reason == "stratum_not_checked"


def test_two_generators_are_held_against_each_other():
    own = [(Both(f"a{n // 3}", "", 1 if n % 6 == 0 else 0), True) for n in range(120)]
    other = [(Both(f"b{n // 3}", "", -1 if n % 6 == 0 else 0), False) for n in range(120)]
    found = generator_gap(own + other)
    assert found.estimate.value == pytest.approx(1 / 6 + 1 / 6) and found.estimate.n == 240
    assert found.p < 0.001 and found.estimate.low > 0 and found.detectable is not None


def test_judges_that_never_differ_still_have_an_interval():
    rows = [(Both(n, "", 0), n % 2 == 0) for n in range(40)]
    found = generator_gap(rows)
    assert found.estimate.value == 0.0 and found.estimate.high > 0.05 and found.p == 1.0


def test_two_generators_need_ten_answers_each():
    rows = [(Both(n, "", 0), n < 9) for n in range(40)]
    assert generator_gap(rows).estimate.reason == "too_few_answers"
    assert generator_gap([(Both(n, "", 0), True) for n in range(40)]).estimate.reason == "one_generator"
    assert generator_gap([]).estimate.reason == "no_shared_items"
