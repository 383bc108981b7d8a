"""Which claim of an answer is which claim of the answer to the same question, as another audit cut it."""

from collections import defaultdict, deque
from collections.abc import Hashable, Iterator, Sequence

from audits.text.normalise import normalise
from audits.text.polarity import negations, opposites
from audits.text.quantities import figures, quantities

ALIKE = 90  # of 100: Indel similarity of the normalised texts
MOST = 1_000_000  # pairs that are weighed; where an answer has more, only equal texts are matched
Match = tuple[int, int]
"""(number in old, number in new), from 0."""


def match_claims(old: Sequence[str], new: Sequence[str]) -> list[Match]:
    """Claims of one answer, one to one: the same text, then the same after normalisation, then the most alike.

    Alike ones must agree in substance and hold no words that exclude each other, or they state different things.
    In the order of `new`.
    """
    matches = list(_equal(list(enumerate(old)), list(enumerate(new))))
    left, right = _rest(old, [i for i, _ in matches]), _rest(new, [j for _, j in matches])
    if left and right:
        plain, others = _normalised(old, left), _normalised(new, right)
        again = list(_equal(plain, others))
        matches += again
        taken, given = {i for i, _ in again}, {j for _, j in again}
        matches += _alike(
            [row for row in plain if row[0] not in taken], [row for row in others if row[0] not in given]
        )
    return sorted(matches, key=lambda match: match[1])


def substance(text: str) -> Hashable:
    """What two statements must share besides most of their letters: numbers, their units, how often they deny."""
    amounts = sorted((quantity.value, quantity.unit) for quantity in quantities(text))
    return tuple(sorted(figures(text))), tuple(amounts), negations(text)


def _rest(texts: Sequence[str], taken: Sequence[int]) -> list[int]:
    gone = set(taken)
    return [number for number in range(len(texts)) if number not in gone]


def _normalised(texts: Sequence[str], numbers: Sequence[int]) -> list[tuple[int, str]]:
    return [(number, normalise(texts[number]).text.strip()) for number in numbers]


def _equal(old: Sequence[tuple[int, Hashable]], new: Sequence[tuple[int, Hashable]]) -> Iterator[Match]:
    """Of several equal texts the first goes with the first."""
    waiting: dict[Hashable, deque[int]] = defaultdict(deque)
    for number, text in old:
        waiting[text].append(number)
    for number, text in new:
        if waiting.get(text):
            yield waiting[text].popleft(), number


def _alike(old: Sequence[tuple[int, str]], new: Sequence[tuple[int, str]]) -> Iterator[Match]:
    groups: dict[Hashable, tuple[list[tuple[int, str]], list[tuple[int, str]]]] = defaultdict(lambda: ([], []))
    for side, rows in enumerate((old, new)):
        for number, text in rows:
            groups[substance(text)][side].append((number, text))
    for before, after in groups.values():
        if before and after and len(before) * len(after) <= MOST:
            yield from _most_alike(before, after)


def _most_alike(old: Sequence[tuple[int, str]], new: Sequence[tuple[int, str]]) -> Iterator[Match]:
    """The pair that is most alike first; of equally alike ones the one that comes first."""
    from rapidfuzz import fuzz, process  # with numpy, which a worker that compares nothing need not load

    ratios = process.cdist(
        [text for _, text in old], [text for _, text in new], scorer=fuzz.ratio, score_cutoff=ALIKE
    )
    pairs = zip(*(numbers.tolist() for numbers in ratios.nonzero()), strict=True)
    taken: set[int] = set()
    given: set[int] = set()
    for i, j in sorted(pairs, key=lambda at: (-ratios[at], at)):
        if i not in taken and j not in given and opposites(old[i][1], new[j][1]) is None:
            taken.add(i)
            given.add(j)
            yield old[i][0], new[j][0]
