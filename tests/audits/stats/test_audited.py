"""The audited estimate. Expected limits: by brute force with scipy.stats.hypergeom and beta, to six places."""

import math
import random

import pytest

from audits.stats.audited import AuditedClaim, Stratum, dataset_limits, estimate, theta, traffic_limits

NAMES = ("supported", "contradicted", "unverified", "disputed")

# id: claims, checked, hallucinated per stratum; answers; deff; rate; data-set limits; traffic limits (one-sided, 5 %)
CASES = {
    "typical": ((912, 12, 29, 47), (120, 12, 18, 47), (2, 5, 6, 4), 200, 1.8, 0.033867,
                (0.020361, 0.062859), (0.016012, 0.066794)),
    "no shared error found": ((4500, 30, 70, 400), (240, 18, 42, 400), (0, 18, 42, 40), 1000, 1.8, 0.028,
                              (0.026668, 0.0388), (0.022864, 0.040221)),
    "nothing checked": ((912, 12, 29, 47), (0, 0, 0, 47), (0, 0, 0, 4), 200, 1.8, 0.045,
                        (0.004, 0.957), (0.0, 0.97438)),
    "judges never disagree": ((950, 20, 30, 0), (240, 20, 30, 0), (3, 15, 20, 0), 200, 1.8, 0.046875,
                              (0.038245, 0.062), (0.030535, 0.070121)),
    "one label": ((1000, 0, 0, 0), (150, 0, 0, 0), (0, 0, 0, 0), 200, 1.8, 0.0, (0.0, 0.018), (0.0, 0.018801)),
    "far above": ((800, 60, 100, 40), (160, 30, 50, 40), (8, 25, 40, 12), 200, 2.2, 0.182,
                  (0.157235, 0.209946), (0.14356, 0.224901)),
    "all reviewed": ((180, 5, 10, 5), (180, 5, 10, 5), (1, 4, 7, 1), 40, 1.8, 0.065,
                     (0.065, 0.065), (0.030663, 0.119205)),
    "tiny": ((40, 0, 2, 3), (40, 0, 2, 3), (0, 0, 2, 1), 9, 1.8, 0.066667, (0.066667, 0.066667), (0.00613, 0.241885)),
}  # fmt: skip


def strata(claims, checked, hallucinated):
    presumed = (0.0, 1.0, 1.0, 1.0)
    return [
        Stratum(name, *counts, presumed=share, drawn=name != "disputed")
        for name, *counts, share in zip(NAMES, claims, checked, hallucinated, presumed, strict=True)
    ]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_limits(case):
    claims, checked, hallucinated, answers, deff, rate, dataset, traffic = case
    found = strata(claims, checked, hallucinated)
    assert theta(found) == pytest.approx(rate, abs=1e-6)
    assert dataset_limits(found, 0.05) == pytest.approx(dataset, abs=1e-6)
    assert traffic_limits(found, answers, deff, 0.05) == pytest.approx(traffic, abs=1e-6)


def claims_of(counts, per_answer=5):
    """AuditedClaims from {stratum: (claims, drawn, hallucinated among drawn)}, dealt over answers in turn."""
    rows = []
    for name, (claims, drawn, wrong) in counts.items():
        rows += [(name, number < wrong, number < drawn) for number in range(claims)]
    answers = max(1, len(rows) // per_answer)
    return [
        AuditedClaim(number % answers, name, truth if drawn else None, drawn)
        for number, (name, truth, drawn) in enumerate(rows)
    ]


def test_estimate_counts_each_stratum_and_keeps_their_names():
    result = estimate(
        claims_of(
            {
                "disputed": (47, 47, 4),
                "supported": (800, 100, 1),
                "supported_vague": (112, 20, 1),
                "contradicted": (12, 12, 5),
                "unverified": (29, 18, 6),
            }
        )
    )
    assert [s.name for s in result.strata] == [
        "supported",
        "supported_vague",
        "contradicted",
        "unverified",
        "disputed",
    ]
    # (800 * 1/100 + 112 * 1/20 + 5 + 29 * 6/18 + 4) / 1000
    assert result.rate == pytest.approx((8 + 5.6 + 5 + 29 / 3 + 4) / 1000)
    assert (
        result.dataset.low < result.dataset_limits[0] < result.rate < result.dataset_limits[1] < result.dataset.high
    )
    assert result.traffic_limits[1] > result.dataset_limits[1]
    assert result.blocking == ()
    assert (result.claims, result.answers) == (1000, 200)


def test_limits_may_be_asked_at_any_confidence():
    result = estimate(claims_of({"supported": (900, 100, 1), "disputed": (100, 100, 30)}))
    assert result.limits("dataset", 0.95) == result.dataset_limits
    assert result.limits("dataset", 0.975)[1] == pytest.approx(result.dataset.high)
    with pytest.raises(ValueError, match="scope"):
        result.limits("everything", 0.95)


def test_a_picked_claim_is_no_random_sample():
    rows = claims_of({"supported": (100, 20, 0), "disputed": (10, 10, 2)})
    picked = [
        AuditedClaim(row.answer, row.stratum, True, False) if row.stratum == "supported" and not row.drawn else row
        for row in rows
    ]
    assert estimate(picked).strata == estimate(rows).strata


def test_open_disputed_claims_count_both_ways_and_block():
    rows = [AuditedClaim(n % 40, "supported", False, True) for n in range(90)]
    rows += [AuditedClaim(n, "disputed", n == 0 if n < 4 else None, False) for n in range(10)]
    result = estimate(rows)
    assert result.blocking == ("disputed_open",)
    # one hallucination is known, six claims are open: 1 to 7 of 100
    assert result.dataset_limits == pytest.approx((0.01, 0.07))
    drawn = estimate(
        [AuditedClaim(r.answer, r.stratum, r.truth, r.truth is not None) for r in rows], disputed_drawn=True
    )
    assert drawn.blocking == ()
    assert drawn.dataset_limits[1] > 0.05


def test_a_drawn_claim_without_a_label_blocks():
    rows = claims_of({"supported": (100, 20, 0), "disputed": (10, 10, 2)})
    rows[3] = AuditedClaim(rows[3].answer, "supported", None, True)
    result = estimate(rows)
    assert result.blocking == ("spot_check_incomplete",)
    assert (result.strata[0].checked, result.strata[0].owed) == (19, 1)


def test_vague_claims_must_be_checked_too():
    rows = claims_of({"supported": (100, 20, 0), "supported_vague": (10, 0, 0), "disputed": (10, 10, 2)})
    result = estimate(rows)
    assert result.blocking == ("supported_not_checked",)
    assert result.strata[1].estimate().reason == "not_checked"
    # ten claims about which nothing is known: 10 / 120 is added for certain
    assert result.dataset_limits[1] > 10 / 120 + 2 / 120


def test_few_answers_say_nothing_about_traffic():
    result = estimate(claims_of({"supported": (100, 100, 3), "disputed": (20, 20, 2)}, per_answer=5))
    assert result.answers == 24
    assert result.traffic_limits is None
    assert (result.traffic.value, result.traffic.low, result.traffic.reason) == (5 / 120, None, "few_answers")
    assert result.dataset_limits == pytest.approx((5 / 120, 5 / 120))


def test_no_claims():
    result = estimate([])
    assert result.rate is None
    assert result.blocking == ("no_claims",)
    assert result.dataset.reason == result.traffic.reason == "no_claims"
    assert result.limits("traffic", 0.95) is None
    with pytest.raises(ValueError, match="no claims"):
        theta([])


def test_judges_that_never_disagree_are_worth_a_warning():
    assert estimate(claims_of({"supported": (100, 50, 0)})).warnings == ("judges_never_disagree",)
    assert estimate(claims_of({"supported": (100, 50, 0), "disputed": (1, 1, 0)})).warnings == ()


def test_the_upper_limit_covers():
    # 400 audits of one data set whose judges share errors; nominal 95 %, standard error 1.1 points.
    source = random.Random(20251130)
    truth = [source.random() < 0.03 for _ in range(600)]
    rate = sum(truth) / 600
    covered = 0
    for _ in range(400):
        drawn = set(source.sample(range(600), 100))
        rows = [AuditedClaim(n // 4, "supported", truth[n] if n in drawn else None, n in drawn) for n in range(600)]
        covered += estimate(rows).dataset_limits[1] >= rate
    assert covered / 400 >= 0.93


def test_limits_contain_the_rate_and_are_ordered():
    source = random.Random(7)
    for _ in range(50):
        counts = {}
        for name in NAMES:
            claims = source.randrange(1, 80)
            drawn = claims if name == "disputed" else source.randrange(1, claims + 1)
            counts[name] = (claims, drawn, source.randrange(0, drawn + 1))
        result = estimate(claims_of(counts, per_answer=2))
        for low, high in (result.dataset_limits, result.limits("traffic", 0.95) or (0.0, 1.0)):
            assert 0 <= low <= result.rate + 1e-12
            assert result.rate - 1e-12 <= high <= 1
            assert not math.isnan(low + high)
