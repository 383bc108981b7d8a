"""Certificates and the keys that signed them."""

from collections.abc import Iterator
from datetime import datetime

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from audits.models import Event
from review.log_check.finding import Finding
from review.models import Certificate, IssuerKey
from review.signature import key_id, verify


def check() -> Iterator[Finding]:
    """Signed, issued and revoked as the log says; the head of the log that each holds is in the log."""
    facts = Event.objects.filter(kind__in=("certificate_issued", "certificate_revoked")).values_list("kind", "data")
    issued, revoked = {}, set()
    for kind, data in facts:
        if kind == "certificate_issued":
            issued[data["number"]] = data["sha256"]
        else:
            revoked.add(data["number"])
    hashes = dict(Event.objects.filter(sequence__isnull=False).values_list("sequence", "hash"))
    names = set(IssuerKey.objects.values_list("key_id", flat=True))
    for certificate in Certificate.objects.order_by("pk"):
        about, checked = f"certificate {certificate.number}", verify(certificate.envelope)
        if not checked.valid or checked.sha256 != certificate.sha256:
            yield Finding(about, "Its signature does not hold.")
        if checked.key_id not in names:
            yield Finding(about, "The key that signed it is not stored.")
        if issued.pop(certificate.number, None) != certificate.sha256:
            yield Finding(about, "The log knows nothing of it, or of another one under this number.")
        if (certificate.number in revoked) != (certificate.revoked_at is not None):
            yield Finding(about, "Whether it is revoked does not agree with the log.")
        head = certificate.envelope.get("statement", {}).get("event_log")
        if head and hashes.get(head["sequence"]) != head["hash"]:
            yield Finding(about, f"It holds another hash of event {head['sequence']}: the log was written anew.")
    for number in issued:
        yield Finding(f"certificate {number}", "The log says that it was issued, but it is not stored.")


def keys() -> Iterator[Finding]:
    """Public keys are what their names say, and which of them were stolen is what the log says."""
    stolen: dict[str, datetime] = {}
    for data in Event.objects.filter(kind="key_compromised").values_list("data", flat=True):
        since = datetime.fromisoformat(data["since"])
        stolen[data["key"]] = min(since, stolen.get(data["key"], since))
    retired = set(Event.objects.filter(kind="key_rotated").values_list("data__retired", flat=True))
    for row in IssuerKey.objects.order_by("pk"):
        about, public = f"key {row.key_id}", load_pem_public_key(row.public_pem.encode())
        if not isinstance(public, Ed25519PublicKey) or key_id(public) != row.key_id:
            yield Finding(about, "Its public half is that of another key.")
        if row.compromised_at != stolen.pop(row.key_id, None):
            yield Finding(about, "The log says otherwise since when it was stolen, or whether.")
        if (row.retired_at is not None) != (row.key_id in retired or row.compromised_at is not None):
            yield Finding(about, "Whether it is retired does not agree with the log.")
    for name in stolen:
        yield Finding(f"key {name}", "The log says that it was stolen, but it is not stored.")
