"""The bias report of one audit: what sways its judges beside the evidence. Read from rows, nothing is kept.

The truth is what experts settled (review.outcomes), on claims that they reviewed; claims with known labels and parts
of claims that were cut anew are left out. Probes and planted claims need no expert.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from audits.models import Audit, PanelMember
from audits.stats.bias import Third
from audits.stats.estimate import Estimate, beyond
from audits.stats.flips import Flips
from audits.stats.holm import holm
from review.bias.measures import MARGINS, Kind, Measure, Standing
from review.bias.pairs import PairBias, pair_biases
from review.bias.planted import PlantedResult, planted_result
from review.bias.probes import probes_of
from review.bias.reading import Material
from review.bias.reviewed import length_of, vagueness_of


@dataclass(frozen=True)
class JudgeBias:
    """One judge. thirds: wrong labels by the length of answers. repeat, reorder: how often its label changed when it
    was asked again, as before and with its contexts in the opposite order. excess: the second minus the first.
    early: supported more often with the file's first context near the beginning. vague, specific: false support."""

    member: PanelMember
    length: Measure
    thirds: tuple[Third, ...]
    repeat: Flips
    reorder: Flips
    excess: Measure
    early: Measure
    vagueness: Measure
    vague: Estimate
    specific: Estimate


@dataclass(frozen=True)
class BiasReport:
    """judges in their order; pairs: each pair's gap. tests: how many p values were adjusted together (Holm).

    reviewed: claims with experts' outcome; open: disputed claims without; undrawn: claims of the spot check without;
    given_up: claims that no expert could decide. probes: claims asked about again.
    """

    judges: tuple[JudgeBias, ...]
    pairs: tuple[PairBias, ...]
    planted: PlantedResult
    tests: int
    reviewed: int
    open: int
    undrawn: int
    given_up: int
    confidence: float


def bias_report(audit: Audit) -> BiasReport:
    """Everything the page shows. The p values of the page are adjusted together."""
    read = Material(audit)
    probes = probes_of(read)
    judges = []
    for member in read.panel:
        measured, thirds = length_of(member, read)
        vagueness, vague, specific = vagueness_of(member, read)
        judges.append(JudgeBias(member, measured, thirds, *probes[member.pk], vagueness, vague, specific))
    found = BiasReport(
        judges=tuple(judges),
        pairs=tuple(pair_biases(read)),
        planted=planted_result(read),
        tests=0,
        reviewed=sum(read.strata.checked.values()),
        open=read.strata.open,
        undrawn=read.undrawn,
        given_up=read.given_up,
        confidence=read.confidence,
    )
    return _adjusted(found)


def measures(found: BiasReport) -> Iterator[Measure]:
    """All measures of the page, in its order."""
    for judge in found.judges:
        yield from (judge.length, judge.excess, judge.early, judge.vagueness)
    for pair in found.pairs:
        yield pair.measure
    for one in found.planted.judges:
        yield one.vague_more


def _adjusted(found: BiasReport) -> BiasReport:
    """With Holm's p values over the tests of the page, and what each measure comes to in the end."""
    every = list(measures(found))
    adjusted = dict(zip(map(id, every), holm([one.finding.p for one in every]), strict=True))

    def told(one: Measure) -> Measure:
        p = adjusted[id(one)]
        return replace(one, adjusted=p, standing=_standing(one, p))

    judges = [
        replace(
            judge,
            length=told(judge.length),
            excess=told(judge.excess),
            early=told(judge.early),
            vagueness=told(judge.vagueness),
        )
        for judge in found.judges
    ]
    pairs = [replace(pair, measure=told(pair.measure)) for pair in found.pairs]
    planted = replace(
        found.planted,
        judges=tuple(replace(judge, vague_more=told(judge.vague_more)) for judge in found.planted.judges),
    )
    tests = sum(one.finding.p is not None for one in every)
    return replace(found, judges=tuple(judges), pairs=tuple(pairs), planted=planted, tests=tests)


def _standing(one: Measure, p: float | None) -> Standing:
    estimate = one.finding.estimate
    if estimate.value is None or estimate.low is None or estimate.high is None or p is None:
        return Standing.UNDEFINED
    if p < beyond(estimate.confidence):
        return Standing.TOLD
    reach = max(abs(estimate.low), abs(estimate.high))
    return Standing.SMALL if reach <= MARGINS[one.kind] else Standing.UNCLEAR


__all__ = ["BiasReport", "JudgeBias", "Kind", "Measure", "Standing", "bias_report", "measures"]
