"""What is planned of an audit's review before it starts: how many claims experts see, and how likely it then passes.

Everything a person is shown is in one Outlook, which is stored with the audit as it was shown.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from decimal import Decimal
from typing import Any

from django.conf import settings

from audits.models import Audit, Claim, Dataset, Extraction, Project
from audits.stats.estimate import MIN_ANSWERS
from audits.stats.planning import spot_check_size
from audits.stats.power import (
    ANSWERS,
    GOOD_CHANCE,
    SECONDS_PER_LABEL,
    USUAL,
    Setup,
    chance_to_pass,
    labels_for,
    plan,
)

MOST_LOOKS = 4
USUAL_CLAIMS = 5.0  # of an answer, where nothing is known
FACTORS = (Decimal(0), Decimal("0.1"), Decimal("0.25"), Decimal("0.5"), Decimal("0.75"), Decimal(1), Decimal("1.5"))
STEP = Decimal("0.0001")  # of rates, as they are stored
MEASURED, COUNTED, ASSUMED = "measured", "counted", "assumed"


@dataclass(frozen=True)
class Rule:
    """What an audit must show to pass, and what its plan reckons with. threshold, confidence, expected_rate:
    fractions of 1; expected_rate None: a quarter of the threshold."""

    threshold: Decimal
    scope: str
    confidence: Decimal = Decimal("0.95")
    looks: int = 1
    expected_rate: Decimal | None = None

    @classmethod
    def of(cls, audit: Audit) -> "Rule":
        """The rule of an audit as it is now."""
        return cls(audit.threshold, audit.scope, audit.confidence, audit.looks, audit.expected_rate)

    @property
    def expected(self) -> Decimal:
        """The expected rate, chosen or usual."""
        return usual_rate(self.threshold) if self.expected_rate is None else self.expected_rate

    def stored(self) -> dict[str, Any]:
        """For the log: numbers that compare, without trailing zeros that a database adds."""
        return {
            "threshold": _plain(self.threshold),
            "scope": str(self.scope),
            "confidence": _plain(self.confidence),
            "looks": self.looks,
            "expected_rate": _plain(self.expected),
        }


def _plain(value: Decimal) -> str:
    return f"{value.normalize():f}"


def usual_rate(threshold: Decimal) -> Decimal:
    """The rate that is expected where nobody says another one: a quarter of the accepted one."""
    return (threshold / 4).quantize(STEP)


@dataclass(frozen=True)
class Density:
    """Claims per answer, to one decimal. source: "measured" in an earlier audit of the dataset, "counted" in its text
    with what is known of the extractor, or "assumed"."""

    value: float
    source: str


def density_of(project: Project, dataset: Dataset, answers: int, counted: int | None = None) -> Density:
    """What is known best. counted: claims of all answers as the estimate of the cost has them, None without one."""
    if (measured := _measured(project, dataset)) is not None:
        return Density(measured, MEASURED)
    if counted and answers:
        return Density(_tenths(counted / answers), COUNTED)
    return Density(USUAL_CLAIMS, ASSUMED)


def _measured(project: Project, dataset: Dataset) -> float | None:
    """In the newest audit of the dataset here that was judged to its end."""
    earlier = Audit.objects.filter(project=project, dataset=dataset, status=Audit.Status.REVIEWING, calibration=False)
    audit = earlier.order_by("-pk").first()
    if audit is None:
        return None
    cut = Extraction.objects.filter(audit=audit, status=Extraction.Status.DONE).count()
    claims = Claim.objects.filter(audit=audit, recut_of__isnull=True).count()  # by the extractor, not by an expert
    return _tenths(claims / cut) if cut and claims else None


def _tenths(value: float) -> float:
    return max(0.1, round(value, 1))


@dataclass(frozen=True)
class Outlook:
    """Inputs and outcome of a plan, as shown and as stored.

    threshold, confidence, expected_rate: fractions of 1 as text. claims_from: Density.source. judging: what is
    assumed of the judges (power.Judging). double_percent: of the experts' claims that two label.
    needed: the smallest spot check with a chance of `good_chance`; None when not even all claims are enough.
    answers_needed: answers with which one would be, None when those there are do or no number up to `most_answers`
    does. proposed: `needed` and a quarter more; without one, the size that excludes half the threshold as the judges'
    shared error. spot_check: the size that chance, chances (true rate, chance to pass), labels and hours are of.
    """

    version: str
    threshold: str
    scope: str
    confidence: str
    looks: int
    expected_rate: str
    answers: int
    claims_per_answer: float
    claims_from: str
    claims: int
    judging: Mapping[str, float]
    double_percent: int
    good_chance: float
    needed: int | None
    needed_chance: float
    answers_needed: int | None
    most_answers: int
    proposed: int
    spot_check: int
    chance: float
    chances: tuple[tuple[float, float], ...]
    labels: int
    seconds_per_label: int
    hours: float

    def stored(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self) | {"chances": [list(pair) for pair in self.chances]}

    @classmethod
    def from_stored(cls, stored: Mapping[str, Any]) -> "Outlook | None":
        """What was stored; None for an audit without a plan, or with one of a version that planned otherwise."""
        names = {each.name for each in fields(cls)}
        if set(stored) != names:
            return None
        return cls(**{**stored, "chances": tuple((rate, chance) for rate, chance in stored["chances"])})

    @property
    def seconds(self) -> int:
        """Of the experts' time."""
        return self.labels * self.seconds_per_label

    @property
    def too_few_answers(self) -> bool:
        """Whether nothing can be said of the traffic, whatever experts label."""
        return self.scope == Audit.Scope.TRAFFIC and self.answers < MIN_ANSWERS

    @property
    def hopeless(self) -> bool:
        """Whether the expected rate is one that is not accepted."""
        return Decimal(self.expected_rate) >= Decimal(self.threshold)

    @property
    def never(self) -> bool:
        """Whether nothing can pass, at whatever rate."""
        return self.too_few_answers or not self.spot_check


def outlook(
    rule: Rule, *, answers: int, density: Density, spot_check: int | None = None, double_percent: int = 0
) -> Outlook:
    """Plan a review. spot_check None: the proposed size. ValueError for a rule outside its limits."""
    threshold, confidence, expected = float(rule.threshold), float(rule.confidence), float(rule.expected)
    setup = Setup(threshold, str(rule.scope), confidence, answers, density.value, rule.looks)
    found = plan(setup, expected)
    proposed = (
        spot_check_size(setup.claims, threshold, confidence)
        if found.spot_check is None
        else min(setup.claims, -(-found.spot_check * 5 // 4))
    )
    size = min(setup.claims, proposed if spot_check is None else spot_check)
    rates = sorted({*(float(factor * rule.threshold) for factor in FACTORS), expected})
    labels = labels_for(setup, expected, size, double_percent / 100)
    return Outlook(
        version=settings.ASSAY_VERSION,
        threshold=_plain(rule.threshold),
        scope=str(rule.scope),
        confidence=_plain(rule.confidence),
        looks=rule.looks,
        expected_rate=_plain(rule.expected),
        answers=answers,
        claims_per_answer=density.value,
        claims_from=density.source,
        claims=setup.claims,
        judging=asdict(USUAL),
        double_percent=double_percent,
        good_chance=GOOD_CHANCE,
        needed=found.spot_check,
        needed_chance=round(found.chance, 4),
        answers_needed=found.answers,
        most_answers=ANSWERS[-1],
        proposed=proposed,
        spot_check=size,
        chance=round(chance_to_pass(setup, expected, size), 4),
        chances=tuple((rate, round(chance_to_pass(setup, rate, size), 4)) for rate in rates if rate <= 1),
        labels=labels,
        seconds_per_label=SECONDS_PER_LABEL,
        hours=round(labels * SECONDS_PER_LABEL / 3600, 1),
    )
