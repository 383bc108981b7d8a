"""How many labels an item waits for: a third expert when two differ, one instead of two when a manager says so."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from audits.models import Audit, Event
from review.models import Adjudication, ReviewItem, Slot


@dataclass(frozen=True)
class Word:
    """One word of one expert in a slot of an item: a label, "" for a withdrawal."""

    reviewer: int
    arbitrates: bool
    label: str
    blind: bool


@dataclass(frozen=True)
class Said:
    """What one expert says of an item now. label: the newest; blind: the newest given before any reveal."""

    label: str
    blind: str


def differ(said: Iterable[Said]) -> bool:
    """True when an arbiter has to decide.

    A change after the judges' verdicts were seen neither ends a disagreement (the blind labels differ still) nor
    hides one that it makes (the newest differ).
    """
    rows = list(said)
    return len({row.label for row in rows}) > 1 or len({row.blind for row in rows}) > 1


def independent(words: Iterable[Word]) -> list[Said]:
    """What each expert says who does not arbitrate. words: of one item, in their order."""
    newest: dict[int, str] = {}
    blind: dict[int, str] = {}
    for word in words:
        if not word.arbitrates:
            newest[word.reviewer] = word.label
            if word.blind:
                blind[word.reviewer] = word.label
    # Who gave no label blind, or took it back, has only the newest to compare.
    return [Said(label, blind.get(reviewer) or label) for reviewer, label in newest.items() if label]


def settled(needed: int, words: Sequence[Word]) -> str:
    """The label of an item on which so many independent labels are needed; "" while it is open.

    words: all that fill its slots, in their order. One label: the newest. Two: both, when they are equal; when they
    differ, the arbiter's newest.
    """
    if needed < 2:
        last: dict[int, str] = {}
        for word in words:
            last.pop(word.reviewer, None)  # so that the newest stands at the end
            last[word.reviewer] = word.label
        return next((label for label in reversed(last.values()) if label), "")
    said = independent(words)
    if len(said) < needed:
        return ""
    if not differ(said):
        return said[0].label
    return next((word.label for word in reversed(words) if word.arbitrates), "")


def settle(item: ReviewItem) -> None:
    """Call an arbiter when all independent labels are in and differ; send the arbiter away when they do not.

    Call it inside a transaction that holds the item's row.
    """
    if item.needed < 2:
        return
    rows = Adjudication.objects.filter(item=item, slot__isnull=False).order_by("pk")
    columns = ("reviewer", "slot__arbitrates", "label", "blind")
    said = independent(Word(*row) for row in rows.values_list(*columns))
    if len(said) >= item.needed and differ(said):
        _call(item)
    else:
        _dismiss(item)


def _call(item: ReviewItem) -> None:
    slot, created = Slot.objects.get_or_create(item=item, number=item.needed + 1, defaults={"arbitrates": True})
    if not created:  # closed before, when the labels agreed for a while
        closed = Slot.objects.filter(pk=slot.pk, state=Slot.State.DONE, reviewer__isnull=True)
        closed.update(state=Slot.State.WAITING, token=None, lease_until=None)


def _dismiss(item: ReviewItem) -> None:
    close(Slot.objects.filter(item=item, arbitrates=True, state=Slot.State.WAITING))


def close(slots: Any) -> int:
    """Take away waiting slots; how many. One that somebody has had in hand stays, closed, so that a label which is
    on its way finds it and is kept as an extra opinion."""
    untouched = slots.filter(taken_at__isnull=True, adjudications__isnull=True).delete()[0]
    closed = {"state": Slot.State.DONE, "reviewer": None, "token": None, "lease_until": None}
    return int(untouched) + int(slots.update(**closed))


@dataclass(frozen=True)
class Waived:
    """items: those that need one label now instead of two. in_hand: left alone, their second label is on its way."""

    items: int
    in_hand: int


def waive_second(of: ReviewItem | Audit, by: Any) -> Waived:
    """Do without the second label of an item, or of every item of an audit that has not got both yet."""
    items = ReviewItem.objects.filter(needed__gt=1)
    items = items.filter(pk=of.pk) if isinstance(of, ReviewItem) else items.filter(plan__audit=of)
    audit = of.plan.audit if isinstance(of, ReviewItem) else of
    waived: list[ReviewItem] = []
    in_hand = 0
    with transaction.atomic():
        for item in items.select_for_update().order_by("pk"):
            slots = Slot.objects.filter(item=item, arbitrates=False, reserved_for__isnull=True)
            waiting, done = slots.filter(state=Slot.State.WAITING), slots.filter(state=Slot.State.DONE).count()
            if done > 1 or not waiting.exists():
                continue
            free = list(waiting.free().order_by("-number").values_list("pk", flat=True))
            superfluous = free[: waiting.count() + done - 1]
            if not superfluous or not close(Slot.objects.filter(pk__in=superfluous).free()):
                in_hand += 1
                continue
            ReviewItem.objects.filter(pk=item.pk).update(needed=1)
            waived.append(item)
        if waived:
            about: dict[str, Any] = {"rows": waived, "items": [item.pk for item in waived]}
            Event.record("second_label_waived", project=audit.project, audit=audit, actor=by, **about)
    return Waived(len(waived), in_hand)
