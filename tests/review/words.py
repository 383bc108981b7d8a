"""Experts' words put into the database one by one, so that a test says exactly who said what, when, and how blind."""

import datetime
import uuid
from typing import Any

from django.db import connection

from audits.models import Audit
from review.models import Adjudication, Revelation, ReviewItem, Slot
from review.spotcheck import open_review


def items_of(audit: Audit) -> list[ReviewItem]:
    """The items of the audit in the order of their claims; the review is opened when it is not yet."""
    open_review(audit)
    return list(ReviewItem.objects.filter(plan__audit=audit).order_by("claim").select_related("claim"))


def say(
    item: ReviewItem,
    user: Any,
    label: str,
    *,
    number: int | None = 1,
    arbitrates: bool = False,
    shown: bool = False,
    at: datetime.datetime | None = None,
    **more: Any,
) -> Adjudication:
    """The next word of this person on this item. "": taken back. number: the slot, None for an extra opinion.

    shown: the judges' verdicts are shown after it. It is blind unless they were shown to the person before.
    """
    slot = None
    if number is not None:
        slot, _ = Slot.objects.get_or_create(item=item, number=number, defaults={"arbitrates": arbitrates})
        Slot.objects.filter(pk=slot.pk).update(
            state="done" if label else "waiting", reviewer=user, arbitrates=arbitrates
        )
    before = Adjudication.objects.filter(item=item, reviewer=user)
    row: Adjudication = Adjudication.objects.create(
        item=item,
        slot=slot,
        reviewer=user,
        label=label,
        revision=before.count() + 1,
        blind=not before.filter(revelation__isnull=False).exists(),
        idempotency_key=uuid.uuid4(),
        **more,
    )
    if at is not None:
        _put_at(row, at)
    if shown:
        Revelation.objects.create(adjudication=row)
    return row


def _put_at(row: Adjudication, at: datetime.datetime) -> None:
    """Give a word another time, past the guard of rows that are written once."""
    with connection.cursor() as cursor:
        cursor.execute("UPDATE review_adjudication SET created = %s WHERE id = %s", [at, row.pk])


def double(item: ReviewItem) -> None:
    """Have the item labelled by two experts."""
    ReviewItem.objects.filter(pk=item.pk).update(needed=2)
    item.needed = 2
