"""What a process does with its share, with answers of the server written by hand. The clock is a number."""

from typing import Any

from audits.judges.base import Fault
from audits.limits import Limits, Tuning
from audits.limits.shares import Pace, Shares

PACE = Pace()


def shares(*limits: Any, **named: Any) -> Shares:
    return Shares(Limits(*limits, **named), Tuning(), PACE, 0.0)


def answer(**differently: Any) -> dict[str, Any]:
    """What the server says to a process that is alone with a limit of 8."""
    usual = {
        "epoch": "e-1", "level": 8.0, "threshold": 0.0, "why": "", "cut_ago": 1e12, "pause": 0,
        "ceiling": 8, "rpm": 0, "tpm": 0, "held": 8, "target": 8, "members": 1, "running": 0,
        "requests": 0, "tokens": 0, "wait": 0, "bucket": "",
    }  # fmt: skip
    return usual | differently


def joined(*limits: Any, now: float = 0.0, reply: dict[str, Any] | None = None, **named: Any) -> Shares:
    """A process of which someone waits and which has had its first answer."""
    own = shares(*limits, **named)
    own.report(0, 20, 0, now)
    own.apply(reply or answer(), False, 0, now)
    return own


def test_without_an_answer_it_has_nothing() -> None:
    own = shares(8)
    assert not own.admit(0, 0, 0.0)
    report = own.report(0, 3, 0, 0.0)
    assert (report["held"], report["want"], report["epoch"], report["set"]) == (0, 4, "", True)


def test_it_fills_its_share_and_no_more() -> None:
    own = joined(8, reply=answer(held=3, target=3))
    assert [own.admit(0, running, 0.1) for running in range(5)] == [True, True, True, False, False]


def test_a_lease_that_was_not_renewed_in_time_starts_nothing() -> None:
    own = joined(8)
    assert own.admit(0, 0, 3.3)
    assert not own.admit(0, 1, 3.5)
    assert own.due(1, 1, 0, 3.5) <= 3.5  # and is renewed at once


def test_a_share_above_the_target_shrinks_as_calls_end() -> None:
    own = joined(8)
    own.report(8, 5, 0, 1.0)
    own.apply(answer(held=8, target=5, members=2), False, 8, 1.0)
    assert own.share == 8
    own.success(8, 1.0, 1.1)
    assert own.share == 7 and not own.admit(0, 7, 1.1)
    own.success(7, 1.0, 1.2), own.success(6, 1.0, 1.3), own.success(5, 1.0, 1.4)
    assert own.share == 5 and own.admit(0, 4, 1.4)
    assert own.due(5, 5, 0, 1.4) == 1.0 + PACE.hurry  # the other one waits for these three
    assert own.report(5, 5, 0, 1.4)["held"] == 5


def test_what_is_idle_is_given_back_at_once_when_the_target_falls() -> None:
    own = joined(8)
    own.report(2, 0, 0, 1.0)
    own.apply(answer(held=8, target=3), False, 2, 1.0)
    assert own.share == 3


def test_a_process_without_calls_gives_everything_back_after_half_a_second() -> None:
    own = joined(8)
    assert own.admit(0, 0, 0.2)
    own.success(1, 0.1, 0.3)
    assert own.due(0, 0, 0, 0.3) == 0.7
    report = own.report(0, 0, 0, 0.7)
    assert (report["leaving"], report["held"], report["want"]) == (True, 0, 0)
    assert not own.admit(0, 0, 0.7)  # while that report is under way, too
    own.apply(answer(), True, 0, 0.7)
    assert own.share == 0
    assert own.report(0, 1, 0, 5.0)["epoch"] == ""  # comes back as a stranger


def test_the_wish_is_the_peak_since_the_last_report_and_doubles_while_somebody_waits() -> None:
    own = joined(64, reply=answer(ceiling=64, level=64.0, held=20, target=20))
    for running in range(10):
        own.admit(0, running, 0.1)
    assert own.report(3, 0, 0, 1.0)["want"] == 10
    assert own.report(3, 0, 0, 2.0)["want"] == 3
    assert own.report(3, 1, 0, 3.0)["want"] == 6
    assert own.report(3, 40, 0, 4.0)["want"] == 43
    assert own.report(3, 400, 0, 5.0)["want"] == 64
    own.refused()
    assert own.report(3, 0, 0, 6.0)["want"] == 6


def test_a_greater_wish_is_told_soon_a_known_one_in_a_second() -> None:
    own = joined(64, reply=answer(ceiling=64, level=64.0, held=20, target=20))
    assert own.due(20, 10, 0, 0.1) == PACE.gap
    own.report(20, 10, 0, 0.1)
    own.apply(answer(ceiling=64, level=64.0, held=20, target=20), False, 20, 0.1)
    assert own.due(20, 10, 0, 0.2) == 0.1 + PACE.interval


def test_a_rejection_halves_here_at_once_and_is_told_soon() -> None:
    own = joined(8)
    own.failure(8, Fault.RATE_LIMIT, 0.5, None, 10.0)
    assert own.share == 7 and own.target == 4
    assert own.due(7, 5, 0, 10.0) <= 10.0
    report = own.report(7, 5, 0, 10.01)
    assert (report["cut"], report["careful"], report["fault"]) == (True, False, "rate_limit")
    assert round(report["began"]) == 510
    assert not own.report(7, 5, 0, 10.5)["cut"]


def test_retry_after_is_told_with_what_is_left_of_it() -> None:
    own = joined(8)
    own.failure(8, Fault.RATE_LIMIT, 0.5, 30.0, 1.0)
    report = own.report(7, 5, 0, 3.0)
    assert (report["careful"], report["pausing"], round(report["pause"])) == (True, True, 28_000)
    assert own.delay(0, 0, 3.0) == (28.0, "")


def test_a_pause_seen_while_a_report_is_under_way_is_not_overwritten() -> None:
    own = joined(8)
    own.report(4, 0, 0, 1.0)
    own.failure(4, Fault.RATE_LIMIT, 0.5, 30.0, 1.001)
    own.apply(answer(), False, 3, 1.002)
    assert not own.admit(0, 0, 5.0) and own.control.paused_until == 31.001
    assert own.report(3, 0, 0, 1.1)["pausing"]


def test_a_pause_told_by_the_server_ends_by_our_clock() -> None:
    own = joined(8, reply=answer(pause=5000, why="overloaded", level=1.0, threshold=4.0))
    assert not own.admit(0, 0, 3.0)
    own.report(0, 1, 0, 4.0)
    own.apply(answer(pause=1000, level=1.0, threshold=4.0, held=1, target=1), False, 0, 4.0)
    assert not own.admit(0, 0, 4.9) and own.admit(0, 0, 5.0)


def test_news_of_a_careful_restart_is_told_soon() -> None:
    own = joined(8, reply=answer(level=1.0, threshold=4.0, why="overloaded", cut_ago=9000.0, held=1, target=1))
    assert own.admit(0, 0, 0.1)
    assert own.due(1, 3, 0, 0.2) == 1.0
    own.success(1, 0.1, 0.3)
    assert own.due(0, 3, 0, 0.3) <= 0.3
    assert own.report(0, 3, 0, 0.3)["grown"] == 1.0


def test_requests_are_spent_from_a_stock_and_fetched_for_who_waits() -> None:
    own = joined(8, rpm=600, reply=answer(rpm=600, requests=2))
    assert [own.admit(0, running, 0.1) for running in range(3)] == [True, True, False]
    assert own.due(2, 1, 0, 0.1) <= 0.1
    report = own.report(2, 1, 0, 0.1)
    assert (report["back_requests"], report["need_requests"]) == (0, 1)
    own.apply(answer(rpm=600, requests=1, wait=400, bucket="rpm"), False, 2, 0.1)
    assert not own.admit(0, 2, 0.4) and own.delay(0, 2, 0.4) == (0.5 - 0.4, "rpm")
    assert own.admit(0, 2, 0.5)


def test_a_reservation_is_kept_until_its_time_and_given_back_when_nobody_waits_any_more() -> None:
    own = joined(8, tpm=60_000, reply=answer(tpm=60_000, tokens=5000, wait=1500, bucket="tpm"))
    report = own.report(0, 1, 5000, 1.0)
    assert (report["back_tokens"], report["need_tokens"]) == (0, 0)
    own.apply(answer(tpm=60_000), False, 0, 1.0)
    assert own.delay(5000, 0, 1.1) == (1.5 - 1.1, "tpm")
    report = own.report(1, 0, 0, 1.2)
    assert (report["back_tokens"], report["hope_tokens"]) == (5000, 0)


def test_what_is_too_far_ahead_is_not_reserved_but_its_time_is_known() -> None:
    own = joined(8, tpm=60_000, reply=answer(tpm=60_000, wait=90_000, bucket="tpm"))
    assert own.delay(5000, 0, 1.0) == (89.0, "tpm")
    assert own.due(0, 1, 5000, 0.5) == 1.0  # asks again every second: others may give something back
    assert own.report(0, 1, 5000, 1.0)["need_tokens"] == 5000


def test_tokens_used_beyond_the_estimate_are_charged_and_those_not_used_go_back() -> None:
    own = joined(8, tpm=60_000, reply=answer(tpm=60_000, tokens=1000))
    assert own.admit(1000, 0, 0.1)
    own.give_back(0, -300)
    assert own.report(1, 0, 0, 1.0)["back_tokens"] == -300
    own.give_back(0, 700)
    assert own.report(1, 0, 0, 2.0)["back_tokens"] == 700


def test_what_the_coming_second_will_need_is_kept_and_fetched_ahead() -> None:
    own = joined(64, rpm=6000, reply=answer(ceiling=64, held=64, target=64, rpm=6000, requests=30))
    for running in range(10):
        assert own.admit(0, running, 0.1)
    report = own.report(10, 0, 0, 1.0)
    assert (report["back_requests"], report["hope_requests"]) == (10, 0)
    assert own.stock.requests == 10
    for running in range(10, 16):
        assert own.admit(0, running, 1.1)
    report = own.report(16, 0, 0, 2.0)
    assert (report["back_requests"], report["hope_requests"]) == (0, 2)


def test_limits_of_others_are_taken_over_unless_ours_are_newer() -> None:
    own = joined(8)
    own.report(0, 1, 0, 1.0)
    own.apply(answer(ceiling=3, rpm=60, level=3.0, held=3, target=3), False, 0, 1.0)
    assert own.limits == Limits(3, 60)
    own.report(0, 1, 0, 2.0)
    own.change(Limits(5), 2.0)
    own.apply(answer(ceiling=3, rpm=60, level=3.0, held=3, target=3), False, 0, 2.0)
    assert own.limits == Limits(5)
    report = own.report(0, 1, 0, 2.1)
    assert (report["set"], report["ceiling"], report["rpm"]) == (True, 5, 0)


def test_alone_it_goes_on_with_its_last_share_or_a_fair_part() -> None:
    assert shares(16, rpm=600).alone() == Limits(4, 150, None)  # knows nothing: a quarter
    own = joined(8, reply=answer(held=3, target=3, members=2, tpm=1000))
    assert own.alone() == Limits(3, None, 500)
    own.report(0, 0, 0, 9.0)
    own.apply(answer(members=2), True, 0, 9.0)
    assert own.alone() == Limits(4)


def test_after_an_outage_it_reports_what_it_used_meanwhile_and_the_pause() -> None:
    own = joined(8, reply=answer(held=3, target=3))
    own.resume(5, 70.0, 50.0)
    report = own.report(4, 0, 0, 50.0)
    assert (report["held"], report["leaving"], report["epoch"]) == (5, False, "e-1")
    assert (report["careful"], report["pausing"], report["pause"]) == (True, True, 20_000)
