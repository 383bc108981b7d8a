"""How likely an audit is to pass, said before it is run: for planning, never for deciding.

The audit is reckoned through with expected piles instead of claims. What chance decides is how many hallucinated
claims the answers happen to hold (QUANTILES equally likely numbers of them; for the traffic overdispersed by the
design effect) and how many of the judges' shared misses the spot check meets (hypergeometric, exact). The other piles
stand at what is expected of them, so a plan tends to be slightly too hopeful: statistics texts add a quarter.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from audits.stats.audited import Stratum, dataset_limits, traffic_limits
from audits.stats.estimate import ICC_FLOOR, MIN_ANSWERS, beyond
from audits.stats.planning import allocate

QUANTILES = 21
GOOD_CHANCE = 0.8
SIZES = (
    30,
    40,
    60,
    80,
    100,
    125,
    150,
    200,
    250,
    300,
    400,
    500,
    650,
    800,
    1000,
    1250,
    1600,
    2000,
    2500,
    3200,
    4000,
    5000,
)
ANSWERS = (30, 50, 75, 100, 150, 200, 300, 400, 500, 750, 1000, 1500, 2000, 3000, 5000, 7500, 10_000, 20_000, 50_000)
SECONDS_PER_LABEL = 70  # reading a claim and its passages, for somebody who knows the field


@dataclass(frozen=True)
class Judging:
    """What the two judges are believed to do, as shares. missed: of hallucinated claims, both call them supported;
    disputed: of hallucinated claims, they differ; alarmed, unsure: the same of supported claims (both call them
    hallucinated; they differ)."""

    missed: float = 0.10
    disputed: float = 0.15
    alarmed: float = 0.015
    unsure: float = 0.035


USUAL = Judging()


@dataclass(frozen=True)
class Setup:
    """An audit to be planned. threshold, confidence: fractions of 1. scope: "dataset" or "traffic"."""

    threshold: float
    scope: str
    confidence: float
    answers: int
    claims_per_answer: float
    looks: int = 1
    judging: Judging = field(default_factory=Judging)

    @property
    def claims(self) -> int:
        """Expected claims."""
        return max(1, round(self.answers * self.claims_per_answer))

    @property
    def deff(self) -> float:
        """The design effect that the decision will at least reckon with; claims per answer taken as 1 + Poisson."""
        mean = self.claims_per_answer
        return max(1.0, 1 + ICC_FLOOR * (mean + (mean - 1) / mean - 1)) if mean >= 1 else 1.0


def chance_to_pass(setup: Setup, rate: float, spot_check: int) -> float:
    """The probability of PASS if this is the true rate. 0 where nothing can pass: no spot check, too few answers.

    ValueError for a rate outside 0..1 or a spot check below 0.
    """
    if not 0 <= rate <= 1 or spot_check < 0:
        raise ValueError(f"no rate and spot check to plan with: {rate}, {spot_check}")
    if not spot_check or (setup.scope == "traffic" and setup.answers < MIN_ANSWERS):
        return 0.0
    return _chance(setup, rate, min(spot_check, setup.claims))


@lru_cache(maxsize=4096)
def _chance(setup: Setup, rate: float, spot_check: int) -> float:
    found = [_passes(setup, hallucinated, spot_check) for hallucinated in _hallucinated(setup, rate)]
    return math.fsum(found) / len(found)


def _hallucinated(setup: Setup, rate: float) -> Sequence[int]:
    """Equally likely numbers of hallucinated claims among those of the answers."""
    from scipy.stats import binom

    if setup.scope == "dataset":
        return [round(rate * setup.claims)]
    effective = max(1, round(setup.claims / setup.deff))
    middles = [(number + 0.5) / QUANTILES for number in range(QUANTILES)]
    return [min(setup.claims, round(float(binom.ppf(q, effective, rate)) * setup.deff)) for q in middles]


def _passes(setup: Setup, hallucinated: int, spot_check: int) -> float:
    """The probability that the spot check leaves the upper limit at or below the threshold."""
    from scipy.stats import hypergeom

    piles = _piles(setup.judging, hallucinated, setup.claims - hallucinated)
    wanted = allocate({name: size for name, (size, _) in piles.items() if size and name != "disputed"}, spot_check)
    supported, missed = piles["supported"]
    drawn = wanted.get("supported", 0)
    if not supported:
        return float(_high(setup, piles, wanted, 0) <= setup.threshold)
    most = min(drawn, missed)
    if _high(setup, piles, wanted, 0) > setup.threshold:
        return 0.0
    allowed = _last(lambda seen: _high(setup, piles, wanted, seen) <= setup.threshold, most)
    return float(hypergeom.cdf(allowed, supported, missed, drawn))


def _last(holds: Callable[[int], bool], most: int) -> int:
    """The largest number up to `most` for which it holds; it holds for 0, and not again once it does not."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low


def _piles(judging: Judging, hallucinated: int, supported: int) -> dict[str, tuple[int, int]]:
    """Stratum -> (claims, hallucinated among them), as expected."""
    missed, split = round(judging.missed * hallucinated), round(judging.disputed * hallucinated)
    caught = hallucinated - missed - split
    alarmed, unsure = round(judging.alarmed * supported), round(judging.unsure * supported)
    quarter, quarter_caught = alarmed // 4, caught // 4
    return {
        "supported": (supported - alarmed - unsure + missed, missed),
        "contradicted": (quarter + quarter_caught, quarter_caught),
        "unverified": (alarmed - quarter + caught - quarter_caught, caught - quarter_caught),
        "disputed": (split + unsure, split),
    }


def _high(setup: Setup, piles: Mapping[str, tuple[int, int]], wanted: Mapping[str, int], misses: int) -> float:
    """The upper limit that the decision would use, with `misses` found in the supported pile."""
    strata = []
    for name, (size, wrong) in piles.items():
        if not size:
            continue
        drawn = size if name == "disputed" else wanted.get(name, 0)
        found = misses if name == "supported" else min(drawn, round(drawn * wrong / size))
        presumed = 0.0 if name == "supported" else 1.0
        strata.append(Stratum(name, size, drawn, found, presumed=presumed, drawn=name != "disputed"))
    level = beyond(setup.confidence) / setup.looks
    if setup.scope == "dataset":
        return dataset_limits(strata, level)[1]
    return traffic_limits(strata, setup.answers, setup.deff, level)[1]


@dataclass(frozen=True)
class Plan:
    """What is needed for a good chance to pass at the expected rate.

    spot_check: claims that experts see; None when even all of them are not enough. answers: how many would be needed
    instead, None when the ones there are do, or when no number up to the largest does. chance: of the spot check
    named (or of all claims). labels: of experts, disputed claims and second labels included. hours: their time.
    """

    spot_check: int | None
    answers: int | None
    chance: float
    labels: int
    hours: float


def plan(setup: Setup, expected: float, *, doubles: float = 0.0, good: float = GOOD_CHANCE) -> Plan:
    """Size an audit for the rate that is expected. doubles: share of claims that two experts label."""
    size = _smallest(
        [n for n in SIZES if n < setup.claims] + [setup.claims], lambda n: chance_to_pass(setup, expected, n) >= good
    )
    answers = None
    if size is None:
        answers = _smallest(
            [n for n in ANSWERS if n > setup.answers],
            lambda n: chance_to_pass(_with_answers(setup, n), expected, _with_answers(setup, n).claims) >= good,
        )
    seen = size or setup.claims
    labels = labels_for(setup, expected, seen, doubles)
    return Plan(size, answers, chance_to_pass(setup, expected, seen), labels, labels * SECONDS_PER_LABEL / 3600)


def labels_for(setup: Setup, rate: float, spot_check: int, doubles: float = 0.0) -> int:
    """Labels that experts are expected to give at this true rate: the spot check, which is drawn from agreed claims
    alone, every disputed claim, and second labels (doubles: the share of both that two experts label)."""
    disputed = _disputed(setup, rate)
    seen = min(spot_check, setup.claims - disputed) + disputed
    return math.ceil(round(seen * (1 + doubles), 6))  # 110.00000000000001 is 110


def _with_answers(setup: Setup, answers: int) -> Setup:
    return Setup(
        setup.threshold, setup.scope, setup.confidence, answers, setup.claims_per_answer, setup.looks, setup.judging
    )


def _disputed(setup: Setup, rate: float) -> int:
    hallucinated = round(rate * setup.claims)
    return _piles(setup.judging, hallucinated, setup.claims - hallucinated)["disputed"][0]


def _smallest(ladder: Sequence[int], enough: Callable[[int], bool]) -> int | None:
    """The first rung that is enough, more never being less; None when no rung is."""
    low, high = 0, len(ladder)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(ladder[middle]) else (middle + 1, high)
    return ladder[low] if low < len(ladder) else None
