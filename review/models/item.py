"""What experts look at: the frozen plan of one audit, its items, and the slots in which labels are given."""

import uuid
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from audits.labels import Label
from audits.models import Audit, Claim

LABELS = [(label.value, label.value) for label in Label]


class Stratum(models.TextChoices):
    """The pile a claim lay in when the spot check was drawn."""

    SUPPORTED = "supported", _("agreed: supported")
    SUPPORTED_VAGUE = "supported_vague", _("agreed: supported, vague")
    CONTRADICTED = "contradicted", _("agreed: contradicted")
    UNVERIFIED = "unverified", _("agreed: unverified")
    DISPUTED = "disputed", _("disputed")


class ReviewPlan(models.Model):
    """The draw of one audit, frozen with everything that is needed to repeat it."""

    audit = models.OneToOneField(Audit, models.CASCADE, related_name="review_plan")
    asked = models.PositiveIntegerField()  # the spot check's size as the audit asked for it
    strata = models.JSONField()  # {stratum: {"N": claims, "n": claims that experts see}}
    strata_hash = models.CharField(max_length=64)
    nonce = models.CharField(max_length=64)  # fixed when the audit started, before the first verdict
    seed_hex = models.CharField(max_length=16)  # 8 bytes: SHA-256(dataset sha256 || strata hash || nonce)
    looks = models.JSONField(default=list)  # each look beyond the first: {"at", "by", "asked", "strata"}
    doubles = models.PositiveIntegerField(default=0)  # items that were drawn to be labelled by two experts
    drawn_at = models.DateTimeField(default=timezone.now)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")  # None: the system

    class Meta:
        ordering = ("drawn_at", "pk")

    def __str__(self) -> str:
        return f"{self.audit} · {self.drawn_at:%Y-%m-%d}"

    @property
    def seed(self) -> int:
        """The seed of the draw, 0 .. 2^64 - 1."""
        return int(self.seed_hex, 16)


class ReviewItem(models.Model):
    """A claim that experts settle: every disputed one, the agreed ones that were drawn, and claims with known labels.

    An item whose claim was cut anew is `replaced`: its parts, items of their own, stand for it.
    """

    class Kind(models.TextChoices):
        """Why the claim is here. Never on a page before the expert has given a label."""

        DISPUTE = "dispute", _("dispute")
        SPOT_CHECK = "spot_check", _("spot check")
        GOLD = "gold", _("known label")

    plan = models.ForeignKey(ReviewPlan, models.CASCADE, related_name="items")
    claim = models.OneToOneField(Claim, models.CASCADE, related_name="review_item")
    kind = models.CharField(max_length=10, choices=Kind)
    stratum = models.CharField(max_length=16, choices=Stratum)
    order = models.PositiveIntegerField()  # the shuffled place; rows are made in it, so that ids tell nothing
    rank = models.PositiveIntegerField(default=0)  # where it comes in the queue (review.ordering); ties by `order`
    needed = models.PositiveSmallIntegerField(
        default=1
    )  # independent experts; an arbiter comes on top when they differ
    parent = models.ForeignKey("self", models.PROTECT, null=True, related_name="parts")  # the item it is a part of
    replaced_at = models.DateTimeField(null=True)  # its claim was cut anew
    gold_label = models.CharField(max_length=12, choices=LABELS, blank=True)  # the known label; gold items only
    gold_reason = models.TextField(blank=True)
    # A manager closed it: no expert can decide it. It counts against the system: hallucinated for the upper limit,
    # supported for the lower one.
    given_up_at = models.DateTimeField(null=True)
    given_up_reason = models.TextField(blank=True)

    class Meta:
        ordering = ("plan", "order")
        constraints = (models.UniqueConstraint(fields=("plan", "order"), name="one_item_per_place"),)

    def __str__(self) -> str:
        return f"{self.plan_id}.{self.order}"


class SlotQuerySet(models.QuerySet["Slot"]):
    """Slots by who may work in them."""

    def needed(self) -> "SlotQuerySet":
        """Slots of audits under review whose label is wanted, or in: none of a claim that was cut anew, and none that
        was closed because its label was not needed any more (done, by nobody)."""
        rows = self.filter(item__plan__audit__status=Audit.Status.REVIEWING, item__replaced_at__isnull=True)
        return rows.exclude(state=Slot.State.DONE, reviewer__isnull=True)

    def open(self) -> "SlotQuerySet":
        """Slots of audits under review that wait for a label."""
        return self.needed().filter(state=Slot.State.WAITING)

    def free(self) -> "SlotQuerySet":
        """Slots that nobody holds now. Uses plain columns only: it is asked again inside an update."""
        return self.filter(Q(lease_until__isnull=True) | Q(lease_until__lt=timezone.now()), state=Slot.State.WAITING)

    def held(self) -> "SlotQuerySet":
        """Slots that somebody holds now."""
        return self.filter(state=Slot.State.WAITING, lease_until__gte=timezone.now())

    def in_projects(self, projects: Any) -> "SlotQuerySet":
        """Slots of these projects."""
        return self.filter(item__plan__audit__project__in=projects)


class Slot(models.Model):
    """One place for one expert's label on one item. All state of the work lives here, never on the item.

    An item has as many slots as it needs labels; a gold item one per expert (reserved_for). When the independent
    labels differ, one more slot arbitrates.
    """

    class State(models.TextChoices):
        """Whether a label is in."""

        WAITING = "waiting", _("waiting")
        DONE = "done", _("done")

    item = models.ForeignKey(ReviewItem, models.CASCADE, related_name="slots")
    number = models.PositiveSmallIntegerField(default=1)
    code = models.UUIDField(
        default=uuid.uuid4, unique=True, editable=False
    )  # in addresses: ids would tell what is late
    arbitrates = models.BooleanField(default=False)  # for a third expert, who sees both labels without names
    reserved_for = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    state = models.CharField(max_length=7, choices=State, default=State.WAITING)
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    token = models.UUIDField(null=True, editable=False)
    lease_until = models.DateTimeField(null=True, editable=False)
    taken_at = models.DateTimeField(null=True, editable=False)  # when the person who holds it, or filled it, took it

    objects = SlotQuerySet.as_manager()

    class Meta:
        ordering = ("item__plan", "item__order", "number")
        constraints = (models.UniqueConstraint(fields=("item", "number"), name="one_slot_per_number"),)
        indexes = (models.Index(fields=("state", "lease_until"), name="slot_waiting"),)

    def __str__(self) -> str:
        return f"{self.item}/{self.number} · {self.state}"


class Skip(models.Model):
    """An expert passed over a claim and said why. Skipping settles nothing: the claim stays owed."""

    class Reason(models.TextChoices):
        """Why; data for the analyst."""

        CONTEXT_MISSING = "context_missing", _("The context is missing or cut off")
        TWO_CLAIMS = "two_claims", _("Two claims in one")
        UNCLEAR = "unclear", _("The claim is unclear")
        NOT_MY_FIELD = "not_my_field", _("Not my field")

    item = models.ForeignKey(ReviewItem, models.CASCADE, related_name="skips")
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    reason = models.CharField(max_length=20, choices=Reason)
    note = models.TextField(blank=True)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("pk",)
        indexes = (models.Index(fields=("item", "reviewer"), name="skip_by_whom"),)

    def __str__(self) -> str:
        return f"{self.item} · {self.reason}"
