"""A certificate: written once. Afterwards it can only be revoked, and get a time stamp and a second signature."""

import re
import unicodedata
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from audits.models import Audit
from audits.models.written_once import AppendOnlyQuerySet, Frozen
from review.timestamping import read

_PRINTED = re.compile(r"(A-[0-9]{4}-[0-9]{4,12})(?: */ *[0-9]{1,6})?")


def number_in(text: str) -> str:
    """The number in what somebody typed or a file holds; "" where there is none, since no database takes all text.

    It may be in small letters or full-width characters, and have its version behind it, as printed: A-2026-0042 / 1.
    """
    found = _PRINTED.fullmatch(unicodedata.normalize("NFKC", text).strip().upper())
    return found[1] if found else ""


class CertificateQuerySet(AppendOnlyQuerySet):
    """Certificates by validity and by number."""

    def numbered(self, text: str) -> "Certificate | None":
        """The certificate whose number this is, as number_in reads it; None where there is none."""
        found: Certificate | None = self.filter(number=number_in(text)).first()
        return found

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
    timestamp = models.BinaryField(null=True)  # RFC 3161 reply over the SHA-256, where an authority is configured
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

    def add_timestamp(self, reply: bytes) -> bool:
        """Store the authority's reply, once; False when there is one already."""
        return self._append(timestamp=reply)

    def add_countersignature(self, found: dict[str, str]) -> bool:
        """Store what the second signer gave, once; False when there is a second signature already."""
        return self._append(countersignature=found)

    def _append(self, **value: Any) -> bool:
        """Write one thing that comes after the signature and changes nothing that was signed, where it is missing."""
        (name,) = value
        empty = models.Q(timestamp__isnull=True) if name == "timestamp" else models.Q(countersignature={})
        rows: models.QuerySet[Certificate] = models.QuerySet(type(self)).filter(empty, pk=self.pk)
        if not rows.update(**value):
            return False
        setattr(self, name, value[name])
        return True

    @property
    def added(self) -> dict[str, Any]:
        """What came after the signature, for print: "timestamp" (UTC, to the second) and "countersignature"."""
        found: dict[str, Any] = {"countersignature": self.countersignature} if self.countersignature else {}
        if self.timestamp:
            found["timestamp"] = read(bytes(self.timestamp)).at.strftime("%Y-%m-%dT%H:%M:%SZ")
        return found

    @property
    def predecessor(self) -> "Certificate | None":
        """The version of the same audit before this one, if there is one."""
        return type(self).objects.filter(audit_id=self.audit_id, version__lt=self.version).first()

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
    compromised_at = models.DateTimeField(null=True)  # what it signed from then on is not to be trusted

    class Meta:
        ordering = ("since",)

    def __str__(self) -> str:
        return self.key_id

    @classmethod
    def record(cls, key_id: str, public_pem: str) -> "IssuerKey":
        """The row of this key, made on its first use."""
        return cls.objects.get_or_create(key_id=key_id, defaults={"public_pem": public_pem, "since": timezone.now()})[
            0
        ]

    def retire(self) -> None:
        """It signs nothing any more."""
        type(self).objects.filter(pk=self.pk, retired_at__isnull=True).update(retired_at=timezone.now())
        self.refresh_from_db()

    def mark_compromised(self, since: datetime) -> bool:
        """What it signed from then on is not to be trusted; False when an earlier moment is written down."""
        later = models.Q(compromised_at__isnull=True) | models.Q(compromised_at__gt=since)
        marked = type(self).objects.filter(later, pk=self.pk).update(compromised_at=since)
        self.retire()
        return bool(marked)
