"""What was altered in a file that is no valid certificate, where it names a certificate that this server issued."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from review.differences import Difference, differences
from review.models import Certificate
from review.signature import file_bytes, first_difference, read_file

SHOWN = 50  # values that are listed; a file can hold any number
LONGEST = 300  # characters of a value that are shown
_NUMBER = re.compile(rb'"number"\s*:\s*"([^"\\]{1,40})"')


@dataclass(frozen=True)
class Altered:
    """The certificate whose number the file bears; nothing says that the file is a copy of it.

    values: what differs from the signed file, at most SHOWN; more: whether there is more. offset: from 0, the first
    byte that differs from the file as issued; None where none does.
    """

    certificate: Certificate
    values: tuple[Difference, ...]
    more: bool
    offset: int | None


def altered(data: bytes) -> Altered | None:
    """Compare a file with the certificate of the number in it; None where this server knows none."""
    parsed = read_file(data)
    certificate = Certificate.objects.numbered(_number(data, parsed))
    if certificate is None:
        return None
    found: list[Difference] = []
    if parsed is not None:
        found = [_short(one) for one in islice(differences(certificate.envelope, parsed), SHOWN + 1)]
    offset = first_difference(data, file_bytes(certificate.envelope))
    return Altered(certificate, tuple(found[:SHOWN]), len(found) > SHOWN, offset)


def _number(data: bytes, parsed: Mapping[str, Any] | None) -> str:
    """The number that the file bears; of a file that cannot be read, the first text that looks like one."""
    if parsed is not None:
        statement = parsed.get("statement")
        number = statement.get("number") if isinstance(statement, Mapping) else None
        return number if isinstance(number, str) else ""
    match = _NUMBER.search(data)
    return match[1].decode("utf-8", "replace") if match else ""


def _short(one: Difference) -> Difference:
    return Difference(one.path[:LONGEST], _cut(one.signed), _cut(one.found))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
