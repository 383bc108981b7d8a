"""Requests handed to a vendor's batch interface, and which question each of them carries."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from audits.models.audit import Audit, PanelMember
from audits.models.lease import Leased


class Batch(Leased):
    """One batch at one vendor: written down before it is handed over, so that a restart finds it there."""

    class Status(models.TextChoices):
        """Where the batch is."""

        PREPARED = "prepared", _("prepared")  # perhaps handed over already: look at the vendor before doing so
        SUBMITTED = "submitted", _("submitted")
        COLLECTED = "collected", _("collected")
        FAILED = "failed", _("failed")  # as a whole; what it carried is owed again

    OPEN = (Status.PREPARED, Status.SUBMITTED)

    audit = models.ForeignKey(Audit, models.CASCADE, related_name="batches")
    member = models.ForeignKey(PanelMember, models.CASCADE, related_name="batches")
    tag = models.UUIDField(unique=True)  # ours; begins every custom id, so that the vendor's batch is known again
    status = models.CharField(max_length=10, choices=Status, default=Status.PREPARED)
    vendor_id = models.CharField(max_length=200, blank=True)
    vendor_status = models.CharField(max_length=40, blank=True)
    requests = models.PositiveIntegerField(default=0)
    answered = models.PositiveIntegerField(default=0)  # as the vendor reports while it works
    failed = models.PositiveIntegerField(default=0)
    cut = models.PositiveIntegerField(default=0)  # requests taken out again: the vendor had no room for so many
    certain = models.BooleanField(default=True)  # False: found by time and number alone, perhaps somebody else's
    at_most = models.DecimalField(max_digits=14, decimal_places=8, null=True)  # US dollars, held for the budget
    message = models.TextField(blank=True)
    tries = models.PositiveSmallIntegerField(default=0)  # of handing over or collecting, since it last worked
    created = models.DateTimeField(auto_now_add=True)
    submitted_at = models.DateTimeField(null=True)  # with PREPARED: perhaps; whoever handed it over heard no answer
    cancelled_at = models.DateTimeField(null=True)  # when a person asked for it; what is left is asked directly
    next_look = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("pk",)
        indexes = (models.Index(fields=("audit", "status"), name="batch_open"),)

    def __str__(self) -> str:
        return f"{self.member} · {self.requests} · {self.status}"


class BatchItem(models.Model):
    """One request of a batch: an extraction, or some claims of one judging."""

    class Status(models.TextChoices):
        """Where the request is."""

        WAITING = "waiting", _("waiting")
        DONE = "done", _("done")
        AGAIN = "again", _("asked again")  # failed or expired at the vendor; its question is owed again

    batch = models.ForeignKey(Batch, models.CASCADE, related_name="items")
    number = models.PositiveIntegerField()  # within the batch; with the batch's tag it makes the custom id
    extraction = models.ForeignKey("Extraction", models.CASCADE, null=True, related_name="+")
    judging = models.ForeignKey("Judging", models.CASCADE, null=True, related_name="+")
    claims = models.JSONField(default=list)  # ids, in the order of their numbers in the prompt
    request_hash = models.CharField(max_length=64)
    prompt_version = models.CharField(max_length=40, blank=True)
    prompt_hash = models.CharField(max_length=64, blank=True)
    asked = models.PositiveSmallIntegerField(default=0)  # claims in the prompt, numbered from 1
    at_most = models.DecimalField(max_digits=14, decimal_places=8, null=True)  # US dollars; None without a budget
    status = models.CharField(max_length=8, choices=Status, default=Status.WAITING)

    class Meta:
        ordering = ("batch", "number")
        constraints = (
            models.UniqueConstraint(fields=("batch", "number"), name="one_batch_item"),
            models.CheckConstraint(
                condition=Q(extraction__isnull=True) ^ Q(judging__isnull=True), name="batch_item_has_one_question"
            ),
        )

    def __str__(self) -> str:
        return f"{self.batch_id}-{self.number}"
