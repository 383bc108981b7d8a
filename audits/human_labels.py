"""What people said of one answer before it came here, as judges can be held against it. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from audits.formats.wording import CONTRADICTED, NOT_SUPPORTED, SUPPORTED, UNVERIFIED
from audits.labels import HALLUCINATED, Label

COMPARABLE = (SUPPORTED, CONTRADICTED, UNVERIFIED, NOT_SUPPORTED)  # of formats.wording.LABELS


@dataclass(frozen=True)
class Truth:
    """hallucinated: whether people call it so. label: which of the three labels; None where they did not say."""

    hallucinated: bool
    label: Label | None


@dataclass(frozen=True)
class Given:
    """The labels of one answer. claims: each text once, in the file's order; empty where only the answer has a label.

    unusable: claims, or the answer, that hold labels of which nothing can be made: none at all, people who could not
    decide, or as many for as against.
    """

    claims: Mapping[str, Truth] = field(default_factory=dict)
    answer: Truth | None = None
    unusable: int = 0

    @property
    def usable(self) -> bool:
        """Whether a judge can be held against it."""
        return bool(self.claims) or self.answer is not None


def read_labels(rows: Iterable[tuple[str, str]]) -> Given:
    """What the rows of one answer come to. rows: (claim, label) in the file's order.

    claim: "" for the answer as a whole. label: one of formats.wording.LABELS, or "" where it is missing.

    Labels of several people on one text count by majority. Where claims have labels they are what is compared, and a
    label of the whole answer is left aside: it says nothing that they do not say more exactly.
    """
    said: dict[str, list[str]] = {}
    for claim, label in rows:
        said.setdefault(claim.strip(), []).append(label)
    found = {claim: truth_of(labels) for claim, labels in said.items()}
    claims = {claim: truth for claim, truth in found.items() if claim and truth is not None}
    answer = None if claims else found.get("")
    unusable = sum(truth is None for claim, truth in found.items() if claim or not claims)
    return Given(claims, answer, unusable)


def truth_of(labels: Sequence[str]) -> Truth | None:
    """What most of the people who decided say; None when nobody decided, or as many say the one as the other.

    Of those who call it hallucinated, most must name one of the two labels for it to be known which it is.
    """
    votes = Counter(label for label in labels if label in COMPARABLE)
    against = sum(votes[label] for label in votes if label != SUPPORTED)
    if against == votes[SUPPORTED]:
        return None
    if against < votes[SUPPORTED]:
        return Truth(False, Label.SUPPORTED)
    named = [label for label in HALLUCINATED if 2 * votes[label] > against]
    return Truth(True, named[0] if named else None)
