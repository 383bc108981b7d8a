"""Who agrees with whom: the tables that audits.stats needs, read from verdicts and experts' labels.

The experts' side is the first independent label of each expert (review.independent). What a label was changed to
after the judges' verdicts were seen and what was corrected later belong to outcomes and enter no agreement.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from audits.labels import Label
from audits.models import Audit, PanelMember
from audits.stats.agreement import Agreement, agreement
from audits.stats.audited import Stratum
from audits.stats.expert_agreement import ReviewedClaim, judge_expert
from review.agreement.claims import Facts, Verdicts, facts, verdicts
from review.agreement.settled import Doubled, Settled, doubled, needed_labels, settled, usable
from review.independent import IndependentLabel, independent_labels
from review.models import ReviewPlan
from review.models import Stratum as Group
from review.outcomes import audited, outcomes

TwoLabels = list[tuple[object, Label | None, Label | None]]  # (sample, first, second), None when unscored


class Material:
    """What is read of one audit, each part once and only when it is asked for.

    reviewed: verdicts on the experts' claims alone, for who does not compare the judges with each other.
    """

    def __init__(self, audit: Audit, *, reviewed: bool = False) -> None:
        self.audit = audit
        self.reviewed = reviewed
        self.confidence = float(audit.confidence)

    @cached_property
    def panel(self) -> list[PanelMember]:
        """The judges, in the order of their letters."""
        return list(self.audit.panel)

    @cached_property
    def plan(self) -> ReviewPlan | None:
        """The draw; None before it."""
        return ReviewPlan.objects.filter(audit=self.audit).first()

    @cached_property
    def claims(self) -> dict[int, Facts]:
        """Every claim."""
        return facts(self.audit)

    @cached_property
    def verdicts(self) -> Verdicts:
        """Every verdict that is asked for."""
        return verdicts(self.audit, reviewed=self.reviewed)

    @cached_property
    def items(self) -> dict[int, list[IndependentLabel]]:
        """Independent labels by item."""
        return usable(independent_labels(self.audit))

    @cached_property
    def settled(self) -> list[Settled]:
        """The experts' label of every claim that has one."""
        return settled(self.items, self.needed)

    @cached_property
    def needed(self) -> dict[int, int]:
        """Items that need two experts or more -> how many."""
        return needed_labels(self.audit)

    @cached_property
    def doubled(self) -> list[Doubled]:
        """Claims that two experts or more labelled."""
        return doubled(self.items)

    @cached_property
    def sizes(self) -> dict[str, int]:
        """Claims of every group, as frozen by the draw; always in one order, since a database keeps its own and sums
        of fractions depend on it."""
        strata = self.plan.strata if self.plan else {}
        return {str(name): strata[name]["N"] for name in Group if name in strata}

    def said(self, judge: PanelMember, claim: int) -> Label | None:
        """What a judge said of a claim; None when that is unscored."""
        return self.verdicts.get(claim, {}).get(judge.pk)

    def of_judges(self, first: PanelMember, second: PanelMember) -> TwoLabels:
        """Two judges on every claim that both were asked about, in the order of the claims' numbers."""
        return [
            (one.sample, said[first.pk], said[second.pk])
            for claim, one in self.claims.items()
            if first.pk in (said := self.verdicts.get(claim, {})) and second.pk in said
        ]

    def of_experts(self) -> TwoLabels:
        """The first two experts on every claim that was labelled twice."""
        return [(one.sample, one.labels[0], one.labels[1]) for one in self.doubled]


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
    """What certificates state and the agreement page begins with.

    experts: two experts on the claims drawn for two; None until some claim has two independent labels.
    strata: what experts found in each stratum (share hallucinated). reviewed: claims with an experts' label.
    """

    pairs: tuple[Pair, ...]
    judges: tuple[Against, ...]
    experts: Agreement | None
    strata: tuple[Stratum, ...]
    reviewed: int


def agreement_page(audit: Audit, material: Material | None = None) -> Page:
    """Agreement of judges with each other, of each judge with the experts, and of the experts."""
    read = material or Material(audit)
    return Page(
        pairs=judges_with_each_other(read),
        judges=tuple(_against(member, read) for member in read.panel),
        experts=experts_with_each_other(read),
        strata=audited(outcomes(audit), read.confidence).strata,
        reviewed=len(read.settled),
    )


def judges_with_each_other(read: Material) -> tuple[Pair, ...]:
    """Every two judges of the panel."""
    return tuple(
        Pair(first, second, agreement(read.of_judges(first, second), confidence=read.confidence))
        for first, second in combinations(read.panel, 2)
    )


def experts_with_each_other(read: Material) -> Agreement | None:
    """None until some claim has two independent labels."""
    return agreement(read.of_experts(), confidence=read.confidence) if read.doubled else None


def judge_with_experts(judge: PanelMember, read: Material) -> Agreement:
    """One judge against the experts, weighted to all claims."""
    rows = [ReviewedClaim(one.stratum, read.said(judge, one.claim), one.label) for one in read.settled]
    return judge_expert(rows, read.sizes, confidence=read.confidence)


def _against(judge: PanelMember, read: Material) -> Against:
    return Against(
        judge=judge,
        weighted=judge_with_experts(judge, read),
        counted=agreement(counted_pairs(judge, read), confidence=read.confidence),
    )


def counted_pairs(judge: PanelMember, read: Material) -> TwoLabels:
    """One judge and the experts on the claims that experts settled, as they lie: not weighted."""
    return [(one.sample, read.said(judge, one.claim), one.label) for one in read.settled]
