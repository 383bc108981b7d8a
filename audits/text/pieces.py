"""Cutting a text at the ends of spans that may overlap, so that each piece knows what lies over it."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Generic, TypeVar

T = TypeVar("T")


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
    edges = sorted({0, len(text), *(s for s, _, _ in kept), *(e for _, e, _ in kept)})
    return [
        Piece(
            text=text[start:end],
            over=tuple(what for s, e, what in kept if s <= start and end <= e),
            begins=tuple(what for s, _, what in kept if s == start),
            ends=tuple(what for _, e, what in kept if e == end),
        )
        for start, end in pairwise(edges)
    ]
