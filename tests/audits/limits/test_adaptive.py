"""The controller by hand-computed sequences; the clock is a number."""

import pytest

from audits.judges.base import Fault
from audits.limits.adaptive import Adaptive

ROUND = 1.0  # seconds of a call


def answered(ceiling: int = 16) -> Adaptive:
    """A controller that has seen an answer of one second, at clock 0."""
    control = Adaptive(ceiling)
    control.success(0.0, ROUND, busy=True)
    return control


def rounds(control: Adaptive, now: float, count: int = 1) -> list[int]:
    """Full rounds of successes from `now` on, each a second long; the places after each."""
    found = []
    for number in range(count):
        for _ in range(control.places):
            control.success(now + (number + 1) * ROUND, ROUND, busy=True)
        found.append(control.places)
    return found


def test_it_starts_at_the_ceiling_and_stays_there_while_all_is_well() -> None:
    control = Adaptive(64)
    assert control.places == 64
    assert rounds(control, 0.0, 3) == [64, 64, 64]
    assert control.reason == ""


@pytest.mark.parametrize("fault", [Fault.RATE_LIMIT, Fault.OVERLOADED, Fault.TIMEOUT])
def test_a_rejection_or_a_timeout_halves(fault: Fault) -> None:
    control = answered()
    assert control.failure(10.0, fault, latency=0.5)
    assert (control.places, control.reason) == (8, fault.value)


@pytest.mark.parametrize(
    "fault", [Fault.SERVER, Fault.NETWORK, Fault.BAD_BODY, Fault.AUTH, Fault.TOO_LONG, Fault.REFUSED, Fault.BUDGET]
)
def test_other_faults_tell_nothing_about_load(fault: Fault) -> None:
    control = answered()
    assert not control.failure(10.0, fault, latency=0.5)
    assert (control.places, control.reason) == (16, "")


def test_calls_in_flight_together_are_one_signal() -> None:
    control = answered()
    for number in range(16):  # all sent at 9.5
        control.failure(10.0 + number / 100, Fault.RATE_LIMIT, latency=0.5 + number / 100)
    assert control.places == 8


def test_quick_rejections_halve_once_per_round_trip_of_an_answer() -> None:
    control = answered()
    for hundredth in range(1000, 1250):  # a rejection every 10 ms for 2.5 s, each call sent 5 ms before
        control.failure(hundredth / 100, Fault.RATE_LIMIT, latency=0.005)
    # cuts at 10.00, 11.00, 12.00: 16 -> 8 -> 4 -> 2
    assert control.places == 2


def test_a_timeout_of_a_call_sent_before_the_cut_tells_nothing_new() -> None:
    control = answered()
    control.failure(10.0, Fault.RATE_LIMIT, latency=0.1)
    assert not control.failure(65.0, Fault.TIMEOUT, latency=60.0)  # sent at 5
    assert control.failure(75.0, Fault.TIMEOUT, latency=60.0)  # sent at 15
    assert control.places == 4


def test_it_never_falls_below_one() -> None:
    control = Adaptive(3)
    for second in range(1, 20):
        control.failure(float(second * 10), Fault.OVERLOADED, latency=0.1)
    assert control.places == 1
    assert Adaptive(0).places == 1


def test_it_creeps_back_by_one_per_round_up_to_the_ceiling() -> None:
    control = answered(8)
    control.failure(10.0, Fault.OVERLOADED, latency=0.5)
    assert control.places == 4
    assert rounds(control, 10.0, 6) == [5, 6, 7, 8, 8, 8]
    assert control.reason == ""


def test_successes_of_calls_sent_before_the_cut_do_not_raise_it() -> None:
    control = answered()
    control.failure(10.0, Fault.OVERLOADED, latency=0.5)
    for _ in range(15):
        control.success(10.4, latency=0.9, busy=True)  # sent at 9.5
    assert control.level == 8.0


def test_an_idle_judge_proves_nothing() -> None:
    control = answered()
    control.failure(10.0, Fault.OVERLOADED, latency=0.5)
    for second in range(12, 40):
        control.success(float(second), latency=1.0, busy=False)
    assert control.level == 8.0


def test_a_call_that_was_given_up_is_no_success() -> None:
    control = answered()
    control.failure(10.0, Fault.OVERLOADED, latency=0.5)
    control.success(12.0, latency=0.0, busy=True)
    assert control.level == 8.0


def test_a_rejection_without_retry_after_is_followed_by_a_breath_of_one_round_trip() -> None:
    control = answered()
    control.failure(10.0, Fault.RATE_LIMIT, latency=0.02)
    assert control.paused_until == 11.0
    timed_out = answered()
    timed_out.failure(100.0, Fault.TIMEOUT, latency=60.0)
    assert timed_out.paused_until == float("-inf")


def test_the_breath_is_never_longer_than_two_seconds() -> None:
    control = Adaptive(16)
    control.success(0.0, latency=30.0, busy=True)
    control.failure(40.0, Fault.RATE_LIMIT, latency=0.02)
    assert control.paused_until == 42.0


def test_retry_after_pauses_and_is_followed_by_a_careful_restart() -> None:
    control = answered()
    control.failure(10.0, Fault.RATE_LIMIT, latency=0.5, retry_after=30.0)
    assert (control.places, control.paused_until, control.reason) == (1, 40.0, "rate_limit")
    # doubles up to half of the 16 it had, then creeps
    assert rounds(control, 40.0, 6) == [2, 4, 8, 9, 10, 11]


def test_of_several_retry_afters_the_latest_end_holds_and_the_restart_stays_the_same() -> None:
    control = answered()
    control.failure(10.0, Fault.RATE_LIMIT, latency=0.5, retry_after=30.0)
    control.failure(10.1, Fault.RATE_LIMIT, latency=0.6, retry_after=5.0)
    control.failure(10.2, Fault.RATE_LIMIT, latency=0.7, retry_after=60.0)
    assert (control.places, control.paused_until) == (1, 70.2)
    assert rounds(control, 71.0, 4) == [2, 4, 8, 9]


def test_a_server_error_that_names_a_pause_pauses_and_comes_back_to_where_it_was() -> None:
    control = answered()
    assert control.failure(10.0, Fault.SERVER, latency=0.5, retry_after=2.0)
    assert rounds(control, 12.0, 5) == [2, 4, 8, 16, 16]


@pytest.mark.parametrize("nonsense", [0.0, -5.0, None])
def test_a_retry_after_that_says_nothing_counts_as_none(nonsense: float | None) -> None:
    control = answered()
    control.failure(10.0, Fault.RATE_LIMIT, latency=0.5, retry_after=nonsense)
    assert (control.places, control.paused_until) == (8, 11.0)


def test_an_absurd_retry_after_is_cut_to_an_hour() -> None:
    control = answered()
    control.failure(10.0, Fault.RATE_LIMIT, latency=0.5, retry_after=1e9)
    assert control.paused_until == 3610.0


def test_a_higher_ceiling_is_used_at_once_when_nothing_was_cut() -> None:
    control = answered(8)
    control.change(32)
    assert control.places == 32
    control.change(4)
    assert control.places == 4


def test_a_level_that_was_cut_creeps_towards_a_higher_ceiling() -> None:
    control = answered(16)
    control.failure(10.0, Fault.OVERLOADED, latency=0.5)
    control.change(32)
    assert control.places == 8
    assert rounds(control, 10.0, 2) == [9, 10]
    control.change(5)
    assert control.places == 5


def test_latency_far_above_the_usual_lowers_by_a_tenth_per_block_and_no_further_than_a_quarter() -> None:
    control = Adaptive(20)
    now = 0.0
    for _ in range(6):  # six blocks of 20 answers, two seconds each
        now += 2.0
        for _ in range(20):
            control.success(now, 2.0, busy=True)
    assert control.places == 20
    found = []
    for _ in range(20):
        now += 10.0
        for _ in range(max(16, control.places)):
            control.success(now, 9.0, busy=True)
        found.append(control.places)
    # 20 -> 18 -> 16.2 -> 14.58 -> 13.122 ..., until the new latency has become the usual one
    assert found[:4] == [18, 16, 14, 13]
    assert min(found) >= 5
    assert control.places > min(found)


def test_after_slow_blocks_it_creeps_back_when_latency_is_usual_again() -> None:
    control = Adaptive(16)
    now = 0.0
    for latency in [2.0] * 6 + [9.0]:
        now += latency + 1
        for _ in range(16):
            control.success(now, latency, busy=True)
    assert (control.places, control.reason) == (14, "latency")
    assert rounds(control, now, 1) == [14]  # 14 of the 16 calls that show it is over
    assert rounds(control, now + 1, 3) == [15, 16, 16]
    assert control.reason == ""
