"""When an answer was written: the ways in which files write a moment. What can be read in two ways is not read."""

import math
import re
from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_to_datetime
from typing import Any

_FIRST, _LAST = datetime(1980, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)
_DIGITS = re.compile(r"\d{9,19}(?:\.\d{1,9})?")
_CLOCK = r"(?P<hour>\d{1,2})[:：时点](?P<minute>\d{1,2})?(?:[:：分](?P<second>\d{1,2})?)?(?:[.,]\d{1,9})?秒?"
_HALF = r"(?P<half>[AaPp]\.?[Mm]\.?|上午|下午|凌晨|早上|中午|晚上)"
_ZONE = r"(?P<zone>Z|(?:UTC|GMT)?[+-]\d{2}:?\d{2}(?: ?\([\w ]{1,40}\)| [A-Z]{3,5})?|UTC|GMT)?"
_TIME = rf"(?:[ T,，]*{_HALF}? ?{_CLOCK} ?(?P<after>[AaPp]\.?[Mm]\.?)? ?{_ZONE})?"
_YEAR_FIRST = re.compile(rf"(?P<year>\d{{4}})[年/.-](?P<month>\d{{1,2}})[月/.-](?P<day>\d{{1,2}})[日号]?{_TIME}")
_YEAR_LAST = re.compile(rf"(?P<one>\d{{1,2}})[/.-](?P<two>\d{{1,2}})[/.-](?P<year>\d{{4}}){_TIME}")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = r"(?P<name>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?"
_NAMED = re.compile(
    rf"(?:[A-Z][a-z]{{2,8}},? )?(?:{_MONTH} (?P<day>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<year>\d{{4}})"
    rf"|(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?[ -]{_MONTH.replace('name', 'name2')},?[ -](?P<year2>\d{{4}})){_TIME}",
    re.IGNORECASE,
)
_OFFSET = re.compile(r"([+-])(\d{2}):?(\d{2})")
_AFTERNOON = ("p", "下午", "晚上")
_LONGEST = 80  # characters of a moment


def parse(value: Any) -> datetime | None:
    """The moment that a cell names, in UTC; None when it names none, or one that can be read in two ways.

    Read are ISO 8601, dates with the year first (2024-03-05, 2024/3/5, 2024年3月5日 10:11), months by their English
    names, the dates of mails, and seconds, milliseconds, microseconds or nanoseconds since 1970. A time without a
    zone is taken as UTC. 03/04/2024 is not read, for it is April in one country and March in another; 13/04/2024 is.
    """
    if isinstance(value, bool):
        return None
    try:
        if isinstance(value, int | float):
            return _since_1970(float(value))
        text = str(value).strip()[: _LONGEST + 1]
        found = None if len(text) > _LONGEST else _read(text)
        return found if found is not None and _FIRST <= found < _LAST else None
    except (ValueError, OverflowError):
        return None


def _read(text: str) -> datetime | None:
    if _DIGITS.fullmatch(text):
        return _since_1970(float(text))
    try:
        return _in_utc(datetime.fromisoformat(text))
    except ValueError:
        pass
    for pattern, day in ((_YEAR_FIRST, _day_after_year), (_YEAR_LAST, _day_before_year), (_NAMED, _named_day)):
        if found := pattern.fullmatch(text):
            year, month, number = day(found)
            moment = _moment(found, year, month, number) if month else None
            return _in_utc(moment) if moment else None
    return _in_utc(parsedate_to_datetime(text)) if "," in text[:5] else None


def _since_1970(number: float) -> datetime | None:
    """Numbers of 9 digits and more; fewer are years, days of a spreadsheet, anything."""
    if not math.isfinite(number):
        return None
    for unit in (1, 1e3, 1e6, 1e9):
        seconds = number / unit
        if _FIRST.timestamp() <= seconds < _LAST.timestamp():
            return datetime.fromtimestamp(seconds, UTC)
    return None


def _in_utc(found: datetime) -> datetime:
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def _day_after_year(found: re.Match[str]) -> tuple[int, int, int]:
    return int(found["year"]), int(found["month"]), int(found["day"])


def _day_before_year(found: re.Match[str]) -> tuple[int, int, int]:
    """Month 0 when either number can be the month."""
    one, two = int(found["one"]), int(found["two"])
    if one <= 12 and two <= 12 and one != two:
        return int(found["year"]), 0, 0
    return int(found["year"]), min(one, two), max(one, two)


def _named_day(found: re.Match[str]) -> tuple[int, int, int]:
    name = (found["name"] or found["name2"]).lower()
    return int(found["year"] or found["year2"]), _MONTHS.index(name) + 1, int(found["day"] or found["day2"])


def _moment(found: re.Match[str], year: int, month: int, day: int) -> datetime | None:
    hour, minute, second = (int(found[name] or 0) for name in ("hour", "minute", "second"))
    half = (found["half"] or found["after"] or "").lower()
    if half == "晚上" and hour == 12:
        return None  # midnight before or after
    if half.startswith(_AFTERNOON) and hour <= 12:
        hour = hour % 12 + 12
    elif half and half != "中午" and hour <= 12:
        hour %= 12
    if offset := _OFFSET.search(found["zone"] or ""):
        ahead = timedelta(hours=int(offset[2]), minutes=int(offset[3]))
        zone = timezone(ahead if offset[1] == "+" else -ahead)
        return datetime(year, month, day, hour, minute, second, tzinfo=zone)
    return datetime(year, month, day, hour, minute, second, tzinfo=UTC)
