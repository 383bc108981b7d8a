"""What the judges found in one audit, read from claims and verdicts: the numbers of the result page and the CLI.

Experts' labels are not in here: this is the judges' verdict, which review may correct.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Count, Q

from audits.labels import Decision, Label
from audits.models import Audit, Claim, Extraction, Sample, Verdict
from audits.stats.agreement import Agreement, agreement
from audits.stats.estimate import Estimate
from audits.stats.rates import Bounds, judged_rate

WORST = 10  # answers shown on the result page
HALLUCINATED = frozenset({Decision.CONTRADICTED, Decision.UNVERIFIED})


@dataclass(frozen=True)
class Answer:
    """One answer in the list of the worst: its sample (without contexts) and its claims by decision."""

    sample: Sample
    hallucinated: int
    disputed: int
    claims: int


@dataclass(frozen=True)
class Result:
    """Counts, rates and agreement of one audit, by the judges alone.

    supported + contradicted + unverified + disputed + pending = total. pending: the panel has not spoken yet.
    unscored: claims for which some judge gave no usable label; they are among the disputed (or the pending).
    coverage: decided / total. rate, faithfulness: over the decided. bounds: all open claims counted as supported,
    and as hallucinated; None without claims.
    samples = with claims + samples_without_claims + samples_failed + samples_waiting. refusals: those without claims
    that decline to answer. samples_passed_over: those with a sentence for which the extractor gave neither claims nor
    a reason: statements may be missing there.
    disagreement_rate: of the claims that both judges labelled, the share with different labels; None without any.
    agreement: of the first two judges over all claims; None for a panel of one.
    """

    supported: int
    contradicted: int
    unverified: int
    disputed: int
    pending: int
    unscored: int
    unscored_reasons: dict[str, int]  # reason -> verdicts
    total: int
    answers: int
    coverage: float | None
    rate: Estimate
    faithfulness: Estimate
    bounds: Bounds | None
    samples: int
    samples_without_claims: int
    refusals: int
    samples_failed: int
    samples_waiting: int
    samples_passed_over: int
    flagged: dict[str, int]
    vague_supported: int
    disagreement_rate: float | None
    agreement: Agreement | None
    worst: tuple[Answer, ...]

    @property
    def decided(self) -> int:
        """Claims with a label that the whole panel gave."""
        return self.supported + self.contradicted + self.unverified

    @property
    def open(self) -> int:
        """Claims without: disputed, or not judged by all."""
        return self.disputed + self.pending

    @property
    def provisional(self) -> bool:
        """True while something is open, so that the rate may not stand without coverage and bounds."""
        return bool(self.open or self.samples_waiting)


def result(audit: Audit) -> Result:
    """Read the result of an audit, finished or not. Six queries; no text but that of the worst answers is loaded."""
    claims = list(Claim.objects.filter(audit=audit).order_by().values_list("pk", "sample_id", "decision", "vague"))
    verdicts = _verdicts(audit)
    rate = judged_rate(
        # What the panel has not spoken on is open like a dispute, for coverage and bounds.
        [(sample, Decision(decision or Decision.DISPUTED)) for _, sample, decision, _ in claims],
        unscored=len({claim for claim, _, label, _ in verdicts if not label}),
        confidence=float(audit.confidence),
    )
    pending = sum(not decision for _, _, decision, _ in claims)
    judges = _agreement(audit, claims, verdicts)
    return Result(
        supported=rate.supported,
        contradicted=rate.contradicted,
        unverified=rate.unverified,
        disputed=rate.disputed - pending,
        pending=pending,
        unscored=rate.unscored,
        unscored_reasons=dict(Counter(reason for _, _, label, reason in verdicts if not label)),
        total=rate.total,
        answers=rate.answers,
        coverage=rate.coverage,
        rate=rate.rate,
        faithfulness=rate.faithfulness,
        bounds=rate.bounds,
        flagged=_flagged(audit),
        vague_supported=sum(vague and decision == Decision.SUPPORTED for _, _, decision, vague in claims),
        disagreement_rate=None if judges is None or judges.percent.value is None else 1 - judges.percent.value,
        agreement=judges,
        worst=_worst(claims),
        **_samples(audit),
    )


ClaimRow = tuple[int, int, str, bool]  # claim, sample, decision, vague
VerdictRow = tuple[int, int, str, str]  # claim, member, label, unscored


def _verdicts(audit: Audit) -> list[VerdictRow]:
    rows = Verdict.objects.filter(claim__audit=audit).order_by()
    return list(rows.values_list("claim_id", "member_id", "label", "unscored"))


def _samples(audit: Audit) -> dict[str, int]:
    """Samples by what became of them, as the fields of Result are named."""
    status = Extraction.Status
    no_claims = Q(status=status.DONE) & ~Q(pk__in=Claim.objects.filter(audit=audit).values("extraction"))
    return Extraction.objects.filter(audit=audit).aggregate(
        samples=Count("pk"),
        samples_without_claims=Count("pk", filter=no_claims),
        refusals=Count("pk", filter=no_claims & Q(is_refusal=True)),
        samples_failed=Count("pk", filter=Q(status=status.FAILED)),
        samples_waiting=Count("pk", filter=Q(status=status.PENDING)),
        samples_passed_over=Count("pk", filter=Q(status=status.DONE) & ~Q(unaccounted=[])),
    )


def _flagged(audit: Audit) -> dict[str, int]:
    """Flag -> samples of the dataset that carry it."""
    rows = Sample.objects.filter(dataset_id=audit.dataset_id).exclude(flags=[]).order_by()
    return dict(Counter(flag for flags in rows.values_list("flags", flat=True) for flag in flags))


def _agreement(audit: Audit, claims: Sequence[ClaimRow], verdicts: Iterable[VerdictRow]) -> Agreement | None:
    """Of the first two judges, over the claims on which both have spoken."""
    panel = list(audit.panel.values_list("pk", flat=True)[:2])
    if len(panel) < 2:
        return None
    said: dict[int, dict[int, Label | None]] = defaultdict(dict)
    for claim, member, label, _ in verdicts:
        said[claim][member] = Label(label) if label else None
    first, second = panel
    pairs = [
        (sample, said[claim][first], said[claim][second])
        for claim, sample, _, _ in claims
        if first in said[claim] and second in said[claim]
    ]
    return agreement(pairs, confidence=float(audit.confidence))


def _worst(claims: Sequence[ClaimRow]) -> tuple[Answer, ...]:
    """Answers with most hallucinated, then most disputed claims; none that is all supported."""
    counts: dict[int, list[int]] = defaultdict(lambda: [0, 0, 0])
    for _, sample, decision, _ in claims:
        count = counts[sample]
        count[0] += decision in HALLUCINATED
        count[1] += decision == Decision.DISPUTED
        count[2] += 1
    bad = [(sample, *count) for sample, count in counts.items() if count[0] or count[1]]
    bad.sort(key=lambda row: (-row[1], -row[2], row[3], row[0]))
    top = bad[:WORST]
    samples = Sample.objects.only("external_id", "question", "language", "position").in_bulk([row[0] for row in top])
    return tuple(Answer(samples[sample], wrong, open_, total) for sample, wrong, open_, total in top)
