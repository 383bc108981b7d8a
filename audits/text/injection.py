"""Finds what in a question, an answer or a context wants to be more than data: orders, imitations, hidden text.

Codes: "instruction" (speaks to the judge), "verdict" (asks for a label or imitates a reply), "template" (a chat
template's token), "delimiter" (our own markers), "hidden" (invisible characters or markup around text), "encoded"
(base64), "disguised" (spaced-out or lookalike letters). Nothing is decided by them: requests are made harmless
whatever is found here, and a person is told. Linear in the length of the texts.
"""

import base64
import binascii
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from audits.text.disguise import imitates, seen, spaced_out
from audits.text.invisible import WEIGHTLESS
from audits.text.language import HAN
from audits.text.orders import orders
from audits.text.orders.rule import MOST_FOUND

Span = tuple[int, int]

_ZERO_WIDTH = "\u200b\u200c\u200d\u2060-\u2064\ufeff\u180e"
_RIGHT_TO_LEFT = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
_HIDDEN = re.compile(
    f"[\u202d\u202e](?![^\n]{{0,20}}[{_RIGHT_TO_LEFT}])"  # read in another order than it is seen
    f"|(?:[A-Za-z]{{1,12}}[{_ZERO_WIDTH}]{{1,7}}){{2}}[A-Za-z]|(?:[{HAN}]{{1,12}}[{_ZERO_WIDTH}]{{1,7}}){{2}}[{HAN}]"
    f"|[{_ZERO_WIDTH}]{{8}}"  # a message written in them
    "|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{3}"
    "|(?<![\U0001f3f4\U000e0020-\U000e007f])[\U000e0001-\U000e007f]"  # after a black flag they make regional flags
)
_COMMENT = re.compile(r"<!--|\[//\]: #|\[comment\]: #")
_COMMENT_ENDS = re.compile(r"-->|\n\n")
_INVISIBLE_MARKUP = re.compile(
    r"<[a-z][^<>]{0,200}(?:display\s?:\s?none|visibility\s?:\s?hidden|font-size\s?:\s?[01](?:px|pt|em)?\b"
    r"|opacity\s?:\s?0(?:\.0)?\b|color\s?:\s?(?:#fff(?:fff)?\b|white|transparent)|\shidden\b)[^<>]{0,200}>[^<]{0,300}\Z",
    re.IGNORECASE,
)
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{24,}={0,2}")
_MOST_BLOBS = 50  # of a text; each costs a decoding
_LONGEST_BLOB = 400  # characters of a blob that are decoded
_DISGUISED_WORDS = re.compile(r"(?:un)?supported|contradicted|unverified|ignore|disregard|instruction|verdict")


@dataclass(frozen=True)
class Hit:
    """Something found in one text; start and end are code point offsets into it."""

    code: str
    start: int
    end: int


@dataclass(frozen=True)
class Flag:
    """A hit and the text it is in: "question", "answer" or "context N", counted from 1 in the sample's own order."""

    code: str
    where: str
    start: int
    end: int


def find(text: str) -> list[Hit]:
    """All hits of a text in order of their places, at most one of a code at a place."""
    hits: set[Hit] = set(_orders(text))
    if not text.isascii() and WEIGHTLESS.search(text):
        hits |= {Hit("hidden", *match.span()) for match in islice(_HIDDEN.finditer(text), MOST_FOUND)}
    hits |= {Hit("encoded", *span) for span in _encoded(text)}
    hits |= {Hit("disguised", *span) for span in _spaced(text)}
    return sorted(hits, key=lambda hit: (hit.start, hit.end, hit.code))


@lru_cache(maxsize=4)  # the claims of one sample ask for the same one after the other
def scan(question: str, answer: str, contexts: tuple[str, ...]) -> tuple[Flag, ...]:
    """All flags of a sample: question, answer, contexts."""
    texts = [("question", question), ("answer", answer)]
    texts += [(f"context {number}", text) for number, text in enumerate(contexts, start=1)]
    return tuple(Flag(hit.code, where, hit.start, hit.end) for where, text in texts for hit in find(text))


def flags_of(question: str, answer: str, contexts: Sequence[str]) -> list[dict[str, str]]:
    """What a sample's claims are flagged with, all of the answer included, as Claim.flags stores it."""
    return _stored(scan(question, answer, tuple(contexts)))


def claim_flags(question: str, answer: str, contexts: Sequence[str], sentence: Span) -> list[dict[str, str]]:
    """The flags of one claim; sentence: the span of its sentence in the answer.

    What is in the question or a context could sway every claim of the sample. What is in the answer stands as
    "answer" on claims of that very sentence, and as "rest of the answer" on the others.
    """
    found = scan(question, answer, tuple(contexts))
    return _stored(
        Flag(flag.code, "rest of the answer", flag.start, flag.end)
        if flag.where == "answer" and not (flag.start < sentence[1] and sentence[0] < flag.end)
        else flag
        for flag in found
    )


def _stored(flags: Iterator[Flag] | Sequence[Flag]) -> list[dict[str, str]]:
    """Each code once for each text, in order."""
    return [
        {"code": code, "where": where} for code, where in dict.fromkeys((flag.code, flag.where) for flag in flags)
    ]


def _orders(text: str) -> Iterator[Hit]:
    as_read = seen(text)
    for code, start, end in orders(as_read):
        span = as_read.source(start, end)
        yield Hit(code, *span)
        yield from (Hit(way, *span) for way in _ways_to_hide(text, span, end - start))


def _ways_to_hide(text: str, span: Span, seen_length: int) -> Iterator[str]:
    """How an order that was found is kept from being seen."""
    original = text[slice(*span)]
    if len(original) != seen_length or _in_markup(text, span[0]):
        yield "hidden"
    if imitates(original):
        yield "disguised"


def _in_markup(text: str, at: int) -> bool:
    ahead = text[max(0, at - 600) : at]
    opened = [match.end() for match in _COMMENT.finditer(ahead)]
    if opened and not _COMMENT_ENDS.search(ahead, opened[-1]):
        return True
    return "<" in ahead and _INVISIBLE_MARKUP.search(ahead) is not None


def _encoded(text: str) -> Iterator[Span]:
    for number, match in enumerate(_BASE64.finditer(text)):
        if number == _MOST_BLOBS:
            return
        blob = match[0].rstrip("=")[:_LONGEST_BLOB].replace("-", "+").replace("_", "/")
        blob = blob[: len(blob) // 4 * 4] if len(blob) == _LONGEST_BLOB else blob + "=" * (-len(blob) % 4)
        try:
            inside = base64.b64decode(blob, validate=True).decode("utf-8", "ignore")
        except (binascii.Error, ValueError):
            continue
        if inside.replace("\n", " ").isprintable() and next(_orders(inside), None):
            yield match.span()


def _spaced(text: str) -> Iterator[Span]:
    for start, end, letters in spaced_out(text):
        if _DISGUISED_WORDS.search(letters.lower()) or next(_orders(letters), None):
            yield start, end
