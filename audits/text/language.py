"""Which of the product's two languages a text is written in."""

import re

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
"""Ranges of Han characters, to be used inside a character class."""

HTML_LANG = {"en": "en", "zh": "zh-Hans"}
"""Language -> value of the HTML attribute lang: without "Hans" browsers pick Japanese glyph shapes."""

_HAN_RUN = re.compile(f"[{HAN}]+")
_WORD = re.compile(r"[^\W\d_]+")
_ENOUGH = 0.4  # a Han character weighs as much as a word: "使用 Django REST Framework 和 Celery" is Chinese


def language_of(text: str) -> str:
    """ "zh" when Han characters make up 40 % or more of Han characters plus other words, else "en"."""
    rest, runs = _HAN_RUN.subn(" ", text)
    han = len(text) - len(rest) + runs
    if not han:
        return "en"
    words = len(_WORD.findall(rest))
    return "zh" if han / (han + words) >= _ENOUGH else "en"


def html_lang(language: str) -> str:
    """The value of the HTML attribute lang for a language; an unknown one is given back as it is."""
    return HTML_LANG.get(language, language)
