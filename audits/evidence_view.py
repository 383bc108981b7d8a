"""What of the contexts a judge's last call showed, and where it quotes them: pieces for a page to draw."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from audits.text.pieces import Piece, cut

K = TypeVar("K", bound=Hashable)
Q = TypeVar("Q")
Spans = Sequence[Sequence[int]]
"""[context, start, end] of each piece that was shown; code points, context from 0, as a verdict keeps them."""


@dataclass(frozen=True)
class EvidencePiece(Generic[K, Q]):
    """A part of a context. shown: whose last call showed it; cut: nobody's did. over, begins, ends: its quotes."""

    text: str
    shown: frozenset[K]
    cut: bool
    over: tuple[Q, ...] = ()
    begins: tuple[Q, ...] = ()
    ends: tuple[Q, ...] = ()


@dataclass(frozen=True)
class EvidenceContext(Generic[K, Q]):
    """One context, numbered from 1. quoted: whether anybody quotes it. hidden: characters that nobody was shown."""

    number: int
    pieces: list[EvidencePiece[K, Q]]
    quoted: bool
    length: int
    hidden: int


@dataclass(frozen=True)
class CutEvidence:
    """How much a verdict on contexts that were too long rests on. shown, total: characters.

    windows: calls over parts of the contexts. decided: a last call was made, which showed what is counted.
    """

    shown: int
    total: int
    windows: int
    decided: bool


def cut_evidence(contexts: Sequence[str], shown: Spans | None, windows: int) -> CutEvidence | None:
    """What to say of a verdict with these fields; None when it was judged on the contexts as a whole."""
    if shown is None:
        return None
    total = sum(map(len, contexts))
    return CutEvidence(sum(end - start for _, start, end in shown), total, windows - bool(shown), bool(shown))


def draw(
    contexts: Sequence[str], seen: Mapping[K, Spans | None], quotes: Iterable[tuple[int, int, int, Q]]
) -> list[EvidenceContext[K, Q]]:
    """The contexts in pieces that know their quotes and whose last call showed them; joined, they are the contexts.

    seen: for each verdict to be drawn what its last call showed, None for everything; with no verdicts nothing counts
    as cut. quotes: (context, start, end, what). Spans outside the contexts are clipped or dropped.
    """
    whole = frozenset(key for key, spans in seen.items() if spans is None)
    covers: list[list[tuple[int, int, _Cover[K, Q]]]] = [[] for _ in contexts]
    for key, spans in seen.items():
        for context, start, end in spans or ():
            if 0 <= context < len(contexts):
                covers[context].append((start, end, _Cover(shown=key)))
    for context, start, end, quote in quotes:
        if 0 <= context < len(contexts):
            covers[context].append((start, end, _Cover(quote=quote)))
    return [_context(n, text, covers[n - 1], whole, bool(seen)) for n, text in enumerate(contexts, start=1)]


@dataclass(frozen=True)
class _Cover(Generic[K, Q]):
    """What lies over a piece: a quote, or what a verdict's last call showed."""

    shown: K | None = None
    quote: Q | None = None


def _context(
    number: int, text: str, covers: list[tuple[int, int, _Cover[K, Q]]], whole: frozenset[K], drawn: bool
) -> EvidenceContext[K, Q]:
    pieces = [_piece(piece, whole, drawn) for piece in cut(text, covers)]
    quoted = any(piece.over for piece in pieces)
    return EvidenceContext(number, pieces, quoted, len(text), sum(len(piece.text) for piece in pieces if piece.cut))


def _piece(piece: Piece[_Cover[K, Q]], whole: frozenset[K], drawn: bool) -> EvidencePiece[K, Q]:
    shown = whole | {cover.shown for cover in piece.over if cover.shown is not None}
    hidden = drawn and not shown and not piece.text.isspace()  # blanks between two pieces are no evidence
    return EvidencePiece(piece.text, shown, hidden, _quotes(piece.over), _quotes(piece.begins), _quotes(piece.ends))


def _quotes(covers: Iterable[_Cover[K, Q]]) -> tuple[Q, ...]:
    return tuple(cover.quote for cover in covers if cover.quote is not None)
