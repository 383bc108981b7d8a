"""Making a supported claim false on purpose, by rule: to see whether a judge notices.

Two variants of a claim:

* specific: another number, date or name in the same sentence; where none can be changed, its opposite;
* vague: the same content denied in hedged words, without a number, date or name.

"False" means that the contexts do not support it, whatever else they say, and it has to be certain, since nobody
checks. So a claim is passed over rather than doubted:

* a number, month or place is only changed where the contexts have it, and only into one that they have nowhere (as
  a figure, in words, in the other language). Then no context can support the variant, even if the claim itself is not
  supported either and all judges are wrong about it;
* no number is changed in one clause with a word that makes it a limit ("at least 5", "before 1994", 不超过) or a case
  ("a fall of 15 % ends trading", 逾期15天的): what holds of one can hold of another; nor in a negated sentence;
* a claim is denied, openly or vaguely, only where one sentence of a context says it nearly word for word (all its
  content words and figures, the same negations, no condition);
* a variant that a context contains is never used.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from audits.text.language import language_of
from audits.text.normalise import compact
from audits.text.planting.denial import denied, denied_vaguely
from audits.text.planting.stating import is_stated
from audits.text.planting.swapping import swapped


@dataclass(frozen=True)
class Variants:
    """False variants of one claim; "" where none is certain. rule: "number", "date", "name" or "denial"."""

    specific: str = ""
    rule: str = ""
    vague: str = ""

    def __bool__(self) -> bool:
        return bool(self.specific or self.vague)


LONGEST = 400  # characters; what is longer is no single claim


def variants(claim: str, contexts: Sequence[str]) -> Variants:
    """The false variants of a claim that these contexts support. The same for the same texts."""
    text = claim.strip()
    if not text or len(text) > LONGEST or "\n" in text or not contexts:
        return Variants()
    chinese = language_of(text) == "zh"
    specific, rule = swapped(text, contexts, chinese)
    stated = is_stated(text, contexts)
    if not specific and stated:
        specific, rule = denied(text, chinese), "denial"
    vague = denied_vaguely(text, contexts, chinese) if stated else ""
    said = [compact(context).text for context in contexts]
    specific, vague = ("" if _is_said(variant, text, said) else variant for variant in (specific, vague))
    return Variants(specific, rule if specific else "", vague)


def _is_said(variant: str, claim: str, contexts: Sequence[str]) -> bool:
    """Whether a context contains the variant, or nothing was changed after all."""
    plain = compact(variant).text
    return bool(plain) and (plain == compact(claim).text or any(plain in context for context in contexts))
