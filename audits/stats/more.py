"""How many more spot-checked claims would settle a decision, if they came out as those before: for planning only.

The shares that experts have found are taken for the truth and the strata reckoned through with more claims checked.
Chance may do better or worse, so the number is "about"; the decision itself never uses it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from audits.stats.audited import Stratum, dataset_limits, traffic_limits
from audits.stats.estimate import beyond
from audits.stats.planning import allocate

STEP = 1.1  # from one size that is tried to the next


@dataclass(frozen=True)
class More:
    """claims: more spot-checked ones, None when not even all that are left would do. decision: PASS or FAIL, "" when
    claims is None. left: agreed claims that no expert has seen."""

    claims: int | None
    decision: str
    left: int


def more_needed(
    strata: Sequence[Stratum],
    *,
    answers: int,
    deff: float,
    threshold: float,
    scope: str,
    confidence: float,
    looks: int = 1,
) -> More:
    """The smallest spot check, on a ladder, that would put a limit on the right side of the threshold.

    strata: as they are now, everything that was drawn being settled. confidence: of the whole rule; each of the
    looks has 1 - (1 - confidence) / looks. ValueError for an unknown scope or fewer than one look.
    """
    if scope not in ("dataset", "traffic") or looks < 1:
        raise ValueError(f"no rule to plan for: {scope}, {looks} looks")
    drawn = {s.name: s.checked + s.given_up for s in strata if s.drawn}
    sizes = {s.name: s.claims for s in strata if s.drawn}
    left = sum(sizes.values()) - sum(drawn.values())
    level = beyond(confidence) / looks

    def limits(expected: Sequence[Stratum]) -> tuple[float, float]:
        if scope == "dataset":
            return dataset_limits(expected, level)
        return traffic_limits(expected, answers, deff, level)

    for more in _ladder(left):
        wanted = allocate(sizes, sum(drawn.values()) + more, drawn)

        def grown(up: bool, wanted: Mapping[str, int] = wanted) -> list[Stratum]:
            return [_grown(s, wanted[s.name] - drawn[s.name], up) if s.drawn else s for s in strata]

        if limits(grown(True))[1] <= threshold:
            return More(more, "PASS", left)
        if limits(grown(False))[0] > threshold:
            return More(more, "FAIL", left)
    return More(None, "", left)


def _ladder(left: int) -> list[int]:
    """Sizes from 1 to all that is left, each a tenth larger than the one before."""
    rungs, size = [], 1
    while size < left:
        rungs.append(size)
        size = max(size + 1, math.ceil(size * STEP))
    return [*rungs, left] if left > 0 else []


def _grown(stratum: Stratum, more: int, up: bool) -> Stratum:
    """The stratum with so many more claims checked, of which the same share is hallucinated; rounded up or down."""
    found = (math.ceil if up else math.floor)(round(more * stratum.share, 9))
    return replace(stratum, checked=stratum.checked + more, hallucinated=stratum.hallucinated + found)
