"""An expert's word on a claim: appended, never changed."""

from django.conf import settings
from django.db import models
from django.db.models import Exists, F, OuterRef, Q

from audits.models.written_once import AppendOnlyQuerySet, WrittenOnce
from review.models.guidelines import Guidelines
from review.models.item import LABELS, ReviewItem, Slot


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
        """Standing labels that fill a slot, without those on claims with known labels: what outcomes use."""
        return self.standing().filter(slot__isnull=False).exclude(item__kind=ReviewItem.Kind.GOLD)


class Adjudication(WrittenOnce):
    """One expert's label on one item. A change of mind is a new row with the next revision."""

    item = models.ForeignKey(ReviewItem, models.PROTECT, related_name="adjudications")
    slot = models.ForeignKey(Slot, models.PROTECT, null=True, related_name="adjudications")  # None: an extra opinion
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="adjudications")
    label = models.CharField(max_length=12, choices=LABELS, blank=True)  # "": the person withdrew the label before
    reason = models.TextField(blank=True)
    revision = models.PositiveSmallIntegerField(default=1)
    blind = models.BooleanField(default=True)  # given before this person saw what the judges said of this claim
    taken_at = models.DateTimeField(null=True)  # when the person took the claim
    active_ms = models.PositiveIntegerField(
        null=True
    )  # of reading and deciding, idle time removed; None: not measured
    keys = models.PositiveSmallIntegerField(null=True)  # pressed for this decision; None: not measured
    guidelines = models.ForeignKey(Guidelines, models.PROTECT, null=True, related_name="+")  # in force then
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

    @property
    def revealed(self) -> bool:
        """The judges' verdicts were shown to the person after this label."""
        return Revelation.objects.filter(adjudication=self).exists()


class Revelation(WrittenOnce):
    """The judges' verdicts were shown to the person after this label; a later one of the same person is not blind."""

    adjudication = models.OneToOneField(Adjudication, models.PROTECT, related_name="revelation")
    created = models.DateTimeField(auto_now_add=True)

    objects = AppendOnlyQuerySet.as_manager()

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"{self.adjudication} · shown"


class EvidenceMark(WrittenOnce):
    """A passage that an expert marked as the reason for a label. Offsets are code points of the context."""

    adjudication = models.ForeignKey(Adjudication, models.PROTECT, related_name="marks")
    context = models.PositiveIntegerField()  # its place in the sample, from 0
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    text = models.TextField()

    objects = AppendOnlyQuerySet.as_manager()

    class Meta:
        ordering = ("adjudication", "context", "start")
        constraints = (
            models.UniqueConstraint(fields=("adjudication", "context", "start", "end"), name="one_mark_per_span"),
            models.CheckConstraint(condition=Q(end__gt=F("start")), name="mark_has_a_span"),
        )

    def __str__(self) -> str:
        return f"{self.context}: {self.start}-{self.end}"
