"""rules-1, a symbolic judge: how much of the claim the best passages hold, and what in them excludes it."""

from audits.judges.offline.finding import Finding, filled
from audits.judges.offline.reading import Reading
from audits.labels import Label
from audits.text.polarity import negated, opposites

MODEL = "rules-1"
SUPPORTED_FROM = 0.44  # fitted on public human-labelled sets, mean balanced accuracy (bench/offline_accuracy.py)
ELSEWISE_FROM = 0.4  # below it the contexts speak of something else
NAME_PENALTY = 0.1
SAME_STATEMENT = 0.55  # the best passage says nearly the same: a "not" in one of them decides
SAME_MATTER = 0.3  # the best passage is about the same thing: another number of that unit or an opposite decides


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
    if reading.covered >= ELSEWISE_FROM:
        fill = filled(reading, reading.covered)
        return Finding(Label.CONTRADICTED, "elsewise", fill, tuple(reading.pair))
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
    if reading.best >= SAME_STATEMENT and _negates(reading):
        return Finding(Label.CONTRADICTED, "negation", filled(reading, reading.best), (best,))
    words = opposites(reading.normalised, best.passage.normalised) if reading.best >= SAME_MATTER else None
    if words:
        fill = filled(reading, reading.best, claim=words[0], passage=words[1])
        return Finding(Label.CONTRADICTED, "opposite", fill, (best,))
    return None


def _negates(reading: Reading) -> bool:
    """Whether a unit that both sides share is negated on one side only."""
    passage = reading.nearest[0].passage
    ours, theirs = negated(reading.normalised), negated(passage.normalised)
    return bool((ours & passage.units) - theirs) or bool((theirs & reading.weights.keys()) - ours)
