"""Sentences of English, Chinese and mixed answers, with code point offsets; lists, headings and tables by line."""

import re
from collections.abc import Iterator

from audits.judges.base import Sentence
from audits.text.language import HAN
from audits.text.wordlists import words

_NEVER_LAST = words(
    "dr mr mrs ms mx prof st mt ft vs e.g i.e cf al fig figs eq eqs sec art arts vol pp ca approx gen sen rep "
    "gov lt col capt sgt hon rev messrs mme mlle viz ed eds ch para reg dept univ assn bros est incl excl "
    "resp"
)
_BEFORE_NUMBER = words(
    "no nos nr p pp fig figs art arts sec vol ch eq eqs jan feb mar apr jun jul aug sep sept oct nov dec cl "
    "para reg app tab ex ver v"
)
_MAYBE_LAST = words(
    "inc ltd co corp llc plc llp bhd gmbh u.s u.k u.n e.u u.s.a d.c jr sr ph.d m.d b.sc m.sc b.a m.a a.m p.m "
    "a.d b.c n.v s.a s.p.a"
)
_STARTERS = words(
    "the a an it its this that these those he she they we you i in on at by for from with as after before "
    "when while if although though however but and so then there here his her their our my your no not what "
    "who where why how since because during under over according moreover furthermore meanwhile finally also "
    "both each all some many most one two three another such once until"
)
_CLOSERS = "\"'”’»）)」』】]》〉*_"
_CITATION = re.compile(r"(?:\s?(?:\[\^?\d{1,3}(?:\s?[,，、\-–]\s?\d{1,3})*\]|【\d{1,3}(?:†[^】]{0,20})?】))+")
_END = re.compile(r"[。｡！？；!?]+|…+|\.{2,}|[.．]")
_MARKER = re.compile(
    r"[ \t\u3000]*(?:>[ \t]*)*(?:#{1,6}[ \t]+)?"
    rf"(?:(?:[-*+–—](?:[ \t]+|(?=[{HAN}]))|[•●▪◦‣·○■□►➤✓✔✅][ \t]*)(?:\[[ xX]\][ \t]+)?|"
    r"\d{1,3}[.)．][ \t]+|\d{1,2}(?:[)）、．]|\.(?=[^\d\s]))[ \t]*|[(（]\d{1,3}[)）][ \t]*|[a-zA-Z]\)[ \t]+|"
    r"[(（]?[一二三四五六七八九十]{1,3}[)）、．.][ \t]*|[①-⑳⑴-⒇❶-❿][ \t]*)?"
)
_BRACKETS = {"(": ")", "（": "）", "[": "]", "【": "】", "《": "》"}
_LONGEST_BRACKET = 300  # characters; a bracket that closes later than this is taken for a stray one
_SAID = re.compile(r"[^，。！？；,\s]{0,4}(?:说|问|道|表示|称|喊|答)")
_HAN = re.compile(f"[{HAN}]")
_LINE_END = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")


def split_sentences(text: str) -> list[Sentence]:
    """The sentences of a text, numbered from 1, with code point offsets: sentence.text == text[start:end].

    A line break ends a sentence, unless the line clearly goes on (hard-wrapped text). Bullets, numbers, heading and
    quotation marks of Markdown stay outside the span. Every letter and digit outside such marks is in one sentence.
    """
    spans: list[tuple[int, int]] = []
    for start, end in _blocks(text):
        first = len(spans)
        for piece in _pieces(text, start, end):
            if _has_content(text, *piece):
                spans.append(piece)
            elif (
                piece[0] < piece[1] and len(spans) > first
            ):  # an emoji or a stray mark belongs to the sentence before it
                spans[-1] = (spans[-1][0], piece[1])
    return [Sentence(n, text[start:end], start, end) for n, (start, end) in enumerate(spans, start=1)]


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Lines without their list markers; a line that clearly continues the one before is joined to it."""
    open_start: int | None = None
    open_end = 0
    for start, end in _lines(text):
        body = _MARKER.match(text, start, end).end()  # type: ignore[union-attr]  # every part of it is optional
        if open_start is not None and body == _skip_blank(text, start, end) and _goes_on(text, open_end, body, end):
            open_end = end
            continue
        if open_start is not None:
            yield open_start, open_end
        open_start, open_end = body, end
    if open_start is not None:
        yield open_start, open_end


def _lines(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    for match in _LINE_END.finditer(text):
        yield at, match.start()
        at = match.end()
    yield at, len(text)


def _skip_blank(text: str, start: int, end: int) -> int:
    while start < end and text[start].isspace():
        start += 1
    return start


def _goes_on(text: str, before_end: int, start: int, end: int) -> bool:
    """Hard-wrapped prose: the line before stops at a comma or a letter, and this one starts in lower case."""
    at = before_end - 1
    while at >= 0 and text[at] in " \t\u3000":
        at -= 1
    if at < 0 or start >= end or text[at] in "\n\r|" or text[start] == "|":
        return False
    if text[at] in "，、":
        return True
    return text[start].islower() and (text[at].isalnum() or text[at] in ",-–(") and not _HAN.match(text[at])


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Trimmed sentence spans inside one block."""
    shut = _inside_brackets(text, start, end)
    at = start
    for match in _END.finditer(text, start, end):
        if match.start() < at or any(
            first < match.start() < last for first, last in shut.get(match.start() >> 9, ())
        ):
            continue
        stop = _stop(text, at, match, end)
        if stop is None:
            continue
        yield _trim(text, at, stop)
        at = stop
    yield _trim(text, at, end)


def _stop(text: str, begin: int, match: re.Match[str], end: int) -> int | None:
    """Where the sentence ends that this mark closes, None when the mark closes none."""
    stop = match.end()
    while stop < end and (text[stop] in _CLOSERS or text[stop] in "。！？!?"):
        stop += 1
    citation = _CITATION.match(text, stop, end)
    stop = citation.end() if citation else stop
    if stop < end and text[stop] in "。！？":  # "...[1]。" after an ASCII full stop
        stop += 1
    after = text[stop] if stop < end else ""
    mark = match[0][0]
    quoted = stop > match.end()
    if mark in "。｡！？；" or (mark in "!?" and _HAN.match(after or "。")):
        return None if quoted and mark in "！？!?" and _SAID.match(text, stop, end) else stop
    if mark == "…" or match[0].startswith(".."):
        return stop if not after or quoted or _after_dots(text, stop, end) else None
    if mark in "!?":
        return stop if not after or (after.isspace() and not _next_char(text, stop, end).islower()) else None
    return stop if _full_stop(text, begin, match, stop, end) else None


def _after_dots(text: str, stop: int, end: int) -> bool:
    following = _next_char(text, stop, end)
    if text[stop].isspace():
        return not following.islower()
    return bool(_HAN.match(following)) and following not in "等的之"


def _full_stop(text: str, begin: int, match: re.Match[str], stop: int, end: int) -> bool:
    """Whether "." ends a sentence, and no abbreviation, initial, enumerator, decimal or file name."""
    after = text[stop] if stop < end else ""
    word = _word_before(text, begin, match.start())
    if not after:
        return True
    if _HAN.match(after):
        return len(word) > 1 and not word[-1].isdigit() and word.lower() not in _NEVER_LAST | _MAYBE_LAST
    if not after.isspace() and match[0] != "．":
        return False
    following = _next_word(text, stop, end)
    if following[:1].islower():
        return False
    low = word.lower()
    if low in _BEFORE_NUMBER and following[:1].isdigit():
        return False
    if low in _NEVER_LAST:
        return False
    if low in _MAYBE_LAST or (len(word) == 1 and word.isalpha() and word.isupper() and stop == match.end()):
        return following.lower() in _STARTERS or bool(_HAN.match(following[:1]))
    return not _is_enumerator(text, begin, match.start(), word)


def _is_enumerator(text: str, begin: int, at: int, word: str) -> bool:
    """The number of an item within a line: "1. Revenue rose. 2. Costs fell."."""
    return word.isdigit() and len(word) <= 2 and not text[begin : at - len(word)].strip()


def _word_before(text: str, begin: int, at: int) -> str:
    start = at
    while start > begin and at - start < 24 and (text[start - 1].isalnum() or text[start - 1] in ".'’"):
        if _HAN.match(text[start - 1]):
            break
        start -= 1
    return text[start:at]


def _next_char(text: str, at: int, end: int) -> str:
    at = _skip_blank(text, at, end)
    return text[at] if at < end else ""


def _next_word(text: str, at: int, end: int) -> str:
    while at < end and (text[at].isspace() or text[at] in "\"'“‘«(（[*_「『"):
        at += 1
    start = at
    while at < end and at - start < 24 and (text[at].isalnum() or text[at] in "'’"):
        at += 1
    return text[start:at]


def _inside_brackets(text: str, start: int, end: int) -> dict[int, list[tuple[int, int]]]:
    """Closed brackets by the 512-character pages they touch: a mark inside one ends no sentence."""
    pages: dict[int, list[tuple[int, int]]] = {}
    stack: list[tuple[str, int]] = []
    for at in range(start, end):
        char = text[at]
        if char in _BRACKETS:
            stack = stack[-20:]
            stack.append((_BRACKETS[char], at))
        elif stack and char == stack[-1][0]:
            opened = stack.pop()[1]
            if at - opened <= _LONGEST_BRACKET:
                for page in range(opened >> 9, (at >> 9) + 1):
                    pages.setdefault(page, []).append((opened, at))
    return pages


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _has_content(text: str, start: int, end: int) -> bool:
    return any(text[at].isalnum() for at in range(start, end))
