"""What a judge finds and misses: weighted by strata, with limits that hold."""

import numpy as np
import pytest

from audits.stats.agreement import LABELS
from audits.stats.detection import detection
from audits.stats.estimate import Estimate
from audits.stats.expert_agreement import ReviewedClaim
from tests.audits.stats.test_expert_agreement import SIZES, reviewed

S, C, U = LABELS
FIGURES = ("precision", "recall", "false_alarms")


def rows(stratum, judge, *experts):
    """Reviewed claims: (expert's label, how many)."""
    return [ReviewedClaim(stratum, judge, label) for label, count in experts for _ in range(count)]


def test_each_claim_stands_for_its_stratum():
    found = detection(reviewed(), SIZES)
    # alarms: 12 contradicted, 29 unverified, 27 of the disputed; of these hallucinated 12 * 5/12, 29 * 6/18, 3
    hits = 12 * 5 / 12 + 29 * 6 / 18 + 3
    misses = 912 * 2 / 120 + 2
    assert found.n == 197
    assert found.precision.value == pytest.approx(hits / (12 + 29 + 27))
    assert found.recall.value == pytest.approx(hits / (hits + misses))
    assert found.false_alarms.value == pytest.approx((68 - hits) / (1000 - hits - misses))
    for name in FIGURES:
        estimate = getattr(found, name)
        assert 0 <= estimate.low < estimate.value < estimate.high <= 1
    # reviewed claims alone would flatter it: 14 of 18 hallucinated ones were caught there
    assert found.recall.value < 14 / 18 - 0.2


def test_all_reviewed_leaves_no_doubt():
    seen = rows("supported", S, (S, 8)) + rows("disputed", U, (U, 1), (S, 2)) + rows("disputed", S, (C, 1))
    found = detection(seen, {"supported": 8, "disputed": 4})
    assert found.precision == Estimate(1 / 3, 1 / 3, 1 / 3, 12, 0.95)
    assert found.recall == Estimate(0.5, 0.5, 0.5, 12, 0.95)
    assert found.false_alarms == Estimate(0.2, 0.2, 0.2, 12, 0.95)


def test_contradicted_and_unverified_are_one():
    seen = rows("contradicted", C, (U, 10)) + rows("unverified", U, (C, 10)) + rows("supported", S, (S, 10))
    found = detection(seen, {"contradicted": 10, "unverified": 10, "supported": 10})
    assert found.precision.value == found.recall.value == 1
    assert found.false_alarms.value == 0


def test_no_miss_seen_is_no_proof_of_none():
    seen = rows("supported", S, (S, 60)) + rows("unverified", U, (U, 20))
    found = detection(seen, {"supported": 900, "unverified": 20})
    assert found.recall.value == found.recall.high == 1
    # exact limit of 0 of 60 among 900: about 53 claims may be missed
    assert 20 / (20 + 55) < found.recall.low < 20 / (20 + 50)
    assert found.precision.low == found.precision.high == 1


def test_undefined_with_its_reason():
    silent = detection(rows("supported", S, (S, 30), (U, 2)), {"supported": 100})
    assert (silent.precision.value, silent.precision.reason) == (None, "no_alarms")
    assert silent.recall.value == 0
    assert silent.false_alarms.value == 0
    clean = detection(rows("supported", S, (S, 30)), {"supported": 100})
    assert (clean.recall.value, clean.recall.reason) == (None, "none_hallucinated")
    wrong = detection(rows("unverified", U, (U, 30)), {"unverified": 100})
    assert (wrong.false_alarms.value, wrong.false_alarms.reason) == (None, "none_supported")
    for nothing in (detection([], {}), detection(rows("disputed", None, (S, 3)), {"disputed": 3})):
        assert {getattr(nothing, name).reason for name in FIGURES} == {"no_shared_items"}
    with pytest.raises(ValueError, match="lost"):
        detection(rows("lost", S, (S, 1)), {"supported": 3})


def test_an_unchecked_stratum_hides_what_depends_on_it():
    # a language with claims that all judges called supported, none of them drawn
    alarms = rows("unverified", U, (U, 6), (S, 4))
    found = detection(alarms, {"supported": 80, "unverified": 20})
    assert found.precision.value == pytest.approx(0.6)
    assert found.recall.reason == found.false_alarms.reason == "stratum_not_checked"
    other = detection(rows("supported", S, (S, 6)), {"supported": 80, "unverified": 20})
    assert {getattr(other, name).reason for name in FIGURES} == {"stratum_not_checked"}
    assert detection(alarms, {"unverified": 20, "contradicted": 0}).recall.value == 1


def test_a_silent_judge_is_excluded_and_counted():
    seen = rows("supported", S, (S, 20)) + rows("disputed", None, (U, 2)) + rows("disputed", U, (U, 1), (S, 1))
    found = detection(seen, {"supported": 100, "disputed": 4})
    assert (found.n, found.excluded) == (22, 2)
    assert found.precision.value == pytest.approx(0.5)


def test_open_disputes_may_be_anything():
    agreed = rows("supported", S, (S, 40)) + rows("unverified", U, (U, 9), (S, 1))
    half = agreed + rows("disputed", U, (U, 4), (S, 1)) + rows("disputed", S, (S, 4), (U, 1))
    sizes = {"supported": 40, "unverified": 10, "disputed": 20}
    found = detection(half, sizes)
    # ten open claims: all false alarms, or all hits
    assert found.precision.low == pytest.approx(13 / (13 + 2 + 10))
    assert found.precision.high == pytest.approx(23 / (23 + 2))
    assert found.recall.low == pytest.approx(13 / (13 + 1 + 10))
    assert found.recall.high == pytest.approx(23 / 24)
    assert found.false_alarms.low == pytest.approx(2 / (2 + 44 + 10))
    assert found.false_alarms.high == pytest.approx(12 / (12 + 44))


def test_the_limits_hold():
    # 300 worlds: 1,000 claims, 10 % hallucinated, judges that share half of their errors, 150 agreed claims drawn
    random, held = np.random.default_rng(3), dict.fromkeys(FIGURES, 0)
    for _ in range(300):
        hallucinated = random.random(1000) < 0.1
        common, shared = random.random(1000), random.random(1000) < 0.5
        first, second = (
            np.where(hallucinated, luck < 0.85, luck < 0.05)
            for luck in (np.where(shared, common, random.random(1000)) for _ in "ab")
        )
        strata = {
            "supported": np.flatnonzero(~first & ~second),
            "unverified": np.flatnonzero(first & second),
            "disputed": np.flatnonzero(first != second),
        }
        drawn = {"supported": 120, "unverified": 30, "disputed": 1000}
        seen = [
            ReviewedClaim(name, U if first[claim] else S, U if hallucinated[claim] else S)
            for name, claims in strata.items()
            for claim in random.permutation(claims)[: drawn[name]]
        ]
        found = detection(seen, {name: len(claims) for name, claims in strata.items()})
        hits = (first & hallucinated).sum()
        truth = {
            "precision": hits / first.sum(),
            "recall": hits / hallucinated.sum(),
            "false_alarms": (first & ~hallucinated).sum() / (~hallucinated).sum(),
        }
        for name, value in truth.items():
            held[name] += getattr(found, name).low - 1e-9 <= value <= getattr(found, name).high + 1e-9
    assert min(held.values()) >= 0.93 * 300, held
