"""Length and vagueness: one judge against the experts' truth."""

from collections import Counter

from audits.labels import HALLUCINATED, Label
from audits.models import PanelMember
from audits.stats.bias import Reviewed, Third, length_slope, wrong_by_length
from audits.stats.estimate import Estimate
from audits.stats.leniency import vagueness
from review.bias.measures import Kind, Measure
from review.bias.reading import Material


def reviewed_by(member: PanelMember, read: Material) -> list[Reviewed]:
    """The claims that experts settled and this judge labelled."""
    rows = []
    for one in read.reviewed:
        said = read.said(member, one.claim)
        if said is not None:
            rows.append(
                Reviewed(
                    answer=one.sample,
                    stratum=one.stratum,
                    hallucinated=one.expert in HALLUCINATED,
                    supported=said is Label.SUPPORTED,
                    claims=read.lengths[one.sample],
                    vague=read.claims[one.claim].vague,
                )
            )
    return rows


def length_of(member: PanelMember, read: Material) -> tuple[Measure, tuple[Third, ...]]:
    """Whether it calls claims of long answers supported more often, and its wrong labels by length."""
    rows = reviewed_by(member, read)
    lengths = [read.lengths[facts.sample] for facts in read.claims.values()]
    found = length_slope(rows, read.strata, lengths, read.confidence)
    thirds = wrong_by_length(rows, read.strata, lengths, read.confidence)
    return Measure(Kind.LENGTH, member.letter, found), tuple(thirds)


def vagueness_of(member: PanelMember, read: Material) -> tuple[Measure, Estimate, Estimate]:
    """Whether it lets vague hallucinations pass more often; its false support of vague and of specific claims."""
    kinds: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    for one in read.outcomes:
        kinds[not read.claims[one.claim].vague][one.stratum] += 1
    found, vague, specific = vagueness(
        reviewed_by(member, read), read.strata, (dict(kinds[0]), dict(kinds[1])), read.confidence
    )
    return Measure(Kind.VAGUENESS, member.letter, found), vague.rate, specific.rate
