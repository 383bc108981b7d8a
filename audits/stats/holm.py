"""Several tests on one page: p values that stay honest together."""

from collections.abc import Sequence


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Adjusted p values, in the order given; None (not tested) stays None and counts for nothing. Holm 1979.

    The chance that any of the tests calls something that is not there stays below the level at which each adjusted
    value is held.
    """
    known = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, place) in enumerate(known):
        highest = max(highest, min(1.0, p * (len(known) - rank)))
        adjusted[place] = highest
    return adjusted
