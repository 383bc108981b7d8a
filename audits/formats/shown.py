"""Cells of a spreadsheet as a person sees them."""

import re
from datetime import date, time, timedelta
from decimal import Decimal
from typing import Any

from audits.formats.date_format import shown_moment
from audits.formats.number_format import formatted

_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")


def shown(value: Any, number_format: str) -> str:
    """A cell's value as the sheet shows it: 3 and not 3.0, 95% and not 0.95, 2024年3月1日; no digit is lost to E."""
    if isinstance(value, str):
        return _ESCAPE.sub(_unescape, value) if "_x" in value else value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        found = formatted(value, number_format)
        return _general(value) if found is None else found
    if isinstance(value, date | time | timedelta):
        return shown_moment(value, number_format)
    return str(value)


def _general(value: float) -> str:
    """A number without a format. Whole ones keep all digits that are stored, for they may be identifiers."""
    if isinstance(value, int):
        return str(value)
    if value.is_integer():
        return f"{Decimal(repr(value)):.0f}"
    mantissa, sign, power = format(value, ".15g").partition("e")
    return f"{mantissa}E{power}" if sign else mantissa


def _unescape(found: re.Match[str]) -> str:
    """Excel writes control characters as _x000D_, and an underscore before such a pattern as _x005F_."""
    code = int(found[1], 16)
    return chr(code) if code < 32 or code == 0x5F else found[0]
