"""What every claim of an audit is, as far as agreement asks: its group, its language, tags and length. No text."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from django.db.models import F, Value
from django.db.models.functions import Length, Replace

from audits.labels import Label
from audits.models import Audit, Claim, Sample, Verdict
from review.models import Stratum
from review.spotcheck import stratum_of

# A claim in English has words, one in Chinese characters; a Chinese word has about two.
LENGTHS = {"zh": (20, 40)}
WORDS = (10, 20)
MOST_TAGS = 20

Verdicts = Mapping[int, Mapping[int, Label | None]]  # claim -> panel member -> label, None when unscored
_LABELS = {label.value: label for label in Label}


class Size(StrEnum):
    """How long a claim is."""

    SHORT = "short"
    MIDDLE = "middle"
    LONG = "long"


@dataclass(frozen=True)
class Facts:
    """One claim: the sample it is of, its group, and what it can be told apart by."""

    claim: int
    sample: int
    stratum: str
    language: str
    tags: tuple[str, ...]
    size: Size


def facts(audit: Audit) -> dict[int, Facts]:
    """By claim, parts of claims cut anew left out. Two queries."""
    samples = Sample.objects.filter(dataset=audit.dataset_id).order_by().values_list("pk", "language", "tags")
    about = {pk: (language, tuple(str(tag) for tag in tags)) for pk, language, tags in samples.iterator()}
    rows = Claim.objects.filter(audit=audit).order_by("pk")
    measured = rows.annotate(
        letters=Length("text"), words=Length("text") - Length(Replace(F("text"), Value(" "), Value(""))) + Value(1)
    ).values_list("pk", "sample", "decision", "vague", "letters", "words")
    found = {}
    for pk, sample, decision, vague, letters, words in measured.iterator(chunk_size=5000):
        language, tags = about[sample]
        stratum = stratum_of(decision, vague) if decision else str(Stratum.DISPUTED)
        found[pk] = Facts(pk, sample, stratum, language, tags, size_of(language, letters, words))
    return found


def size_of(language: str, letters: int, words: int) -> Size:
    """Chinese by characters, everything else by words: short below the first limit, long above the second."""
    short, long = LENGTHS.get(language, WORDS)
    measure = letters if language in LENGTHS else words
    return Size.SHORT if measure < short else Size.LONG if measure > long else Size.MIDDLE


def most_frequent_tags(claims: Iterable[Facts]) -> list[str]:
    """The tags of these claims, the most frequent first, at most MOST_TAGS."""
    counts = Counter(tag for one in claims for tag in one.tags)
    return [tag for tag, _ in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_TAGS]]


def verdicts(audit: Audit, *, reviewed: bool = False) -> Verdicts:
    """What each member of the panel said of each claim; reviewed: only of those on the experts' list. One query."""
    said: dict[int, dict[int, Label | None]] = {}
    rows = Verdict.objects.filter(claim__audit=audit)
    if reviewed:
        rows = rows.filter(claim__review_item__isnull=False)
    for claim, member, label in rows.order_by().values_list("claim", "member", "label").iterator(chunk_size=5000):
        said.setdefault(claim, {})[member] = _LABELS.get(label)
    return said
