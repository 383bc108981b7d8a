"""Which encoding a text file is in, decided on the whole file; and reading it without ever guessing a character."""

import codecs
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from audits.formats import guessing
from audits.formats.decoding import damaged, decoder, first_broken, open_text
from audits.formats.guessing import Guess, damaged_utf8, narrow, utf8_or_chinese
from audits.formats.messages import file_error

CHUNK = 1 << 20  # bytes
EVIDENCE = 1 << 18  # bytes of lines with non-ASCII text that the guess rests on
ENCODINGS = (
    "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be",
    "gb18030", "big5", "big5hkscs", "windows-1252", "shift_jis", "euc_kr", "iso-8859-15",
    "euc_jp", "windows-1250", "windows-1251",
)  # fmt: skip
"""What a person may choose. No ISO-8859-1: it accepts any bytes and turns Chinese into nonsense without a word."""

_ALIASES = {
    "gbk": "gb18030", "cp936": "gb18030", "gb2312": "gb18030", "cp950": "big5", "cp1252": "windows-1252",
    "iso8859-1": "windows-1252", "cp932": "shift_jis", "cp949": "euc_kr", "cp1250": "windows-1250",
    "cp1251": "windows-1251",
}  # fmt: skip
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_ENOUGH = 1 << 26  # bytes that say how sure a guess is
_SOME_DAMAGE = 0.9  # confidence in an encoding of which some bytes are not


def canonical(name: str) -> str:
    """The name under which a chosen encoding is read. Raises FormatError("unknown_encoding")."""
    wanted = name.strip().lower()
    if wanted in ENCODINGS:
        return wanted
    try:
        found = codecs.lookup(wanted).name
    except (LookupError, ValueError):
        found = ""
    found = _ALIASES.get(found, found)
    if found not in ENCODINGS:
        raise file_error("unknown_encoding", encoding=name[:40], encodings=", ".join(ENCODINGS))
    return found


def detect(path: Path) -> Guess:
    """The encoding of a text file. Raises FormatError("undecodable").

    Byte order mark, then UTF-16 and UTF-32 by what their characters would be, then strict UTF-8 over the whole
    file, then plausibility: the old encodings of Asia and windows-1252 all accept many of each other's bytes, so what
    counts is whether common characters come out. A file that is UTF-8 or GB18030 but for a few bytes keeps that name:
    its broken rows are reported. The confidence is 1 where there is nothing to guess.
    """
    with path.open("rb") as file:
        head = file.read(1 << 16)
    for bom, name in _BOMS:
        if head.startswith(bom):
            return Guess(name, 1.0)
    guess = guessing.wide(head)
    if guess is None:
        evidence = _evidence(path)
        if decodes(path, "utf-8"):
            return utf8_or_chinese(evidence)
        guess = damaged_utf8(evidence) or narrow(evidence)
    if guess is None:
        raise file_error("undecodable", line=first_bad_line(path, "utf-8"), encoding="UTF-8")
    return guess if decodes(path, guess.name, _ENOUGH) else Guess(guess.name, min(guess.confidence, _SOME_DAMAGE))


def decodes(path: Path, encoding: str, most: int = 0) -> bool:
    """Whether every byte of the file, or of its first `most` ones, is text in this encoding."""
    reading = decoder(encoding)
    with path.open("rb") as file:
        try:
            while chunk := file.read(CHUNK):
                reading.decode(chunk)
                if most and file.tell() >= most:
                    return True
            reading.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return True


def lines(stream: TextIO, limit: int) -> Iterator[str]:
    """Physical lines; one longer than `limit` code points comes cut, without a line end, and is the last."""
    while line := stream.readline(limit):
        yield line
        if len(line) == limit and line[-1] not in "\r\n":
            return


def first_bad_line(path: Path, encoding: str) -> int:
    """The 1-based line of the first byte that is no text in this encoding; the last line when there is none."""
    number = 1
    with open_text(path, encoding) as stream:
        while chunk := stream.read(CHUNK):
            bad = first_broken(chunk)
            number += chunk.count("\n", 0, bad)
            if bad is not None:
                break
    return number


def wide(head: bytes) -> str:
    """UTF-16 or UTF-32 without a mark, or ""."""
    guess = guessing.wide(head)
    return guess.name if guess else ""


def _evidence(path: Path) -> bytes:
    """The first lines that hold non-ASCII bytes: the head may be plain English."""
    found = bytearray()
    with path.open("rb") as file:
        while len(found) < EVIDENCE and (line := file.readline(EVIDENCE)):
            if not line.isascii():
                found += line
    return bytes(found)


__all__ = [
    "ENCODINGS",
    "Guess",
    "canonical",
    "damaged",
    "decodes",
    "detect",
    "first_bad_line",
    "lines",
    "open_text",
    "wide",
]
