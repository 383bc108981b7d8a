"""Whether a judge's quotes really stand in the contexts, and where: no label can talk its way around this check."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein, Opcodes

from audits.judges.base import Quote
from audits.text.language import HAN
from audits.text.normalise import Normalised, compact, normalise
from audits.text.polarity import negations, opposites
from audits.text.quantities import figures
from audits.text.wordlists import FUNCTION_WORDS

CUTOFF = 90.0
"""Least similarity (0-100, letters and digits only) of an altered quote with the passage that it is taken for."""

_ELLIPSIS = re.compile(r"\s*(?:[\[(（【]\s*(?:\.{3,}|…+)\s*[\])）】]|\.{3,}|…+)\s*")
_HAN_CHAR = re.compile(f"[{HAN}]")
_TOKEN = re.compile(rf"[{HAN}]|\d+(?:[.,]\d+)*|[^\W_{HAN}]+(?:'[^\W_{HAN}]+)*")
_HAN_OR_WORD = re.compile(rf"[{HAN}]|[^\W_{HAN}]+")
_EMPTY_HAN = frozenset("的了是在和与及或也都就而之其这那有为对于")
_NUMERAL = frozenset("零〇一二两三四五六七八九十百千万亿")
_FUZZY_HAN = 8  # a shorter altered quote could be taken for anything
_FUZZY_OTHER = 16
_LONGEST_FUZZY = 4000  # characters; a longer quote is searched exactly only
_TYPO_PER_HAN = 20  # one mistyped Chinese character in a quote of at least this many

Span = tuple[int, int]
_Search = Callable[[str, "_Page", int], Span | None]


class _Page:
    """One context with its comparable forms, each made once and only when an exact search has failed."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def normalised(self) -> Normalised:
        return normalise(self.text)

    @cached_property
    def compact(self) -> Normalised:
        return compact(self.normalised)


@lru_cache(maxsize=16)  # the claims of one call share their contexts
def _page(text: str) -> _Page:
    return _Page(text)


def locate_quotes(quotes: Sequence[tuple[int, str]], contexts: Sequence[str]) -> tuple[Quote, ...]:
    """Find each quote (0-based context index as the judge named it, text) in the contexts.

    Searched exactly in the named context, then in the others; then slightly altered in the same order; a long one
    may stop within a word, never within a number. A quote with
    other numbers, another sign (not, 未) or other content words than the passage is not found, nor is one without
    content. A found Quote carries its true context and code point span, and the text that stands there; one that was
    joined by "..." comes back as one Quote per part (all in order, in one context). A quote that is not found keeps
    the judge's words, with start and end None.
    """
    return tuple(found for named, text in quotes for found in _locate(named, text, contexts))


def _locate(named: int, text: str, contexts: Sequence[str]) -> Iterator[Quote]:
    known = 0 <= named < len(contexts)
    order = [named] * known + [i for i in range(len(contexts)) if i != named]
    parts = [part for part in _ELLIPSIS.split(text) if any(char.isalnum() for char in part)]
    if any(_has_substance(part) for part in parts):
        for search in (_exact, _cut_short, _altered):
            for index in order:
                page = _page(contexts[index])
                spans = _in_order([text.strip()], page, search) or _in_order(parts, page, search)
                if spans:
                    yield from (Quote(index, page.text[start:end], start, end) for start, end in spans)
                    return
    yield Quote(named if known else 0, text)


@lru_cache(maxsize=64)  # asked before a search and after it
def _has_substance(text: str) -> bool:
    """Two Chinese characters, or three letters or digits, that are more than function words: 有效, 12%, fee."""
    weight = 0.0
    easy = text.isascii() and text.isprintable()  # then only the case differs
    for match in _HAN_OR_WORD.finditer(text.lower() if easy else normalise(text).text):
        piece = match[0]
        if _HAN_CHAR.match(piece):
            weight += 0.0 if piece in _EMPTY_HAN else 1.5
        elif piece not in FUNCTION_WORDS:
            weight += sum(1.5 if char.isdigit() else 1.0 for char in piece[:3])
        if weight >= 3.0:
            return True
    return False


def _in_order(parts: Sequence[str], page: _Page, search: _Search) -> list[Span] | None:
    """The spans of all parts, each after the one before; a short part between others must stand there exactly."""
    spans: list[Span] = []
    at = 0
    for part in parts:
        span = search(part, page, at) or (_exact(part, page, at) if search is not _exact else None)
        if span is None:
            return None
        spans.append(span)
        at = span[1]
    kept = [span for span, part in zip(spans, parts, strict=True) if _has_substance(part)]
    return kept or None


def _exact(part: str, page: _Page, after: int) -> Span | None:
    """The part as it is, else after normalisation, else by its letters and digits alone; whole words only."""
    part = part.strip("\"'“”‘’「」『』 \t\n\u3000") or part
    at = page.text.find(part, after)
    while at >= 0:
        if _whole(page.text, at, at + len(part)):
            return at, at + len(part)
        at = page.text.find(part, at + 1)
    return _find(normalise(part).text.strip(), page.normalised, page, after) or _by_letters(part, page, after)


def _by_letters(part: str, page: _Page, after: int) -> Span | None:
    span = _find(compact(part).text, page.compact, page, after)
    return span if span and _same_facts(part, page.text[slice(*span)]) else None


def _find(wanted: str, form: Normalised, page: _Page, after: int) -> Span | None:
    at = form.text.find(wanted) if wanted else -1
    while at >= 0:
        start, end = form.span(at, at + len(wanted))
        if start >= after and _whole(page.text, start, end):
            return start, end
        at = form.text.find(wanted, at + 1)
    return None


def _whole(text: str, start: int, end: int) -> bool:
    """Whether a span cuts through no word and no number: "art" is not in "party", 5 million not in 1.5 million."""
    return not _cuts(text[start - 2 : start][::-1] if start > 1 else text[:start], text[start]) and not _cuts(
        text[end : end + 2], text[end - 1]
    )


def _cuts(beyond: str, edge: str) -> bool:
    """beyond: the two characters outside a span, nearest first; edge: the last one inside."""
    if not beyond:
        return False
    if edge in _NUMERAL or beyond[0] in _NUMERAL:
        return (edge in _NUMERAL or edge.isdigit()) and (beyond[0] in _NUMERAL or beyond[0].isdigit())
    if _HAN_CHAR.match(edge) or not edge.isalnum():
        return False
    if beyond[0].isalnum():
        return not _HAN_CHAR.match(beyond[0])
    return edge.isdigit() and beyond[0] in ".,．，" and beyond[1:].isdigit()


def _cut_short(part: str, page: _Page, after: int) -> Span | None:
    """A long part that stops within a word, as models and limits cut them: the passage to the end of that word."""
    wanted = normalise(part).text.strip()
    if not _is_long(compact(part).text):
        return None
    at = page.normalised.text.find(wanted)
    while at >= 0:
        start, end = page.normalised.span(at, at + len(wanted))
        _, end = _whole_words(page.text, start, end)
        if start >= after and _whole(page.text, start, end) and _same_facts(part, page.text[start:end]):
            return start, end
        at = page.normalised.text.find(wanted, at + 1)
    return None


def _is_long(comparable: str) -> bool:
    """Whether letters and digits alone are enough that a quote cannot be taken for just anything."""
    han = len(_HAN_CHAR.findall(comparable))
    return han / _FUZZY_HAN + (len(comparable) - han) / _FUZZY_OTHER >= 1


def _altered(part: str, page: _Page, after: int) -> Span | None:
    """A passage that the part renders with small slips: dropped words, a misspelling, other punctuation."""
    wanted = compact(part).text
    if len(wanted) > _LONGEST_FUZZY or not _is_long(wanted):
        return None
    form = page.compact if not after else compact(page.text[after:])
    margin = max(2, len(wanted) // 8)
    if len(form.text) <= len(wanted):
        first, last = (0, len(form.text)) if fuzz.ratio(wanted, form.text, score_cutoff=CUTOFF) else (0, 0)
    else:
        found = fuzz.partial_ratio_alignment(wanted, form.text, score_cutoff=CUTOFF - 5)
        first, last = (found.dest_start, found.dest_end) if found else (0, 0)
    if first >= last:
        return None
    start, end = form.span(max(0, first - margin), min(len(form.text), last + margin))
    return _faithful(part, page.text, *_whole_words(page.text, start + after, end + after))


def _whole_words(text: str, start: int, end: int) -> Span:
    """The span widened to the borders of the words it cuts (30 characters at most)."""
    for _ in range(30):
        start -= start > 0 and _cuts(text[start - 1], text[start])
        end += end < len(text) and _cuts(text[end], text[end - 1])
    return start, end


def _faithful(part: str, text: str, start: int, end: int) -> Span | None:
    """The passage within text[start:end] that the part follows word for word but for slips, or None."""
    said = [match[0].replace("'", "") for match in _TOKEN.finditer(normalise(part).text)]
    source = normalise(text[start:end])
    spans = [match.span() for match in _TOKEN.finditer(source.text)]
    there = [source.text[slice(*span)].replace("'", "") for span in spans]
    codes = Levenshtein.opcodes(said, there)
    equal = [code for code in codes if code.tag == "equal"]
    if not equal or not _only_slips(codes, said, there):
        return None
    inner = [code for code in codes if code.tag != "insert"]
    first, last = inner[0].dest_start, inner[-1].dest_end - 1
    if last < first:
        return None
    low, high = source.span(spans[first][0], spans[last][1])
    matched = text[start + low : start + high]
    if fuzz.ratio(compact(part).text, compact(matched).text) < CUTOFF or not _same_facts(part, matched):
        return None
    return (start + low, start + high) if _whole(text, start + low, start + high) else None


def _only_slips(codes: Opcodes, said: Sequence[str], there: Sequence[str]) -> bool:
    typos = sum(map(len, said)) // _TYPO_PER_HAN
    for code in codes:
        ours, theirs = said[code.src_start : code.src_end], there[code.dest_start : code.dest_end]
        if code.tag == "delete":
            if any(word not in FUNCTION_WORDS and word not in _EMPTY_HAN for word in ours):
                return False
        elif code.tag == "replace":
            for one, other in zip(ours, theirs, strict=True):
                if _HAN_CHAR.match(one) and _HAN_CHAR.match(other):
                    typos -= 1
                elif not _same_word(one, other):
                    return False
    return typos >= 0


def _same_word(one: str, other: str) -> bool:
    """A misspelling or another ending: never un-/in- before the same word, never a short word changed."""
    short, long = sorted((one, other), key=len)
    if {one, other} <= FUNCTION_WORDS or (len(short) >= 3 and long.startswith(short) and len(long) - len(short) <= 3):
        return True
    if len(short) < 4 or long.endswith(short) or not one.isalpha() or not other.isalpha():
        return False
    if len(short) == len(long) < 6:  # Iran is not Iraq
        return False
    return Levenshtein.distance(one, other) <= (2 if len(short) >= 9 else 1)


def _same_facts(quote: str, passage: str) -> bool:
    return (
        figures(quote) == figures(passage)
        and negations(quote) == negations(passage)
        and opposites(quote, passage) is None
    )
