"""Self-preference: whether a judge is kinder to what its own family wrote, as far as one audit can tell.

It takes answers of two generators: how far apart two judges are in those of the one, minus how far in the others.
With one generator, as usual, a judge that favours it cannot be told from one that is lenient to everybody: reported
is then which of two judges lets more hallucinated claims pass.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from audits.generators import own_generators
from audits.labels import HALLUCINATED, Label
from audits.models import PanelMember
from audits.stats.bias import Finding
from audits.stats.leniency import Both, generator_gap, leniency_gap
from review.bias.measures import Kind, Measure
from review.bias.reading import Material


@dataclass(frozen=True)
class PairBias:
    """How two judges differ. one, others: names of generators that are held against each other, where they are.

    generators: all that are stated. first: the judge whose kindness counts as positive.
    """

    first: PanelMember
    second: PanelMember
    measure: Measure
    one: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    generators: tuple[str, ...] = ()


def pair_biases(read: Material) -> Iterator[PairBias]:
    """One for every pair of judges; two where both are of the family of a generator and others wrote, too."""
    names = tuple(sorted({name for name in read.generators.values() if name}))
    for first, second in combinations(read.panel, 2):
        if len(names) < 2:
            measure = Measure(Kind.LENIENCY, f"{first.letter}{second.letter}", _leniency(first, second, read))
            yield PairBias(first, second, measure, generators=names)
            continue
        own = {member.pk: own_generators(names, member) for member in (first, second)}
        kin = [(a, b) for a, b in ((first, second), (second, first)) if own[a.pk] and own[a.pk] != set(names)]
        neutral = set(names) - own[first.pk] - own[second.pk]
        for one, other in kin if neutral else kin[:1]:
            yield _held_apart(one, other, own[one.pk], neutral or set(names) - own[one.pk], Kind.OWN, names, read)
        if not kin:
            most = _most_frequent(read)
            yield _held_apart(first, second, frozenset({most}), set(names) - {most}, Kind.GENERATORS, names, read)


def _most_frequent(read: Material) -> str:
    """The generator of most claims."""
    counts = Counter(read.generators.get(facts.sample, "") for facts in read.claims.values())
    del counts[""]
    return min(counts, key=lambda name: (-counts[name], name))


def _held_apart(
    first: PanelMember,
    second: PanelMember,
    one: frozenset[str],
    others: set[str],
    kind: Kind,
    names: tuple[str, ...],
    read: Material,
) -> PairBias:
    rows = [
        (both, read.generators[both.answer] in one)
        for both in _both(first, second, read)
        if isinstance(both.answer, int) and read.generators.get(both.answer) in one | others
    ]
    measure = Measure(kind, f"{first.letter}{second.letter}", generator_gap(rows, read.confidence))
    return PairBias(first, second, measure, tuple(sorted(one)), tuple(sorted(others)), names)


def _both(first: PanelMember, second: PanelMember, read: Material) -> Iterator[Both]:
    """Every claim that both judges labelled."""
    for claim, facts in read.claims.items():
        one, other = read.said(first, claim), read.said(second, claim)
        if one is not None and other is not None:
            yield Both(facts.sample, "", (one is Label.SUPPORTED) - (other is Label.SUPPORTED))


def _leniency(first: PanelMember, second: PanelMember, read: Material) -> Finding:
    rows = []
    for one in read.reviewed:
        said = read.said(first, one.claim), read.said(second, one.claim)
        if None not in said:
            gap = (said[0] is Label.SUPPORTED) - (said[1] is Label.SUPPORTED)
            rows.append(Both(one.sample, one.stratum, gap, one.expert in HALLUCINATED))
    return leniency_gap(rows, read.strata, read.confidence)
