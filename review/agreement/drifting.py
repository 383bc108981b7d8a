"""Whether agreement changes while the experts work."""

import datetime

from audits.labels import Label
from audits.stats.drift import Drift, drift
from review.agreement import Material
from review.models import Stratum

AGREED = {
    Stratum.SUPPORTED: Label.SUPPORTED,
    Stratum.SUPPORTED_VAGUE: Label.SUPPORTED,
    Stratum.CONTRADICTED: Label.CONTRADICTED,
    Stratum.UNVERIFIED: Label.UNVERIFIED,
}


def spot_check_drift(read: Material) -> Drift[datetime.datetime]:
    """The judges' common label and the experts', over the time of the experts' labels, on claims of the spot check.

    Disputed claims are left out: they come by weight, so that their order alone would look like a drift. Claims of
    the spot check come in random order, and on them all judges say the same.
    """
    rows = [
        (one.at, AGREED[Stratum(one.stratum)] == one.label, one.sample)
        for one in sorted(read.settled, key=lambda one: (one.at, one.claim))
        if one.drawn and one.stratum in AGREED
    ]
    return drift(rows, read.confidence)
