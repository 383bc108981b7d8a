"""What judges said of planted claims: false variants of supported claims. No expert is needed for it."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from audits.labels import Label
from audits.models import PanelMember, Probe
from audits.models.judging import PLANTED
from audits.stats.bias import Finding
from audits.stats.detectable import shift_seen
from audits.stats.estimate import Estimate
from audits.stats.paired import Pair, paired_shift
from audits.stats.planted import fooled_share
from review.bias.measures import Kind, Measure
from review.bias.reading import Material

SPECIFIC, VAGUE = PLANTED
Said = Mapping[tuple[int, str], Label | None]  # (claim, kind) -> label, None where there is none


@dataclass(frozen=True)
class JudgePlanted:
    """One judge: shares of specific, vague and all planted claims that it called supported. vague_more: vague minus
    specific, on claims with both. unscored: questions without a label; owed: not asked yet."""

    member: PanelMember
    specific: Estimate
    vague: Estimate
    every: Estimate
    vague_more: Measure
    unscored: int
    owed: int


@dataclass(frozen=True)
class PlantedResult:
    """asked: claims that were to be planted; claims, variants: that were. by_all: called supported by all judges."""

    asked: int
    claims: int
    variants: int
    judges: tuple[JudgePlanted, ...]
    by_all: tuple[Estimate, Estimate, Estimate]  # specific, vague, every


def planted_result(read: Material) -> PlantedResult:
    """Read in one query; empty where nothing was planted."""
    said: dict[int, dict[tuple[int, str], Label | None]] = defaultdict(dict)
    owed: dict[int, int] = defaultdict(int)
    rows = Probe.objects.filter(audit=read.audit, kind__in=PLANTED).order_by("pk")
    variants = set()
    for member, claim, kind, status, label in rows.values_list("member", "claim", "kind", "status", "label"):
        variants.add((claim, kind))
        if status == Probe.Status.DONE:
            said[member][claim, kind] = Label(label) if label else None
        else:
            owed[member] += 1
    judges = tuple(_judge(member, said[member.pk], owed[member.pk], read) for member in read.panel)
    return PlantedResult(
        asked=read.audit.planted,
        claims=len({claim for claim, _ in variants}),
        variants=len(variants),
        judges=judges if variants else (),
        by_all=_shares(_by_all([said[member.pk] for member in read.panel]), read),
    )


def _judge(member: PanelMember, said: Said, owed: int, read: Material) -> JudgePlanted:
    shares = _shares({key: label is Label.SUPPORTED for key, label in said.items() if label}, read)
    more = Measure(Kind.PLANTED, member.letter, _vague_more(said, read))
    return JudgePlanted(member, *shares, more, sum(label is None for label in said.values()), owed)


def _by_all(panel: list[Said]) -> dict[tuple[int, str], bool]:
    """Whether all judges called the variant supported, of those that all labelled."""
    every = set(panel[0]).intersection(*panel[1:]) if panel else set()
    labels = {key: [said[key] for said in panel] for key in every}
    return {key: all(one is Label.SUPPORTED for one in given) for key, given in labels.items() if None not in given}


def _shares(fooled: Mapping[tuple[int, str], bool], read: Material) -> tuple[Estimate, Estimate, Estimate]:
    def share(*kinds: str) -> Estimate:
        keys = sorted(key for key in fooled if key[1] in kinds)
        answers = [read.claims[claim].sample for claim, _ in keys]
        return fooled_share([fooled[key] for key in keys], answers, read.confidence)

    return share(SPECIFIC), share(VAGUE), share(SPECIFIC, VAGUE)


def _vague_more(said: Said, read: Material) -> Finding:
    pairs: list[Pair] = []
    for claim in sorted({claim for claim, _ in said}):
        specific, vague = said.get((claim, SPECIFIC)), said.get((claim, VAGUE))
        if specific and vague:
            pairs.append((read.claims[claim].sample, specific is Label.SUPPORTED, vague is Label.SUPPORTED))
    found = paired_shift(pairs, confidence=read.confidence, empty="no_planted_pairs")
    seen = shift_seen(found.discordant, found.n / found.inflation) if found.n else None
    return Finding(found.estimate, found.p, seen, found.inflation)
