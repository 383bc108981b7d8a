"""What a measure of bias is, on this page: its kind, its numbers, and what they come to."""

import math
from dataclasses import dataclass
from enum import StrEnum

from audits.stats.bias import Finding


class Kind(StrEnum):
    """What may sway a judge."""

    LENGTH = "length"  # log odds ratio per standard deviation; all others are differences of shares
    EXCESS = "excess"  # flips with the contexts in another order, beyond those of plain repeats
    EARLY = "early"  # supported more often when the file's first context comes early
    VAGUENESS = "vagueness"  # false support of vague claims, minus that of specific ones
    OWN = "own"  # two judges' gap in answers of one judge's own family, minus that in others
    GENERATORS = "generators"  # the same for two generators of which none is of a judge's family
    LENIENCY = "leniency"  # two judges' gap on hallucinated claims
    PLANTED = "planted"  # planted claims called supported: vague minus specific


class Standing(StrEnum):
    """What can be said."""

    TOLD = "told"  # below the level after adjusting
    SMALL = "small"  # not told, and the whole interval lies within the margin
    UNCLEAR = "unclear"  # not enough data to tell
    UNDEFINED = "undefined"  # the finding's estimate says why


# Effects that are worth acting on: smaller ones are called small. An odds ratio of 1.5; points of a share.
MARGINS = {
    Kind.LENGTH: math.log(1.5),
    Kind.EXCESS: 0.03,
    Kind.EARLY: 0.03,
    Kind.VAGUENESS: 0.15,
    Kind.OWN: 0.03,
    Kind.GENERATORS: 0.03,
    Kind.LENIENCY: 0.15,
    Kind.PLANTED: 0.15,
}


@dataclass(frozen=True)
class Measure:
    """adjusted: p after Holm over the page; None where nothing was tested. who: letter of the judge, or of two."""

    kind: Kind
    who: str
    finding: Finding
    adjusted: float | None = None
    standing: Standing = Standing.UNDEFINED
