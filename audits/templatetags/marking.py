"""Marks in a hostile text: everything is escaped, spans may overlap, offsets are code points."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from audits.text.pieces import swept


@dataclass(frozen=True)
class Span:
    """[start, end) in code points. css: class names. title: a tooltip. anchor: id of its first piece."""

    start: int
    end: int
    css: str = ""
    title: str = ""
    anchor: str = ""


def clean_spans(spans: Iterable[Span | Sequence[object]], length: int) -> list[Span]:
    """Spans clipped to the text, empty ones dropped, in reading order.

    A sequence is (start, end[, css[, title[, anchor]]]).
    """
    cleaned = []
    for given in spans:
        span = given if isinstance(given, Span) else _from_sequence(given)
        start, end = max(0, span.start), min(length, span.end)
        if start < end:
            cleaned.append(Span(start, end, span.css, span.title, span.anchor))
    return sorted(cleaned, key=lambda s: (s.start, -s.end))


def _from_sequence(values: Sequence[object]) -> Span:
    start, end, *words = values
    return Span(int(str(start)), int(str(end)), *(str(word or "") for word in words[:3]))


def mark_text(text: str, spans: Iterable[Span | Sequence[object]]) -> SafeString:
    """The text as HTML with <mark> around the spans. Where spans overlap, one mark carries the classes of all."""
    clean = clean_spans(spans, len(text))
    parts = swept(len(text), clean, lambda span: span.start, lambda span: span.end)
    pieces = [_piece(text[start:end], start, over) for start, end, over in parts]
    return mark_safe("".join(pieces))  # noqa: S308 every piece is escaped


def _piece(text: str, start: int, over: list[Span]) -> str:
    if not over:
        return escape(text)
    anchor = next((span.anchor for span in over if span.anchor and span.start == start), "")
    opening = _opening(tuple(span.css for span in over), tuple(span.title for span in over), anchor)
    return f"{opening}{escape(text)}</mark>"


@lru_cache(maxsize=256)  # a long text holds thousands of marks that begin alike
def _opening(css: tuple[str, ...], titles: tuple[str, ...], anchor: str) -> str:
    names = " ".join(dict.fromkeys(name for names in css for name in names.split()))
    title = " · ".join(dict.fromkeys(title for title in titles if title))
    html = format_html('<mark class="{}"', names)
    if anchor:
        html += format_html(' id="{}"', anchor)
    if title:
        html += format_html(' title="{}"', title)
    return f"{html}>"
