"""The signing key of this server: made on first use, readable by its owner alone."""

from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from django.conf import settings

from review.signature import generate_key, key_id, load_private, private_pem


def signing_key() -> Ed25519PrivateKey:
    """The key in settings.SIGNING_KEY_FILE, made now if there is none. KeyFileError when it is no Ed25519 key."""
    path = Path(settings.SIGNING_KEY_FILE)
    if not path.exists():
        _make(path)
    return load_private(path.read_bytes())


def _make(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{key_id(generate_key().public_key())}")
    draft.touch(mode=0o600)
    draft.write_bytes(private_pem(generate_key()))
    try:
        path.hardlink_to(draft)  # whole or not at all, and never over a key that another process made meanwhile
    except FileExistsError:
        pass
    finally:
        draft.unlink()


def trusted_keys() -> dict[str, Ed25519PublicKey]:
    """Key id -> public key, of the keys this server answers for."""
    public = signing_key().public_key()
    return {key_id(public): public}
