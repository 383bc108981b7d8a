"""vector-1, a statistical judge: word and character overlap, order and two tells into two logistic regressions."""

import math

from rapidfuzz import fuzz

from audits.judges.offline import weights
from audits.judges.offline.finding import Finding, filled
from audits.judges.offline.reading import Reading
from audits.labels import Label

MODEL = "vector-1"
OVERLAP = ("grams", "alignment", "order", "best_two", "best_context", "new_covered")
TELLS = ("missing_number", "other_sign")  # hardly noticed by overlap, and graver the closer the texts are
FEATURES = OVERLAP + TELLS
CONTRADICTED_FROM = 0.6  # not 0.5: an accusation has to be clearly likelier than mere absence
GRAM = 3  # characters


def judge(reading: Reading) -> Finding:
    """The likelier label: supported or not by the first regression, contradicted or unverified by the second."""
    if not reading.nearest:
        reason = "unlikely" if reading.passages.passages else "no_context"
        return Finding(Label.UNVERIFIED, reason, filled(reading, 0.0, score="0.00"))
    values = features(reading)
    support = probability(weights.SUPPORTED, values)
    fill = filled(reading, reading.best_two, score=f"{support:.2f}")
    if support >= 0.5:
        return Finding(Label.SUPPORTED, "likely", fill, tuple(reading.pair))
    if probability(weights.CONTRADICTED, values) >= CONTRADICTED_FROM:
        return Finding(Label.CONTRADICTED, "likely_not", fill, tuple(reading.pair))
    return Finding(Label.UNVERIFIED, "unlikely", fill)


def features(reading: Reading) -> tuple[float, ...]:
    """The values of FEATURES for a claim with at least one near passage, all in 0..1."""
    letters = "".join(char for char in reading.normalised if char.isalnum())
    texts = reading.passages.texts
    alignment = max((_alignment(letters, text) for text in texts), default=0.0)
    ours, theirs = reading.signs
    return (
        _gram_share(letters, texts),
        alignment,
        reading.order,
        reading.best_two,
        reading.best_context,
        reading.new_covered,
        alignment * bool(reading.missing_quantities),
        alignment * (bool(reading.touched) and ours != theirs),
    )


def probability(model: tuple[float, ...], values: tuple[float, ...]) -> float:
    """The logistic function of a bias (first) plus weighted values, each centred and scaled as when fitted."""
    scaled = ((v - mean) / scale for v, mean, scale in zip(values, weights.MEAN, weights.SCALE, strict=True))
    z = model[0] + sum(w * v for w, v in zip(model[1:], scaled, strict=True))
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, z))))


def _gram_share(letters: str, texts: list[str]) -> float:
    grams = {letters[at : at + GRAM] for at in range(max(1, len(letters) - GRAM + 1))}
    return sum(any(gram in text for text in texts) for gram in grams) / len(grams)


def _alignment(letters: str, text: str) -> float:
    if not letters or not text:
        return 0.0
    ratio = fuzz.partial_ratio if len(text) >= len(letters) else fuzz.ratio
    return ratio(letters, text) / 100
