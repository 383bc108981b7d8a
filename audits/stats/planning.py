"""How many agreed claims the experts must look at, said before the audit."""

from collections.abc import Mapping

from audits.stats.audited import SUPPORTED_STRATA
from audits.stats.estimate import beyond

MINIMUM = 10  # of every stratum, or all of it
SUPPORTED_SHARE = 0.8  # of the spot check: within 0.15 points of the best share in most simulated audits
VAGUE_FACTOR = 3.0  # vague claims are drawn at this multiple of the rate of specific ones


def size_allowing_errors(
    limit: float, expected: float, confidence: float = 0.95, power: float = 0.8, largest: int = 20_000
) -> tuple[int, int] | None:
    """(draw, errors allowed): the smallest draw whose upper limit stays at `limit` with probability `power`.

    limit: the share that must be excluded; expected: the share that is believed. Binomial, exact.
    None when no draw up to `largest` does it (always so when expected >= limit).
    """
    from scipy.special import bdtr

    if not 0 < expected < limit < 1:
        return None
    allowed, size = 0, 1
    while size <= largest:
        low, high = size, max(size, 1)
        while bdtr(allowed, high, limit) > beyond(confidence):
            low, high = high + 1, high * 2
        while low < high:
            middle = (low + high) // 2
            if bdtr(allowed, middle, limit) <= beyond(confidence):
                high = middle
            else:
                low = middle + 1
        size = low
        if size <= largest and bdtr(allowed, size, expected) >= power:
            return size, allowed
        allowed += 1
        size = max(size, allowed + 1)
    return None


def spot_check_size(agreed: int, threshold: float, confidence: float = 0.95) -> int:
    """Default spot check for `agreed` claims on which the judges agree: how many of them experts should see.

    Sized to exclude half the threshold as the judges' shared error when a tenth of it is true (the other half is left
    to the claims that are really hallucinated and to the sampling of answers), with 80 % power: about 250 for a
    threshold of 5 %, 630 for 2 %, 1,260 for 1 %. Never more than there are.
    ValueError unless 0 < threshold < 1.
    """
    if not 0 < threshold < 1:
        raise ValueError(f"a threshold to plan for lies between 0 and 1, not {threshold}")
    wanted = size_allowing_errors(threshold / 2, threshold / 10, confidence)
    return min(agreed, wanted[0] if wanted else agreed)


def allocate(sizes: Mapping[str, int], total: int, already: Mapping[str, int] | None = None) -> dict[str, int]:
    """Share a spot check of `total` claims over agreed strata: name -> claims to draw.

    80 % to the supported strata (a vague claim counts three times), the rest to the others by size; at least 10, or
    all, of every stratum; never more than it has. Sums to min(total, all claims) unless `total` is too small for
    the minima, in which case these are filled in order of size. already: what an earlier look has drawn, part of the
    total and of the answer; it depends on sizes alone, never on labels.
    """
    total = min(total, sum(sizes.values()))
    draw = {name: (already or {}).get(name, 0) for name in sizes}
    for name in sorted(sizes, key=lambda name: (-sizes[name], name)):
        draw[name] += max(0, min(min(MINIMUM, sizes[name]) - draw[name], total - sum(draw.values())))
    weights = _weights(sizes)
    while (rest := total - sum(draw.values())) > 0:
        # Always to the stratum that is furthest behind its share: no rounding rule to explain.
        open_strata = [name for name in sizes if draw[name] < sizes[name]]
        name = min(open_strata, key=lambda name: ((draw[name] + 1) / weights[name], name))
        draw[name] += max(1, min(rest // (50 * len(sizes)), sizes[name] - draw[name]))
    return draw


def _weights(sizes: Mapping[str, int]) -> dict[str, float]:
    """Each stratum's wished share of the spot check, up to a common factor."""
    raw = {
        name: size * (VAGUE_FACTOR if name.endswith("_vague") else 1.0) if name in SUPPORTED_STRATA else float(size)
        for name, size in sizes.items()
    }
    groups = {name: name in SUPPORTED_STRATA for name in sizes}
    totals = {side: sum(raw[name] for name in sizes if groups[name] is side) for side in (True, False)}
    part = {True: SUPPORTED_SHARE, False: 1 - SUPPORTED_SHARE}
    return {name: part[groups[name]] * raw[name] / totals[groups[name]] for name in sizes if sizes[name]}
