"""Text that was wrongly decoded before it reached us: said, never repaired."""

import codecs
import re

_MARKS = re.compile("\ufffd|锟斤拷|烫烫烫")


def looks_wrongly_decoded(text: str) -> bool:
    """Whether text holds replacement characters, or is UTF-8 that was read as windows-1252 ("é€€è´§" for 退货)."""
    if text.isascii():
        return False
    if _MARKS.search(text):
        return True
    decoder = codecs.getincrementaldecoder("utf-8")("strict")  # incremental: the text may be cut
    try:
        again = decoder.decode(b"".join(_byte(char) for char in text))
    except UnicodeError:
        return False
    return any(char > "\x7f" for char in again)


def _byte(char: str) -> bytes:
    try:
        return char.encode("windows-1252")
    except UnicodeEncodeError:
        return char.encode("latin-1")  # the few bytes that windows-1252 leaves open
