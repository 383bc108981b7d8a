"""How often a judge changes its label when it is asked again about the same claim.

Estimated is the chance that this judge, asked once more about a claim of these answers that it has labelled, gives
another label. The noise of a single label follows from it: a label differs from the one that the judge gives most
often to its claim in at most `rate` and at least `rate / 2` of cases, as long as its answers are independent of each
other. The rate says nothing of accuracy: a judge can be wrong and stay with it. With the contexts in another order
it holds this noise and the effect of the order, so only what exceeds the rate of plain repeats is the order's.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from audits.labels import Label
from audits.stats.agreement import LABELS, Table
from audits.stats.clustered import clustered_share
from audits.stats.estimate import Estimate


@dataclass(frozen=True)
class Flips:
    """n: claims labelled both times. unscored: those without a label the second time; they are in no rate.

    table: rows the first label, columns the second, in the order of LABELS; counts. rate: flips / n; undefined
    ("not_judged_again") without any.
    """

    n: int
    unscored: int
    table: Table
    rate: Estimate

    @property
    def flips(self) -> int:
        """Claims with another label the second time."""
        return self.n - int(sum(row[k] for k, row in enumerate(self.table)))

    @property
    def changes(self) -> dict[tuple[Label, Label], int]:
        """(first label, second label) -> claims, of those that differ and occur."""
        cells = ((a, b, int(self.table[i][k])) for i, a in enumerate(LABELS) for k, b in enumerate(LABELS))
        return {(a, b): count for a, b, count in cells if a is not b and count}


def flips(rows: Sequence[tuple[object, Label, Label | None]], *, confidence: float = 0.95) -> Flips:
    """rows: (answer id, first label, second label or None), one for each claim that was judged again.

    Interval: Korn-Graubard at an effective sample size, since claims of one answer flip together (they share their
    contexts), with an assumed correlation of at least 0.2. It is no narrower where all claims were judged again: the
    next time others would flip.
    """
    both = [(answer, first, second) for answer, first, second in rows if second is not None]
    pairs = Counter((first, second) for _, first, second in both)
    changed = [float(first is not second) for _, first, second in both]
    answers = [answer for answer, _, _ in both]
    return Flips(
        n=len(both),
        unscored=len(rows) - len(both),
        table=tuple(tuple(float(pairs[first, second]) for second in LABELS) for first in LABELS),
        rate=clustered_share(changed, answers, confidence, empty="not_judged_again"),
    )
