"""Claims that no expert could decide: they count against the system in every limit."""

import random
from dataclasses import replace

import pytest

from audits.stats.acceptance import decide
from audits.stats.audited import AuditedClaim, Stratum, dataset_limits, estimate, theta, traffic_limits

NAMES = ("supported", "contradicted", "unverified", "disputed")
RISES = 1e-12  # of rounding


def audit(source: random.Random, answers: int = 60) -> list[AuditedClaim]:
    """Some 120 claims with labels; the disputed ones all reviewed."""
    rows = []
    for name in NAMES:
        wrong = {"supported": 0.05, "disputed": 0.4}.get(name, 0.8)
        claims = source.randrange(8, 50)
        drawn = claims if name == "disputed" else source.randrange(5, claims + 1)
        rows += [
            AuditedClaim(source.randrange(answers), name, source.random() < wrong if n < drawn else None, n < drawn)
            for n in range(claims)
        ]
    return rows


def given_up(row: AuditedClaim) -> AuditedClaim:
    return replace(row, truth=None, given_up=True)


@pytest.mark.parametrize("scope", ["dataset", "traffic"])
def test_giving_up_never_lowers_the_upper_limit_nor_raises_the_lower_one(scope: str) -> None:
    source = random.Random(20251130)
    for _ in range(25):
        rows = audit(source)
        labelled = [number for number, row in enumerate(rows) if row.truth is not None]
        for number in source.sample(labelled, 3):
            left = [given_up(row) if at == number else row for at, row in enumerate(rows)]
            low, high = estimate(left).limits(scope, 0.95) or (0.0, 1.0)
            for truth in (True, False):
                labels = [replace(row, truth=truth) if at == number else row for at, row in enumerate(rows)]
                labelled_low, labelled_high = estimate(labels).limits(scope, 0.95) or (0.0, 1.0)
                assert high >= labelled_high - RISES and low <= labelled_low + RISES


def test_each_limit_is_the_one_of_the_worst_labels() -> None:
    source = random.Random(3)
    rows = audit(source)
    chosen = set(source.sample([n for n, row in enumerate(rows) if row.truth is not None], 8))
    left = estimate([given_up(row) if n in chosen else row for n, row in enumerate(rows)])
    worst = estimate([replace(row, truth=True) if n in chosen else row for n, row in enumerate(rows)])
    best = estimate([replace(row, truth=False) if n in chosen else row for n, row in enumerate(rows)])
    assert left.dataset_limits == pytest.approx((best.dataset_limits[0], worst.dataset_limits[1]))
    assert left.traffic_limits == pytest.approx(
        (
            traffic_limits(best.strata, left.answers, left.deff, 0.05)[0],
            traffic_limits(worst.strata, left.answers, left.deff, 0.05)[1],
        )
    )
    assert left.deff >= max(worst.deff, best.deff)
    assert left.blocking == ()
    assert left.dataset_limits[0] <= left.rate <= left.dataset_limits[1]


def test_the_rate_is_of_what_experts_decided() -> None:
    rows = [AuditedClaim(n % 40, "supported", n < 2 if n < 50 else None, n < 50) for n in range(100)]
    rows = [given_up(row) if 40 <= n < 50 else row for n, row in enumerate(rows)]
    found = estimate(rows)
    (stratum,) = found.strata
    assert (stratum.checked, stratum.hallucinated, stratum.owed, stratum.given_up) == (40, 2, 0, 10)
    assert found.rate == pytest.approx(2 / 40)
    # by brute force: 12 of 50 for the upper limit of 100 claims, 2 of 50 for the lower one
    assert stratum.limits(0.05)[1] == Stratum("x", 100, 50, 12).limits(0.05)[1]
    assert stratum.limits(0.05)[0] == Stratum("x", 100, 50, 2).limits(0.05)[0]


def test_disputed_claims_that_are_given_up_are_not_open() -> None:
    rows = [AuditedClaim(n % 40, "supported", False, True) for n in range(90)]
    rows += [AuditedClaim(n, "disputed", n == 0 if n < 4 else None, False, n >= 4) for n in range(10)]
    found = estimate(rows)
    assert found.blocking == ()
    assert found.dataset_limits == pytest.approx((0.01, 0.07)), "one is known, six may be either"
    nothing = estimate([given_up(row) if row.stratum == "disputed" else row for row in rows])
    assert nothing.blocking == () and nothing.dataset_limits == pytest.approx((0.0, 0.1))


def test_agreed_claims_that_are_all_given_up_are_not_checked() -> None:
    rows = [AuditedClaim(n, "supported", None, n < 20, n < 20) for n in range(100)]
    found = estimate(rows)
    assert found.blocking == ("supported_not_checked",)
    assert decide(found, 0.5, 0.95, "dataset").decision == "INSUFFICIENT"


def test_a_truth_wins_over_a_claim_that_was_given_up() -> None:
    rows = audit(random.Random(11))
    assert estimate([replace(row, given_up=row.truth is not None) for row in rows]) == estimate(rows)


def test_strata_without_such_claims_are_reckoned_as_before() -> None:
    plain = Stratum("supported", 900, 100, 2)
    assert plain.imputed(True) is plain
    assert dataset_limits([plain], 0.05) == pytest.approx(plain.limits(0.05))
    assert theta([replace(plain, given_up=5)]) == theta([plain])
