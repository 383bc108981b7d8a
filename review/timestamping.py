"""Time stamps of an outside authority (RFC 3161): that a certificate existed at a moment, by another one's clock.

The request carries the SHA-256 of the signed statement. Of the reply it is checked that it was granted, and that
digest and nonce are those of the request; whether the authority is to be believed is checked with its certificate, by
`openssl ts -verify` (docs/verify.md).
"""

import secrets
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

LARGEST_REPLY = 200_000  # bytes; a reply with certificates has a few thousand
TIMEOUT = 20  # seconds

_INTEGER, _OCTETS, _OBJECT, _SEQUENCE, _TIME = 0x02, 0x04, 0x06, 0x30, 0x18
_TAGGED = 0xA0  # [0], constructed
_SHA256 = bytes.fromhex("300d06096086480165030402010500")  # AlgorithmIdentifier of SHA-256
_SIGNED_DATA = bytes.fromhex("2a864886f70d010702")
_TST_INFO = bytes.fromhex("2a864886f70d0109100104")
_GRANTED = {b"\x00", b"\x01"}  # granted, granted with changes


class TimestampError(ValueError):
    """No usable time stamp; the message says why."""


@dataclass(frozen=True)
class Stamped:
    """What a reply says. sha256: of what was stamped, hexadecimal. nonce: None when it has none."""

    at: datetime
    sha256: str
    nonce: int | None


def request_for(sha256: str, nonce: int) -> bytes:
    """A TimeStampReq (DER) that asks for a reply with the authority's certificate. sha256: 64 hexadecimal digits."""
    imprint = _tlv(_SEQUENCE, _SHA256 + _tlv(_OCTETS, bytes.fromhex(sha256)))
    return _tlv(_SEQUENCE, _integer(1) + imprint + _integer(nonce) + b"\x01\x01\xff")


def read(reply: bytes) -> Stamped:
    """Take a TimeStampResp (DER) apart. TimestampError if it grants nothing or is of another form."""
    try:
        return _read(reply)
    except (ValueError, IndexError, StopIteration, OverflowError) as error:
        if isinstance(error, TimestampError):
            raise
        raise TimestampError("the reply is no time stamp") from error


def checked(reply: bytes, sha256: str, nonce: int) -> Stamped:
    """The reply, when it answers this very question. TimestampError."""
    found = read(reply)
    if found.sha256 != sha256.lower():
        raise TimestampError("the reply stamps something else")
    if found.nonce != nonce:
        raise TimestampError("the reply answers another request")
    return found


def stamp(sha256: str, url: str) -> bytes:
    """Ask the authority at `url` and give back its reply, checked. TimestampError, also for a network that fails."""
    nonce = secrets.randbits(63)
    asked = urllib.request.Request(  # noqa: S310  # the settings allow http and https alone
        url, data=request_for(sha256, nonce), headers={"Content-Type": "application/timestamp-query"}
    )
    try:
        with urllib.request.urlopen(asked, timeout=TIMEOUT) as answer:  # noqa: S310
            reply = answer.read(LARGEST_REPLY + 1)
    except (OSError, ValueError, urllib.error.URLError) as error:
        raise TimestampError(f"the authority does not answer: {error}") from error
    if len(reply) > LARGEST_REPLY:
        raise TimestampError("the reply is too large")
    checked(reply, sha256, nonce)
    return bytes(reply)


def _read(reply: bytes) -> Stamped:
    parts = _children(_only(reply, _SEQUENCE))
    status = next(_children(_expect(next(parts), _SEQUENCE)))
    if _expect(status, _INTEGER) not in _GRANTED:
        raise TimestampError("the authority refused")
    token = _children(_expect(next(parts), _SEQUENCE))
    if _expect(next(token), _OBJECT) != _SIGNED_DATA:
        raise TimestampError("the reply is not signed")
    signed = _children(_only(_expect(next(token), _TAGGED), _SEQUENCE))
    next(signed), next(signed)  # version, digest algorithms
    content = _children(_expect(next(signed), _SEQUENCE))
    if _expect(next(content), _OBJECT) != _TST_INFO:
        raise TimestampError("the reply holds no time")
    return _info(_only(_only(_expect(next(content), _TAGGED), _OCTETS), _SEQUENCE))


def _info(info: bytes) -> Stamped:
    """TSTInfo: version, policy, imprint, serial number, time; then what may be left out, the nonce too."""
    fields = _children(info)
    next(fields), next(fields)
    imprint = _children(_expect(next(fields), _SEQUENCE))
    algorithm = next(_children(_expect(next(imprint), _SEQUENCE)))
    if algorithm[1] != bytes.fromhex("608648016503040201"):
        raise TimestampError("the reply is not over a SHA-256")
    digest = _expect(next(imprint), _OCTETS)
    next(fields)
    at = _moment(_expect(next(fields), _TIME))
    nonce = next((value for tag, value in fields if tag == _INTEGER), None)
    return Stamped(at, digest.hex(), None if nonce is None else int.from_bytes(nonce, "big", signed=True))


def _moment(text: bytes) -> datetime:
    """GeneralizedTime in UTC; fractions of a second are left out."""
    plain = text.decode("ascii").removesuffix("Z").split(".")[0]
    return datetime.strptime(plain, "%Y%m%d%H%M%S").replace(tzinfo=UTC)


def _tlv(tag: int, value: bytes) -> bytes:
    if len(value) >= 128:
        raise ValueError("longer than any request")
    return bytes([tag, len(value)]) + value


def _integer(number: int) -> bytes:
    return _tlv(_INTEGER, number.to_bytes(number.bit_length() // 8 + 1, "big"))


def _children(data: bytes) -> Iterator[tuple[int, bytes]]:
    """(tag, value) of the DER values that stand one after the other."""
    at = 0
    while at < len(data):
        tag, length = data[at], data[at + 1]
        at += 2
        if length >= 128:
            size = length - 128
            if not 1 <= size <= 4:
                raise ValueError("no definite length")
            length, at = int.from_bytes(data[at : at + size], "big"), at + size
        if at + length > len(data):
            raise ValueError("cut off")
        yield tag, data[at : at + length]
        at += length


def _expect(found: tuple[int, bytes], tag: int) -> bytes:
    if found[0] != tag:
        raise ValueError("of another form")
    return found[1]


def _only(data: bytes, tag: int) -> bytes:
    """The value of the one DER value that `data` consists of."""
    (found,) = _children(data)
    return _expect(found, tag)
