"""What happened at the desk beside the labels, in counts: skips, thoughts after the reveal, claims cut anew."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from audits.models import Audit, Event
from review.models import Adjudication, Recut, Revelation, ReviewItem, Skip

Words = list[tuple[str, bool]]  # one person's words on one item, in order: (label or "", given blind)


@dataclass(frozen=True)
class Asides:
    """skips: (reason, how often), every reason, the most frequent first; skipped: claims that somebody skipped.

    shown: labels after which the person saw the judges' verdicts; kept, changed: labels given anew after that, the
    same or another one. waived: second labels that a manager did without. recuts: (state, proposals), those that
    occur; recut: claims that were cut anew.
    """

    skips: tuple[tuple[str, int], ...]
    skipped: int
    shown: int
    kept: int
    changed: int
    waived: int
    recuts: tuple[tuple[str, int], ...]
    recut: int


def asides(audit: Audit) -> Asides:
    """Counts over one audit; claims with known labels are left out of all but the skips. Six queries."""
    items = ReviewItem.objects.filter(plan__audit=audit)
    skips = list(Skip.objects.filter(item__plan__audit=audit).order_by().values_list("item", "reason"))
    by_reason = Counter(reason for _, reason in skips)
    ordered = sorted(Skip.Reason, key=lambda reason: -by_reason[reason])
    thoughts = Counter(second_thoughts(audit))
    proposals = Counter(Recut.objects.filter(item__plan__audit=audit).order_by().values_list("state", flat=True))
    shown = Revelation.objects.filter(adjudication__item__plan__audit=audit)
    return Asides(
        skips=tuple((str(reason.label), by_reason[reason]) for reason in ordered),
        skipped=len({item for item, _ in skips}),
        shown=shown.exclude(adjudication__item__kind=ReviewItem.Kind.GOLD).count(),
        kept=thoughts["kept"],
        changed=thoughts["changed"],
        waived=len(waived(audit) & set(items.values_list("pk", flat=True))),
        recuts=tuple((str(state.label), proposals[state]) for state in Recut.State if proposals[state]),
        recut=items.filter(replaced_at__isnull=False).count(),
    )


def waived(audit: Audit, until: datetime | None = None) -> set[int]:
    """Items whose second label a manager did without, those of earlier draws among them. until: by that time."""
    events = Event.objects.filter(audit=audit, kind="second_label_waived").order_by()
    if until is not None:
        events = events.filter(created__lte=until)
    return {int(item) for data in events.values_list("data", flat=True) for item in data["items"]}


def second_thoughts(audit: Audit) -> list[str]:
    """ "kept" or "changed", one for each person and claim with a label that stands and was given after the reveal."""
    words = Adjudication.objects.filter(item__plan__audit=audit).exclude(item__kind=ReviewItem.Kind.GOLD)
    rows = words.order_by("item", "reviewer", "revision").values_list("item", "reviewer", "label", "blind")
    return thoughts_of(rows.iterator(chunk_size=5000))


def thoughts_of(rows: Iterable[tuple[int, int, str, bool]]) -> list[str]:
    """The same from rows alone: (item, reviewer, label, blind), sorted by item, reviewer, revision."""
    groups = groupby(rows, key=lambda row: (row[0], row[1]))
    found = (second_thought([(label, blind) for _, _, label, blind in group]) for _, group in groups)
    return [thought for thought in found if thought]


def second_thought(words: Words) -> str:
    """ "kept" or "changed" where the last word is a label given after the reveal, else ""."""
    label, blind = words[-1]
    before = [said for said, was_blind in words if was_blind and said]
    if blind or not label or not before:
        return ""
    return "kept" if label == before[-1] else "changed"
