"""Buckets by hand-computed sequences; the clock is a number."""

import random

import pytest

from audits.limits.buckets import Bucket, Budgets


def test_it_holds_one_second_of_its_limit_and_refills_evenly() -> None:
    bucket = Bucket(600, 0.0)  # 10 a second
    for _ in range(10):
        assert bucket.wait(1, 0.0) == 0
        bucket.take(1)
    assert bucket.wait(1, 0.0) == pytest.approx(0.1)
    assert bucket.wait(1, 0.06) == pytest.approx(0.04)
    assert bucket.wait(1, 0.1) == 0
    assert bucket.wait(5, 0.1) == pytest.approx(0.4)


def test_it_holds_at_least_one() -> None:
    bucket = Bucket(6, 0.0)
    assert bucket.wait(1, 0.0) == 0
    bucket.take(1)
    assert bucket.wait(1, 0.0) == pytest.approx(10.0)


def test_it_never_fills_above_the_brim() -> None:
    bucket = Bucket(600, 0.0)
    bucket.take(-100)
    assert bucket.level == 10.0
    bucket.wait(1, 1000.0)
    assert bucket.level == 10.0


def test_what_is_larger_than_the_limit_passes_when_full_and_is_paid_off_after() -> None:
    bucket = Bucket(600, 0.0)
    assert bucket.wait(1200, 0.0) == 0
    bucket.take(1200)  # 10 - 1200 = -1190: two minutes for the request, less the burst
    assert bucket.wait(1, 0.0) == pytest.approx(119.1)
    assert bucket.wait(1200, 0.0) == pytest.approx(120.0)
    assert bucket.wait(1200, 120.0) == 0


def test_a_clock_that_stands_still_or_goes_back_gives_nothing() -> None:
    bucket = Bucket(60, 100.0)
    bucket.take(1)
    assert bucket.wait(1, 50.0) == pytest.approx(1.0)
    assert bucket.wait(1, 100.5) == pytest.approx(0.5)


def test_another_limit_keeps_the_debt() -> None:
    bucket = Bucket(600, 0.0)
    bucket.take(30)  # 20 owed
    bucket.change(1200, 1.0)  # 10 owed, 20 a second from now on
    assert bucket.wait(10, 1.0) == pytest.approx(1.0)


@pytest.mark.parametrize("seed", range(10))
def test_no_sixty_seconds_see_more_than_the_limit_and_one_burst_or_request(seed: int) -> None:
    chance = random.Random(seed)
    limit, now = 6000, 0.0
    bucket, passed = Bucket(limit, now), []
    while now < 300:
        amount = chance.choice((20, 90, 400))
        now += bucket.wait(amount, now) + chance.choice((0.0, 0.0, 0.0, chance.expovariate(1.0)))
        while bucket.wait(amount, now):
            now += 1e-6
        bucket.take(amount)
        passed.append((now, amount))
    for start, _ in passed:
        assert sum(amount for time, amount in passed if start <= time < start + 60) <= limit + 400


def test_a_full_queue_uses_the_whole_limit() -> None:
    bucket, now, count = Bucket(600, 0.0), 0.0, 0
    while now < 600:
        bucket.take(1)
        count += 1
        now += bucket.wait(1, now)
    assert count == pytest.approx(6000 + 10, abs=2)


def test_budgets_take_both_or_neither() -> None:
    budgets = Budgets(60, 60_000, 0.0)  # a request and 1,000 tokens a second
    assert budgets.take(800, 0.0)
    assert not budgets.take(100, 0.0)
    assert budgets.wait(100, 0.0) == (pytest.approx(1.0), "rpm")
    assert budgets.take(1000, 1.0)  # 200 + 1,000, at most 1,000: all of it
    assert budgets.wait(1000, 2.0) == (0.0, "")
    budgets.give_back(0, -500)  # the call used more than thought
    assert budgets.wait(1000, 2.0) == (pytest.approx(0.5), "tpm")
    budgets.give_back(1, 1500)
    assert budgets.wait(1000, 2.0) == (0.0, "")


def test_budgets_without_limits_are_open() -> None:
    assert Budgets(None, None, 0.0).open
    assert Budgets(0, 0, 0.0).open
    budgets = Budgets(None, 60, 0.0)
    assert not budgets.open
    budgets.change(None, None, 1.0)
    assert budgets.open and budgets.take(10**9, 1.0)
    budgets.change(60, None, 2.0)
    assert budgets.take(10**9, 2.0) and not budgets.take(1, 2.0)
