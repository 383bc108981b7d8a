"""Numbers as the reader sees them. Text in, text out; the words are translated when called."""

import datetime as dt
import math
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Protocol

from django.utils.translation import gettext, ngettext

from audits.templatetags.explanations import reason_text

Number = int | float | Decimal
_MOST_DECIMALS = 3


class EstimateLike(Protocol):
    """The attributes that are read of an estimate; fractions between 0 and 1 where the unit is percent."""

    @property
    def value(self) -> float | None: ...
    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...
    @property
    def n(self) -> int: ...
    @property
    def confidence(self) -> float: ...
    @property
    def reason(self) -> str: ...


@dataclass(frozen=True)
class EstimateText:
    """`value` stands out, `rest` follows it: "2.7 %" and "(1.9 to 3.6, n = 11,482)"."""

    value: str
    rest: str
    defined: bool

    def __str__(self) -> str:
        return f"{self.value} {self.rest}"


def number_text(value: Number | None, decimals: int | None = None) -> str:
    """1234567 -> "1,234,567" in both languages; None -> "unknown". Decimals as given, else only for a non-integer."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return gettext("unknown")
    if decimals is None:
        decimals = 0 if value == int(value) else 2
    return f"{value:,.{decimals}f}"


def _decimals(fractions: Iterable[float | None]) -> int:
    """The fewest decimals (1 to 3) with which no percentage is rounded to 0 or to 100 that is neither."""
    given = [100 * x for x in fractions if x is not None and 0 < x < 1]
    for decimals in range(1, _MOST_DECIMALS):
        if all(0 < float(f"{x:.{decimals}f}") < 100 for x in given):
            return decimals
    return _MOST_DECIMALS


def _percent_number(fraction: float, decimals: int) -> str:
    if fraction in (0, 1):
        return "0" if fraction == 0 else "100"
    shown = f"{100 * fraction:.{decimals}f}"
    least = 10.0**-decimals
    if 0 < fraction < 1 and float(shown) == 0:
        return f"< {least:.{decimals}f}"
    if 0 < fraction < 1 and float(shown) == 100:
        return f"> {100 - least:.{decimals}f}"
    return shown


def percent_text(fraction: float | None, decimals: int | None = None) -> str:
    """0.0274 -> "2.7 %"; None -> "undefined". A small share is never shown as 0, nor a large one as 100."""
    if fraction is None or not math.isfinite(fraction):
        return gettext("undefined")
    number = _percent_number(fraction, _decimals([fraction]) if decimals is None else decimals)
    return gettext("{number} %").format(number=number)


def chosen_text(fraction: Number | str) -> str:
    """0.0025 -> "0.25 %": a rate that a rule sets, with all its decimals (at most four)."""
    number = round(Decimal(str(fraction)) * 100, 4).normalize()
    return gettext("{number} %").format(number=f"{number:f}")


def lower_limit_text(fraction: float | None) -> str:
    """A limit that is held against a threshold, rounded down: see upper_limit_text."""
    return _limit_text(fraction, ROUND_FLOOR)


def upper_limit_text(fraction: float | None) -> str:
    """0.05001 -> "5.01 %": a limit that is held against a threshold, as a certificate prints it. Two decimals of a
    percent (four next to 0 and to 100) and rounded away from the rate, so that no reader finds a limit on the other
    side of the threshold than the decision did."""
    return _limit_text(fraction, ROUND_CEILING)


def _limit_text(fraction: float | None, rounding: str) -> str:
    if fraction is None or not math.isfinite(fraction):
        return gettext("undefined")
    exact = Decimal(repr(float(fraction))) * 100
    little = min(abs(exact), abs(100 - exact))  # from nothing, or from all
    places = Decimal("0.0001") if 0 < little < Decimal("0.01") else Decimal("0.01")
    return gettext("{number} %").format(number=f"{exact.quantize(places, rounding):f}")


def estimate_text(estimate: EstimateLike | None, unit: str = "percent") -> EstimateText:
    """The one way in which an estimate is written. unit: "percent" (fractions) or "number" (kappa and the like)."""
    if estimate is None or estimate.value is None:
        why = reason_text(estimate.reason if estimate else "")
        n = number_text(estimate.n if estimate else 0)
        return EstimateText(gettext("undefined"), gettext("({why}; n = {n})").format(why=why, n=n), False)
    n = number_text(estimate.n)
    values = (estimate.value, estimate.low, estimate.high)
    if unit == "percent":
        # The value sets the precision: a limit near 0 or 100 must not make it look exact.
        decimals = _decimals([estimate.value] if 0 < estimate.value < 1 else values)
        parts = ["" if x is None else _percent_number(x, decimals) for x in values]
        value = gettext("{number} %").format(number=parts[0])
    else:
        parts = ["" if x is None else f"{x:z.2f}" for x in values]  # z: a little below zero is 0.00, not -0.00
        value = parts[0]
    if estimate.low is None or estimate.high is None:
        why = reason_text(estimate.reason)
        rest = gettext("(no interval: {why}; n = {n})").format(why=why, n=n)
    else:
        rest = gettext("({low} to {high}, n = {n})").format(low=parts[1], high=parts[2], n=n)
    return EstimateText(value, rest, True)


def money_text(amount: Number | None, currency: str = "USD") -> str:
    """12.5 -> "USD 12.50"; below one cent four decimals, so that no cost is shown as nothing. None -> "unknown"."""
    if amount is None:
        return gettext("unknown")
    decimals = 4 if 0 < abs(float(amount)) < 0.01 else 2
    return f"{currency} {amount:,.{decimals}f}"


def duration_text(span: dt.timedelta | Number | None) -> str:
    """A timedelta or seconds in its two largest units: "1 h 5 min". None -> "unknown"."""
    if span is None:
        return gettext("unknown")
    seconds = round(span.total_seconds() if isinstance(span, dt.timedelta) else float(span))
    if seconds < 1:
        return gettext("under 1 s")
    days, rest = divmod(seconds, 86_400)
    hours, rest = divmod(rest, 3600)
    minutes, seconds = divmod(rest, 60)
    units = [
        (days, ngettext("{n} day", "{n} days", days)),
        (hours, gettext("{n} h")),
        (minutes, gettext("{n} min")),
        (seconds, gettext("{n} s")),
    ]
    first = next(i for i, (amount, _) in enumerate(units) if amount)
    return " ".join(text.format(n=amount) for amount, text in units[first : first + 2] if amount)
