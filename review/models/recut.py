"""A badly cut claim goes back with the text that it should have had."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from review.models.item import ReviewItem


class Recut(models.Model):
    """A proposal to cut a claim anew. Accepted, its texts become claims and items of their own."""

    class State(models.TextChoices):
        """What became of it."""

        PROPOSED = "proposed", _("proposed")
        ACCEPTED = "accepted", _("accepted")
        DECLINED = "declined", _("declined")

    item = models.ForeignKey(ReviewItem, models.PROTECT, related_name="recuts")
    proposer = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    texts = models.JSONField()  # one to five claims
    note = models.TextField(blank=True)
    state = models.CharField(max_length=8, choices=State, default=State.PROPOSED)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)
    reply = models.TextField(blank=True)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"{self.item} · {self.state}"
