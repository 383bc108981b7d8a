"""An uploaded file and the samples read out of it."""

from pathlib import Path

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from audits.models.lease import Leased
from audits.models.project import Project


class Dataset(Leased):
    """One file: stored as it came, understood, mapped, then imported by a task that can be killed at any moment."""

    class Status(models.TextChoices):
        """Where the file is on its way."""

        UPLOADED = "uploaded", _("waiting for its mapping")
        CHECKING = "checking", _("being checked")
        IMPORTING = "importing", _("being imported")
        READY = "ready", _("ready")
        FAILED = "failed", _("failed")

    project = models.ForeignKey(Project, models.CASCADE, related_name="datasets")
    name = models.CharField(_("name"), max_length=200)
    generator = models.CharField(_("generator model"), max_length=200, blank=True)
    filename = models.CharField(max_length=255)
    stored_as = models.CharField(max_length=100, unique=True)  # below MEDIA_ROOT
    sha256 = models.CharField(max_length=64)
    size = models.BigIntegerField()  # bytes
    format = models.CharField(max_length=20, blank=True)
    encoding = models.CharField(max_length=40, blank=True)
    delimiter = models.CharField(max_length=4, blank=True)
    sheet = models.CharField(max_length=200, blank=True)
    columns = models.JSONField(default=list)
    mapping = models.JSONField(default=dict)  # id | question | answer | contexts -> column(s)
    warnings = models.JSONField(default=list)
    status = models.CharField(max_length=10, choices=Status, default=Status.UPLOADED)
    failure = models.JSONField(default=dict)  # code, message, params of a FormatError
    rows_total = models.PositiveIntegerField(null=True)  # known once the file has been checked
    rows_done = models.PositiveIntegerField(default=0)  # rows read so far, in batches; where a restart goes on
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-created", "-pk")

    def __str__(self) -> str:
        return self.name

    @property
    def path(self) -> Path:
        """Where the uploaded bytes are."""
        return Path(settings.MEDIA_ROOT) / self.stored_as

    @property
    def is_moving(self) -> bool:
        """A task owes work on it: pages poll while this is so."""
        return self.status in {self.Status.CHECKING, self.Status.IMPORTING}


class RowError(models.Model):
    """A row that does not fit and was not imported."""

    dataset = models.ForeignKey(Dataset, models.CASCADE, related_name="row_errors")
    line = models.PositiveIntegerField()
    column = models.CharField(max_length=200, blank=True)
    code = models.CharField(max_length=40)
    reason = models.TextField()

    class Meta:
        ordering = ("line", "pk")
        constraints = (models.UniqueConstraint(fields=("dataset", "line", "column", "code"), name="one_row_error"),)

    def __str__(self) -> str:
        return f"{self.line}: {self.reason}"


class Sample(models.Model):
    """One question, its answer and the contexts retrieved for it."""

    dataset = models.ForeignKey(Dataset, models.CASCADE, related_name="samples")
    position = models.PositiveIntegerField()  # of the row among all rows of the file, from 0
    line = models.PositiveIntegerField()
    external_id = models.CharField(max_length=200)
    question = models.TextField(blank=True)
    answer = models.TextField(blank=True)
    contexts = models.JSONField(default=list)  # list of text, in the file's order
    metadata = models.JSONField(default=dict)
    flags = models.JSONField(default=list)  # no_question, no_answer, no_context
    language = models.CharField(max_length=2, default="en")  # of the answer

    class Meta:
        ordering = ("position",)
        constraints = (models.UniqueConstraint(fields=("dataset", "position"), name="one_sample_per_row"),)

    def __str__(self) -> str:
        return self.external_id
