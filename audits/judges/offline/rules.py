"""rules-1, a symbolic judge: how much of the claim the best passages hold, and what in them excludes it."""

from audits.judges.offline.finding import Finding, filled
from audits.judges.offline.reading import Reading
from audits.labels import Label
from audits.text.polarity import opposites

MODEL = "rules-1"
# The first is fitted by bench/offline_fit.py, the others are set by hand: free sets hold too few contradictions.
SUPPORTED_FROM = 0.385
NAME_PENALTY = 0.1  # a capitalised word that no context holds, against a mean of three shares
SAME_MATTER = 0.3  # the best passage is about the same thing: another number of that unit or an opposite decides
SAME_STATEMENT = 0.4  # clauses of the best passage say nearly the same: a "not" on one side decides
ELSEWISE_FROM = 0.5  # one passage alone holds half of the claim and still not enough: something stands in its place


def judge(reading: Reading) -> Finding:
    """The label of one claim. A number that stands in no near passage is never supported."""
    if not reading.nearest:
        reason = "absent" if reading.passages.passages else "no_context"
        return Finding(Label.UNVERIFIED, reason, filled(reading, 0.0))
    excluded = _excluded(reading)
    if excluded:
        return excluded
    if score(reading) >= SUPPORTED_FROM and not reading.missing_quantities:
        return Finding(Label.SUPPORTED, "covered", filled(reading, reading.best_two), tuple(reading.pair))
    if reading.best >= ELSEWISE_FROM:
        return Finding(Label.CONTRADICTED, "elsewise", filled(reading, reading.best), tuple(reading.pair[:1]))
    return Finding(Label.UNVERIFIED, "absent", filled(reading, reading.covered))


def score(reading: Reading) -> float:
    """Mean of three shares (best two passages, what the question did not hold, order), less foreign names."""
    shares = (reading.best_two + reading.new_covered + reading.order) / 3
    return shares - NAME_PENALTY * bool(reading.foreign_names)


def _excluded(reading: Reading) -> Finding | None:
    """The claim is contradicted outright: another number, a negation on one side, or opposite words."""
    best = reading.nearest[0]
    if reading.other_quantity and reading.best >= SAME_MATTER:
        claimed, other, match = reading.other_quantity
        fill = filled(reading, reading.best, claim=claimed.text, passage=other.text)
        return Finding(Label.CONTRADICTED, "number", fill, (match,))
    if reading.best >= SAME_STATEMENT and reading.negated_on_one_side:
        return Finding(Label.CONTRADICTED, "negation", filled(reading, reading.best), (best,))
    words = opposites(reading.normalised, reading.touched) if reading.best >= SAME_MATTER else None
    if words:
        fill = filled(reading, reading.best, claim=words[0], passage=words[1])
        return Finding(Label.CONTRADICTED, "opposite", fill, (best,))
    return None
