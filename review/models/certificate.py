"""A certificate: written once; all that can happen to it afterwards is that it is revoked."""

from typing import Any

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from audits.models import Audit
from audits.models.written_once import AppendOnlyQuerySet, Frozen


class CertificateQuerySet(AppendOnlyQuerySet):
    """Certificates by validity."""

    def valid(self) -> "CertificateQuerySet":
        """Not revoked; may be superseded by a later version."""
        return self.filter(revoked_at__isnull=True)


class Certificate(models.Model):
    """The frozen, signed statement about one audit."""

    class Verdict(models.TextChoices):
        """What it says of the acceptance rule."""

        PASS = "PASS", _("PASS")
        FAIL = "FAIL", _("FAIL")
        INSUFFICIENT = "INSUFFICIENT", _("INSUFFICIENT EVIDENCE")

    audit = models.ForeignKey(Audit, models.PROTECT, related_name="certificates")
    version = models.PositiveIntegerField()
    number = models.CharField(max_length=20, unique=True)  # A-2026-0001, without gaps within a year
    envelope = models.JSONField()
    sha256 = models.CharField(max_length=64)
    decision = models.CharField(max_length=12, choices=Verdict)
    specimen = models.BooleanField(default=False)
    issued_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    issued_at = models.DateTimeField()
    exception_reason = models.TextField(blank=True)  # why somebody who had labelled claims of the audit issued it
    timestamp = models.BinaryField(null=True)  # RFC 3161 token over the SHA-256, where an authority is configured
    countersignature = models.JSONField(default=dict)  # of a second signer's hook, where one is configured
    revoked_at = models.DateTimeField(null=True)
    revoked_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    revoke_reason = models.TextField(blank=True)

    objects = CertificateQuerySet.as_manager()

    class Meta:
        ordering = ("-pk",)
        constraints = (models.UniqueConstraint(fields=("audit", "version"), name="one_certificate_per_version"),)

    def __str__(self) -> str:
        return self.number

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Insert; Frozen when the row exists already."""
        if not self._state.adding:
            raise Frozen("A certificate is never changed; it is revoked or superseded.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> Any:
        """Refused."""
        raise Frozen("A certificate is never deleted.")

    def mark_revoked(self, *, by: Any, at: Any, reason: str) -> bool:
        """Write the revocation, once; False when it was revoked before."""
        change = {"revoked_at": at, "revoked_by": by, "revoke_reason": reason}
        open_row: models.QuerySet[Certificate] = models.QuerySet(type(self)).filter(
            pk=self.pk, revoked_at__isnull=True
        )
        if not open_row.update(**change):
            return False
        for name, value in change.items():
            setattr(self, name, value)
        return True

    @property
    def successor(self) -> "Certificate | None":
        """The newest later version of the same audit, if there is one."""
        return type(self).objects.filter(audit_id=self.audit_id, version__gt=self.version).first()

    @property
    def standing(self) -> str:
        """valid, superseded or revoked: what must be said before anything else."""
        if self.revoked_at:
            return "revoked"
        return "superseded" if self.successor else "valid"


class IssuerKey(models.Model):
    """A key that this server signs with, or signed with before: its public half, for good."""

    key_id = models.CharField(max_length=16, unique=True)
    public_pem = models.TextField()
    since = models.DateTimeField()
    retired_at = models.DateTimeField(null=True)  # signs nothing any more; what it signed stays valid
    compromised_at = models.DateTimeField(null=True)  # what it signed after this moment is not to be trusted

    class Meta:
        ordering = ("since",)

    def __str__(self) -> str:
        return self.key_id
