"""Supported claims altered by machine: the fit has to see other numbers and a "not", and people's sets hold few.

Made of the sets that may be fitted on, and used for fitting only: no figure that the product shows is measured on
them.
"""

import re
from collections.abc import Iterator

from audits.judges.offline.reading import CITATION, Reading
from audits.text.language import language_of
from audits.text.polarity import negations
from bench.open_sets import FREE_FOR_FITTING, Item

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_VERB_EN = re.compile(r"\b(?:is|are|was|were|can|could|will|would|should|has|have|had)\b(?! not\b)")
_VERB_ZH = re.compile(r"(?<![不没])(?:是(?!否)|可以|能够|属于|具有|需要)")


def altered(claims: list[Item]) -> Iterator[Item]:
    """A CONTRADICTED claim for every free SUPPORTED one with a number, and one for every one with a verb to negate.

    Only claims that the contexts hold nearly word for word are altered: elsewhere the alteration may be of no matter.
    """
    for claim in claims:
        if claim.set not in FREE_FOR_FITTING or claim.label != "SUPPORTED" or claim.reading.best < 0.5:
            continue
        for kind, text in (("number", _other_number(claim)), ("not", _negated(claim))):
            if text:
                reading = Reading(text, claim.reading.question, claim.reading.passages)
                yield Item(f"{claim.set}+{kind}", "CONTRADICTED", reading, claim.contexts)


def _other_number(claim: Item) -> str:
    """The claim with its last number changed in the first digit to one that no context holds; "" if there is none."""
    text, contexts = claim.reading.claim, "\n".join(claim.contexts)
    for match in reversed(list(_NUMBER.finditer(text))):
        if match[0] not in contexts:
            continue
        for digit in "7423":
            other = digit + match[0][1:]
            if other not in contexts:
                return text[: match.start()] + other + text[match.end() :]
    return ""


def _negated(claim: Item) -> str:
    """The claim with its first verb of a few common ones negated; "" if it has none or negates something already."""
    text = CITATION.sub("", claim.reading.claim)
    if negations(text):
        return ""
    if language_of(text) == "zh":
        return _VERB_ZH.sub(lambda verb: "不" + verb[0], text, count=1) if _VERB_ZH.search(text) else ""
    return _VERB_EN.sub(lambda verb: verb[0] + " not", text, count=1) if _VERB_EN.search(text) else ""
