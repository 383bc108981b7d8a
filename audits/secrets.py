"""API keys at rest: encrypted with a key derived from SECRET_KEY, so that a stolen database alone gives nothing."""

import base64

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings


def _fernet(secret: str) -> Fernet:
    derived = HKDF(algorithm=hashes.SHA256(), length=32, salt=None, info=b"assay judge api keys").derive(
        secret.encode()
    )
    return Fernet(base64.urlsafe_b64encode(derived))


def _box() -> MultiFernet:
    return MultiFernet([_fernet(secret) for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)])


def encrypt(text: str) -> str:
    """Encrypt with the current secret."""
    return _box().encrypt(text.encode()).decode("ascii")


def decrypt(token: str) -> str:
    """Decrypt with the current or an earlier secret. Raises ValueError when none fits."""
    try:
        return _box().decrypt(token.encode("ascii")).decode()
    except InvalidToken as error:
        raise ValueError("The stored key was encrypted with another SECRET_KEY. Enter the key again.") from error
