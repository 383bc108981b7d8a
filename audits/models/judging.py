"""Extraction, claims, verdicts and the ledger of vendor calls."""

from typing import cast

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from audits.labels import Decision, Label, Unscored
from audits.models.audit import Audit, PanelMember
from audits.models.dataset import Sample
from audits.models.lease import Leased

LABELS = [(label.value, label.value) for label in Label]
DECISIONS = [(decision.value, decision.value) for decision in Decision]
UNSCORED = [(reason.value, reason.value) for reason in Unscored]


class Extraction(Leased):
    """The claims of one sample, cut once for the whole panel: pending -> done or failed."""

    class Status(models.TextChoices):
        """Where the extraction is."""

        PENDING = "pending", _("pending")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")

    audit = models.ForeignKey(Audit, models.CASCADE, related_name="extractions")
    sample = models.ForeignKey(Sample, models.PROTECT, related_name="extractions")
    status = models.CharField(max_length=8, choices=Status, default=Status.PENDING)
    sentences = models.JSONField(default=list)  # [start, end] of each numbered sentence in the answer
    no_claims = models.JSONField(default=dict)  # sentence number -> reason
    unaccounted = models.JSONField(default=list)  # sentences with neither claims nor a reason
    is_refusal = models.BooleanField(default=False)
    failure = models.TextField(blank=True)
    parts = models.PositiveSmallIntegerField(default=1)  # calls whose claims were put together
    asked_again = models.BooleanField(default=False)  # for sentences with neither claims nor a reason
    notes = models.JSONField(default=list)
    batch = models.ForeignKey("Batch", models.SET_NULL, null=True, related_name="+")  # waits for this one
    direct = models.BooleanField(default=False)  # asked directly, since batches did not answer it
    call = models.ForeignKey("Call", models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ("pk",)
        constraints = (models.UniqueConstraint(fields=("audit", "sample"), name="one_extraction"),)
        indexes = (models.Index(fields=("audit", "status"), name="extraction_owed"),)

    def __str__(self) -> str:
        return f"{self.sample} · {self.status}"


class Judging(Leased):
    """One judge's work on one sample: owed until every claim of the sample has a verdict of this judge."""

    class Status(models.TextChoices):
        """Where the judging is."""

        OWED = "owed", _("owed")
        DONE = "done", _("done")

    audit = models.ForeignKey(Audit, models.CASCADE, related_name="judgings")
    extraction = models.ForeignKey(Extraction, models.CASCADE, related_name="judgings")
    member = models.ForeignKey(PanelMember, models.CASCADE, related_name="judgings")
    status = models.CharField(max_length=5, choices=Status, default=Status.OWED)
    context_order = models.JSONField(default=list)  # shown order: i-th shown context is contexts[order[i]]
    batch = models.ForeignKey("Batch", models.SET_NULL, null=True, related_name="+")  # waits for this one
    direct = models.BooleanField(default=False)  # asked directly, since batches did not answer it

    class Meta:
        ordering = ("pk",)
        constraints = (models.UniqueConstraint(fields=("extraction", "member"), name="one_judging"),)
        indexes = (models.Index(fields=("audit", "status", "member"), name="judging_owed"),)

    def __str__(self) -> str:
        return f"{self.extraction.sample} · {self.member} · {self.status}"


class ClaimQuerySet(models.QuerySet["Claim"]):
    """Claims by their decision."""

    def disputed(self) -> "ClaimQuerySet":
        """Claims that go to experts."""
        return self.filter(decision=Decision.DISPUTED)

    def agreed(self) -> "ClaimQuerySet":
        """Claims on which the whole panel gave one label."""
        return self.exclude(decision=Decision.DISPUTED).exclude(decision="")


AllClaims = models.Manager.from_queryset(ClaimQuerySet)


class ClaimManager(AllClaims):  # type: ignore[type-arg]  # made at run time
    """The claims that the extractor cut and the judges were asked about: what every number counts."""

    def get_queryset(self) -> ClaimQuerySet:
        """Without the parts that an expert's cut made of a claim: the claim itself stays the unit that is counted."""
        return cast(ClaimQuerySet, super().get_queryset().filter(recut_of__isnull=True))


class Claim(models.Model):
    """One atomic claim of an answer, with its place there. Offsets are code points."""

    audit = models.ForeignKey(Audit, models.CASCADE, related_name="claims")
    extraction = models.ForeignKey(Extraction, models.CASCADE, related_name="claims")
    sample = models.ForeignKey(Sample, models.PROTECT, related_name="claims")
    position = models.PositiveIntegerField()  # within the sample, from 0
    sentence = models.PositiveIntegerField()  # number, from 1
    text = models.TextField()
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    vague = models.BooleanField(default=False)
    ambiguous = models.BooleanField(default=False)  # question and answer do not settle what a word in it means
    flags = models.JSONField(default=list)  # what an expert should know: instructions or hidden text in the sample
    decision = models.CharField(max_length=12, choices=DECISIONS, blank=True)  # "" until the whole panel has spoken
    # A part of a badly cut claim, as an expert proposed it. Only experts label parts; no judge is asked about them.
    recut_of = models.ForeignKey("self", models.PROTECT, null=True, related_name="parts")

    objects = ClaimManager()
    every = AllClaims()  # with the parts

    class Meta:
        ordering = ("sample__position", "position")
        constraints = (
            models.UniqueConstraint(fields=("extraction", "position"), name="one_claim_per_place"),
            models.CheckConstraint(condition=Q(end__gt=F("start")), name="claim_has_a_span"),
        )
        indexes = (models.Index(fields=("audit", "decision"), name="claim_decision"),)

    def __str__(self) -> str:
        return self.text


class Verdict(models.Model):
    """What one judge said of one claim. Written once, never changed."""

    claim = models.ForeignKey(Claim, models.CASCADE, related_name="verdicts")
    member = models.ForeignKey(PanelMember, models.PROTECT, related_name="verdicts")
    label = models.CharField(max_length=12, choices=LABELS, blank=True)  # "": unscored
    unscored = models.CharField(max_length=12, choices=UNSCORED, blank=True)
    detail = models.TextField(blank=True)
    rationale = models.TextField(blank=True)
    quotes = models.JSONField(default=list)  # {context, text, start, end}; start is null where it was not found
    grounded = models.BooleanField(default=False)
    notes = models.JSONField(default=list)
    conflict = models.BooleanField(default=False)  # the judge found passages that contradict each other
    shown = models.JSONField(null=True)  # [context, start, end] of what the last call showed; None: all, whole
    windows = models.PositiveSmallIntegerField(default=1)  # calls over parts of the contexts behind this verdict
    call = models.ForeignKey("Call", models.SET_NULL, null=True, related_name="+")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("member__position",)
        constraints = (
            models.UniqueConstraint(fields=("claim", "member"), name="one_verdict_per_judge"),
            models.CheckConstraint(condition=~Q(label="", unscored=""), name="unscored_has_a_reason"),
        )

    def __str__(self) -> str:
        return f"{self.member}: {self.label or self.unscored}"


class Probe(Leased):
    """One claim judged again by the same judge: as before, with contexts in another order, or made false on purpose.

    Probes measure how a judge works; they never touch the claim's decision or any rate.
    """

    class Status(models.TextChoices):
        """Where the probe is."""

        OWED = "owed", _("owed")
        DONE = "done", _("done")

    class Kind(models.TextChoices):
        """What is varied."""

        REPEAT = "repeat", _("same question again")
        REORDER = "reorder", _("contexts in another order")
        SPECIFIC = "specific", _("made false: another number, date or name")
        VAGUE = "vague", _("made false in vague words")

    audit = models.ForeignKey(Audit, models.CASCADE, related_name="probes")
    claim = models.ForeignKey(Claim, models.CASCADE, related_name="probes")
    member = models.ForeignKey(PanelMember, models.CASCADE, related_name="probes")
    kind = models.CharField(max_length=8, choices=Kind)
    status = models.CharField(max_length=5, choices=Status, default=Status.OWED)
    text = models.TextField(blank=True)  # what the judge is asked about instead of the claim; "" for the claim itself
    context_order = models.JSONField(default=list)
    label = models.CharField(max_length=12, choices=LABELS, blank=True)
    unscored = models.CharField(max_length=12, choices=UNSCORED, blank=True)
    call = models.ForeignKey("Call", models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ("pk",)
        constraints = (models.UniqueConstraint(fields=("claim", "member", "kind"), name="one_probe"),)
        indexes = (models.Index(fields=("audit", "status", "member"), name="probe_owed"),)

    def __str__(self) -> str:
        return f"{self.claim} · {self.member} · {self.kind}"


AGAIN = (Probe.Kind.REPEAT, Probe.Kind.REORDER)  # the claim itself, asked about again
PLANTED = (Probe.Kind.SPECIFIC, Probe.Kind.VAGUE)  # a variant that is false


class Call(models.Model):
    """The ledger: one row per attempt at a vendor, failures included. Unknown counts and costs are null, never 0."""

    audit = models.ForeignKey(Audit, models.CASCADE, related_name="calls")
    member = models.ForeignKey(PanelMember, models.CASCADE, related_name="calls")
    purpose = models.CharField(max_length=8)
    request_hash = models.CharField(max_length=64)
    prompt_version = models.CharField(max_length=40)
    prompt_hash = models.CharField(max_length=64)
    model_answered = models.CharField(max_length=200, blank=True)
    tokens_in = models.PositiveIntegerField(null=True)
    tokens_out = models.PositiveIntegerField(null=True)
    cache_read = models.PositiveIntegerField(null=True)
    cache_write = models.PositiveIntegerField(null=True)
    cost = models.DecimalField(max_digits=14, decimal_places=8, null=True)  # US dollars
    at_most = models.DecimalField(max_digits=14, decimal_places=8, null=True)  # what it could cost when it was made
    model_asked = models.CharField(max_length=200, blank=True)
    attempt = models.PositiveSmallIntegerField(default=1)  # within its question
    replicate = models.PositiveSmallIntegerField(default=0)
    batch = models.ForeignKey("Batch", models.SET_NULL, null=True, related_name="calls")
    latency_ms = models.PositiveIntegerField(default=0)
    vendor_request_id = models.CharField(max_length=200, blank=True)
    outcome = models.CharField(max_length=20)  # "ok", a Fault, or an Unscored reason
    status = models.PositiveSmallIntegerField(null=True)  # HTTP
    message = models.TextField(blank=True)
    finish = models.CharField(max_length=10, blank=True)
    reply = models.TextField(blank=True)
    reusable = models.BooleanField(default=False)  # paid for, complete and readable: never bought twice
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("pk",)
        indexes = (
            models.Index(fields=("request_hash",), condition=Q(reusable=True), name="call_reuse"),
            models.Index(fields=("audit", "member"), name="call_ledger"),
        )

    def __str__(self) -> str:
        return f"{self.member} · {self.purpose} · {self.outcome}"
