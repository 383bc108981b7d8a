"""An audit: one dataset under one panel, with its acceptance rule set before the first verdict."""

import datetime
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from audits.models.dataset import Dataset
from audits.models.judge import PRICE_FIELDS, Judge
from audits.models.project import Project
from audits.prices import FREE, Prices

RING_AGAIN = datetime.timedelta(seconds=10)


class AuditQuerySet(models.QuerySet["Audit"]):
    """Audits by what is owed."""

    def judging(self) -> "AuditQuerySet":
        """Audits on which workers work."""
        return self.filter(status=Audit.Status.JUDGING, headless=False)

    def quiet(self) -> "AuditQuerySet":
        """Audits for which no doorbell was rung lately."""
        lately = timezone.now() - RING_AGAIN
        return self.filter(models.Q(rung_at__isnull=True) | models.Q(rung_at__lt=lately))


class Audit(models.Model):
    """Judging moves to reviewing when no vendor call is owed any more; a certificate is a thing of its own."""

    class Status(models.TextChoices):
        """Where an audit is."""

        JUDGING = "judging", _("judging")
        PAUSED = "paused", _("paused")
        REVIEWING = "reviewing", _("reviewing")
        CANCELLED = "cancelled", _("cancelled")

    class Scope(models.TextChoices):
        """What the acceptance rule speaks of."""

        DATASET = "dataset", _("these answers")
        TRAFFIC = "traffic", _("the traffic these answers were drawn from")

    project = models.ForeignKey(Project, models.CASCADE, related_name="audits")
    dataset = models.ForeignKey(Dataset, models.PROTECT, related_name="audits")
    name = models.CharField(_("name"), max_length=200)
    status = models.CharField(max_length=10, choices=Status, default=Status.JUDGING)
    threshold = models.DecimalField(  # the hallucination rate that is still accepted, as a fraction
        max_digits=5,
        decimal_places=4,
        default=Decimal("0.02"),
        validators=[MinValueValidator(Decimal("0.0001")), MaxValueValidator(Decimal("0.5"))],
    )
    confidence = models.DecimalField(max_digits=4, decimal_places=3, default=Decimal("0.95"))
    expected_rate = models.DecimalField(max_digits=5, decimal_places=4, null=True)  # what the plan reckons with
    looks = models.PositiveSmallIntegerField(default=1)  # at the spot check, registered beforehand
    plan = models.JSONField(default=dict)  # answers, spot check, chances to pass, hours: as shown when it was made
    rule_changed_at = models.DateTimeField(null=True)  # after the first expert label: nothing passes any more
    calibration = models.BooleanField(default=False)  # of the judges, against labels that people gave before
    # The calibration on whose figures the panel was chosen; the certificate names it.
    calibrated_by = models.ForeignKey("self", models.PROTECT, null=True, related_name="+")
    planted = models.PositiveIntegerField(default=0)  # claims made false on purpose that the judges are asked about
    scope = models.CharField(max_length=8, choices=Scope, default=Scope.DATASET)
    spot_check_size = models.PositiveIntegerField(default=0)  # agreed claims that experts see, hidden among disputes
    double_percent = models.PositiveSmallIntegerField(default=0)  # of the experts' claims that two of them label
    seed = models.BigIntegerField()  # of what nobody shall know beforehand: which claims are probed and spot-checked
    # Of the order in which each judge sees contexts: the dataset's, so that another audit of it finds paid answers.
    order_seed = models.BigIntegerField(null=True)  # None: the seed above, in audits started before this field
    claims_per_call = models.PositiveSmallIntegerField(default=1)
    override_reason = models.TextField(blank=True)  # why a judge of the generator's family was allowed
    expected_calls = models.PositiveIntegerField(null=True)
    expected_cost = models.DecimalField(max_digits=14, decimal_places=6, null=True)  # US dollars; None: unknown
    expected = models.JSONField(default=list)  # the estimate, member by member: name, role, calls, tokens, cost
    budget = models.DecimalField(max_digits=14, decimal_places=6, null=True)  # US dollars; None: no limit
    spent = models.DecimalField(max_digits=14, decimal_places=8, default=0)  # at most; counted for the budget
    stopped_by = models.CharField(max_length=10, blank=True)  # while paused: "budget", "judges", "" by a person
    reuse = models.BooleanField(default=True)  # answers that other audits of the project paid for are found again
    batch = models.BooleanField(default=False)  # through the vendors' batch interfaces, where they have one
    probe_percent = models.PositiveSmallIntegerField(default=0)  # of claims judged again to measure stability
    headless = models.BooleanField(default=False)  # driven by a command of its own, whose keys no worker has
    rung_at = models.DateTimeField(null=True, editable=False)  # the last doorbell, so that sweeps do not flood
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    created = models.DateTimeField(auto_now_add=True)
    judged_at = models.DateTimeField(null=True)  # when the last verdict was in
    labelled_at = models.DateTimeField(null=True)  # when the first expert label was given; what is judged stays then

    objects = AuditQuerySet.as_manager()

    class Meta:
        ordering = ("-created", "-pk")

    def __str__(self) -> str:
        return self.name

    def advance(self, old: str, new: str) -> bool:
        """Move from one status to the next; True for exactly one caller."""
        moved: dict[str, Any] = {"status": new, "stopped_by": ""}
        moved |= {"judged_at": timezone.now()} if new == self.Status.REVIEWING else {}
        if not type(self).objects.filter(pk=self.pk, status=old).update(**moved):
            return False
        for name, value in moved.items():
            setattr(self, name, value)
        return True

    def mark_labelled(self) -> bool:
        """An expert has given a label: from now on the claims and verdicts it rests on must stay as they are.

        True for exactly one caller, whose event answers for the mark.
        """
        rows = type(self).objects.filter(pk=self.pk, labelled_at__isnull=True)
        return bool(rows.update(labelled_at=timezone.now()))

    def may_ring(self) -> bool:
        """True for one caller in ten seconds: many sweeps must not flood the broker."""
        return bool(type(self).objects.quiet().filter(pk=self.pk).update(rung_at=timezone.now()))

    @property
    def panel(self) -> "models.QuerySet[PanelMember]":
        """The judges, in their order, without the extractor."""
        return self.members.filter(role=PanelMember.Role.JUDGE)

    @cached_property
    def bench(self) -> "tuple[PanelMember, ...]":
        """The panel, read once: who sits on it was settled at the start. What may change is to be read elsewhere."""
        return tuple(self.panel)

    @property
    def has_probes(self) -> bool:
        """Whether judges are asked more than what counts: claims again, or planted ones."""
        return bool(self.probe_percent or self.planted)

    @property
    def is_specimen(self) -> bool:
        """Judged without a vendor: proves the road, not the system."""
        return self.members.filter(vendor="offline").exists()


class PanelMember(models.Model):
    """A judge or the extractor of one audit, frozen at the start: later edits of the judge change nothing here."""

    class Role(models.TextChoices):
        """What the member does."""

        EXTRACTOR = "extractor", _("extractor")
        JUDGE = "judge", _("judge")

    audit = models.ForeignKey(Audit, models.CASCADE, related_name="members")
    judge = models.ForeignKey(Judge, models.PROTECT, related_name="seats")
    role = models.CharField(max_length=10, choices=Role)
    position = models.PositiveSmallIntegerField()  # judges: 0 primary, 1 secondary …
    vendor = models.CharField(max_length=40)
    model = models.CharField(max_length=200)
    family = models.CharField(max_length=60)
    base_url = models.CharField(max_length=200, blank=True)
    concurrency = models.PositiveSmallIntegerField(default=8)
    price_in = models.DecimalField(max_digits=10, decimal_places=4, null=True)
    price_out = models.DecimalField(max_digits=10, decimal_places=4, null=True)
    price_cache_read = models.DecimalField(max_digits=10, decimal_places=4, null=True)
    price_cache_write = models.DecimalField(max_digits=10, decimal_places=4, null=True)
    rpm = models.PositiveIntegerField(null=True)
    tpm = models.PositiveIntegerField(null=True)
    context_tokens = models.PositiveIntegerField(null=True)
    limit_now = models.PositiveSmallIntegerField(null=True)  # calls at once as adapted to the vendor; None: not yet
    limit_reason = models.CharField(max_length=20, blank=True)  # why it is lower than wanted: a Fault, "latency", …
    resumes_at = models.DateTimeField(null=True)  # the vendor asked to wait until then; stopped: tried again then
    notes = models.JSONField(default=list)  # parameters that the model refused and that were left out
    without_batches = models.BooleanField(default=False)  # its address has no batch interface: always asked directly
    stopped_fault = models.CharField(max_length=20, blank=True)  # a Fault that a person must mend
    stopped_message = models.TextField(blank=True)

    class Meta:
        ordering = ("role", "position")
        constraints = (models.UniqueConstraint(fields=("audit", "role", "position"), name="one_seat"),)

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """VENDOR:MODEL."""
        return f"{self.vendor}:{self.model}"

    @property
    def prices(self) -> Prices:
        """US dollars per million tokens, as frozen at the start. A judge that makes no call leaves no bill."""
        return FREE if self.vendor == "offline" else Prices(*(getattr(self, name) for name in PRICE_FIELDS))

    @property
    def letter(self) -> str:
        """A, B …: how experts see a judge."""
        return chr(ord("A") + self.position)
