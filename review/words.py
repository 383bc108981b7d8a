"""An expert's word as a row: the item's lock, the next revision, whether it is blind, how long it took."""

import datetime
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Model
from django.utils import timezone

from review.evidence_marks import Mark, store
from review.models import Adjudication, Guidelines, ReviewItem, Slot

MOST_KEYS = 32_767  # what the column holds


@dataclass(frozen=True)
class Word:
    """What a form sent. active_ms, keys: of reading and deciding, as the browser measured it; None: it did not."""

    user: Any
    label: str
    reason: str
    key: uuid.UUID
    expected_revision: int | None
    marks: Sequence[Mark]
    active_ms: int | None
    keys: int | None


def next_revision(item: ReviewItem, user: Any) -> int:
    """The revision that this person's next word on the item will have, from 1."""
    last = newest(item, user)
    return last.revision + 1 if last else 1


def newest(item: ReviewItem, user: Any) -> Adjudication | None:
    """The person's last word on the item, a withdrawal too; None when there is none."""
    found: Adjudication | None = Adjudication.objects.filter(item=item, reviewer=user).order_by("-revision").first()
    return found


def locked(item_id: int) -> ReviewItem:
    """The item with its audit and project, alone in this transaction: its labels come one after the other."""
    rows = ReviewItem.objects.select_for_update(of=("self",)).select_related("plan__audit__project")
    return rows.get(pk=item_id)


def append(
    item: ReviewItem,
    slot: Slot | None,
    last: Adjudication | None,
    word: Word,
    *,
    taken_at: datetime.datetime | None,
    since: datetime.datetime | None = None,
) -> tuple[Adjudication, list[Model]]:
    """The new row, and it with its marks, for the event. since: what active_ms is bounded by, if not by taken_at."""
    revealed = Adjudication.objects.filter(item=item, reviewer=word.user, revelation__isnull=False).exists()
    row: Adjudication = Adjudication.objects.create(
        item=item,
        slot=slot,
        reviewer=word.user,
        label=word.label,
        reason=word.reason,
        revision=last.revision + 1 if last else 1,
        blind=not revealed,
        taken_at=taken_at,
        active_ms=_bounded(word.active_ms, since or taken_at),
        keys=None if word.keys is None else max(0, min(word.keys, MOST_KEYS)),
        guidelines=Guidelines.objects.filter(project=item.plan.audit.project_id).order_by("-version").first(),
        idempotency_key=word.key,
    )
    return row, [row, *store(row, word.marks)]


def _bounded(active_ms: int | None, since: datetime.datetime | None) -> int | None:
    """Milliseconds that can be true: browsers are not trusted, and a claim that nobody took was not measured."""
    if active_ms is None or since is None:
        return None
    passed = (timezone.now() - since) // datetime.timedelta(milliseconds=1)
    return max(0, min(active_ms, passed))
