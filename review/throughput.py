"""How fast labels come in and how long the rest may take. Numbers in, numbers out.

Active time is what a person spent reading and deciding, idle time removed by the desk. A label without it is "not
measured": it is counted as a label, and leaves every time alone.
"""

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

LEAST_MEASURED = 5  # labels; with fewer a time left would be a guess
HOUR_MS = 3_600_000


@dataclass(frozen=True)
class Pace:
    """labels: all; measured: those with an active time. seconds: the median of these, None without any.

    per_hour: measured labels per hour of active time, None without any time.
    """

    labels: int
    measured: int
    seconds: float | None
    per_hour: float | None


def pace(active_ms: Iterable[int | None]) -> Pace:
    """The pace of labels with these active times in milliseconds; None: not measured."""
    times = list(active_ms)
    known = [ms for ms in times if ms is not None]
    spent = sum(known)
    return Pace(
        labels=len(times),
        measured=len(known),
        seconds=median(known) / 1000 if known else None,
        per_hour=len(known) * HOUR_MS / spent if spent else None,
    )


@dataclass(frozen=True)
class TimeLeft:
    """seconds: of work for each of the people; None: undefined, for the reason "too_few" or "nobody"."""

    seconds: float | None
    reason: str
    people: int


def time_left(open_labels: int, typical: Pace, people: int) -> TimeLeft:
    """open labels x median active seconds / people, as if all of them worked on, at this pace, without a break.

    Nothing open is no time left, however little is known. open_labels, people: 0 or more.
    """
    if not open_labels:
        return TimeLeft(0.0, "", people)
    if typical.seconds is None or typical.measured < LEAST_MEASURED:
        return TimeLeft(None, "too_few", people)
    if not people:
        return TimeLeft(None, "nobody", people)
    return TimeLeft(open_labels * typical.seconds / people, "", people)


def per_day(
    labels: Mapping[datetime.date, int], last: datetime.date, days: int
) -> Sequence[tuple[datetime.date, int]]:
    """The last `days` days up to and with `last`, the oldest first; days without labels are there with 0."""
    first = last - datetime.timedelta(days=days - 1)
    return [(day, labels.get(day, 0)) for day in (first + datetime.timedelta(days=n) for n in range(days))]
