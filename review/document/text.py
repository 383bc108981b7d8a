"""Strings fit for print: hostile names made plain, numbers rounded towards the cautious side."""

import re
import unicodedata
from decimal import ROUND_HALF_EVEN, Decimal

from review.document.coverage import drawable

UNIT = "\u00a0%"
LONGEST = 160  # characters of a name that somebody else chose; the full text stands in the attached file
_UNBROKEN = 12  # a longer run without a break gets places where it may be broken
_UNPRINTABLE = frozenset({"Cc", "Cf", "Zl", "Zp", "Cs", "Co", "Cn"})  # control, direction, unassigned


def plain(text: object, longest: int = LONGEST) -> str:
    """Printable text: no control or direction characters, one line, breakable, at most `longest` characters.

    A character that the font lacks is a box.
    """
    kept = _visible(str(text))
    if len(kept) > longest:
        kept = kept[: longest - 1] + "…"
    return breakable(drawable(kept))


def _visible(text: str) -> str:
    kept = "".join(" " if unicodedata.category(c) in _UNPRINTABLE else c for c in text)
    return " ".join(kept.split())


def in_lines(text: str, width: int) -> str:
    """Lines of `width` characters: for sums and keys, which people copy and which must hold nothing invisible."""
    return "\n".join(text[start : start + width] for start in range(0, len(text), width))


def address(url: str, width: int = 38) -> str:
    """An address in lines of at most `width` characters, cut after slashes where it can be: people copy it, too."""
    lines = [""]
    for part in re.findall(r"[^/]*/+|[^/]+", drawable(_visible(url))[:400]):
        if lines[-1] and len(lines[-1] + part) > width:
            lines.append("")
        lines[-1] += part
    return "\n".join(in_lines(line, width) for line in lines)


def breakable(text: str) -> str:
    """Zero-width spaces in runs that no line could hold; a slash or hyphen breaks by itself."""
    out, run = [], 0
    for character in text:
        run = 0 if character.isspace() or character in "/-" or ord(character) > 0x2E7F else run + 1
        out.append(character)
        if run == _UNBROKEN:
            out.append("\u200b")
            run = 0
    return "".join(out)


def percent(value: float, rounding: str = ROUND_HALF_EVEN) -> str:
    """2.80 %: two decimals of a percent, four for a rate that two would show as nothing or as all. The space does not
    break."""
    exact = Decimal(repr(value)) * 100
    little = min(abs(exact), abs(100 - exact))  # from nothing, or from all
    places = Decimal("0.0001") if 0 < little < Decimal("0.01") else Decimal("0.01")
    return f"{exact.quantize(places, rounding)}{UNIT}"


def bare(text: str) -> str:
    """The number of a percentage without its unit."""
    return text.removesuffix(UNIT)


def short_percent(value: float) -> str:
    """95 %: without needless decimals."""
    return f"{(Decimal(repr(value)) * 100).quantize(Decimal('0.0001')).normalize():f}{UNIT}"


def decimal(value: float, rounding: str = ROUND_HALF_EVEN) -> str:
    """0.73: two decimals, for coefficients."""
    return f"{Decimal(repr(value)).quantize(Decimal('0.01'), rounding):z.2f}"  # z: never -0.00
