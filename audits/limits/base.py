"""What a person allows a judge, what a limiter makes of it, and the numbers by which it decides."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """The ceiling a person has set for one judge. None (or 0): no limit of ours."""

    concurrency: int  # calls at a time, all worker processes together
    rpm: int | None = None  # requests per minute
    tpm: int | None = None  # tokens per minute, in and out together


@dataclass(frozen=True)
class LimitState:
    """How a limiter stands, for people. With Redis all numbers are of the judge, over all processes."""

    now: int  # calls allowed at a time just now
    wanted: int  # calls a person allows at a time
    running: int  # calls in flight; those of other processes as they last reported
    reason: (
        str  # what holds calls up or keeps `now` below `wanted`: "" | value of a Fault | "latency" | "rpm" | "tpm"
    )
    resumes_at: float | None  # unix time until which all calls wait; None: they do not wait for a time


@dataclass(frozen=True)
class Tuning:
    """Numbers of the controller. Times in seconds."""

    first_round: float = 0.25  # taken for a round trip while none has been measured
    longest_breath: float = 2.0  # at most this pause of our own after a rejection that names none
    longest_pause: float = 3600.0  # a longer Retry-After is cut to this
    ease: float = 0.9  # factor when latency has risen
    ease_floor: float = 0.25  # latency alone never lowers below this part of the ceiling
    block: int = 16  # calls whose latencies are looked at together, at least
    history: int = 32  # blocks that tell what is usual
    known: int = 4  # blocks needed before anything counts as unusual
    rise: float = 2.0  # times the usual median that a median must exceed,
    beyond: float = 1.5  # times the usual 90th percentile that it must exceed, too,
    slack: float = 1.0  # seconds above the usual median that it must exceed, too


TUNING = Tuning()
