"""The certificate file inside its PDF, for somebody who has only the PDF. Pure.

Nothing of the PDF is drawn or run: one stream is found by its type and inflated, up to a limit.
"""

import re
import zlib

from review.signature import LARGEST_FILE

_START = b"%PDF-"
_EMBEDDED = re.compile(rb"/Type\s*/EmbeddedFile(?![A-Za-z])")
_STREAM = re.compile(rb">>\s*stream\r?\n")
_LENGTH = re.compile(rb"/Length\s+([0-9]{1,9})(?!\s+[0-9]+\s+R)")
_DEFLATED = re.compile(rb"/Filter\s*(?:/FlateDecode(?![A-Za-z])|\[\s*/FlateDecode\s*\])")
_DICTIONARY = 2_000  # bytes before and after the type in which its dictionary has to lie


def is_pdf(data: bytes) -> bool:
    """Whether a file begins as a PDF does."""
    return data.startswith(_START)


def attached(pdf: bytes) -> bytes | None:
    """The one file that is attached to a PDF, as it was put in; None where there is none, more than one, or one that
    is larger than a certificate or packed in another way than ours are (ISO 32000-1, 7.11.4)."""
    found = list(_EMBEDDED.finditer(pdf))
    if len(found) != 1:
        return None
    place = found[0].start()
    before, stream = pdf.rfind(b" obj", 0, place), _STREAM.search(pdf, place, place + _DICTIONARY)
    if stream is None or before < place - _DICTIONARY:
        return None
    dictionary = pdf[before : stream.start()]
    length = _LENGTH.search(dictionary)
    if length is None:
        return None
    packed = pdf[stream.end() : stream.end() + int(length[1])]
    if b"/Filter" not in dictionary:
        return packed if len(packed) <= LARGEST_FILE else None
    return _inflated(packed) if _DEFLATED.search(dictionary) else None


def _inflated(packed: bytes) -> bytes | None:
    unpacking = zlib.decompressobj()
    try:
        data = unpacking.decompress(packed, LARGEST_FILE + 1)
    except zlib.error:
        return None
    return data if unpacking.eof and len(data) <= LARGEST_FILE else None
