"""Numbered pieces of one text: 1. 2. 3., 1) 2), (1) (2), [1] [2], ① ②, 一、二、, 第1条, "Document 1:"."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_CHINESE = "一二三四五六七八九十"
_CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"
_BLACK = "❶❷❸❹❺❻❼❽❾❿"
_WORDS = (
    "context|document|doc|passage|chunk|source|snippet|result|reference|evidence|"
    "检索结果|检索片段|上下文|片段|文档|资料|证据|参考|引用|段落|来源|结果"
)
_KEPT = "article"  # its number is the name of what follows, not a mark of the list
_STYLES = {
    "word": rf"[\[【(（#*]*(?:{_WORDS})\s?[#＃]?(?P<n>\d{{1,3}})\s?[\])）】*]*\s?[:：.、-]?(?![\d\w])",
    "dot": r"(?<![\w.])(?P<n>\d{1,3})(?:[.．](?!\d)|、)",
    "close": r"(?<![\w.(（])(?P<n>\d{1,3})[)）]",
    "round": r"[(（](?P<n>\d{1,3})[)）]",
    "square": r"[\[【](?P<n>\d{1,3})[\]】]",
    "circled": f"(?P<n>[{_CIRCLED}])",
    "black": f"(?P<n>[{_BLACK}])",
    "chinese": rf"(?<!\w)(?P<n>[{_CHINESE}]{{1,3}})、",
    _KEPT: rf"第\s?(?P<n>\d{{1,3}}|[{_CHINESE}]{{1,3}})\s?[条章节段篇项款]",
}
_SPACE = r"[ \t\u3000]*"
_LINES = {style: re.compile(f"^{_SPACE}{mark}{_SPACE}", re.M | re.I) for style, mark in _STYLES.items()}
_INLINE = {style: re.compile(f"{mark}{_SPACE}", re.I) for style, mark in _STYLES.items() if style != _KEPT}


class _Marks(NamedTuple):
    """The marks 1, 2, 3 … of one style: where each begins, and where its piece begins."""

    starts: list[int]
    bodies: list[int]


def numbered(text: str) -> list[str]:
    """What stands before the number 1, then each numbered piece without its number; [text] when nothing is numbered.

    Numbers count when they begin lines and follow each other, 1, 2, 3; or, in a text that begins with 1, anywhere in
    it. A number out of turn belongs to the piece. One number at the very start makes one piece.
    """
    found = _first(_LINES, text, least=2) or _first(_INLINE, text, least=2) or _first(_LINES, text, least=1)
    if found is None:
        return [text]
    ends = [*found.starts[1:], len(text)]
    return [text[: found.starts[0]], *(text[body:end] for body, end in zip(found.bodies, ends, strict=True))]


def _first(styles: dict[str, re.Pattern[str]], text: str, *, least: int) -> _Marks | None:
    """The marks of the style that begins first; only at the start of the text when the marks are inline or alone."""
    candidates = []
    for style, pattern in styles.items():
        marks = _in_turn(pattern, text, keep=style == _KEPT)
        anywhere = styles is _LINES and least > 1
        if len(marks.starts) >= least and (anywhere or not text[: marks.starts[0]].strip()):
            candidates.append(marks)
    return min(candidates, key=lambda marks: marks.starts[0], default=None)


def _in_turn(pattern: re.Pattern[str], text: str, *, keep: bool) -> _Marks:
    marks = _Marks([], [])
    for number, mark in _marks(pattern, text):
        if number == len(marks.starts) + 1:
            marks.starts.append(mark.start())
            marks.bodies.append(mark.start() if keep else mark.end())
    return marks


def _marks(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, re.Match[str]]]:
    for mark in pattern.finditer(text):
        yield _value(mark["n"]), mark


def _value(number: str) -> int:
    """0 for what is no number that counts, such as 一一."""
    if number.isdecimal():
        return int(number)
    for signs in (_CIRCLED, _BLACK):
        if number in signs:
            return signs.index(number) + 1
    tens, ten, ones = number.partition("十")
    if ten:
        number = f"{_digit(tens, 1)}{_digit(ones, 0)}"
        return int(number) if len(number) == 2 else 0
    return _digit(number, 0)


def _digit(sign: str, empty: int) -> int:
    return _CHINESE.index(sign) + 1 if len(sign) == 1 else empty if not sign else 100
