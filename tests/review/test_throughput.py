"""The pace of labels and the time left, summed by hand."""

import datetime

from review.throughput import Pace, TimeLeft, pace, per_day, time_left


def test_the_pace_is_the_median_and_leaves_out_what_was_not_measured() -> None:
    # 10 s, 20 s, 60 s: the median is 20 s; 3 labels in 90 s are 120 an hour. The fourth was not measured.
    assert pace([10_000, None, 60_000, 20_000]) == Pace(labels=4, measured=3, seconds=20, per_hour=120)


def test_nothing_measured_is_not_zero() -> None:
    assert pace([None, None]) == Pace(labels=2, measured=0, seconds=None, per_hour=None)
    assert pace([]) == Pace(0, 0, None, None)
    assert pace([0]) == Pace(labels=1, measured=1, seconds=0, per_hour=None)  # no time, so no labels per time


def test_the_time_left_is_shared_by_those_at_work() -> None:
    typical = pace([30_000] * 5)
    assert time_left(120, typical, 2) == TimeLeft(1800, "", 2)  # 120 x 30 s / 2


def test_a_time_left_that_cannot_be_known_says_why() -> None:
    assert time_left(10, pace([30_000] * 4), 2) == TimeLeft(None, "too_few", 2)
    assert time_left(10, pace([None] * 50), 2).reason == "too_few"
    assert time_left(10, pace([30_000] * 5), 0) == TimeLeft(None, "nobody", 0)
    assert time_left(0, pace([]), 0) == TimeLeft(0, "", 0)


def test_days_without_labels_are_there() -> None:
    day = datetime.date
    found = per_day({day(2026, 3, 1): 4, day(2026, 2, 27): 2, day(2026, 1, 1): 9}, day(2026, 3, 1), 4)
    assert found == [(day(2026, 2, 26), 0), (day(2026, 2, 27), 2), (day(2026, 2, 28), 0), (day(2026, 3, 1), 4)]
