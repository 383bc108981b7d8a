"""Signing a statement with Ed25519, and checking it without the server. Pure.

A certificate file is one JSON object: the statement, the SHA-256 of its canonical form (RFC 8785), and an Ed25519
signature over that form. file_bytes writes the whole object canonically, so that the signed bytes stand verbatim in
the file and openssl can check them (docs/verify.md).
"""

import base64
import binascii
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from review.statement import StatementError, canonical

ALGORITHM = "Ed25519"
LARGEST_FILE = 5_000_000  # bytes; a certificate has a few thousand

PROBLEMS = (
    "malformed",  # not a certificate file
    "not_canonical",  # not byte for byte the file that was issued, whatever it says
    "statement_changed",  # the SHA-256 is not that of the statement
    "signature_invalid",  # the signature does not belong to statement and key
    "unknown_key",  # signed, but by a key that is not trusted
)


class KeyFileError(ValueError):
    """The PEM text is no usable Ed25519 key; the message says why and never shows the key."""


@dataclass(frozen=True)
class Verification:
    """What checking a certificate found.

    valid: no problem at all. problems: codes of PROBLEMS. key_id: of the key in the file, "" if unreadable.
    trusted: True if that key is one of the trusted ones, None if nobody said which keys are.
    statement: the signed content, only when the signature holds; nothing else of the file may be shown as certified.
    offset: from 0, the first byte at which a file is not in canonical form; None where it is.
    """

    valid: bool
    problems: tuple[str, ...]
    key_id: str = ""
    sha256: str = ""
    trusted: bool | None = None
    statement: Mapping[str, Any] | None = None
    offset: int | None = None


def generate_key() -> Ed25519PrivateKey:
    """A new signing key."""
    return Ed25519PrivateKey.generate()


def private_pem(key: Ed25519PrivateKey, password: bytes | None = None) -> bytes:
    """PKCS#8 PEM, encrypted if a password is given."""
    encryption: KeySerializationEncryption = BestAvailableEncryption(password) if password else NoEncryption()
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption)


def public_pem(key: Ed25519PublicKey) -> bytes:
    """SubjectPublicKeyInfo PEM, as openssl reads it."""
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def load_private(pem: bytes, password: bytes | None = None) -> Ed25519PrivateKey:
    """Read a signing key. KeyFileError if it is none, is of another kind, or the password is wrong."""
    try:
        key = load_pem_private_key(pem, password)
    except (ValueError, TypeError) as error:
        raise KeyFileError("not a readable private key in PEM form, or a wrong password") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise KeyFileError("the private key is not an Ed25519 key")
    return key


def load_public(pem: bytes) -> Ed25519PublicKey:
    """Read a public key. KeyFileError if it is none or of another kind."""
    try:
        key = load_pem_public_key(pem)
    except (ValueError, TypeError) as error:
        raise KeyFileError("not a readable public key in PEM form") from error
    if not isinstance(key, Ed25519PublicKey):
        raise KeyFileError("the public key is not an Ed25519 key")
    return key


def key_id(key: Ed25519PublicKey) -> str:
    """First 16 hexadecimal digits of the SHA-256 of the raw 32-byte public key."""
    return hashlib.sha256(key.public_bytes_raw()).hexdigest()[:16]


def sign(payload: bytes, key: Ed25519PrivateKey) -> bytes:
    """64 bytes, the same for the same payload and key."""
    return key.sign(payload)


def envelope(statement: Mapping[str, Any], key: Ed25519PrivateKey) -> dict[str, Any]:
    """Sign the statement: the certificate as stored and downloaded. StatementError if it has no canonical form."""
    payload = canonical(statement)
    public = key.public_key()
    return {
        "statement": dict(statement),
        "sha256": hashlib.sha256(payload).hexdigest(),
        "signature": {
            "algorithm": ALGORITHM,
            "key_id": key_id(public),
            "public_key": base64.b64encode(public.public_bytes_raw()).decode("ascii"),
            "value": base64.b64encode(sign(payload, key)).decode("ascii"),
        },
    }


def file_bytes(certificate: Mapping[str, Any]) -> bytes:
    """The certificate file: one line, in canonical form. "statement" sorts last, which docs/verify.md relies on."""
    return canonical(certificate)


def verify(certificate: Mapping[str, Any], trusted: Mapping[str, Ed25519PublicKey] | None = None) -> Verification:
    """Check a parsed certificate. trusted: key id -> public key; None checks only that the file agrees with itself.

    Never raises: whatever is wrong is a problem code.
    """
    try:
        payload, claimed, public, value = _parts(certificate)
    except (KeyError, TypeError, ValueError, StatementError):
        return Verification(False, ("malformed",))
    problems = []
    sha256 = hashlib.sha256(payload).hexdigest()
    if sha256 != claimed:
        problems.append("statement_changed")
    try:
        public.verify(value, payload)
    except InvalidSignature:
        problems.append("signature_invalid")
    identity = key_id(public)
    known = None
    if trusted is not None:
        owner = trusted.get(identity)
        known = owner is not None and owner.public_bytes_raw() == public.public_bytes_raw()
        if not known:
            problems.append("unknown_key")
    statement = None if {"statement_changed", "signature_invalid"} & set(problems) else certificate["statement"]
    return Verification(not problems, tuple(problems), identity, sha256, known, statement)


def verify_file(data: bytes, trusted: Mapping[str, Ed25519PublicKey] | None = None) -> Verification:
    """Check a certificate file as somebody uploads it, byte for byte; doubled names, NaN and oversized files are
    malformed."""
    certificate = read_file(data)
    if certificate is None:
        return Verification(False, ("malformed",))
    found = verify(certificate, trusted)
    if "malformed" in found.problems:
        return found
    try:
        offset = first_difference(data, file_bytes(certificate))
    except StatementError:
        return Verification(False, ("malformed",))
    if offset is None:
        return found
    return replace(found, valid=False, problems=("not_canonical", *found.problems), offset=offset)


def read_file(data: bytes) -> dict[str, Any] | None:
    """The object in a certificate file, unchecked; None where there is none. Nothing of it is certified."""
    if len(data) > LARGEST_FILE:
        return None
    try:
        certificate = json.loads(data, object_pairs_hook=_single, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    return certificate if isinstance(certificate, dict) else None


def first_difference(data: bytes, other: bytes) -> int | None:
    """The first place, from 0, at which the bytes differ; None if they are the same."""
    if data == other:
        return None
    shorter = min(len(data), len(other))
    return next((place for place in range(shorter) if data[place] != other[place]), shorter)


def _parts(certificate: Mapping[str, Any]) -> tuple[bytes, str, Ed25519PublicKey, bytes]:
    """(canonical statement, claimed SHA-256, public key, signature). Raises on anything of another form."""
    signature = certificate["signature"]
    # Unsigned extras could be mistaken for certified content, so there may be none.
    if set(certificate) != {"statement", "sha256", "signature"}:
        raise ValueError("fields that do not belong to a certificate")
    if set(signature) != {"algorithm", "key_id", "public_key", "value"} or signature["algorithm"] != ALGORITHM:
        raise ValueError("another kind of signature")
    if not isinstance(certificate["statement"], Mapping) or not isinstance(certificate["sha256"], str):
        raise ValueError("the statement is no object")
    public = Ed25519PublicKey.from_public_bytes(_decode(signature["public_key"]))
    if key_id(public) != signature["key_id"]:
        raise ValueError("the key id is not that of the key")
    return canonical(certificate["statement"]), certificate["sha256"], public, _decode(signature["value"])


def _decode(text: str) -> bytes:
    try:
        raw = base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError("not base64") from error
    if base64.b64encode(raw).decode("ascii") != text:
        raise ValueError("not the one base64 form of these bytes")
    return raw


def _single(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice")
    return found


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON number")
