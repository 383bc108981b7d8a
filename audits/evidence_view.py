"""What of the contexts a judge's last call showed, and where it quotes them: pieces for a page to draw.

Of a long context a page shows what stands around quotes, or its beginning; the rest is folded between.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Generic, TypeVar

from audits.text.pieces import Piece, cut
from audits.text.surroundings import surroundings

K = TypeVar("K", bound=Hashable)
Q = TypeVar("Q")
Spans = Sequence[Sequence[int]]
"""[context, start, end] of each piece that was shown; code points, context from 0, as a verdict keeps them."""

LONG = 2000  # characters; a longer context is folded where nobody quotes it
UNQUOTED = 900  # characters; a longer context without any quote is folded after its beginning
REACH = 300  # characters shown on each side of a quote, about
LEAST = 400  # characters of a fold
FOLDS = 30  # of one context: with more of them, short ones are joined though a call showed only some of them
FEW = 10  # contexts; of more, long ones that nobody quotes are closed
READ = 5000  # characters in all; more of what a judge was shown stays folded when its view is asked for


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
class Stretch(Generic[K, Q]):
    """Neighbouring pieces of a context. folded: to be opened by a reader, or `opened` already; it holds no quote."""

    pieces: list[EvidencePiece[K, Q]]
    folded: bool = False
    opened: bool = False

    @property
    def length(self) -> int:
        """Its characters."""
        return sum(len(piece.text) for piece in self.pieces)

    @property
    def hidden(self) -> int:
        """Those of them that nobody was shown."""
        return sum(len(piece.text) for piece in self.pieces if piece.cut)

    @property
    def cut(self) -> bool:
        """Whether nobody was shown anything of it; blanks do not count."""
        return all(piece.cut or piece.text.isspace() for piece in self.pieces) and bool(self.hidden)


@dataclass(frozen=True)
class EvidenceContext(Generic[K, Q]):
    """One context, numbered from 1. quoted: whether anybody quotes it. hidden: characters that nobody was shown.

    opened: whether a page should show it without being asked. beginning: enough of it to tell its language.
    """

    number: int
    stretches: list[Stretch[K, Q]]
    quoted: bool
    length: int
    hidden: int
    opened: bool
    beginning: str

    @property
    def pieces(self) -> list[EvidencePiece[K, Q]]:
        """All of its pieces in order; joined, they are the context."""
        return [piece for stretch in self.stretches for piece in stretch.pieces]


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
    contexts: Sequence[str],
    seen: Mapping[K, Spans | None],
    quotes: Iterable[tuple[int, int, int, Q]],
    *,
    reveal: bool = False,
) -> list[EvidenceContext[K, Q]]:
    """The contexts in pieces that know their quotes and whose last call showed them; joined, they are the contexts.

    seen: for each verdict to be drawn what its last call showed, None for everything; with no verdicts nothing counts
    as cut. quotes: (context, start, end, what). Spans outside the contexts are clipped or dropped.
    reveal: folds that were shown are open, unless they are too much to be read.
    """
    shown = sum(end - start for spans in seen.values() for _, start, end in spans or ())
    drawing = _Drawing(
        whole=frozenset(key for key, spans in seen.items() if spans is None),
        drawn=bool(seen),
        few=len(contexts) <= FEW,
        reveal=reveal,
        opened=reveal and shown <= READ,
    )
    covers: list[list[tuple[int, int, _Cover[K, Q]]]] = [[] for _ in contexts]
    for key, spans in seen.items():
        for context, start, end in spans or ():
            if 0 <= context < len(contexts):
                covers[context].append((start, end, _Cover(shown=key)))
    for context, start, end, quote in quotes:
        if 0 <= context < len(contexts):
            covers[context].append((start, end, _Cover(quote=quote)))
    return [drawing.context(n, text, covers[n - 1]) for n, text in enumerate(contexts, start=1)]


@dataclass(frozen=True)
class _Cover(Generic[K, Q]):
    """What lies over a piece: a quote, what a verdict's last call showed, or what is not folded."""

    shown: K | None = None
    quote: Q | None = None
    outside: bool = False


@dataclass(frozen=True)
class _Drawing(Generic[K]):
    """How all contexts are drawn. whole: who saw everything; drawn: whether anybody's view is drawn."""

    whole: frozenset[K]
    drawn: bool
    few: bool
    reveal: bool
    opened: bool

    def context(self, number: int, text: str, covers: list[tuple[int, int, _Cover[K, Q]]]) -> EvidenceContext[K, Q]:
        outside = _outside(text, [(start, end) for start, end, cover in covers if cover.quote is not None])
        raw = cut(text, [*covers, *((start, end, _Cover[K, Q](outside=True)) for start, end in outside)])
        groups = [
            (folded, [_piece(piece, self.whole, self.drawn) for piece in pieces])
            for folded, pieces in groupby(raw, key=lambda piece: not any(cover.outside for cover in piece.over))
        ]
        stretches = self._stretches(groups)
        quoted = any(piece.over for _, pieces in groups for piece in pieces)
        seen = any(not piece.cut and not piece.text.isspace() for _, pieces in groups for piece in pieces)
        return EvidenceContext(
            number=number,
            stretches=stretches,
            quoted=quoted,
            length=len(text),
            hidden=sum(stretch.hidden for stretch in stretches),
            opened=quoted or len(text) <= UNQUOTED or self.few or (self.reveal and seen),
            beginning=text[:1000],
        )

    def _stretches(self, groups: list[tuple[bool, list[EvidencePiece[K, Q]]]]) -> list[Stretch[K, Q]]:
        runs = [_joined(_runs(pieces)) if folded else [pieces] for folded, pieces in groups]
        if sum(map(len, runs)) > max(FOLDS, len(groups)):
            size = sum(_length(pieces) for folded, pieces in groups if folded) // FOLDS
            runs = [_blocks(parts, size) for parts in runs]
        pairs = [(folded, pieces) for (folded, _), parts in zip(groups, runs, strict=True) for pieces in parts]
        return [self._stretch(pieces, folded) for folded, pieces in pairs]

    def _stretch(self, pieces: list[EvidencePiece[K, Q]], folded: bool) -> Stretch[K, Q]:
        stretch = Stretch(pieces, folded)
        mostly_shown = stretch.hidden * 2 <= stretch.length
        return replace(stretch, opened=True) if folded and self.opened and mostly_shown else stretch


def _outside(text: str, quotes: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """What of a context is not folded."""
    if len(text) <= (LONG if quotes else UNQUOTED):
        return [(0, len(text))]
    clipped = [(max(0, start), min(len(text), end)) for start, end in quotes]
    return surroundings(text, [(start, end) for start, end in clipped if start < end], REACH, LEAST)


def _runs(pieces: list[EvidencePiece[K, Q]]) -> list[list[EvidencePiece[K, Q]]]:
    """The pieces where all were shown, or none; blanks belong to what is before them."""
    runs: list[list[EvidencePiece[K, Q]]] = []
    cut: bool | None = None
    for piece in pieces:
        if runs and (piece.text.isspace() or cut in (None, piece.cut)):
            runs[-1].append(piece)
        else:
            runs.append([piece])
        if not piece.text.isspace():
            cut = piece.cut
    return runs


def _joined(runs: list[list[EvidencePiece[K, Q]]]) -> list[list[EvidencePiece[K, Q]]]:
    """The runs with those that are too short for a fold of their own in the one before, or else after."""
    joined: list[list[EvidencePiece[K, Q]]] = []
    before, cut = 0, False  # characters of the last one, and what its last long run is
    for run in runs:
        length, is_cut = _length(run), any(piece.cut for piece in run)
        if joined and (min(before, length) < LEAST or is_cut == cut):
            joined[-1] += run
            before += length
        else:
            joined.append(list(run))
            before = length
        cut = is_cut if length >= LEAST else cut
    return joined


def _blocks(runs: list[list[EvidencePiece[K, Q]]], size: int) -> list[list[EvidencePiece[K, Q]]]:
    """The runs put together until they have `size` characters; one that has as many stands alone."""
    blocks: list[list[EvidencePiece[K, Q]]] = []
    before = 0
    for run in runs:
        length = _length(run)
        if blocks and max(before, length) < size:
            blocks[-1] += run
            before += length
        else:
            blocks.append(list(run))
            before = length
    return blocks


def _length(pieces: list[EvidencePiece[K, Q]]) -> int:
    return sum(len(piece.text) for piece in pieces)


def _piece(piece: Piece[_Cover[K, Q]], whole: frozenset[K], drawn: bool) -> EvidencePiece[K, Q]:
    shown = whole | {cover.shown for cover in piece.over if cover.shown is not None}
    hidden = drawn and not shown and not piece.text.isspace()  # blanks between two pieces are no evidence
    return EvidencePiece(piece.text, shown, hidden, _quotes(piece.over), _quotes(piece.begins), _quotes(piece.ends))


def _quotes(covers: Iterable[_Cover[K, Q]]) -> tuple[Q, ...]:
    return tuple(cover.quote for cover in covers if cover.quote is not None)
