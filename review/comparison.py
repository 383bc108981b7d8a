"""Two audits compared, claim by claim and as rates; an expert's word counts before the judges'."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from audits.comparison.claims import match_claims
from audits.comparison.datasets import match_samples
from audits.comparison.settings import JUDGING, Difference, differences
from audits.labels import HALLUCINATED, Decision, Label
from audits.models import Audit, Claim, Extraction
from audits.stats.difference import RateDifference, rate_difference
from audits.stats.rates import JudgedRate, outcome_rate
from review.outcomes import outcomes

JUDGED = ("question", "contexts", "answer")  # what judges read of a sample


class Kind(StrEnum):
    """What became of a claim, what needs a look first."""

    WORSE = "worse"  # supported before, hallucinated after
    OTHER = "other"  # contradicted before and unverified after, or the reverse
    OPEN = "open"  # without a label in one audit or in both
    ONLY_AFTER = "only_after"
    ONLY_BEFORE = "only_before"
    BETTER = "better"  # hallucinated before, supported after
    SAME = "same"


@dataclass(frozen=True, slots=True)
class Side:
    """A claim in one of the audits. label: what holds now, None while it is open. expert: whose word that is."""

    pk: int
    sample: int
    position: int
    text: str
    decision: str
    label: Label | None
    expert: bool


@dataclass(frozen=True, slots=True)
class Change:
    """One claim in both audits, or in one of them; then the other side is None."""

    kind: Kind
    before: Side | None
    after: Side | None


@dataclass(frozen=True)
class Audited:
    """One of the audits. rate: by outcomes, with coverage and bounds. expert: claims with an expert's label.

    waiting, failed: samples whose claims are not cut yet, or could not be; they are in no number.
    """

    audit: Audit
    rate: JudgedRate
    expert: int
    waiting: int
    failed: int

    @property
    def provisional(self) -> bool:
        """True while something is open."""
        return self.rate.provisional or bool(self.waiting)


@dataclass(frozen=True)
class Answers:
    """How the answers of two audits go together.

    by: "same" dataset, or what they were matched by, see audits.comparison.datasets. partners: sample after -> sample
    before. unchanged: those of them in which nothing that judges read differs. before, after: samples in one only.
    """

    by: str
    partners: Mapping[int, int]
    unchanged: int
    before: int
    after: int

    @property
    def same_texts(self) -> bool:
        """Whether both audits judge the same texts, so that a difference is none of the system."""
        return bool(self.partners) and self.unchanged == len(self.partners) and not self.before and not self.after


@dataclass(frozen=True)
class Comparison:
    """rates: over the decided claims of all answers of each audit. changes: by kind, then in the answers' order.

    settings: what differs between the audits besides their answers.
    """

    before: Audited
    after: Audited
    answers: Answers
    rates: RateDifference
    changes: tuple[Change, ...]
    counts: Mapping[Kind, int]
    settings: tuple[Difference, ...]

    @property
    def provisional(self) -> bool:
        """True while something is open in one of them."""
        return self.before.provisional or self.after.provisional

    @property
    def reach(self) -> tuple[float, float] | None:
        """Where the difference of these claims must end, however the open ones are settled; None without claims."""
        before, after = self.before.rate.bounds, self.after.rate.bounds
        return None if before is None or after is None else (after.low - before.high, after.high - before.low)

    @property
    def judged_differently(self) -> bool:
        """Whether judges, prompts or the cutting of claims differ, so that they may have made the difference."""
        return any(difference.code in JUDGING for difference in self.settings)


def compare_audits(before: Audit, after: Audit) -> Comparison:
    """Read and match both. About a dozen queries, whatever the size; the texts of all claims are held meanwhile."""
    answers = match_answers(before, after)
    old, new = _sides(before), _sides(after)
    order = {kind: number for number, kind in enumerate(Kind)}
    changes = sorted(_changes(old, new, answers.partners), key=lambda change: order[change.kind])
    keys: dict[int, Hashable] = {sample: sample for sample in new}
    keys_before: dict[int, Hashable] = {sample: ("before", sample) for sample in old}
    keys_before |= {partner: sample for sample, partner in answers.partners.items()}
    confidence = float(after.confidence)
    return Comparison(
        before=_audited(before, old, confidence),
        after=_audited(after, new, confidence),
        answers=answers,
        rates=rate_difference(_decided(old, keys_before), _decided(new, keys), confidence=confidence),
        changes=tuple(changes),
        counts=Counter(change.kind for change in changes),
        settings=differences(before, after),
    )


def match_answers(before: Audit, after: Audit) -> Answers:
    """Which answer of one audit is which of the other: the same sample, or the row of another version."""
    if before.dataset_id == after.dataset_id:
        samples = after.dataset.samples.order_by().values_list("pk", flat=True)
        partners = {sample: sample for sample in samples}
        return Answers("same", partners, len(partners), 0, 0)
    by, found = match_samples(before.dataset, after.dataset, JUDGED)
    unchanged = sum(not pair.changed for pair in found.pairs)
    return Answers(by, {p.new: p.old for p in found.pairs}, unchanged, len(found.removed), len(found.added))


def kind_of(before: Label | None, after: Label | None) -> Kind:
    """What became of a claim that is in both audits."""
    if before is None or after is None:
        return Kind.OPEN
    if before == after:
        return Kind.SAME
    if before in HALLUCINATED and after in HALLUCINATED:
        return Kind.OTHER
    return Kind.WORSE if after in HALLUCINATED else Kind.BETTER


Sides = Mapping[int, Sequence[Side]]
"""Sample -> its claims; in the order of the answers."""


def _sides(audit: Audit) -> Sides:
    rows = Claim.objects.filter(audit=audit).order_by().values_list("pk", "position", "text")
    texts = {pk: (position, text) for pk, position, text in rows}
    found: dict[int, list[Side]] = defaultdict(list)
    for one in outcomes(audit):
        if one.claim in texts:  # not one that was cut between the two queries
            expert = one.expert is not None
            side = Side(one.claim, one.sample, *texts[one.claim], one.decision, one.label, expert)
            found[one.sample].append(side)
    return found


def _changes(old: Sides, new: Sides, partners: Mapping[int, int]) -> Iterator[Change]:
    """Every claim of both audits once. Never is a claim matched with one of another answer."""
    matched: set[int] = set()
    for sample, claims in new.items():
        earlier = old.get(partners.get(sample, 0), ())
        pairs = {j: i for i, j in match_claims([one.text for one in earlier], [one.text for one in claims])}
        for number, after in enumerate(claims):
            before = earlier[pairs[number]] if number in pairs else None
            if before is None:
                yield Change(Kind.ONLY_AFTER, None, after)
            else:
                matched.add(before.pk)
                yield Change(kind_of(before.label, after.label), before, after)
    for claims in old.values():
        yield from (Change(Kind.ONLY_BEFORE, one, None) for one in claims if one.pk not in matched)


def _decided(sides: Sides, keys: Mapping[int, Hashable]) -> list[tuple[Hashable, bool]]:
    return [
        (keys[sample], one.label in HALLUCINATED)
        for sample, claims in sides.items()
        for one in claims
        if one.label is not None
    ]


def _audited(audit: Audit, sides: Sides, confidence: float) -> Audited:
    claims = [one for claims in sides.values() for one in claims]
    rows = [(one.sample, Decision(str(one.label or Decision.DISPUTED))) for one in claims]
    statuses = Counter(Extraction.objects.filter(audit=audit).order_by().values_list("status", flat=True))
    return Audited(
        audit=audit,
        rate=outcome_rate(rows, confidence=confidence),
        expert=sum(one.expert for one in claims),
        waiting=statuses[Extraction.Status.PENDING],
        failed=statuses[Extraction.Status.FAILED],
    )
