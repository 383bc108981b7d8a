"""Numbered pieces of one text: 1. 2. 3., 1) 2), (1) (2), [1] [2], ① ②, 一、二、, 第1条, "Document 1:"."""

import re
from collections.abc import Iterable, Iterator

_CHINESE = "一二三四五六七八九十"
_CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"
_BLACK = "❶❷❸❹❺❻❼❽❾❿"
_WORDS = (
    "context|document|doc|passage|chunk|source|snippet|result|reference|evidence|"
    "检索结果|检索片段|上下文|片段|文档|资料|证据|参考|引用|段落|来源|结果"
)
_KEPT = "article"  # its number is the name of what follows, not a mark of the list
_STYLES = {
    "word": rf"[\[【(（#*]{{0,4}}(?:{_WORDS})\s?[#＃]?(?P<n>\d{{1,3}})"
    r"(?:\s?[\])）】*]{1,4})?\s?(?:[:：.、-]|(?=\s)|(?<=[\])）】*]))",
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
_MARKS = {style: re.compile(f"{mark}{_SPACE}", re.I) for style, mark in _STYLES.items()}
_SPACES = re.compile(_SPACE)
_BEGINNINGS = frozenset(f"0123456789{_CHINESE}{_CIRCLED}{_BLACK}第[【(（#*")
_WORD_BEGINNINGS = frozenset(word[0] for word in _WORDS.split("|"))


class _Marks:
    """The marks 1, 2, 3 … of one style: where each begins, and where its piece begins."""

    def __init__(self, style: str) -> None:
        self._keep = style == _KEPT
        self.starts: list[int] = []
        self.bodies: list[int] = []

    def add(self, mark: re.Match[str]) -> None:
        """Take a mark when it is in turn."""
        if _value(mark["n"]) == len(self.starts) + 1:
            self.starts.append(mark.start())
            self.bodies.append(mark.start() if self._keep else mark.end())


def numbered(text: str) -> list[str]:
    """What stands before the number 1, then each numbered piece without its number; [text] when nothing is numbered.

    Numbers count when they begin lines and follow each other, 1, 2, 3; or, in a text that begins with 1, anywhere in
    it. A number out of turn belongs to the piece. One number at the very start makes one piece.
    """
    lines = _at_lines(text)
    begin = len(text) - len(text.lstrip())
    found = _first(lines, 2) or _first(_inline(text, begin), 2)
    found = found or _first([marks for marks in lines if marks.starts and marks.starts[0] <= begin], 1)
    if found is None:
        return [text]
    ends = [*found.starts[1:], len(text)]
    return [text[: found.starts[0]], *(text[body:end] for body, end in zip(found.bodies, ends, strict=True))]


def _first(styles: Iterable[_Marks], least: int) -> _Marks | None:
    return min((marks for marks in styles if len(marks.starts) >= least), key=lambda m: m.starts[0], default=None)


def _at_lines(text: str) -> list[_Marks]:
    """The marks at the beginnings of lines, by style."""
    found = {style: _Marks(style) for style in _MARKS}
    line = 0
    while line >= 0:
        at = _SPACES.match(text, line).end()  # type: ignore[union-attr]  # it fits anywhere
        sign = text[at : at + 1]
        if sign in _BEGINNINGS or sign.lower() in _WORD_BEGINNINGS:
            for style, pattern in _MARKS.items():
                if mark := pattern.match(text, at):
                    found[style].add(mark)
        line = text.find("\n", line) + 1 or -1
    return list(found.values())


def _inline(text: str, begin: int) -> Iterator[_Marks]:
    """The marks of the styles with whose number 1 the text begins."""
    for style, pattern in _MARKS.items():
        mark = pattern.match(text, begin) if style != _KEPT else None
        if mark and _value(mark["n"]) == 1:
            marks = _Marks(style)
            for mark in pattern.finditer(text, begin):
                marks.add(mark)
            yield marks


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
