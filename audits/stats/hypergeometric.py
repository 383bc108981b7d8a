"""Exact limits for the number of wrong units in a finite pile, from a draw without replacement."""

import math

from audits.stats.proportions import clopper_pearson


def at_most(seen: int, drawn: int, population: int, wrong: int) -> float:
    """P(X <= seen), X the wrong units among `drawn` of a `population` that holds `wrong` of them."""
    import numpy as np
    from scipy.special import gammaln

    first = max(0, drawn - (population - wrong))
    last = min(seen, wrong, drawn)
    if last < first:
        return 0.0
    k = np.arange(first, last + 1, dtype=float)

    def log_choose(of: float, take: "np.ndarray | float") -> "np.ndarray | float":
        # In logarithms, since the binomial coefficients of a pile of 50,000 overflow.
        result: np.ndarray | float = gammaln(of + 1) - gammaln(take + 1) - gammaln(of - take + 1)
        return result

    terms = log_choose(wrong, k) + log_choose(population - wrong, drawn - k) - log_choose(population, drawn)
    return min(1.0, math.fsum(np.exp(terms)))


def upper_count(seen: int, drawn: int, population: int, tail: float) -> int:
    """The largest number of wrong units that still gives P(X <= seen) > tail. The whole population if none was drawn.

    Exact one-sided limit; a probability equal to the tail within rounding counts as above it, so that the limit never
    hangs on the last digit. ValueError when seen <= drawn <= population does not hold.
    """
    if not 0 <= seen <= drawn <= population:
        raise ValueError(f"cannot see {seen} of {drawn} drawn from {population}")
    if drawn == 0:
        return population
    low, high = seen, population - (drawn - seen)  # fewer or more than these is impossible
    while low < high:  # P falls as the number of wrong units grows
        middle = (low + high + 1) // 2
        if at_most(seen, drawn, population, middle) > tail * (1 - 1e-9):
            low = middle
        else:
            high = middle - 1
    return low


def lower_count(seen: int, drawn: int, population: int, tail: float) -> int:
    """The smallest number of wrong units not excluded: the upper limit of the right ones, turned round."""
    return population - upper_count(drawn - seen, drawn, population, tail)


def share_limits(seen: int, drawn: int, population: int, tail: float) -> tuple[float, float]:
    """(low, high) of the share of wrong units, each exact at `tail`, and not inside Clopper-Pearson's.

    A hypergeometric limit sits on a whole unit and under-covers when several are added in quadrature. The share seen
    itself when all were drawn.
    """
    if drawn >= population:
        return (seen / drawn, seen / drawn) if drawn else (0.0, 1.0)
    low, high = clopper_pearson(seen, drawn, tail)
    return (
        min(lower_count(seen, drawn, population, tail) / population, low),
        max(upper_count(seen, drawn, population, tail) / population, high),
    )
