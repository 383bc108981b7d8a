"""How often a judge calls supported what was made false on purpose."""

from collections.abc import Hashable, Sequence

from audits.stats.clustered import design_effect
from audits.stats.estimate import Estimate, tail, undefined
from audits.stats.proportions import clopper_pearson


def fooled_share(supported: Sequence[bool], answers: Sequence[Hashable], confidence: float = 0.95) -> Estimate:
    """The share of planted claims called supported. 59 without a miss show a share below 5 % (one-sided).

    Clopper & Pearson 1934 at n / design effect, which is n where every answer gave one claim. Undefined
    ("no_planted") without any.
    """
    n, fooled = len(supported), sum(supported)
    if not n:
        return undefined("no_planted", 0, confidence)
    deff = design_effect([float(value) for value in supported], answers) if len(set(answers)) < n else 1.0
    low, high = clopper_pearson(fooled / deff, n / deff, tail(confidence))
    return Estimate(fooled / n, low, high, n, confidence)
