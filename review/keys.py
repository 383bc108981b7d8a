"""The signing keys of this server: the private half in a file of its owner alone, the public half in the database.

A certificate stays valid when its key is retired. Of a key that was stolen only what this server itself issued before
is believed: whoever has the key can write any date.
"""

from dataclasses import replace
from datetime import datetime
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from django.conf import settings
from django.utils import timezone

from audits.models import Event
from review.models import Certificate, IssuerKey
from review.signature import (
    Verification,
    generate_key,
    key_id,
    load_private,
    load_public,
    private_pem,
    public_pem,
)

COMPROMISED = "key_compromised"  # a problem of verifying: the key was no longer its owner's alone


class RotationError(ValueError):
    """The key cannot be changed like this; the message says why."""


def signing_key() -> Ed25519PrivateKey:
    """The key in settings.SIGNING_KEY_FILE, made now if there is none. KeyFileError when it is no Ed25519 key."""
    path = Path(settings.SIGNING_KEY_FILE)
    if not path.exists():
        _make(path)
    return load_private(path.read_bytes())


def recorded_signing_key() -> Ed25519PrivateKey:
    """The key to sign with, its public half in the database for good. RotationError for one that is retired.

    Inside a transaction: its row is locked, so that people who issue at the same moment sign and take their numbers
    one after the other, and no key is retired in between.
    """
    key = signing_key()
    row = IssuerKey.objects.select_for_update().get(pk=record(key.public_key()).pk)
    if row.retired_at is not None or row.compromised_at is not None:
        raise RotationError(f"the key {row.key_id} is retired: run manage.py rotate_key")
    return key


def record(public: Ed25519PublicKey) -> IssuerKey:
    """The row of this key, made on its first use."""
    return IssuerKey.record(key_id(public), public_pem(public).decode())


def trusted_keys() -> dict[str, Ed25519PublicKey]:
    """Key id -> public key, of the keys this server answers for: today's and the earlier ones."""
    keys = {row.key_id: load_public(row.public_pem.encode()) for row in IssuerKey.objects.all()}
    public = signing_key().public_key()
    return keys | {key_id(public): public}


def against_record(found: Verification) -> Verification:
    """The same, with the problem "key_compromised" where it was signed with a stolen key.

    Believed is only what this server issued itself before that moment.
    """
    row = IssuerKey.objects.filter(key_id=found.key_id, compromised_at__isnull=False).first()
    if row is None or not found.trusted:
        return found
    ours = Certificate.objects.filter(sha256=found.sha256, issued_at__lt=row.compromised_at).exists()
    if ours and found.valid:
        return found
    return replace(found, valid=False, problems=(*found.problems, COMPROMISED))


def rotate() -> tuple[IssuerKey, IssuerKey]:
    """Sign with a new key from now on: (the retired one, the new one). The old private key stays beside the new one,
    as NAME.<id>.pem.retired. Any moment at which this stops leaves a key that can sign."""
    path, old = Path(settings.SIGNING_KEY_FILE), signing_key()
    before = record(old.public_key())
    new = generate_key()
    kept = path.with_name(f"{path.stem}.{before.key_id}.pem.retired")
    _replace(kept, private_pem(old))
    after = record(new.public_key())
    _replace(path, private_pem(new))
    before.retire()
    Event.record("key_rotated", project=None, retired=before.key_id, key=after.key_id)
    return before, after


def mark_compromised(identity: str, since: datetime) -> IssuerKey:
    """Write down that a key was not its owner's alone from this moment on; an earlier moment replaces a later one.

    RotationError for an unknown key, for one that still signs, and for a moment to come.
    """
    row = IssuerKey.objects.filter(key_id=identity).first()
    if row is None:
        raise RotationError(f"no key {identity} has signed here")
    if since > timezone.now():
        raise RotationError("that moment is still to come")
    if key_id(signing_key().public_key()) == identity:
        raise RotationError("it still signs: rotate first")
    if row.mark_compromised(since):
        Event.record("key_compromised", project=None, key=identity, since=since.isoformat())
    return row


def _make(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{key_id(generate_key().public_key())}")
    _write(draft, private_pem(generate_key()))
    try:
        path.hardlink_to(draft)  # whole or not at all, and never over a key that another process made meanwhile
    except FileExistsError:
        pass
    finally:
        draft.unlink()


def _replace(path: Path, data: bytes) -> None:
    """Whole or not at all."""
    draft = path.with_name(f".{path.name}.draft")
    _write(draft, data)
    draft.replace(path)


def _write(path: Path, data: bytes) -> None:
    path.touch(mode=0o600)
    path.write_bytes(data)
