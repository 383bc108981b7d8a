"""What contexts say: whether a sentence states a claim nearly word for word, whether a figure stands there."""

import re
from collections.abc import Sequence

from audits.text.normalise import normalise
from audits.text.polarity import negations, opposites
from audits.text.quantities import figures, quantities
from audits.text.sentences import split_sentences
from audits.text.tokens import tokens

ALIKE = 0.6  # of a claim's content in a sentence of the other sign: it may deny the claim
WHOLE = 0.5  # of a sentence's content in the claim: what else it says could restrict it
_CONDITION = re.compile(
    r"\b(?:if|unless|except|excluding|may|might|could|would|should|only|some|most|many|few|usually|generally|often|"
    r"sometimes|probably|possibly|perhaps|reportedly|allegedly|claims?|claimed|said|says|according|expected|planned|"
    r"until|before|after|when|whether|or)\b|"
    r"如果|若|除非|除外|除了|可能|也许|或许|仅|只|一些|有些|部分|大多|通常|一般|往往|有时|据说|据称|预计|计划|"
    r"表示|认为|声称|之前|之后|以前|以后|是否|或者?|原则上",
    re.IGNORECASE,
)


def is_stated(claim: str, contexts: Sequence[str]) -> bool:
    """Whether one sentence of a context says the claim nearly word for word, without a condition, and none denies it.

    It holds all content units and figures of the claim, not many more, and as many negations.
    """
    wanted, numbers, signs = set(tokens(claim)), set(figures(claim)), negations(claim)
    if not wanted or _CONDITION.search(claim):
        return False
    found = False
    for context in contexts:
        for sentence in split_sentences(context):
            said = context[sentence.start : sentence.end]
            units = set(tokens(said))
            if negations(said) != signs or opposites(normalise(claim).text, normalise(said).text):
                if len(wanted & units) >= ALIKE * len(wanted):
                    return False
            elif wanted <= units and len(wanted) >= WHOLE * len(units) and numbers <= set(figures(said)):
                found = found or not _CONDITION.search(said)
    return found


class Figures:
    """The numbers of some texts: as they stand there, and as they are meant."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.written = {figure for text in texts for figure in figures(text)}
        self.meant = {quantity.value for text in texts for quantity in quantities(text)}

    def has(self, figure: str) -> bool:
        """Whether the number is there, in figures or words. figure: digits, perhaps with commas and a point."""
        plain = figure.replace(",", "")
        return plain in self.written or float(plain) in self.meant or float(plain) in self._values

    def lacks_new(self, variant: str, claim: str) -> bool:
        """Whether no quantity that the variant has and the claim has not is there: "13 million" is 13,000,000."""
        new = {quantity.value for quantity in quantities(variant)} - {
            quantity.value for quantity in quantities(claim)
        }
        return not new & (self.meant | self._values)

    @property
    def _values(self) -> set[float]:
        return {float(each) for each in self.written if each.replace(".", "", 1).isdecimal()}


def is_there(words: Sequence[str], texts: Sequence[str]) -> bool:
    """Whether one of the words stands in one of the texts, in any case and width."""
    folded = [normalise(text).text for text in texts]
    return any(normalise(word).text in text for word in words for text in folded)
