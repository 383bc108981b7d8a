"""Date formats of spreadsheets. Where a day could be taken for a month, the date is shown as 2024-03-05 instead."""

import re
from datetime import date, datetime, time, timedelta
from functools import cache

from audits.formats.number_format import sections

_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|[\\!](?P<escaped>.)|\[(?P<elapsed>h+|m+|s+)\]|\[(?P<bracket>[^\]]*)\]|_.|\*.'
    r"|(?P<half>AM/PM|A/P|上午/下午)|(?P<fraction>\.0+)|(?P<sign>y+|e+|m+|d+|h+|s+|a{3,4})|@|(?P<plain>[^\w]|[^\x00-\x7f])",
    re.IGNORECASE,
)
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_CHINESE_DAYS = "一二三四五六日"
Token = tuple[str, str]


def shown_moment(value: date | time | timedelta, number_format: str) -> str:
    """A date, time of day or span of time as its format shows it, or in the order of ISO 8601."""
    tokens = _tokens(sections(number_format or "General")[0])
    if isinstance(value, timedelta):
        return _span(value, tokens)
    if isinstance(value, time):
        tokens = _times(tokens)[1:]
    if not tokens:
        return _iso(value)
    if isinstance(value, time):
        value = datetime.combine(date(1899, 12, 30), value)
    moment = value if isinstance(value, datetime) else datetime.combine(value, time())
    if _is_ambiguous(tokens):
        tokens = (("iso", ""), *_times(tokens))
    half = any(kind == "half" for kind, _ in tokens)
    return "".join(_part(moment, kind, text, half=half) for kind, text in tokens).strip()


@cache
def _tokens(section: str) -> tuple[Token, ...]:
    """The parts of a format with m told apart as month or minute; () for one that is not known."""
    found: list[Token] = []
    at = 0
    while at < len(section):
        match = _TOKEN.match(section, at)
        if not match or (match["bracket"] or "").lower().startswith("dbnum"):
            return ()
        at = match.end()
        kind = match.lastgroup
        if kind and kind != "bracket":
            text = match[kind]
            literal = kind in {"quoted", "escaped", "plain"}
            found.append(("literal", text) if literal else _sign(kind, text.lower()))
    signs = [index for index, (kind, _) in enumerate(found) if kind not in {"literal", "half", "fraction"}]
    for before, index, after in zip([None, *signs], signs, [*signs[1:], None], strict=False):
        near = {found[i][0] for i in (before,) if i is not None} & {"hour"}
        near |= {found[i][0] for i in (after,) if i is not None} & {"second"}
        if found[index][0] == "month" and near and len(found[index][1]) < 3:
            found[index] = ("minute", found[index][1])
    return tuple(found) if signs else ()


def _sign(kind: str, text: str) -> Token:
    if kind == "elapsed":
        return "elapsed " + {"h": "hour", "m": "minute", "s": "second"}[text[0]], text
    if kind != "sign":
        return kind, text
    names = {"y": "year", "e": "year", "m": "month", "d": "day", "h": "hour", "s": "second", "a": "weekday"}
    return ("weekday", text) if text[0] == "d" and len(text) > 2 else (names[text[0]], text)


def _is_ambiguous(tokens: tuple[Token, ...]) -> bool:
    """Whether figures do not tell day from month: unless the year stands first, with four digits, or 月 does."""
    dates = [token for token in tokens if token[0] in {"year", "month", "day"}]
    named = any(kind == "month" and len(text) > 2 for kind, text in dates)
    chinese = any(kind == "literal" and "月" in text for kind, text in tokens)
    short = any(kind == "year" and len(text) < 3 and text[0] == "y" for kind, text in dates)
    return bool(dates) and (short or (dates[0][0] != "year" and not named and not chinese))


def _times(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    at = next((i for i, (kind, _) in enumerate(tokens) if kind in {"hour", "minute", "second"}), len(tokens))
    rest = tokens[at:]
    return (("literal", " "), *rest) if rest else ()


def _part(moment: datetime, kind: str, text: str, *, half: bool) -> str:
    wide = len(text) > 1
    match kind:
        case "literal":
            return text
        case "iso":
            return moment.date().isoformat()
        case "year":
            return f"{moment.year:04d}" if len(text) > 2 or text[0] == "e" else f"{moment.year % 100:02d}"
        case "month" if len(text) > 2:
            name = _MONTHS[moment.month - 1]
            return name[:1] if len(text) == 5 else name if len(text) == 4 else name[:3]
        case "weekday":
            return _weekday(moment, text)
        case "hour":
            hour = (moment.hour + 11) % 12 + 1 if half else moment.hour
            return f"{hour:02d}" if wide else str(hour)
        case "half":
            return _half(moment.hour, text)
        case "fraction":
            return f".{moment.microsecond:06d}"[: len(text)]
    number = getattr(moment, kind)
    return f"{number:02d}" if wide else str(number)


def _weekday(moment: datetime, text: str) -> str:
    if text[0] == "a":
        return ("星期" if len(text) == 4 else "周") + _CHINESE_DAYS[moment.weekday()]
    return _DAYS[moment.weekday()][: None if len(text) > 3 else 3]


def _half(hour: int, text: str) -> str:
    if text == "上午/下午":
        return "下午" if hour > 11 else "上午"
    return ("PM" if hour > 11 else "AM")[: 1 if text == "a/p" else 2]


def _span(value: timedelta, tokens: tuple[Token, ...]) -> str:
    seconds = round(abs(value).total_seconds())
    if not any(kind.startswith("elapsed") for kind, _ in tokens):
        return f"{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    amounts = {
        "elapsed hour": seconds // 3600, "elapsed minute": seconds // 60, "elapsed second": seconds,
        "hour": seconds // 3600, "minute": seconds // 60 % 60, "second": seconds % 60,
    }  # fmt: skip
    shown = "".join(text if kind == "literal" else f"{amounts.get(kind, 0):0{len(text)}d}" for kind, text in tokens)
    return "-" + shown if value < timedelta() else shown


def _iso(value: date | time) -> str:
    if isinstance(value, datetime):
        return value.isoformat(" ", "seconds") if value.time() != time() else value.date().isoformat()
    return value.isoformat()
