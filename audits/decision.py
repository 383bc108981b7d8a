"""From the verdicts of a panel to one decision."""

from collections.abc import Sequence
from dataclasses import dataclass

from audits.labels import Decision, Label


@dataclass(frozen=True)
class Voice:
    """One verdict as the decision sees it.

    label: None when unscored. grounded: a quote of the verdict really stands in the contexts
    (UNVERIFIED has none by nature and is always grounded). conflict: the judge found contexts that contradict each
    other on the claim.
    """

    label: Label | None
    grounded: bool
    conflict: bool = False


def decide(voices: Sequence[Voice]) -> Decision:
    """The label that the whole panel gave, else disputed.

    An unscored verdict, and a SUPPORTED or CONTRADICTED verdict without a real quote, dispute the claim:
    agreement counts only where every judge spoke and showed where it read it. So does a conflict between the
    contexts, seen by any judge: which of them holds is for a person to say.
    Raises ValueError on an empty panel: a claim nobody judged has no decision.
    """
    if not voices:
        raise ValueError("no verdicts: the panel has not spoken")
    labels = {voice.label for voice in voices}
    agreed = len(labels) == 1 and None not in labels
    if not agreed or not all(voice.grounded and not voice.conflict for voice in voices):
        return Decision.DISPUTED
    (label,) = labels
    return Decision(str(label))
