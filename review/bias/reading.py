"""What the bias report reads of one audit, each part once."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from audits.generators import generators_of
from audits.labels import Decision, Label
from audits.models import Audit, Claim, PanelMember
from audits.stats.bias import Strata
from review.agreement.claims import Verdicts, verdicts
from review.outcomes import Outcome, outcomes


@dataclass(frozen=True)
class Facts:
    """A claim apart from its text."""

    sample: int
    vague: bool


class Material:
    """One audit; nothing is read before it is asked for."""

    def __init__(self, audit: Audit) -> None:
        self.audit = audit
        self.confidence = float(audit.confidence)

    @cached_property
    def panel(self) -> list[PanelMember]:
        """The judges, in the order of their letters."""
        return list(self.audit.panel)

    @cached_property
    def outcomes(self) -> list[Outcome]:
        """Every claim with its stratum and the experts' word."""
        return outcomes(self.audit)

    @cached_property
    def reviewed(self) -> list[Outcome]:
        """Claims that experts settled."""
        return [one for one in self.outcomes if one.expert is not None]

    @cached_property
    def strata(self) -> Strata:
        """How many claims each stratum has, and how many of them experts settled."""
        return Strata(
            sizes=Counter(one.stratum for one in self.outcomes),
            checked=Counter(one.stratum for one in self.reviewed),
            open=sum(
                one.expert is None and not one.given_up and one.decision in ("", Decision.DISPUTED)
                for one in self.outcomes
            ),
        )

    @cached_property
    def undrawn(self) -> int:
        """Claims of the spot check without a label, as long as one is wanted."""
        return sum(one.drawn and one.expert is None and not one.given_up for one in self.outcomes)

    @cached_property
    def given_up(self) -> int:
        """Claims that no expert could decide: they are missing from every measure that needs the truth."""
        return sum(one.given_up for one in self.outcomes)

    @cached_property
    def claims(self) -> dict[int, Facts]:
        """Every claim."""
        rows = Claim.objects.filter(audit=self.audit).order_by("pk").values_list("pk", "sample", "vague")
        return {pk: Facts(sample, vague) for pk, sample, vague in rows.iterator(chunk_size=5000)}

    @cached_property
    def lengths(self) -> Counter[int]:
        """Sample -> claims of its answer."""
        return Counter(one.sample for one in self.claims.values())

    @cached_property
    def verdicts(self) -> Verdicts:
        """Claim -> judge -> label, None when unscored."""
        return verdicts(self.audit)

    @cached_property
    def generators(self) -> dict[int, str]:
        """Sample -> the model that wrote the answer, "" where it is not stated."""
        return generators_of(self.audit.dataset)

    def said(self, member: PanelMember, claim: int) -> Label | None:
        """What a judge said of a claim; None when that is unscored."""
        return self.verdicts.get(claim, {}).get(member.pk)
