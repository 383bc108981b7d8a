"""Gives events their place in the chain: shortly after the act, and always before a certificate rests on them.

Not at the moment of the act: then every act on the whole site would wait for the one before it to be committed.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC
from typing import Any

from django.db import IntegrityError, models, transaction

from audits.chain import START, Break, first_break, link
from audits.models import Event

PORTION = 1000  # events sealed in one transaction
TRIES = 10  # of a portion that others were faster with


def seal() -> str:
    """Chain all events that are not chained yet; the hash of the last one. Any number of processes may do so."""
    for _ in range(TRIES):
        try:
            while _portion():
                pass
            break
        except IntegrityError:  # another process gave the same place first; what it left over comes now
            pass
    return head()[1]


def head() -> tuple[int, str]:
    """The last place in the chain, from 1, and its hash; (0, START) while it is empty."""
    last = Event.objects.filter(sequence__isnull=False).order_by("-sequence").values_list("sequence", "hash").first()
    return last or (0, START)


def _portion() -> bool:
    with transaction.atomic():
        # The last entry is the lock: whoever comes second waits here, and then looks again what the last one is.
        Event.objects.filter(sequence__isnull=False).order_by("-sequence").select_for_update().first()
        sequence, before = head()
        waiting = list(Event.objects.filter(sequence__isnull=True).order_by("pk")[:PORTION])
        rows: models.QuerySet[Event] = models.QuerySet(Event)  # events themselves refuse to be changed
        for event in waiting:
            sequence += 1
            before = link(before, entry(event, sequence))
            if not rows.filter(pk=event.pk, sequence__isnull=True).update(sequence=sequence, hash=before):
                raise IntegrityError("an event was sealed meanwhile")
    return len(waiting) == PORTION


def entry(event: Event, sequence: int) -> Mapping[str, Any]:
    """What the chain covers of an event. Times are UTC with microseconds; people, projects, audits are ids."""
    return {
        "sequence": sequence,
        "event": event.pk,
        "kind": event.kind,
        "project": event.project_id,
        "audit": event.audit_id,
        "actor": event.actor_id,
        "created": event.created.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "data": event.data,
    }


def entries() -> Iterator[tuple[Mapping[str, Any], str]]:
    """Every chained event in order, with its stored hash."""
    rows = Event.objects.filter(sequence__isnull=False).order_by("sequence")
    for event in rows.iterator(chunk_size=PORTION):
        yield entry(event, event.sequence or 0), event.hash


def check() -> Break | None:
    """Where the chain does not hold any more; None when it does."""
    return first_break(entries())
