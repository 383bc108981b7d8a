"""Contexts that contradict each other, where that is plain: the same statement with another number of its kind."""

from audits.judges.offline.finding import Finding
from audits.judges.offline.passages import Match
from audits.judges.offline.reading import Reading
from audits.labels import Label
from audits.text.polarity import negations
from audits.text.quantities import Quantity

SAME_STATEMENT = 0.9  # of the claim's content without its numbers


def weighed(reading: Reading, finding: Finding) -> Finding:
    """The finding, or a conflict where another context excludes what is supported. In doubt there is none.

    Wordings, negations and what a passage adds to the claim are left to better readers: only a passage that repeats
    the claim word for word with one number changed counts.
    """
    if finding.label is not Label.SUPPORTED or not reading.quantities:
        return finding
    supporting = {match.passage.context for match in finding.matches}
    for match in reading.nearest:
        if match.passage.context in supporting:
            continue
        pair = _another_number(reading, match)
        if pair:
            fill = {"claim": pair[0].text, "passage": pair[1].text}
            return Finding(Label.CONTRADICTED, "conflict", fill, (*finding.matches[:1], match))
    return finding


def _another_number(reading: Reading, match: Match) -> tuple[Quantity, Quantity] | None:
    """The one number in which the passage differs from the claim, on both sides; None where more or less differs."""
    words = {unit for unit in reading.weights if not unit[0].isdigit()}
    more = {unit for unit in match.passage.units if not unit[0].isdigit()} - words
    if more or not words or reading.share(match.passage.units, words) < SAME_STATEMENT:
        return None
    if negations(match.passage.normalised) != negations(reading.normalised):
        return None
    theirs = {quantity.value: quantity for quantity in match.passage.quantities}
    ours = {quantity.value: quantity for quantity in reading.quantities}
    only_ours = [quantity for value, quantity in ours.items() if value not in theirs]
    only_theirs = [quantity for value, quantity in theirs.items() if value not in ours]
    if len(only_ours) != 1 or len(only_theirs) != 1 or not only_ours[0].is_comparable(only_theirs[0]):
        return None
    return only_ours[0], only_theirs[0]
