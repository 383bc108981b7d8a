"""An uploaded file and the samples read out of it."""

from pathlib import Path

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from audits.models.lease import Leased
from audits.models.project import Project

MOST_GENERATORS = 100  # different models in one dataset that are looked at


class Dataset(Leased):
    """One file: stored as it came, understood, mapped, then imported by a task that can be killed at any moment."""

    class Status(models.TextChoices):
        """Where the file is on its way."""

        UPLOADED = "uploaded", _("waiting for its mapping")
        CHECKING = "checking", _("being checked")
        IMPORTING = "importing", _("being imported")
        READY = "ready", _("ready")
        STOPPED = "stopped", _("stopped")
        FAILED = "failed", _("failed")

    project = models.ForeignKey(Project, models.CASCADE, related_name="datasets")
    name = models.CharField(_("name"), max_length=200)
    generator = models.CharField(_("generator model"), max_length=200, blank=True)
    filename = models.CharField(max_length=255)
    stored_as = models.CharField(max_length=100, unique=True)  # below MEDIA_ROOT
    unpacked_as = models.CharField(max_length=100, blank=True)  # below MEDIA_ROOT: what is read, of an archive
    member = models.CharField(max_length=255, blank=True)  # its name in the archive
    sha256 = models.CharField(max_length=64)  # of the file as it was uploaded
    size = models.BigIntegerField()  # bytes
    format = models.CharField(max_length=20, blank=True)
    encoding = models.CharField(max_length=40, blank=True)
    confidence = models.FloatField(null=True)  # in the encoding, 0 to 1
    delimiter = models.CharField(max_length=4, blank=True)
    sheet = models.CharField(max_length=200, blank=True)
    shape = models.CharField(max_length=40, blank=True)  # key of formats.shapes.SHAPES, "" for a plain table
    header = models.BooleanField(null=True)  # False: the first row is data; None: as found
    escapes = models.BooleanField(null=True)  # True: \\n in a text is a line break; None: as found
    header_line = models.PositiveIntegerField(null=True)
    columns = models.JSONField(default=list)
    mapping = models.JSONField(default=dict)  # role -> column(s), and how cells are read: formats.base.Understanding
    warnings = models.JSONField(default=list)  # {code, params} of each formats.base.Notice; a sentence, in old rows
    notices = models.JSONField(default=list)  # the same, found while all rows were imported
    status = models.CharField(max_length=10, choices=Status, default=Status.UPLOADED)
    failure = models.JSONField(default=dict)  # code, message, params of a FormatError
    rows_total = models.PositiveIntegerField(null=True)  # known once the file has been checked
    progress = models.FloatField(null=True)  # share of the file that has been read, 0 to 1; None: unknown
    rows_done = models.PositiveIntegerField(default=0)  # rows read so far, in batches; where a restart goes on
    previous = models.ForeignKey("self", models.SET_NULL, null=True, related_name="later")  # the version it corrects
    version = models.PositiveIntegerField(default=1)
    period_from = models.DateField(_("first day"), null=True, blank=True)  # of the traffic that it was drawn from
    period_to = models.DateField(_("last day"), null=True, blank=True)
    drawn = models.TextField(_("how the answers were drawn"), blank=True)  # for the certificate, in the user's words
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-created", "-pk")

    def __str__(self) -> str:
        return self.name

    @property
    def path(self) -> Path:
        """Where the bytes are that are read: the upload, or what was unpacked of it."""
        return Path(settings.MEDIA_ROOT) / (self.unpacked_as or self.stored_as)

    def generators(self) -> list[str]:
        """The models that wrote the answers, as far as they are stated: for the dataset, or in a column of it."""
        named = [self.generator] if self.generator.strip() else []
        if self.mapping.get("generator"):
            rows = self.samples.exclude(generator="").order_by("generator").values_list("generator", flat=True)
            named += rows.distinct()[:MOST_GENERATORS]
        return list(dict.fromkeys(named))

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
    value = models.CharField(max_length=200, blank=True)  # what stands in the cell, shortened
    values = models.JSONField(null=True)  # the row as far as it was read: what is to be mended

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
    flags = models.JSONField(default=list)  # formats.columns.FLAGS
    reference = models.TextField(blank=True)  # the right answer, as somebody wrote it
    generator = models.CharField(max_length=200, blank=True)  # the model that wrote the answer
    timestamp = models.DateTimeField(null=True)  # when it was written
    tags = models.JSONField(default=list)
    language = models.CharField(max_length=2, default="en")  # of the answer

    class Meta:
        ordering = ("position",)
        constraints = (models.UniqueConstraint(fields=("dataset", "position"), name="one_sample_per_row"),)

    def __str__(self) -> str:
        return self.external_id


class GivenLabel(models.Model):
    """What a human said of an answer before it came here: for calibrating judges. No judge and no expert sees it."""

    sample = models.ForeignKey(Sample, models.CASCADE, related_name="given_labels")
    position = models.PositiveIntegerField()  # in the file's order, from 0
    claim = models.TextField(blank=True)  # "" for the answer as a whole
    word = models.CharField(max_length=200, blank=True)  # as the file has it; "" when it is missing
    label = models.CharField(max_length=20, blank=True)  # formats.wording.LABELS; "" when it is missing

    class Meta:
        ordering = ("sample", "position")
        constraints = (models.UniqueConstraint(fields=("sample", "position"), name="one_given_label"),)

    def __str__(self) -> str:
        return f"{self.word}: {self.claim}" if self.claim else self.word
