"""SHA256SUMS of an evidence package: the sum of every other file, signed by the issuer. Pure.

The signature is over the bytes of SHA256SUMS. They begin with a hexadecimal digit, a signed statement with a brace:
neither can pass for the other.
"""

import re
from collections.abc import Iterable, Mapping

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

SUMS, SIGNATURE = "SHA256SUMS", "SHA256SUMS.sig"
_LINE = re.compile(r"([0-9a-f]{64})  ([^\n]+)")


def lines_of_sums(sums: Mapping[str, str]) -> bytes:
    """name -> SHA-256 in hexadecimal, as `sha256sum` writes it, by name."""
    return "".join(f"{sums[name]}  {name}\n" for name in sorted(sums)).encode()


def read_sums(data: bytes) -> dict[str, str]:
    """The same back. ValueError for anything else."""
    found: dict[str, str] = {}
    for number, line in enumerate(data.decode("utf-8").splitlines(), start=1):
        match = _LINE.fullmatch(line)
        if match is None or match[2] in found:
            raise ValueError(f"line {number} is no sum and name, or names a file twice")
        found[match[2]] = match[1]
    if data != lines_of_sums(found):
        raise ValueError("not as it was written")
    return found


def is_signed(data: bytes, signature: bytes, keys: Iterable[Ed25519PublicKey]) -> bool:
    """Whether one of the keys signed these bytes."""
    for key in keys:
        try:
            key.verify(signature, data)
        except InvalidSignature:
            continue
        return True
    return False
