"""Rows that are added and read, and nothing else: what people did and said, and what hangs on it."""

from typing import Any

from django.db import models


class Frozen(Exception):
    """Somebody tried to change or delete what is written once."""


class AppendOnlyQuerySet(models.QuerySet[Any]):
    """Rows that can be added and read, nothing else."""

    def update(self, **changes: Any) -> int:
        """Refused."""
        raise Frozen(f"{self.model.__name__} rows are never changed.")

    def delete(self) -> Any:
        """Refused."""
        raise Frozen(f"{self.model.__name__} rows are never deleted.")


class WrittenOnce(models.Model):
    """A row that is inserted and then stays as it is."""

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Insert; Frozen when the row exists already."""
        if not self._state.adding:
            raise Frozen(f"{type(self).__name__} rows are never changed; a new one is added.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> Any:
        """Refused."""
        raise Frozen(f"{type(self).__name__} rows are never deleted.")
