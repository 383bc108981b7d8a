"""Number formats of spreadsheets: which of a format's sections holds for a number, and what it makes of it.

ECMA-376 part 1, 18.8.31. A format with anything that is not known here shows a number as "General" does.
"""

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import cache

_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|[\\!](?P<escaped>.)|\[(?P<bracket>[^\]]*)\]|_.|\*.|(?P<exponent>E[+-]0+)'
    r"|(?P<digit>[0#?])|(?P<comma>,)|(?P<point>\.)|(?P<percent>%)|(?P<plain>[$¥€£￥()+\-\s:'^&~{}<>=]|[^\x00-\x7f])"
)
_CURRENCY = re.compile(r"\$([^-\]]*)(?:-[0-9A-Fa-f]+)?")
_HARMLESS = re.compile(r"(?:black|blue|cyan|green|magenta|red|white|yellow|color\s?\d+)", re.IGNORECASE)
_MOST_DIGITS = 30


@dataclass(frozen=True)
class _Section:
    """What one section of a format shows: literals and places for digits, in order."""

    parts: tuple[tuple[str, str], ...]  # ("literal", text) | ("digit", 0 # ?) | ("point", ".")
    grouped: bool
    thousands: int  # how often the number is divided by 1000
    percent: int
    exponent: int  # places, 0 for none

    @property
    def decimals(self) -> int:
        """Places after the point."""
        kinds = [kind for kind, _ in self.parts]
        return kinds[kinds.index("point") :].count("digit") if "point" in kinds else 0


def sections(number_format: str) -> list[str]:
    """The parts of a format between semicolons that are no text of it."""
    parts = re.findall(r'((?:"[^"]*"|\\.|\[[^\]]*\]|[^;"\\\[]|["\\\[])*)(?:;|$)', number_format)
    return parts[:-1] if len(parts) > 1 and not parts[-1] else parts


def formatted(value: float, number_format: str) -> str | None:
    """The number as the format shows it; None where that is as "General" does, or not known."""
    if number_format in {"General", "@", ""}:
        return None
    written = sections(number_format)
    which = 2 if value == 0 and len(written) > 2 else 1 if value < 0 and len(written) > 1 else 0
    section = _parsed(written[which]) if written[which].strip() else None  # ;;; hides a number
    if section is None or any("[" in part and re.search(r"\[[<>=]", part) for part in written):
        return None
    shown = _shown(Decimal(repr(abs(value)) if isinstance(value, float) else abs(value)), section)
    return "-" + shown if value < 0 and which == 0 and re.search("[1-9]", shown) else shown


@cache
def _parsed(section: str) -> _Section | None:
    parts: list[tuple[str, str]] = []
    commas = percent = exponent = at = 0
    grouped = False
    while at < len(section):
        found = _TOKEN.match(section, at)
        if not found:
            return None
        at = found.end()
        kind, text = found.lastgroup, found[found.lastgroup or 0]
        if kind == "digit":
            grouped, commas = grouped or bool(commas), 0
            parts.append(("digit", text))
        elif kind == "comma":
            commas += bool(parts) and any(kind == "digit" for kind, _ in parts)
        elif kind == "point":
            if ("point", ".") in parts:
                return None
            parts.append(("point", "."))
        elif kind == "exponent":
            exponent = len(text) - 2
            parts.append(("exponent", text[1]))
        elif kind == "bracket":
            currency = _CURRENCY.fullmatch(text)
            if not currency and not _HARMLESS.fullmatch(text):
                return None
            parts += [("literal", currency[1])] if currency else []
        elif kind in {"quoted", "escaped", "plain", "percent"}:
            percent += kind == "percent"
            parts.append(("literal", text))
    return _Section(tuple(parts), grouped, commas, percent, exponent)


def _shown(number: Decimal, section: _Section) -> str:
    if not any(kind == "digit" for kind, _ in section.parts):
        return "".join(text for kind, text in section.parts if kind == "literal").strip()
    number = number.scaleb(2 * section.percent - 3 * section.thousands)
    power = 0
    if section.exponent:
        power = number.adjusted() if number else 0
        number = number.scaleb(-power)
    if number.adjusted() > _MOST_DIGITS:
        return f"{number:.0f}"
    rounded = number.quantize(Decimal(1).scaleb(-section.decimals), ROUND_HALF_UP)
    whole, _, fraction = f"{rounded:f}".partition(".")
    kinds = [kind for kind, _ in section.parts]
    split = (
        kinds.index("point") if "point" in kinds else kinds.index("exponent") if "exponent" in kinds else len(kinds)
    )
    text = _whole(whole, section.parts[:split], grouped=section.grouped)
    return (text + _fraction(fraction, section.parts[split:], power, section.exponent)).strip()


def _whole(digits: str, parts: tuple[tuple[str, str], ...], *, grouped: bool) -> str:
    """Digits from the right into their places; the leftmost place takes all that are left."""
    places = [index for index, (kind, _) in enumerate(parts) if kind == "digit"]
    rest = digits.lstrip("0")
    shown: list[str] = []
    written = 0
    for index in range(len(parts) - 1, -1, -1):
        kind, text = parts[index]
        if kind != "digit":
            shown.append(text)
            continue
        taken = rest if places and index == places[0] else rest[-1:]
        rest = rest[: len(rest) - len(taken)]
        for digit in reversed(taken or ("0" if text == "0" else "")):
            if grouped and written and written % 3 == 0:
                shown.append(",")
            shown.append(digit)
            written += 1
    return "".join(reversed(shown)) if places else "".join(text for _, text in parts)


def _fraction(digits: str, parts: tuple[tuple[str, str], ...], power: int, places: int) -> str:
    shown, at = "", 0
    kept = len(digits.rstrip("0"))
    for kind, text in parts:
        if kind == "digit":
            shown += digits[at] if text == "0" or at < kept else ""
            at += 1
        elif kind == "exponent":
            shown += f"E{'-' if power < 0 else '+' if text == '+' else ''}{abs(power):0{places}d}"
        else:
            shown += text
    return shown
