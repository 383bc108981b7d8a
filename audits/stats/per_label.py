"""How far two raters agree on each label alone: a rare label may be a coin's toss while the overall figure shines."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from audits.labels import Label
from audits.stats.agreement import LABELS, Pairs, Shared, constant_rater
from audits.stats.clustered import clustered_share
from audits.stats.estimate import Estimate, undefined

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class LabelAgreement:
    """One label held against the other two.

    n: items both labelled. either: items to which at least one of them gave the label. first, second: the share of
    the items to which each rater gives it (base rates). specific: if one of them gives it, how likely the other does
    too (2a / (2a + b + c): Cicchetti & Feinstein 1990, "positive agreement"). percent, kappa, ac1, alpha: of the
    table of two labels. Reasons as in Agreement; specific is undefined ("label_not_used") when nobody gave the label.
    """

    label: Label
    n: int
    either: int
    first: Estimate
    second: Estimate
    specific: Estimate
    percent: Estimate
    kappa: Estimate
    ac1: Estimate
    alpha: Estimate
    note: str = ""


def per_label(pairs: Pairs, confidence: float = 0.95) -> tuple[LabelAgreement, ...]:
    """Agreement on each label, in the order of LABELS, over (answer id, first label, second label).

    Intervals are clustered by answer, those of the table of two labels as in agreement(). specific: the share of
    agreement among the items that either gave the label, with its Korn-Graubard limits, turned into specific
    agreement (2j / (1 + j), which grows with j).
    """
    shared = Shared.of(pairs)
    return tuple(_one(shared.against_rest(label), label, confidence) for label in LABELS)


def _one(shared: Shared, label: Label, confidence: float) -> LabelAgreement:
    def rate(given: "np.ndarray") -> Estimate:
        return clustered_share((given == 0).astype(float), shared.answers, confidence, empty="no_shared_items")

    either = (shared.first == 0) | (shared.second == 0)
    return LabelAgreement(
        label=label,
        n=shared.n,
        either=int(either.sum()),
        first=rate(shared.first),
        second=rate(shared.second),
        specific=_specific(shared, confidence),
        percent=shared.percent(confidence),
        kappa=shared.coefficient("kappa", confidence),
        ac1=shared.coefficient("ac1", confidence),
        alpha=shared.coefficient("alpha", confidence),
        note=constant_rater(shared.table.tolist()),
    )


def _specific(shared: Shared, confidence: float) -> Estimate:
    if not shared.n:
        return undefined("no_shared_items", 0, confidence)
    either = (shared.first == 0) | (shared.second == 0)
    both = clustered_share(shared.same[either], shared.answers[either], confidence, empty="label_not_used")
    value, low, high = (None if j is None else 2 * j / (1 + j) for j in (both.value, both.low, both.high))
    return Estimate(value, low, high, both.n, confidence, both.reason)
