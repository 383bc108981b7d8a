"""How far two or more raters agree when not everybody labelled everything.

Every coefficient is computed from the labels that each item got, so nobody is dropped for having skipped one, and an
item with five labels among items with two is no obstacle. An item with a single label holds no pair: it is counted
as excluded, and enters only what is said of how often labels are given.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from audits.stats.agreement import LABELS
from audits.stats.clustered import clustered_share, design_effect
from audits.stats.estimate import Estimate, group_numbers, tail, undefined
from audits.stats.resampling import FEW_ITEMS, by_answer, draws, floor, percentiles

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Item:
    """One claim: the answer it belongs to, and what each rater said of it (rater id to label)."""

    answer: object
    labels: Mapping[Hashable, Hashable]


@dataclass(frozen=True)
class RaterRates:
    """How often one rater gives each label. n: items labelled, shares in the order of the categories."""

    rater: Hashable
    n: int
    shares: tuple[float, ...]


@dataclass(frozen=True)
class RatersAgreement:
    """n: items with two labels or more. excluded: items with one label or none. raters: people who labelled at all.

    pairs: pairs of labels on one item. percent: the mean over items of the share of their pairs that agree.
    alpha: Krippendorff. ac1: Gwet. fleiss: Fleiss' kappa, which exists only where all items (of two labels or more)
    have as many labels. rates: per rater, in the order of first appearance.
    Undefined: "no_shared_items", "one_label" (a single label was used; not AC1, which is 1 then), "unequal_raters"
    (fleiss). A value without limits: "few_items" (under 30), "one_answer".
    """

    n: int
    excluded: int
    raters: int
    pairs: int
    percent: Estimate
    alpha: Estimate
    ac1: Estimate
    fleiss: Estimate
    rates: tuple[RaterRates, ...]


def raters_agreement(
    items: Sequence[Item], *, confidence: float = 0.95, categories: Sequence[Hashable] = LABELS
) -> RatersAgreement:
    """Agreement of any number of raters on nominal labels, missing ones allowed.

    categories: all labels that exist, used or not (AC1 depends on their number). KeyError for another label.
    Intervals: percent by Korn-Graubard, the coefficients by answers drawn again, never narrower than the share of
    agreeing pairs allows at fixed agreement by chance (audits.stats.resampling). Measured as in agreement(), three or
    five raters: a nominal 95 % covers 96 % and more.
    """
    rated = _Rated(items, categories)
    return RatersAgreement(
        n=rated.n,
        excluded=len(items) - rated.n,
        raters=len({rater for item in items for rater in item.labels}),
        pairs=rated.pairs,
        percent=clustered_share(rated.agreeing, rated.answers, confidence, empty="no_shared_items"),
        alpha=rated.coefficient("alpha", confidence),
        ac1=rated.coefficient("ac1", confidence),
        fleiss=rated.coefficient("fleiss", confidence),
        rates=_rates(items, categories),
    )


class _Rated:
    """Labels counted per item and category, and the sums over items that every coefficient is made of."""

    def __init__(self, items: Sequence[Item], categories: Sequence[Hashable]) -> None:
        import numpy as np

        index = {label: number for number, label in enumerate(categories)}
        counts = np.zeros((len(items), len(categories)))
        for row, item in enumerate(items):
            for label in item.labels.values():
                counts[row, index[label]] += 1
        given = counts.sum(axis=1)
        shared, any_label = given > 1, np.maximum(given, 1)
        pairs = np.maximum(given * (given - 1), 1)  # ordered ones; 1 where there is none, to divide by
        alike = (counts * (counts - 1)).sum(axis=1)
        answers = np.asarray(group_numbers([item.answer for item in items]), dtype=int)

        self.size, self.n = len(categories), int(shared.sum())
        self.pairs = int((given * (given - 1)).sum()) // 2
        self.equal = len(set(given[shared].tolist())) == 1
        self.answers, self.count = answers[shared], len(set(answers[shared].tolist()))
        self.agreeing = (alike / pairs)[shared]
        alone = [shared, alike / pairs, (given**2 - (counts**2).sum(axis=1)) / np.maximum(given - 1, 1), given > 0]
        columns = [np.stack(alone, axis=1), counts * shared[:, None], counts / any_label[:, None]]
        self.sums = by_answer(np.concatenate(columns, axis=1).astype(float), answers)

    @cached_property
    def drawn(self) -> "np.ndarray":
        """The sums of answers drawn again: (draws, columns)."""
        return draws(self.sums)

    @cached_property
    def deff(self) -> float:
        """The design effect of the share of agreeing pairs."""
        return design_effect(self.agreeing, self.answers)

    def coefficient(self, kind: str, confidence: float) -> Estimate:
        """alpha, ac1 or fleiss with its interval."""
        each = tail(confidence)
        if not self.n:
            return undefined("no_shared_items", 0, confidence)
        if kind == "fleiss" and not self.equal:
            return undefined("unequal_raters", self.n, confidence)
        share, expected = (float(part[0]) for part in self._parts(self.sums.sum(axis=0, keepdims=True), kind))
        if 1 - expected < 1e-12:
            return undefined("one_label", self.n, confidence)
        value = (share - expected) / (1 - expected)
        if self.count < 2:
            return Estimate(value, None, None, self.n, confidence, "one_answer")
        if self.n < FEW_ITEMS:
            return Estimate(value, None, None, self.n, confidence, "few_items")
        low, high = floor(float(self.agreeing.mean()), expected, self.n, self.count, deff=self.deff, tail=each)
        other = percentiles(self._coefficients(self.drawn, kind), self.count, each)
        if other is not None:
            low, high = min(low, other[0]), max(high, other[1])
        return Estimate(value, max(-1.0, min(value, low)), min(1.0, max(value, high)), self.n, confidence)

    def _coefficients(self, sums: "np.ndarray", kind: str) -> "np.ndarray":
        import numpy as np

        share, expected = self._parts(sums, kind)
        with np.errstate(invalid="ignore"):
            values: np.ndarray = (share - expected) / np.where(1 - expected < 1e-12, np.nan, 1 - expected)
        return values

    def _parts(self, sums: "np.ndarray", kind: str) -> "tuple[np.ndarray, np.ndarray]":
        """(observed, by chance) for rows of sums. nan where a draw holds no item with a pair.

        alpha: 1 - observed is the mean disagreement of a label with the others on its item, 1 - chance that of two
        labels drawn without replacement from all that have a partner (Krippendorff 2011). Fleiss 1971: chance from
        the same labels, with replacement. AC1: chance from all labels, those without a partner too, each item
        counting once (Gwet 2008, 2014).
        """
        import numpy as np

        items, alike, unlike, rated = sums.T[:4]
        labels, mean_shares = sums[:, 4 : 4 + self.size], sums[:, 4 + self.size :]
        with np.errstate(divide="ignore", invalid="ignore"):
            total = labels.sum(axis=1)
            share = labels / total[:, None]
            if kind == "alpha":
                return 1 - unlike / total, 1 - (1 - (share**2).sum(axis=1)) * total / (total - 1)
            if kind == "fleiss":
                return alike / items, (share**2).sum(axis=1)
            each = mean_shares / rated[:, None]
            return alike / items, (each * (1 - each)).sum(axis=1) / (self.size - 1)


def _rates(items: Sequence[Item], categories: Sequence[Hashable]) -> tuple[RaterRates, ...]:
    said: dict[Hashable, list[Hashable]] = {}
    for item in items:
        for rater, label in item.labels.items():
            said.setdefault(rater, []).append(label)
    return tuple(
        RaterRates(rater, len(labels), tuple(labels.count(category) / len(labels) for category in categories))
        for rater, labels in said.items()
    )
