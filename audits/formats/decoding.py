"""From bytes to text as programs of Windows write it, where a byte that is no text stays in sight."""

import codecs
import re
from pathlib import Path
from typing import TextIO

CODECS = {
    "utf-8": "utf-8-sig",  # the mark is no part of the first name
    "big5": "cp950",  # with the characters of Hong Kong, see _beyond
    "big5hkscs": "cp950",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}
"""Encodings that Windows extended and maps differently (～ is no ∼): read as browsers read them."""

_KEEP, _STRICT = "assay-keep", "assay-strict"
_ESCAPED = re.compile("[\ud800-\udfff]")  # what _keep makes of a byte, for no decoder gives a half character


def codec_of(encoding: str) -> str:
    """Python's codec for the name of an encoding."""
    return CODECS.get(encoding, encoding)


def decoder(encoding: str, *, strict: bool = True) -> codecs.IncrementalDecoder:
    """Decodes piece by piece. A byte that is no text raises UnicodeDecodeError, or stays as `damaged` text."""
    return codecs.getincrementaldecoder(codec_of(encoding))(_STRICT if strict else _KEEP)


def open_text(path: Path, encoding: str, *, strict: bool = False) -> TextIO:
    """The file as text, line ends as they stand.

    A byte that does not decode becomes half a character (see `damaged`), or raises UnicodeDecodeError when `strict`.
    """
    return path.open(encoding=codec_of(encoding), errors=_STRICT if strict else _KEEP, newline="")


def damaged(text: str) -> bool:
    """Whether bytes of this text could not be decoded."""
    return not text.isascii() and _ESCAPED.search(text) is not None


def readable(text: str) -> str:
    """The text with bytes that could not be decoded written out, as \\xff."""
    return text if text.isascii() else _ESCAPED.sub(lambda found: f"\\x{ord(found[0]) & 0xFF:02x}", text)


def first_broken(text: str) -> int | None:
    """Where the first byte stands that could not be decoded."""
    found = None if text.isascii() else _ESCAPED.search(text)
    return found.start() if found else None


def broken_bytes(text: str) -> int:
    """How many bytes of this text could not be decoded."""
    return 0 if text.isascii() else len(_ESCAPED.findall(text))


def _beyond(error: UnicodeDecodeError, errors: str) -> tuple[str, int] | None:
    """What Python's codec leaves out but Windows writes: € in GBK, the characters of Hong Kong in Big5."""
    if error.encoding == "gb18030" and error.object[error.start] == 0x80:
        return "€" + _rest(error, errors), error.end
    if error.encoding == "cp950":
        try:
            return error.object[error.start : error.start + 2].decode("big5hkscs"), error.start + 2
        except UnicodeDecodeError:
            return None
    return None


def _rest(error: UnicodeDecodeError, errors: str) -> str:
    """What follows the first byte of an incomplete sequence at the end, which the decoder would pass over."""
    return error.object[error.start + 1 : error.end].decode(error.encoding, errors)


def _keep(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    first, length = error.start, 1 if error.reason.startswith("incomplete") else error.end - error.start
    escaped = "".join(chr(0xDC00 + byte) for byte in error.object[first : first + length])
    return _beyond(error, _KEEP) or (escaped + (_rest(error, _KEEP) if length == 1 else ""), error.end)


def _strict(error: UnicodeError) -> tuple[str, int]:
    found = _beyond(error, _STRICT) if isinstance(error, UnicodeDecodeError) else None
    if found is None:
        raise error
    return found


codecs.register_error(_KEEP, _keep)
codecs.register_error(_STRICT, _strict)
