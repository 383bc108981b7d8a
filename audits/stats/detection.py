"""How well one judge finds hallucination, held against the experts: precision, recall, false alarms.

A claim is hallucinated when an expert calls it contradicted or unverified, and a judge that calls it so raises an
alarm. Reviewed claims over-represent disputes, so each of them stands for N_h / n_h claims of its stratum, as in
expert_agreement. Without the weights recall is flattered: what all judges miss lies in the stratum of which least is
reviewed (verification bias: Begg & Greenes 1983).
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from audits.labels import HALLUCINATED
from audits.stats.audited import DISPUTED, SUPPORTED_STRATA
from audits.stats.estimate import Estimate, tail, undefined
from audits.stats.expert_agreement import ReviewedClaim
from audits.stats.hypergeometric import share_limits

HIT, FALSE, MISS, PASS = range(4)
Counts = tuple[float, float, float, float]  # claims with an alarm: hallucinated, not so; claims without: likewise


@dataclass(frozen=True)
class Detection:
    """n: reviewed claims that the judge labelled; excluded: reviewed ones that it left without a label.

    precision: of the claims with an alarm, the share that is hallucinated. recall: of the hallucinated claims, the
    share with an alarm. false_alarms: of the claims that hold, the share with an alarm.
    Undefined: "no_shared_items", "stratum_not_checked", "no_alarms" (precision), "none_hallucinated" (recall: the
    experts found none), "none_supported" (false alarms).
    """

    n: int
    excluded: int
    precision: Estimate
    recall: Estimate
    false_alarms: Estimate


def detection(rows: Sequence[ReviewedClaim], sizes: Mapping[str, int], confidence: float = 0.95) -> Detection:
    """Precision, recall and false alarms of one judge over all claims counted in `sizes`.

    rows: reviewed claims. sizes: claims of every stratum. For a subset (a language, a tag, short claims) both are
    those of the subset. Of agreed strata the rows are a random draw, and the judge said the same of all their claims
    if it did so of all rows. Of the disputed stratum they come in an order that is not random, so until all of it is
    reviewed the open claims may be anything: the limits allow for the worst.

    Where a stratum with claims has no reviewed one, nothing says what lies in it, and the figures that depend on it
    are undefined; precision does not depend on the claims that all judges called supported.
    Limits: MOVER-exact (Zou, Huang & Zhang 2009) on the ratio: the alarms among a stratum's claims, the hallucinated
    ones among those with and among those without alarm each go to their exact limit, the moves are added in
    quadrature. They hold for these claims, not for the traffic. ValueError for a row whose stratum has no size.
    """
    if strays := {row.stratum for row in rows} - set(sizes):
        raise ValueError(f"reviewed claims of strata without a size: {', '.join(sorted(strays))}")
    strata = [_Stratum.of(name, size, [row for row in rows if row.stratum == name]) for name, size in sizes.items()]
    strata = [stratum for stratum in strata if stratum.claims]
    n = sum(row.judge is not None for row in rows)
    alarming = [stratum for stratum in strata if stratum.reviewed or stratum.name not in SUPPORTED_STRATA]
    return Detection(
        n=n,
        excluded=len(rows) - n,
        precision=_share(alarming, HIT, FALSE, empty="no_alarms", n=n, confidence=confidence),
        recall=_share(strata, HIT, MISS, empty="none_hallucinated", n=n, confidence=confidence),
        false_alarms=_share(strata, FALSE, PASS, empty="none_supported", n=n, confidence=confidence),
    )


@dataclass(frozen=True)
class _Stratum:
    """claims: all of the stratum; reviewed: of these; seen: reviewed ones that the judge labelled, as Counts."""

    name: str
    claims: int
    reviewed: int
    seen: Counts

    @classmethod
    def of(cls, name: str, size: int, rows: Sequence[ReviewedClaim]) -> "_Stratum":
        seen = [0.0] * 4
        for row in rows:
            if row.judge is not None:
                seen[2 * (row.judge not in HALLUCINATED) + (row.expert not in HALLUCINATED)] += 1
        return cls(name, max(size, len(rows)), len(rows), (seen[0], seen[1], seen[2], seen[3]))

    @property
    def open(self) -> float:
        """Claims of which nothing is known, since what is reviewed is no random draw."""
        return float(self.claims - self.reviewed) if self.name == DISPUTED else 0.0

    def counts(self, **shares: float) -> Counts:
        """All its claims as Counts, as the reviewed ones are; `shares` put others in place of those seen.

        alarms: of the claims that the judge labelled. hits: hallucinated among those with an alarm; misses: among
        those without.
        """
        hit, false, miss, right = self.seen
        labelled = self.claims * sum(self.seen) / self.reviewed
        alarms = labelled * shares.get("alarms", (hit + false) / max(sum(self.seen), 1))
        hits = shares.get("hits", hit / max(hit + false, 1))
        misses = shares.get("misses", miss / max(miss + right, 1))
        silent = labelled - alarms
        return (alarms * hits, alarms * (1 - hits), silent * misses, silent * (1 - misses))

    def with_open(self, kind: int) -> Counts:
        """What was seen, and all open claims of one kind."""
        counts = [count + (self.open if number == kind else 0.0) for number, count in enumerate(self.seen)]
        return (counts[0], counts[1], counts[2], counts[3])

    def moves(self, tail: float) -> Iterator[Counts]:
        """Its claims with one of the shares at one of its exact limits: nothing when the reviewed are no draw."""
        if self.open or self.reviewed >= self.claims:
            return
        hit, false, miss, right = (round(count) for count in self.seen)
        counts = self.counts()
        parts = {
            "alarms": (hit + false, hit + false + miss + right, counts) if hit + false and miss + right else None,
            "hits": (hit, hit + false, counts[:2]),
            "misses": (miss, miss + right, counts[2:]),
        }
        for name, part in parts.items():
            if part and part[1]:
                for limit in share_limits(part[0], part[1], max(part[1], round(sum(part[2]))), tail):
                    yield self.counts(**{name: limit})


def _share(strata: Sequence[_Stratum], kind: int, rest: int, *, empty: str, n: int, confidence: float) -> Estimate:
    """Counts of `kind` among those of `kind` and `rest`, over all strata."""
    if not n:
        return undefined("no_shared_items", 0, confidence)
    if not all(stratum.reviewed for stratum in strata):
        return undefined("stratum_not_checked", n, confidence)
    each = [stratum.counts() for stratum in strata]
    value = _ratio(each, kind, rest)
    if value is None:
        return undefined(empty, n, confidence)
    down = up = certain_down = certain_up = 0.0
    for number, stratum in enumerate(strata):

        def step(moved: Counts, number: int = number) -> float:
            other = _ratio([*each[:number], moved, *each[number + 1 :]], kind, rest)
            return 0.0 if other is None else other - value

        for moved in stratum.moves(tail(confidence)):
            by = step(moved)
            down, up = (math.hypot(down, by), up) if by < 0 else (down, math.hypot(up, by))
        if stratum.open:
            certain_down += min(0.0, step(stratum.with_open(rest)))
            certain_up += max(0.0, step(stratum.with_open(kind)))
    return Estimate(value, max(0.0, value - down + certain_down), min(1.0, value + up + certain_up), n, confidence)


def _ratio(counts: Sequence[Counts], kind: int, rest: int) -> float | None:
    part, other = (math.fsum(each[k] for each in counts) for k in (kind, rest))
    return part / (part + other) if part + other > 1e-9 else None
