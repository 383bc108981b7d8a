"""Cutting a text at the ends of spans that may overlap, so that each piece knows what lies over it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Generic, TypeVar

T = TypeVar("T")
S = TypeVar("S")


@dataclass(frozen=True)
class Piece(Generic[T]):
    """A part of the text. over: what covers it; begins, ends: what starts or stops with it."""

    text: str
    over: tuple[T, ...] = ()
    begins: tuple[T, ...] = ()
    ends: tuple[T, ...] = ()


def cut(text: str, spans: Iterable[tuple[int, int, T]]) -> list[Piece[T]]:
    """The pieces of the text in order; joined they are the text. spans: (start, end, what) in code points.

    Spans are clipped to the text; empty ones are dropped.
    """
    clipped = [(max(0, start), min(len(text), end), what) for start, end, what in spans]
    kept = sorted(((s, e, what) for s, e, what in clipped if s < e), key=lambda span: (span[0], -span[1]))
    return [
        Piece(
            text=text[start:end],
            over=tuple(what for _, _, what in over),
            begins=tuple(what for s, _, what in over if s == start),
            ends=tuple(what for _, e, what in over if e == end),
        )
        for start, end, over in swept(len(text), kept, lambda span: span[0], lambda span: span[1])
    ]


def swept(
    length: int, spans: Sequence[S], start_of: Callable[[S], int], end_of: Callable[[S], int]
) -> Iterator[tuple[int, int, list[S]]]:
    """(start, end, spans over it, in their order) of each part of a text between two ends of spans.

    spans: sorted by their start, within the text, none empty. One pass: a text may hold ten thousands of them.
    """
    edges = sorted({0, length, *map(start_of, spans), *map(end_of, spans)})
    over: list[S] = []
    upcoming = 0
    for start, end in pairwise(edges):
        over = [span for span in over if end_of(span) > start]
        while upcoming < len(spans) and start_of(spans[upcoming]) <= start:
            over.append(spans[upcoming])
            upcoming += 1
        yield start, end, over
