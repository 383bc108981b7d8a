"""How well each judge finds hallucination, over all claims and by language, tag and length."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from audits.labels import HALLUCINATED
from audits.models import PanelMember
from audits.stats.detection import Detection, detection
from audits.stats.expert_agreement import ReviewedClaim
from review.agreement import Material
from review.agreement.claims import Facts, Size, most_frequent_tags
from review.agreement.settled import Settled


@dataclass(frozen=True)
class Slice:
    """Claims that have something in common.

    name: a language's code, a tag, or a Size. claims: all of them; reviewed: those with an experts' label. by_judge:
    (letter, what it finds and misses) in the order of the panel.
    """

    name: str
    claims: int
    reviewed: int
    by_judge: tuple[tuple[str, Detection], ...]


@dataclass(frozen=True)
class Slices:
    """The parts of one audit. A way of parting that leaves everything in one part is left out (empty)."""

    languages: tuple[Slice, ...]
    tags: tuple[Slice, ...]
    sizes: tuple[Slice, ...]


@dataclass(frozen=True)
class Finding:
    """One judge over all claims. hits, alarms, hallucinated: counts of reviewed claims as they lie, not weighted."""

    judge: PanelMember
    detection: Detection
    hits: int
    alarms: int
    hallucinated: int


def findings(read: Material) -> list[Finding]:
    """Precision and recall of every judge over all claims of the audit."""
    return [finding(judge, read) for judge in read.panel]


def finding(judge: PanelMember, read: Material) -> Finding:
    """The same of one judge."""
    said = [(read.said(judge, one.claim), one.label) for one in read.settled]
    alarms = [(judge in HALLUCINATED, expert in HALLUCINATED) for judge, expert in said if judge is not None]
    return Finding(
        judge=judge,
        detection=_detection(judge, read, [(one.stratum, one) for one in read.settled], read.sizes),
        hits=sum(alarm and truth for alarm, truth in alarms),
        alarms=sum(alarm for alarm, _ in alarms),
        hallucinated=sum(truth for _, truth in alarms),
    )


def _detection(
    judge: PanelMember, read: Material, rows: Iterable[tuple[str, Settled]], sizes: Mapping[str, int]
) -> Detection:
    """rows: reviewed claims with the group that each stands in."""
    seen = [ReviewedClaim(stratum, read.said(judge, one.claim), one.label) for stratum, one in rows]
    return detection(seen, sizes, read.confidence)


def slices(read: Material, judges: Sequence[PanelMember] | None = None) -> Slices:
    """The same for parts of the audit. The groups of a part have the sizes that they have among its claims.

    judges: of whom; the panel unless said. Nothing is parted before experts have settled a claim.
    """
    if not read.settled:
        return Slices((), (), ())
    panel = read.panel if judges is None else judges
    languages = sorted({one.language for one in read.claims.values()})
    tags = most_frequent_tags(read.claims.values())
    return Slices(
        languages=_parts(read, panel, languages, lambda one: (one.language,)) if len(languages) > 1 else (),
        tags=_parts(read, panel, tags, lambda one: one.tags),
        sizes=_parts(read, panel, list(Size), lambda one: (one.size,)),
    )


def _parts(
    read: Material, judges: Sequence[PanelMember], names: Sequence[str], names_of: Callable[[Facts], Sequence[str]]
) -> tuple[Slice, ...]:
    """One slice per name that some claim has."""
    sizes: dict[str, Counter[str]] = defaultdict(Counter)
    for one in read.claims.values():
        for name in names_of(one):
            sizes[name][one.stratum] += 1
    rows: dict[str, list[tuple[str, Settled]]] = defaultdict(list)
    for found in read.settled:
        claim = read.claims[found.claim]
        for name in names_of(claim):
            rows[name].append((claim.stratum, found))
    return tuple(
        Slice(
            name=name,
            claims=sizes[name].total(),
            reviewed=len(rows[name]),
            by_judge=tuple((judge.letter, _detection(judge, read, rows[name], sizes[name])) for judge in judges),
        )
        for name in names
        if sizes[name]
    )
