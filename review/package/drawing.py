"""All looks of a spot check drawn once more. Pure."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from review.spotcheck import Place, draw, draw_more


def drawn_places(
    strata: Mapping[str, Sequence[int]], draws: Sequence[Mapping[str, int]], seed: int, double_percent: int
) -> list[Place]:
    """What all looks drew. draws: look by look, claims of each agreed stratum drawn by then."""
    places = draw(strata, draws[0], seed, double_percent)
    for look, (before, after) in enumerate(pairwise(draws), start=2):
        places += draw_more(strata, before, after, seed, look, double_percent)
    return places
