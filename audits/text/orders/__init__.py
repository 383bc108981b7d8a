"""Rules for text that speaks to a judge instead of about its subject, in English and Chinese.

Precision is what they are made for: a bank that "may disregard previous instructions", "please disregard this notice
if you have paid", 请忽略此短信, JSON, code and Markdown are none of it. Each rule is cheap: words that must occur at
all are looked for first, then a rare head, then a bounded piece before and after it.
"""

import re
from collections.abc import Iterator

from audits.text.disguise import Seen
from audits.text.orders.chinese import CHINESE
from audits.text.orders.english import ENGLISH
from audits.text.orders.markers import MARKERS
from audits.text.orders.rule import Rule
from audits.text.orders.verdicts import VERDICTS

RULES: tuple[Rule, ...] = (*ENGLISH, *CHINESE, *VERDICTS, *MARKERS)

_NEEDED = frozenset(word for rule in RULES for need in rule.needs for word in need)
_LATIN = re.compile("[a-z]+")
_LATIN_NEEDED = frozenset(word for word in _NEEDED if word.isascii() and word.isalpha())
_HAN_NEEDED = re.compile("|".join(sorted((word for word in _NEEDED if not word.isascii()), key=len, reverse=True)))
_SIGNS_NEEDED = tuple(word for word in _NEEDED if word.isascii() and not word.isalpha())


def orders(seen: Seen) -> Iterator[tuple[str, int, int]]:
    """(code, start, end) of everything the rules find in a text as seen."""
    text = seen.low
    present = _LATIN_NEEDED.intersection(_LATIN.findall(text))
    present |= {sign for sign in _SIGNS_NEEDED if sign in text}
    if not text.isascii():
        present |= set(_HAN_NEEDED.findall(text))
    if not present:
        return
    for rule in RULES:
        if any(need <= present for need in rule.needs):
            for start, end in rule.find(seen):
                yield rule.code, start, end
