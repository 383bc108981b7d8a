"""What happened to one claim in review: labels with their revisions, skips, cuts, verdicts, for one reader."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from audits.models import Verdict
from review.item_access import Reading
from review.models import Adjudication, EvidenceMark, Recut, ReviewItem, Skip
from review.pseudonyms import numbers


@dataclass(frozen=True)
class Act:
    """One label, or its withdrawal (label ""). seconds: of reading and deciding; None: not measured."""

    word: Adjudication
    marks: Sequence[EvidenceMark]
    seconds: float | None


@dataclass(frozen=True)
class Voice:
    """One expert on this item. name: what the reader may call the person. counts: False for an extra opinion."""

    name: str
    own: bool
    arbitrates: bool
    counts: bool
    acts: Sequence[Act]

    @property
    def standing(self) -> str:
        """The label that holds now; "" when it was withdrawn."""
        return str(self.acts[-1].word.label)


@dataclass(frozen=True)
class Named:
    """A skip or a proposed cut, with what its author may be called."""

    name: str
    own: bool
    row: Any


@dataclass(frozen=True)
class History:
    """Everything of the item that its reader may know, in order."""

    voices: Sequence[Voice]
    skips: Sequence[Named]
    recuts: Sequence[Named]
    parts: Sequence[ReviewItem]
    verdicts: Sequence[Verdict]


def history_of(reading: Reading, reader: Any) -> History:
    """What the reader may know of the item: everything, or until all labels are in the own part alone."""
    item, everybody = reading.item, reading.full or reading.settled
    words = Adjudication.objects.filter(item=item).select_related("reviewer", "slot", "guidelines")
    skips = Skip.objects.filter(item=item).select_related("reviewer")
    recuts = Recut.objects.filter(item=item).select_related("proposer", "decided_by")
    names = _Names(reading)
    if not everybody:
        words = words.filter(reviewer=reader)
        skips = skips.filter(reviewer=reader)
        recuts = recuts.filter(proposer=reader)
    return History(
        voices=_voices(list(words.order_by("revision")), names, reader),
        skips=[Named(names.of(skip.reviewer), skip.reviewer_id == reader.pk, skip) for skip in skips],
        recuts=[Named(names.of(recut.proposer), recut.proposer_id == reader.pk, recut) for recut in recuts],
        parts=list(item.parts.select_related("claim").order_by("order")),
        verdicts=_verdicts(reading, reader),
    )


class _Names:
    """What a reader may call the experts of an item: by name, or "Expert 2" in an order that tells nothing."""

    def __init__(self, reading: Reading) -> None:
        item = reading.item
        people = {
            *Adjudication.objects.filter(item=item).values_list("reviewer", flat=True),
            *Skip.objects.filter(item=item).values_list("reviewer", flat=True),
            *Recut.objects.filter(item=item).values_list("proposer", flat=True),
        }
        self.numbers = numbers(item.pk, people)
        self.known = reading.names

    def place(self, person: Any) -> int:
        """Where the person stands among the experts of this item."""
        return self.numbers[person.pk]

    def of(self, person: Any) -> str:
        """The name for a page."""
        return str(person.get_username()) if self.known else _("Expert %(number)s") % {"number": self.place(person)}


def _voices(words: Sequence[Adjudication], names: _Names, reader: Any) -> list[Voice]:
    marks: dict[int, list[EvidenceMark]] = {}
    for mark in EvidenceMark.objects.filter(adjudication__in=[word.pk for word in words]):
        marks.setdefault(mark.adjudication_id, []).append(mark)
    said: dict[Any, list[Adjudication]] = {}
    for word in words:
        said.setdefault(word.reviewer, []).append(word)
    found = []
    for person in sorted(said, key=names.place):
        rows = said[person]
        slots = [row.slot for row in rows if row.slot is not None]
        acts = [Act(row, marks.get(row.pk, ()), _seconds(row.active_ms)) for row in rows]
        arbitrates = any(slot.arbitrates for slot in slots)
        found.append(Voice(names.of(person), person.pk == reader.pk, arbitrates, bool(slots), acts))
    return found


def _seconds(milliseconds: int | None) -> float | None:
    return None if milliseconds is None else milliseconds / 1000


def _verdicts(reading: Reading, reader: Any) -> list[Verdict]:
    """The judges' verdicts; for an expert only once they were shown after an own label."""
    shown = Adjudication.objects.filter(item=reading.item, reviewer=reader, revelation__isnull=False)
    if not reading.full and not shown.exists():
        return []
    return list(
        Verdict.objects.filter(claim=reading.item.claim).select_related("member").order_by("member__position")
    )
