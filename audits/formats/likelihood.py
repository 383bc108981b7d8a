"""How likely bytes are, read in one encoding or another: each character is as likely as in its language.

The logarithms of these likelihoods can be compared, because all readings explain the same bytes. Only characters are
counted, not their order; the difference of two readings is therefore damped before it is taken for a confidence.
"""

import math
from collections import Counter
from functools import cache

from audits.formats import frequent

ASCII = math.log(1 / 30)
BROKEN = math.log(1e-5)  # per byte that is no text: rare in the right encoding, as damage
_SIGN = math.log(1e-5)  # emoji, arrows, dingbats
_CONTROL = math.log(1e-7)
_ODD = math.log(1e-8)  # private use, other scripts
_WIDE_ASCII = math.log(1e-4)
Model = dict[str, float]


def _spread(characters: str, share: float, *, flat: bool = False) -> Model:
    """Logarithms of frequencies: falling with the rank as in Zipf's law, or all the same."""
    unique = [char for char in dict.fromkeys(characters) if char > "\x7f"]
    weights = [1.0 if flat else 1 / (rank + 10) for rank in range(len(unique))]
    total = sum(weights)
    return {char: math.log(share * weight / total) for char, weight in zip(unique, weights, strict=True)}


def _rows(first: int, last: int, codec: str, trail: range = range(0xA1, 0xFF)) -> str:
    """The characters of a double-byte set whose first byte lies in this range."""
    pairs = (bytes((lead, second)) for lead in range(first, last + 1) for second in trail)
    return "".join(pair.decode(codec, "ignore") for pair in pairs)


def _joined(*parts: Model) -> Model:
    """The first part that knows a character says how likely it is."""
    joined: Model = {}
    for part in reversed(parts):
        joined |= part
    return joined


@cache
def _simplified() -> Model:
    return _joined(
        _spread(frequent.SIMPLIFIED, 0.64),
        _spread(frequent.MARKS, 0.14),
        _spread(_rows(0xB0, 0xD7, "gb2312"), 0.15, flat=True),
        _spread(frequent.SYMBOLS, 0.01, flat=True),
        _spread(_rows(0xD8, 0xF7, "gb2312"), 0.01, flat=True),
        _spread(_rows(0xA1, 0xA9, "gb2312"), 0.0005, flat=True),
    )


@cache
def _traditional() -> Model:
    everyday = _rows(0xA4, 0xC6, "big5", range(0x40, 0xFF))
    return _joined(
        _spread(frequent.TRADITIONAL, 0.64),
        _spread(frequent.MARKS, 0.14),
        _spread(everyday, 0.15, flat=True),
        _spread(frequent.SYMBOLS, 0.01, flat=True),
        _spread(_rows(0xC9, 0xF9, "big5", range(0x40, 0xFF)), 0.01, flat=True),
        _spread(_rows(0xA1, 0xA3, "big5", range(0x40, 0xFF)), 0.0005, flat=True),
    )


@cache
def _japanese() -> Model:
    return _joined(
        _spread(frequent.HIRAGANA, 0.42),
        _spread(frequent.KATAKANA, 0.14),
        _spread(frequent.KANJI, 0.2),
        _spread(frequent.EASTERN_MARKS, 0.08),
        _spread(_rows(0xB0, 0xCF, "euc_jp"), 0.1, flat=True),
        _spread(_rows(0xA4, 0xA5, "euc_jp"), 0.01, flat=True),
        _spread(frequent.SYMBOLS, 0.01, flat=True),
        _spread(_rows(0xD0, 0xF4, "euc_jp"), 0.003, flat=True),
        _spread("".join(map(chr, range(0xFF61, 0xFFA0))), 0.0005, flat=True),
        _spread(_rows(0xA1, 0xA8, "euc_jp"), 0.0005, flat=True),
    )


@cache
def _korean() -> Model:
    return _joined(
        _spread(frequent.HANGUL, 0.75),
        _spread(_rows(0xB0, 0xC8, "euc_kr"), 0.2, flat=True),
        _spread(frequent.EASTERN_MARKS + frequent.SYMBOLS, 0.02, flat=True),
        _spread(_rows(0xCA, 0xFD, "euc_kr"), 0.003, flat=True),
        _spread(_rows(0xA1, 0xAC, "euc_kr"), 0.0005, flat=True),
    )


@cache
def _western() -> Model:
    return _joined(_spread(frequent.WESTERN, 0.08), _spread(frequent.WESTERN_MARKS, 0.05))


LANGUAGES = {
    "simplified": _simplified,
    "traditional": _traditional,
    "japanese": _japanese,
    "korean": _korean,
    "western": _western,
}


def _other(char: str) -> float:
    """A character that the language's model does not list."""
    if char < "\x7f":
        return ASCII if char >= " " or char in "\t\r\n" else _CONTROL
    if "\u4e00" <= char <= "\u9fff":
        return math.log(2e-7)
    if "\u3400" <= char <= "\u4dbf" or "\U00020000" <= char <= "\U000323af":
        return math.log(2e-8)
    if "\uff01" <= char <= "\uff5e":
        return _WIDE_ASCII
    if "\u2010" <= char <= "\u2bff" or "\U0001f300" <= char <= "\U0001faff":
        return _SIGN
    if "\ud800" <= char <= "\udfff":
        return BROKEN
    return _CONTROL if char < "\xa0" else _ODD


def of_text(text: str, language: str) -> float:
    """The logarithm of the likelihood of a text in this language."""
    model = LANGUAGES[language]()
    counts = Counter(text)
    return sum(count * (model[char] if char in model else _other(char)) for char, count in counts.items())
