"""How large an effect must be to be seen: with a chance of 80 %, by a two-sided test at 5 %.

Planning formulas and their inverses. A number of claims is one of independent claims that count alike: divide the
real one by the design effect of answers and by the inflation that weights bring.
"""

import math
from collections.abc import Callable

ALPHA = 0.05
POWER = 0.8


def _quantiles(alpha: float, power: float) -> tuple[float, float]:
    from scipy.special import ndtri

    return -float(ndtri(alpha / 2)), float(ndtri(power))


def claims_for_slope(
    error_share: float, odds_ratio: float, *, r2: float = 0.0, alpha: float = ALPHA, power: float = POWER
) -> float:
    """Claims that show a logistic slope per standard deviation. Hsieh, Bloch & Larsen 1998, formula 1.

    error_share: of claims at the mean. r2: of the column with the other columns.
    """
    z = sum(_quantiles(alpha, power))
    return z**2 / (error_share * (1 - error_share) * math.log(odds_ratio) ** 2) / (1 - r2)


def slope_seen(error_share: float, claims: float, *, r2: float = 0.0) -> float | None:
    """The smallest log odds ratio per standard deviation that so many claims show; None where none would."""
    if not 0 < error_share < 1 or claims <= 0 or r2 >= 1:
        return None
    return sum(_quantiles(ALPHA, POWER)) / math.sqrt(claims * error_share * (1 - error_share) * (1 - r2))


def claims_for_shift(discordant: float, shift: float, *, alpha: float = ALPHA, power: float = POWER) -> float:
    """Pairs that show a net shift of a share by McNemar's test. Connor 1987. discordant: share that differ."""
    a, b = _quantiles(alpha, power)
    return (a * math.sqrt(discordant) + b * math.sqrt(discordant - shift**2)) ** 2 / shift**2


def shift_seen(discordant: float, claims: float) -> float | None:
    """The smallest net shift that so many pairs show; None where even one in which all discordant pairs go the same
    way would be missed."""
    return _smallest(lambda shift: claims_for_shift(discordant, shift) <= claims, discordant)


def claims_for_difference(first: float, second: float, *, alpha: float = ALPHA, power: float = POWER) -> float:
    """Claims in each of two groups that show the difference of two shares. Fleiss, Levin & Paik 2003, formula 4.14
    without correction for continuity."""
    a, b = _quantiles(alpha, power)
    mean = (first + second) / 2
    spread = a * math.sqrt(2 * mean * (1 - mean)) + b * math.sqrt(first * (1 - first) + second * (1 - second))
    return spread**2 / (first - second) ** 2


def difference_seen(base: float, claims: float, others: float) -> float | None:
    """The smallest distance of another share from `base` that groups of these sizes show; None where none would.

    The harmonic mean of the sizes stands for both. Upwards where there is room, else downwards.
    """
    if claims <= 0 or others <= 0:
        return None
    size = 2 / (1 / claims + 1 / others)
    up = _smallest(lambda by: claims_for_difference(base, base + by) <= size, 1 - base)
    down = _smallest(lambda by: claims_for_difference(base, base - by) <= size, base)
    return up if up is not None else down


def gap_seen(discordant: float, claims: float, other_discordant: float, others: float) -> float | None:
    """The smallest difference in differences: (z + z) sqrt(psi / n + psi' / n'), psi the share of claims on which two
    judges differ. None where it would exceed 2, which no such difference does."""
    if claims <= 0 or others <= 0:
        return None
    found = sum(_quantiles(ALPHA, POWER)) * math.sqrt(discordant / claims + other_discordant / others)
    return found if found <= 2 else None


def _smallest(enough: Callable[[float], bool], most: float) -> float | None:
    """Where `enough` begins to hold, between 0 and `most`."""
    if most <= 0 or not enough(most):
        return None
    low, high = 0.0, most
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
