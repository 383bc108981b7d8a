"""Which claim of an answer is which claim of the answer to the same question, as another audit cut it."""

from collections import defaultdict, deque
from collections.abc import Hashable, Iterator, Sequence
from functools import cache

from audits.text.normalise import normalise
from audits.text.polarity import negations, opposites
from audits.text.quantities import figures, quantities

ALIKE = 90  # of 100: Indel similarity of the normalised texts
MOST = 250_000  # pairs that are weighed; where an answer has more, only equal texts are matched
Match = tuple[int, int]
"""(number in old, number in new), from 0."""
Texts = list[tuple[int, str]]
"""(number, text)"""


def match_claims(old: Sequence[str], new: Sequence[str]) -> list[Match]:
    """Claims of one answer, one to one: the same text, then the same after normalisation, then the most alike.

    Alike ones must agree in substance and hold no words that exclude each other, or they state different things.
    In the order of `new`.
    """
    ours, theirs = list(enumerate(old)), list(enumerate(new))
    matches = list(_equal(ours, theirs))
    ours, theirs = _left(ours, theirs, matches)
    if ours and theirs:
        ours, theirs = ([(number, plain(text)) for number, text in texts] for texts in (ours, theirs))
        matches += _equal(ours, theirs)
        matches += _alike(*_left(ours, theirs, matches))
    return sorted(matches, key=lambda match: match[1])


def substance(text: str) -> Hashable:
    """What two statements must share besides most of their letters: numbers, their units, how often they deny."""
    numbers = sorted(figures(text))
    amounts = sorted((each.value, each.unit) for each in quantities(text)) if numbers else []
    return tuple(numbers), tuple(amounts), negations(text)


def plain(text: str) -> str:
    """The text as `normalise` makes it, without its map; of ordinary ASCII that takes a fiftieth of the time."""
    if text.isascii() and text.isprintable():
        return " ".join(text.lower().replace("`", "'").split())
    return normalise(text).text.strip()


def _left(old: Texts, new: Texts, matches: Sequence[Match]) -> tuple[Texts, Texts]:
    """What no match has yet."""
    taken, given = {i for i, _ in matches}, {j for _, j in matches}
    return [one for one in old if one[0] not in taken], [one for one in new if one[0] not in given]


def _equal(old: Texts, new: Texts) -> Iterator[Match]:
    """Of several equal texts the first goes with the first."""
    waiting: dict[str, deque[int]] = defaultdict(deque)
    for number, text in old:
        waiting[text].append(number)
    for number, text in new:
        if waiting.get(text):
            yield waiting[text].popleft(), number


def _alike(old: Texts, new: Texts) -> Iterator[Match]:
    """The pair that is most alike first; of equally alike ones the one that comes first."""
    if not old or not new or len(old) * len(new) > MOST:
        return
    from rapidfuzz import fuzz, process  # with numpy, which a worker that compares nothing need not load

    texts, others = [text for _, text in old], [text for _, text in new]
    ratios = process.cdist(texts, others, scorer=fuzz.ratio, score_cutoff=ALIKE)
    pairs = zip(*(numbers.tolist() for numbers in ratios.nonzero()), strict=True)
    stated = cache(substance)
    taken: set[int] = set()
    given: set[int] = set()
    for i, j in sorted(pairs, key=lambda at: (-ratios[at], at)):
        if i in taken or j in given or stated(texts[i]) != stated(others[j]) or opposites(texts[i], others[j]):
            continue
        taken.add(i)
        given.add(j)
        yield old[i][0], new[j][0]
