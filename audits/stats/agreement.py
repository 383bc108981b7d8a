"""How far two raters agree, beyond one number: the table, the share, Cohen's kappa, Gwet's AC1, Krippendorff's alpha.

At 98 % agreement and few hallucinations kappa is 0.49 and AC1 0.98, so kappa never stands alone; and agreement of two
judges is not accuracy: errors that they share raise it.

Intervals, all clustered by answer. Percent: Korn-Graubard, exact limits at the effective size. kappa and AC1: their
influence values with t (closed forms). alpha: answers drawn again 2,000 times. No coefficient's interval is narrower
than the observed share allows at fixed agreement by chance: with next to no disagreement both roads shrink to
nothing. With under 30 items only percent has limits. Measured in 72 simulated worlds (8 to 400 answers of some five
claims, correlation within answers 0 and 0.2), a nominal 95 % covers 96 to 100 % (specific agreement, in per_label, 94
to 100 %), few answers included: only a single answer is refused.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from audits.labels import Label
from audits.stats.clustered import cluster_variance, clustered_share, design_effect
from audits.stats.coefficients import chance, coefficient, coefficients, influence
from audits.stats.estimate import Estimate, group_numbers, tail, undefined
from audits.stats.resampling import FEW_ITEMS, draws, floor, percentiles

if TYPE_CHECKING:
    import numpy as np

LABELS = (Label.SUPPORTED, Label.CONTRADICTED, Label.UNVERIFIED)
INDEX = {label: number for number, label in enumerate(LABELS)}
Table = tuple[tuple[float, ...], ...]
Pairs = Sequence[tuple[object, Label | None, Label | None]]  # answer id, the label of either rater


@dataclass(frozen=True)
class Agreement:
    """n: items both labelled. excluded: items that one of them left without a label.

    table: rows the first rater, columns the second, in the order of LABELS; counts, or shares when weighted.
    Undefined coefficients carry a reason: "no_shared_items", "one_label" (both used one and the same),
    "stratum_not_checked". A value without limits says why: "few_items" (under 30), "one_answer".
    note: "constant_rater" when one rater used a single label: kappa is 0 then by arithmetic.
    """

    n: int
    excluded: int
    table: Table
    percent: Estimate
    kappa: Estimate
    ac1: Estimate
    alpha: Estimate
    note: str = ""

    @property
    def rates(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Base rates: the share of each label, in the order of LABELS, with the first and with the second rater.

        Zeros without items. Where one label is nearly all there is, kappa and alpha are low however well raters
        agree (the prevalence paradox of Feinstein & Cicchetti 1990): the rates stand beside them to say so.
        """
        total = math.fsum(map(math.fsum, self.table)) or 1.0
        rows = tuple(math.fsum(row) / total for row in self.table)
        return rows, tuple(math.fsum(column) / total for column in zip(*self.table, strict=True))


def agreement(pairs: Pairs, *, confidence: float = 0.95) -> Agreement:
    """Agreement of two raters over (answer id, first label, second label); None: a rater gave no usable label."""
    shared = Shared.of(pairs)
    table = shared.table.tolist()
    return Agreement(
        n=shared.n,
        excluded=len(pairs) - shared.n,
        table=tuple(tuple(row) for row in table),
        percent=shared.percent(confidence),
        kappa=shared.coefficient("kappa", confidence),
        ac1=shared.coefficient("ac1", confidence),
        alpha=shared.coefficient("alpha", confidence),
        note=constant_rater(table),
    )


def constant_rater(table: Sequence[Sequence[float]]) -> str:
    """ "constant_rater" when exactly one of the two used a single label, else ""."""
    rows = sum(any(row) for row in table)
    columns = sum(any(row[k] for row in table) for k in range(len(table)))
    return "constant_rater" if (rows == 1) != (columns == 1) else ""


class Shared:
    """The items that two raters both labelled: label numbers of the first and of the second, answers numbered from 0.

    size: how many labels exist: three, or two when one of them is held against the rest.
    """

    def __init__(self, first: "np.ndarray", second: "np.ndarray", answers: "np.ndarray", size: int) -> None:
        import numpy as np

        self.first, self.second, self.answers, self.size = first, second, answers, size
        self.n, self.count = len(first), int(answers.max()) + 1 if len(answers) else 0
        self.cells = first * size + second
        self.table: np.ndarray = np.bincount(self.cells, minlength=size**2).reshape(size, size).astype(float)
        self.same = (first == second).astype(float)

    @classmethod
    def of(cls, pairs: Pairs) -> "Shared":
        """Those of the pairs that hold two labels."""
        import numpy as np

        both = [(answer, INDEX[a], INDEX[b]) for answer, a, b in pairs if a is not None and b is not None]
        answers = group_numbers([answer for answer, _, _ in both])
        columns = ([a for _, a, _ in both], [b for _, _, b in both], answers)
        first, second, numbers = (np.asarray(column, dtype=int) for column in columns)
        return cls(first, second, numbers, len(LABELS))

    def against_rest(self, label: Label) -> "Shared":
        """The same items, and the same draws of answers, with two labels: this one (0) and any other (1)."""
        import numpy as np

        fold = np.array([[float(k == label), float(k != label)] for k in LABELS])
        number = INDEX[label]
        one = Shared((self.first != number).astype(int), (self.second != number).astype(int), self.answers, 2)
        if self.n:
            one.drawn = np.einsum("dab,ax,by->dxy", self.drawn, fold, fold)
        return one

    @cached_property
    def drawn(self) -> "np.ndarray":
        """Tables of answers drawn again: (draws, size, size)."""
        import numpy as np

        cells = self.size**2
        sums = np.bincount(self.answers * cells + self.cells, minlength=self.count * cells).reshape(-1, cells)
        return draws(sums.astype(float)).reshape(-1, self.size, self.size)

    @cached_property
    def deff(self) -> float:
        """The design effect of the share on which both agree."""
        return design_effect(self.same, self.answers)

    def percent(self, confidence: float) -> Estimate:
        """Share of items on which both agree."""
        return clustered_share(self.same, self.answers, confidence, empty="no_shared_items")

    def coefficient(self, kind: str, confidence: float) -> Estimate:
        """kappa, ac1 or alpha, with the interval that the head of this file names."""
        each = tail(confidence)
        if not self.n:
            return undefined("no_shared_items", 0, confidence)
        value = coefficient(self.table, kind)
        if value is None:
            return undefined("one_label", self.n, confidence)
        if self.count < 2:
            return Estimate(value, None, None, self.n, confidence, "one_answer")
        if self.n < FEW_ITEMS:
            return Estimate(value, None, None, self.n, confidence, "few_items")
        low, high = floor(
            float(self.same.mean()), chance(self.table, kind), self.n, self.count, deff=self.deff, tail=each
        )
        other = self._resampled(kind, each) if kind == "alpha" else self._linearised(value, kind, each)
        if other is not None:
            low, high = min(low, other[0]), max(high, other[1])
        return Estimate(value, max(-1.0, min(value, low)), min(1.0, max(value, high)), self.n, confidence)

    def _linearised(self, value: float, kind: str, tail: float) -> tuple[float, float]:
        import numpy as np
        from scipy.special import stdtrit

        effect = np.asarray(influence(self.table, kind)).ravel()[self.cells]
        variance = cluster_variance(effect, self.answers) or 0.0
        reach = float(stdtrit(self.count - 1, 1 - tail)) * math.sqrt(variance)
        return value - reach, value + reach

    def _resampled(self, kind: str, tail: float) -> tuple[float, float] | None:
        return percentiles(coefficients(self.drawn, kind), self.count, tail)
