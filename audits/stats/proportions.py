"""Limits for a share x / n of independent units."""

import math

from audits.stats.estimate import Estimate, tail, undefined


def wilson(x: float, n: float, tail: float) -> tuple[float, float]:
    """(low, high) with probability `tail` beyond each; (0, 1) when n is 0. Wilson 1927, score interval."""
    from scipy.special import ndtri

    if n <= 0:
        return 0.0, 1.0
    z = -float(ndtri(tail))
    share, z2n = x / n, z * z / n
    middle = share + z2n / 2
    reach = z * math.sqrt(share * (1 - share) / n + z2n / (4 * n))
    low = 0.0 if x <= 0 else max(0.0, (middle - reach) / (1 + z2n))
    high = 1.0 if x >= n else min(1.0, (middle + reach) / (1 + z2n))
    return low, high


def clopper_pearson(x: float, n: float, tail: float) -> tuple[float, float]:
    """(low, high), each an exact one-sided limit at `tail`; (0, 1) when n is 0. Clopper & Pearson 1934.

    x and n may be fractions: an effective sample size is one. A share within 1e-12 of 0 or 1 counts as such.
    """
    from scipy.special import betaincinv

    if n <= 0:
        return 0.0, 1.0
    low = 0.0 if x <= 1e-12 else float(betaincinv(x, n - x + 1, tail))
    high = 1.0 if n - x <= 1e-12 else float(betaincinv(x + 1, n - x, 1 - tail))
    return low, high


def wilson_estimate(x: int, n: int, confidence: float = 0.95) -> Estimate:
    """x / n with its Wilson interval, for units that are independent (answers refused among answers)."""
    if n <= 0:
        return undefined("nothing_counted", 0, confidence)
    low, high = wilson(x, n, tail(confidence))
    return Estimate(x / n, low, high, n, confidence)
