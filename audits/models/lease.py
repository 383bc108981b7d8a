"""Work that a process has taken for a while. If the process dies, the time runs out and others may take it.

The clock is the database's: those of several machines may differ, and the clock of one may be set while it works.
"""

import datetime
import uuid
from collections.abc import Hashable
from typing import Any, Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.expressions import Combinable
from django.db.models.functions import Now

from audits.models import compiled

GRACE = datetime.timedelta(minutes=1)


def lease_end(seconds: int) -> Combinable:
    """When a lease taken now for so many seconds ends: an expression, for an update or an insert."""
    return Now() + datetime.timedelta(seconds=seconds)


class LeasedQuerySet(models.QuerySet[Any]):
    """Taking work: one conditional update decides who got it, on every database."""

    def free(self) -> Self:
        """Rows that nobody holds now.

        A lease that would last much longer than leases do was taken before the clock was set back: who still works
        renews it every few seconds, and where nobody does, the work must not wait until the clock has caught up.
        """
        never = Now() + (2 * datetime.timedelta(seconds=settings.ASSAY_LEASE_SECONDS) + GRACE)
        return self.filter(Q(leased_until__isnull=True) | Q(leased_until__lt=Now()) | Q(leased_until__gt=never))

    def take(self, limit: int, seconds: int, token: uuid.UUID, **still: Any) -> list[Any]:
        """Lease up to `limit` free rows of this query for `seconds` under `token`; the rows that are now ours.

        `still` names plain columns (status=…) that must hold at the very moment of taking.
        """
        candidates = list(self.free().filter(**still).order_by("pk")[:limit])
        if not candidates:
            return []
        # The filter is asked again inside the update: of two takers of one row, one changes nothing.
        rows = type(self)(self.model).filter(pk__in=[row.pk for row in candidates], **still)
        until = lease_end(seconds)
        mine = rows.free().update(lease=token, leased_until=until)
        if mine < len(candidates):  # another taker was quicker for some of them
            return list(rows.filter(lease=token).order_by("pk")) if mine else []
        for row in candidates:
            row.lease, row.leased_until = token, until
        return candidates

    def take_owed(self, limit: int, seconds: int, token: uuid.UUID, **still: Any) -> list[Any]:
        """As take, of all rows of the model, and fast. `still`: values of plain columns, None where one is empty."""
        known = {name: value for name, value in still.items() if value is not None}
        form = (self.model, tuple(still), tuple(known), seconds, settings.ASSAY_LEASE_SECONDS)
        candidates = self._candidates(form, limit, still, known)
        if not candidates:
            return []
        ids = [row.pk for row in candidates]
        mine = self._lease(form, ids, seconds, still, {**known, "token": token})
        if mine < len(candidates):  # another taker was quicker for some of them
            return list(self.filter(pk__in=ids, lease=token, **still).order_by("pk")) if mine else []
        for row in candidates:
            row.lease = token
        return candidates

    def _candidates(self, form: Hashable, limit: int, still: dict[str, Any], known: dict[str, Any]) -> list[Any]:
        number = compiled.roomy(limit)

        def rows() -> "models.QuerySet[Any]":
            return self.filter(**self._slots(still)).free().order_by("pk")[:number]

        return compiled.select((form, number), rows, **known)[:limit]

    def _lease(self, form: Hashable, ids: list[int], seconds: int, still: dict[str, Any], values: Any) -> int:
        number = compiled.roomy(len(ids))

        def leased() -> tuple["models.QuerySet[Any]", dict[str, Any]]:
            # The filter is asked again inside the update: of two takers of one row, one changes nothing.
            rows = self.filter(pk__in=compiled.slots("ids", number), **self._slots(still)).free()
            token = compiled.Slot("token", models.UUIDField())
            return rows, {"lease": token, "leased_until": lease_end(seconds)}

        return compiled.update((form, "lease", number), leased, ids=ids, **values)

    def _slots(self, still: dict[str, Any]) -> dict[str, Any]:
        """Slots for these columns; that one is empty belongs to the form of a statement."""
        fields = {name: self.model._meta.get_field(name) for name, value in still.items() if value is not None}
        return {name: compiled.Slot(name, fields[name]) if name in fields else None for name in still}

    def renew(self, token: uuid.UUID, seconds: int) -> int:
        """Hold on to the rows under this token; the number of rows still ours."""
        return self.filter(lease=token).update(leased_until=lease_end(seconds))

    def release(self, token: uuid.UUID) -> None:
        """Give the rows under this token back at once."""
        self.filter(lease=token).update(lease=None, leased_until=None)


class Leased(models.Model):
    """A row that one process at a time works on."""

    lease = models.UUIDField(null=True, editable=False, db_index=True)
    leased_until = models.DateTimeField(null=True, editable=False)

    objects = LeasedQuerySet.as_manager()

    class Meta:
        abstract = True
