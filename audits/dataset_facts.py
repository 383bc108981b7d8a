"""What can be said of a dataset's rows as a whole: flags, period, human labels; and which versions it has."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Max, Min

from audits.models import Dataset, GivenLabel

MOST_VERSIONS = 50  # of one chain that are listed; a loop ends here too


@dataclass(frozen=True)
class Facts:
    """flags: (code, samples), most frequent first. labels: (label or "", human labels). None: no row has a time."""

    flags: list[tuple[str, int]]
    flagged: int  # samples with any flag
    labels: list[tuple[str, int]]
    labelled: int  # human labels, missing ones not counted
    first: datetime | None
    last: datetime | None


def facts_of(dataset: Dataset) -> Facts:
    """Counted anew."""
    flagged = dataset.samples.exclude(flags=[]).order_by().values_list("flags", flat=True)
    counts = Counter(flag for flags in flagged for flag in flags)
    labels = GivenLabel.objects.filter(sample__dataset=dataset).order_by().values_list("label").annotate(Count("pk"))
    found: list[tuple[str, int]] = sorted(labels, key=lambda pair: -pair[1])
    period: dict[str, Any] = dataset.samples.order_by().aggregate(first=Min("timestamp"), last=Max("timestamp"))
    return Facts(
        flags=counts.most_common(),
        flagged=len(flagged),
        labels=found,
        labelled=sum(number for label, number in found if label),
        first=period["first"],
        last=period["last"],
    )


def versions_of(dataset: Dataset) -> list[Dataset]:
    """All versions of it that are there, the first one first; [the dataset itself] when there is no other."""
    earlier: list[Dataset] = []
    before = dataset.previous
    while before is not None and len(earlier) < MOST_VERSIONS and before not in earlier and before != dataset:
        earlier.append(before)
        before = before.previous
    found = [*reversed(earlier), dataset]
    return found + _later(found)


def _later(known: list[Dataset]) -> list[Dataset]:
    """Those that correct any of these, and what corrects them, by version."""
    later: list[Dataset] = []
    layer = [dataset.pk for dataset in known]
    seen = set(layer)
    while layer and len(later) < MOST_VERSIONS:
        found = [each for each in Dataset.objects.filter(previous__in=layer) if each.pk not in seen]
        later += found
        layer = [each.pk for each in found]
        seen |= set(layer)
    return sorted(later, key=lambda each: (each.version, each.pk))
