"""Numbers in a text with their magnitude and unit: digits, English words, Chinese numerals, percentages, years."""

import re
from dataclasses import dataclass

from audits.text.normalise import normalise
from audits.text.wordlists import FUNCTION_WORDS

_UNITS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = (
    "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_WORDS = {word: value for value, word in enumerate(("zero", *_UNITS, *_TEENS))} | {
    word: value * 10 for value, word in enumerate(_TENS, 2)
}
_SCALES = {
    "hundred": 1e2, "thousand": 1e3, "k": 1e3, "million": 1e6, "mn": 1e6, "m": 1e6, "billion": 1e9, "bn": 1e9,
    "trillion": 1e12, "百": 1e2, "千": 1e3, "万": 1e4, "百万": 1e6, "千万": 1e7, "亿": 1e8, "万亿": 1e12, "兆": 1e12,
}  # fmt: skip
_HAN_DIGIT = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_HAN_POWER = {"十": 10, "百": 100, "千": 1000}
_HAN_NUMERAL = "零〇一二两三四五六七八九十百千万亿"
_MEASURE = "年月日天周岁个家人名位项元倍次条款章种届期座台辆件套只架艘所间亩吨米号点时分秒成国省市县季度股票级层页"
_NUMBER = re.compile(
    rf"""(?P<percent>百分之)?(?P<currency>[$€£¥]\ ?)?(?:
    (?P<digits>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?)
    (?P<scale>\ ?(?:hundred|thousand|million|billion|trillion|mn|bn)\b|[km]\b(?![/²])|万亿|百万|千万|[百千万亿兆])?
    |(?P<han>(?!十分(?!钟))[{_HAN_NUMERAL}]+(?:点[零一二三四五六七八九]+)?)
    |\b(?P<word>(?:{"|".join(_TENS)})[- ](?:{"|".join(_UNITS)})|{"|".join(_WORDS)})\b
    (?:\ (?P<wordscale>hundred|thousand|million|billion)\b)?
    )(?P<unit>\ ?%|\ ?(?:percent|per\ cent)\b|\ ?个百分点|[{_MEASURE}]|\ ?[a-z]+)?""",
    re.VERBOSE | re.ASCII,  # ASCII: a word ends where Chinese begins
)
_FIGURE = re.compile(
    rf"\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?|[{_HAN_NUMERAL}]|"
    rf"\b(?:{'|'.join(_WORDS)}|hundred|thousand|million|billion|trillion|half|twice|double)\b",
    re.ASCII,
)


@dataclass(frozen=True)
class Quantity:
    """A number as meant (4.5 billion -> 4.5e9), with the word or sign after it; "%" for every kind of percentage."""

    value: float
    unit: str
    text: str = ""  # as it stands in the normalised text

    def is_comparable(self, other: "Quantity") -> bool:
        """Whether both count the same kind of thing, so that different values exclude each other."""
        return self.unit == other.unit if self.unit else self.is_year and other.is_year

    @property
    def is_year(self) -> bool:
        """Whether this reads as a calendar year."""
        if self.unit == "年":
            return self.value > 100
        return 1500 <= self.value <= 2100 and self.value == int(self.value)


def quantities(text: str) -> list[Quantity]:
    """All numbers of a text in order. Chinese numerals count only before a measure word, after 第, or when long."""
    found: list[Quantity] = []
    plain = normalise(text).text
    for match in _NUMBER.finditer(plain):
        value = _value(match, plain)
        if value is not None:
            found.append(Quantity(value, _unit(match), _shown(match)))
    return found


def figures(text: str) -> list[str]:
    """Every number of a text as written, in order, apart from thousands commas, width and case."""
    return [match.replace(",", "") for match in _FIGURE.findall(normalise(text).text)]


def _value(match: re.Match[str], text: str) -> float | None:
    if match["digits"]:
        return float(match["digits"].replace(",", "")) * _SCALES.get((match["scale"] or "").strip(), 1.0)
    if match["word"]:
        parts = re.split("[- ]", match["word"])
        return float(sum(_WORDS[part] for part in parts)) * _SCALES.get(match["wordscale"] or "", 1.0)
    counted = match["percent"] or match["unit"] or (match.start() and text[match.start() - 1] == "第")
    if not counted and len(match["han"]) < 3:
        return None
    return _chinese_value(match["han"])


def _chinese_value(numeral: str) -> float:
    """二十五 -> 25, 一百二十 -> 120, 三万五千 -> 35000, 二〇二三 -> 2023, 三点五 -> 3.5."""
    whole, _, fraction = numeral.partition("点")
    tail = float("0." + "".join(str(_HAN_DIGIT[char]) for char in fraction)) if fraction else 0.0
    if len(whole) > 1 and all(char in _HAN_DIGIT for char in whole):
        return float("".join(str(_HAN_DIGIT[char]) for char in whole)) + tail
    total = section = digit = 0
    for char in whole:
        if char in _HAN_DIGIT:
            digit = _HAN_DIGIT[char]
        elif char in _HAN_POWER:
            section += (digit or 1) * _HAN_POWER[char]
            digit = 0
        else:
            total = (total + section + digit or 1) * (10_000 if char == "万" else 100_000_000)
            section = digit = 0
    return float(total + section + digit) + tail


def _shown(match: re.Match[str]) -> str:
    """The number with its sign, but without a word after it that is no unit."""
    unit = match["unit"] or ""
    return (match[0].removesuffix(unit) if unit.strip() in FUNCTION_WORDS else match[0]).strip()


def _unit(match: re.Match[str]) -> str:
    unit = (match["unit"] or "").strip()
    if match["percent"] or unit in {"%", "percent", "per cent", "个百分点"}:
        return "%"
    if match["currency"]:
        return match["currency"].strip()
    if unit in FUNCTION_WORDS:
        return ""
    return unit if len(unit) < 3 or not unit.isascii() else unit.rstrip("s")
