"""An expert's word on a claim: appended, never changed."""

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef

from audits.labels import Label
from review.models.item import ReviewItem, Slot

LABELS = [(label.value, label.value) for label in Label]


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


class AdjudicationQuerySet(AppendOnlyQuerySet):
    """Adjudications by what still counts."""

    def newest(self) -> "AdjudicationQuerySet":
        """The newest word of every person on every item, withdrawals included."""
        later = Adjudication.objects.filter(
            item=OuterRef("item"), reviewer=OuterRef("reviewer"), revision__gt=OuterRef("revision")
        )
        return self.filter(~Exists(later))

    def standing(self) -> "AdjudicationQuerySet":
        """Labels not withdrawn and not replaced, extra opinions included."""
        return self.newest().exclude(label="")

    def counting(self) -> "AdjudicationQuerySet":
        """Standing labels that fill a slot: what outcomes use."""
        return self.standing().filter(slot__isnull=False)


class Adjudication(models.Model):
    """One expert's label on one item. A change of mind is a new row with the next revision."""

    item = models.ForeignKey(ReviewItem, models.PROTECT, related_name="adjudications")
    slot = models.ForeignKey(Slot, models.PROTECT, null=True, related_name="adjudications")  # None: an extra opinion
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="adjudications")
    label = models.CharField(max_length=12, choices=LABELS, blank=True)  # "": the person withdrew the label before
    reason = models.TextField(blank=True)
    revision = models.PositiveSmallIntegerField(default=1)
    blind = models.BooleanField(default=True)  # given before this person saw what the judges said of this claim
    revealed = models.BooleanField(default=False)  # the judges' verdicts were shown right after
    idempotency_key = models.UUIDField(unique=True)
    created = models.DateTimeField(auto_now_add=True)

    objects = AdjudicationQuerySet.as_manager()

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(fields=("item", "reviewer", "revision"), name="one_word_per_revision"),
        )

    def __str__(self) -> str:
        return f"{self.item} · {self.label or 'withdrawn'}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Insert; Frozen when the row exists already."""
        if not self._state.adding:
            raise Frozen("An adjudication is never changed; a new one is added.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> Any:
        """Refused."""
        raise Frozen("An adjudication is never deleted; it can be withdrawn.")
