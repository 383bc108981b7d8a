"""Position: what became of each judge's labels when it was asked again, as before and in the opposite order.

Each judge sees contexts in an order of its own, drawn at random. So "the opposite order" has no direction: a judge
that prefers what comes first would lose as many supported claims by it as it wins. Two measures have one: how much
more often labels change in the opposite order than in a plain repeat, whatever they become; and whether a claim is
called supported more often when the first context of the file, where retrieval puts what it ranks highest, comes in
the earlier half of what the judge reads.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from audits.labels import Label
from audits.models import Probe
from audits.models.judging import AGAIN
from audits.stats.bias import Finding
from audits.stats.detectable import shift_seen
from audits.stats.flips import Flips, flips
from audits.stats.paired import Pair, paired_shift
from review.bias.measures import Kind, Measure
from review.bias.reading import Material

REPEAT, REORDER = AGAIN


class Answered(NamedTuple):
    """A probe with a label, or None where it has none; order: i-th shown context is contexts[order[i]]."""

    label: Label | None
    order: list[int]


def probes_of(read: Material) -> dict[int, tuple[Flips, Flips, Measure, Measure]]:
    """Judge -> flips of repeats, flips of other orders, their excess, and the pull of the first context."""
    answered: dict[int, dict[int, dict[str, Answered]]] = defaultdict(lambda: defaultdict(dict))
    rows = Probe.objects.filter(audit=read.audit, status=Probe.Status.DONE, kind__in=AGAIN).order_by("pk")
    for member, claim, kind, label, order in rows.values_list("member", "claim", "kind", "label", "context_order"):
        answered[member][claim][kind] = Answered(Label(label) if label else None, order)
    return {
        member.pk: (
            _flips(member.pk, REPEAT, answered[member.pk], read),
            _flips(member.pk, REORDER, answered[member.pk], read),
            Measure(Kind.EXCESS, member.letter, _shift(_excess(member.pk, answered[member.pk], read), read)),
            Measure(Kind.EARLY, member.letter, _shift(_early(answered[member.pk], read), read)),
        )
        for member in read.panel
    }


def _flips(member: int, kind: str, answered: dict[int, dict[str, Answered]], read: Material) -> Flips:
    rows = []
    for claim, by_kind in answered.items():
        first = read.verdicts.get(claim, {}).get(member)
        if kind in by_kind and first is not None:
            rows.append((read.claims[claim].sample, first, by_kind[kind].label))
    return flips(rows, confidence=read.confidence)


def _excess(member: int, answered: dict[int, dict[str, Answered]], read: Material) -> list[Pair]:
    """(answer, changed in a repeat, changed in the other order), of claims with a label in both."""
    pairs: list[Pair] = []
    for claim, by_kind in answered.items():
        first, same, other = read.verdicts.get(claim, {}).get(member), by_kind.get(REPEAT), by_kind.get(REORDER)
        if first and same and other and same.label and other.label:
            pairs.append((read.claims[claim].sample, same.label is not first, other.label is not first))
    return pairs


def _early(answered: dict[int, dict[str, Answered]], read: Material) -> list[Pair]:
    """(answer, supported with the file's first context late, supported with it early)."""
    pairs: list[Pair] = []
    for claim, by_kind in answered.items():
        probes = [by_kind[kind] for kind in AGAIN if kind in by_kind]
        if len(probes) < 2 or any(probe.label is None or 0 not in probe.order for probe in probes):
            continue
        early, late = sorted(probes, key=lambda probe: probe.order.index(0))
        if early.order.index(0) < late.order.index(0):
            said = [probe.label is Label.SUPPORTED for probe in (late, early)]
            pairs.append((read.claims[claim].sample, said[0], said[1]))
    return pairs


def _shift(pairs: Sequence[Pair], read: Material) -> Finding:
    found = paired_shift(pairs, confidence=read.confidence, empty="not_judged_again")
    seen = shift_seen(found.discordant, found.n / found.inflation) if found.n else None
    return Finding(found.estimate, found.p, seen, found.inflation)
