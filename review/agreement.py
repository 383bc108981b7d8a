"""Who agrees with whom: the tables that audits.stats needs, read from verdicts and experts' labels."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from audits.labels import Label
from audits.models import Audit, Claim, PanelMember, Verdict
from audits.stats.agreement import Agreement, agreement
from audits.stats.audited import Stratum
from audits.stats.expert_agreement import ReviewedClaim, judge_expert
from review.models import Adjudication, ReviewPlan
from review.outcomes import audited, outcomes

Verdicts = Mapping[int, Mapping[int, Label | None]]  # claim -> panel member -> label, None when unscored


@dataclass(frozen=True)
class Pair:
    """Two judges over all claims that both were asked about."""

    first: PanelMember
    second: PanelMember
    agreement: Agreement


@dataclass(frozen=True)
class Against:
    """One judge against the experts: weighted to all claims, and as counted on the reviewed ones only."""

    judge: PanelMember
    weighted: Agreement
    counted: Agreement


@dataclass(frozen=True)
class Page:
    """Everything the agreement page shows.

    experts: two experts on the same claims; None until some claim has blind labels of two. strata: what experts
    found in each stratum (share hallucinated). changed: labels that experts changed after seeing the verdicts.
    """

    pairs: tuple[Pair, ...]
    judges: tuple[Against, ...]
    experts: Agreement | None
    strata: tuple[Stratum, ...]
    reviewed: int
    changed: int


@dataclass(frozen=True)
class _Reviewed:
    """One blind label of an expert on one claim."""

    claim: int
    sample: int
    stratum: str
    expert: Label


def agreement_page(audit: Audit) -> Page:
    """Agreement of judges with each other, of each judge with the experts, and of the experts."""
    members, confidence = list(audit.panel), float(audit.confidence)
    verdicts = _verdicts(audit)
    samples = dict(Claim.objects.filter(audit=audit).values_list("pk", "sample"))
    reviewed, changed = _reviewed(audit)
    plan = ReviewPlan.objects.filter(audit=audit).first()
    sizes = {name: part["N"] for name, part in plan.strata.items()} if plan else {}
    return Page(
        pairs=tuple(
            Pair(first, second, agreement(_pairs(verdicts, samples, first, second), confidence=confidence))
            for first, second in combinations(members, 2)
        ),
        judges=tuple(_against(member, verdicts, reviewed, sizes, confidence) for member in members),
        experts=_experts(audit, confidence),
        strata=audited(outcomes(audit), confidence).strata,
        reviewed=len(reviewed),
        changed=changed,
    )


def _verdicts(audit: Audit) -> Verdicts:
    said: dict[int, dict[int, Label | None]] = defaultdict(dict)
    rows = Verdict.objects.filter(claim__audit=audit).order_by().values_list("claim", "member", "label")
    for claim, member, label in rows.iterator(chunk_size=5000):
        said[claim][member] = Label(label) if label else None
    return said


def _pairs(
    verdicts: Verdicts, samples: Mapping[int, int], first: PanelMember, second: PanelMember
) -> list[tuple[object, Label | None, Label | None]]:
    return [
        (samples[claim], said[first.pk], said[second.pk])
        for claim, said in verdicts.items()
        if first.pk in said and second.pk in said
    ]


def _reviewed(audit: Audit) -> tuple[list[_Reviewed], int]:
    """Blind labels on claims whose label counts now, one per claim, and how many standing labels are not blind.

    A label that was changed after the judges' verdicts were seen says nothing of agreement: the one before it does.
    """
    counting = Adjudication.objects.counting().filter(item__plan__audit=audit)
    settled = set(counting.values_list("item", flat=True))
    rows = Adjudication.objects.filter(item__plan__audit=audit, slot__isnull=False, blind=True).exclude(label="")
    found = {}
    for row in rows.select_related("item__claim").order_by("pk"):
        if row.item_id in settled:
            claim = row.item.claim
            found[row.item_id] = _Reviewed(claim.pk, claim.sample_id, row.item.stratum, Label(row.label))
    return list(found.values()), counting.filter(blind=False).count()


def _against(
    judge: PanelMember, verdicts: Verdicts, reviewed: Sequence[_Reviewed], sizes: Mapping[str, int], confidence: float
) -> Against:
    said = {row.claim: verdicts.get(row.claim, {}).get(judge.pk) for row in reviewed}
    rows = [ReviewedClaim(row.stratum, said[row.claim], row.expert) for row in reviewed]
    pairs = [(row.sample, said[row.claim], row.expert) for row in reviewed]
    return Against(
        judge=judge,
        weighted=judge_expert(rows, sizes, confidence=confidence),
        counted=agreement(pairs, confidence=confidence),
    )


def _experts(audit: Audit, confidence: float) -> Agreement | None:
    """The first two people with a blind label on one claim, extra opinions included."""
    words: dict[int, dict[int, str]] = defaultdict(dict)
    samples = {}
    rows = Adjudication.objects.filter(item__plan__audit=audit, blind=True).exclude(label="").order_by("pk")
    for item, sample, reviewer, label in rows.values_list("item", "item__claim__sample", "reviewer", "label"):
        words[item][reviewer] = label
        samples[item] = sample
    pairs: list[tuple[object, Label | None, Label | None]] = []
    for item, said in words.items():
        if len(said) > 1:
            first, second = list(said.values())[:2]
            pairs.append((samples[item], Label(first), Label(second)))
    return agreement(pairs, confidence=confidence) if pairs else None
