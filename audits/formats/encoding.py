"""Which encoding a text file is in, decided on the whole file; and reading it without ever guessing a character."""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from charset_normalizer import from_bytes

from audits.formats.messages import file_error

CHUNK = 1 << 20  # bytes
EVIDENCE = 1 << 18  # bytes of lines with non-ASCII text that the guess rests on
ENCODINGS = (
    "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32",
    "gb18030", "big5", "big5hkscs", "windows-1252", "shift_jis", "euc_kr", "iso-8859-15",
)  # fmt: skip
"""What a person may choose. No ISO-8859-1: it accepts any bytes and turns Chinese into nonsense without a word."""

_ALIASES = {
    "gbk": "gb18030", "cp936": "gb18030", "gb2312": "gb18030", "cp950": "big5", "cp1252": "windows-1252",
    "iso8859-1": "windows-1252",
}  # fmt: skip
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_ESCAPED = re.compile("[\udc80-\udcff]")  # what surrogateescape makes of a byte that cannot be decoded
_WESTERN = re.compile("[À-ÖØ-öø-ÿŒœŠšŽžŸ‘’“”–—…•€£©®°§«»¿¡™´·]")
_NO_TEXT = re.compile(
    "[^\t\r\n\x20-\x7e\xa0-\u024f\u2010-\u206f\u20a0-\u20bf\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]"
)
_LONG_RUN = re.compile("[^\x00-\x7f]{3,}")


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


@dataclass(frozen=True)
class Guess:
    """An encoding (one of ENCODINGS) and how sure it is, 0 to 1."""

    name: str
    confidence: float


def detect(path: Path) -> Guess:
    """The encoding of a text file. Raises FormatError("undecodable").

    Byte order mark, then UTF-16 by its NULs, then strict UTF-8 over the whole file, then plausibility:
    GB18030, Big5 and windows-1252 all accept many of each other's bytes, so what counts is whether common characters
    come out. A file that is UTF-8 or GB18030 but for a few bytes keeps that name: its broken rows are reported.
    """
    with path.open("rb") as file:
        head = file.read(1 << 16)
    for bom, name in _BOMS:
        if head.startswith(bom):
            return Guess(name, 1.0)
    if (found := wide(head)) and decodes(path, found):
        return Guess(found, 0.98)
    if decodes(path, "utf-8"):
        return Guess("utf-8", 1.0)
    evidence = _evidence(path)
    found = _plausible(evidence) or _second_opinion(evidence, path)
    if not found:
        raise file_error("undecodable", line=first_bad_line(path, "utf-8"), encoding="UTF-8")
    return Guess(found, 0.8)


def decodes(path: Path, encoding: str) -> bool:
    """Whether every byte of the file is text in this encoding."""
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    with path.open("rb") as file:
        try:
            while chunk := file.read(CHUNK):
                decoder.decode(chunk)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return True


def open_text(path: Path, encoding: str, *, strict: bool = False) -> TextIO:
    """The file as text, line ends as they stand.

    A byte that does not decode becomes a lone surrogate (see `damaged`), or raises UnicodeDecodeError when `strict`.
    """
    codec = "utf-8-sig" if encoding == "utf-8" else encoding  # the mark is no part of the first name
    return path.open(encoding=codec, errors="strict" if strict else "surrogateescape", newline="")


def damaged(text: str) -> bool:
    """Whether bytes of this text could not be decoded."""
    return not text.isascii() and _ESCAPED.search(text) is not None


def lines(stream: TextIO, limit: int) -> Iterator[str]:
    """Physical lines; one longer than `limit` code points comes cut, without a line end, and is the last."""
    while line := stream.readline(limit):
        yield line
        if len(line) == limit and line[-1] not in "\r\n":
            return


def first_bad_line(path: Path, encoding: str) -> int:
    """The 1-based line of the first byte that is no text in this encoding; the last line when there is none."""
    number = 1
    with open_text(path, encoding, strict=False) as stream:
        try:
            while chunk := stream.read(CHUNK):
                bad = _ESCAPED.search(chunk)
                number += chunk.count("\n", 0, bad.start() if bad else None)
                if bad:
                    break
        except UnicodeDecodeError:
            pass
    return number


def wide(head: bytes) -> str:
    """UTF-16 without a mark, or "": read so, the head is all text, with ASCII and line ends in it.

    The ASCII is asked for because two ASCII letters in a row look like one Chinese character of UTF-16.
    """
    for name in ("utf-16-le", "utf-16-be") if head.count(0) >= 2 else ():
        text = head[: len(head) // 2 * 2].decode(name, "replace")
        narrow = sum(char < "\x7f" for char in text)
        odd = len(_NO_TEXT.findall(text))
        if narrow >= 0.03 * len(text) and odd <= 0.05 * len(text) and ("\n" in text or "\r" in text):
            return name
    return ""


def _evidence(path: Path) -> bytes:
    """The first lines that hold non-ASCII bytes: the head may be plain English."""
    found = bytearray()
    with path.open("rb") as file:
        while len(found) < EVIDENCE and (line := file.readline(EVIDENCE)):
            if not line.isascii():
                found += line
    return bytes(found)


def _plausible(evidence: bytes) -> str:
    if _damaged_utf8(evidence):
        return "utf-8"
    chinese, broken = _common_share(evidence, "gb18030")
    traditional, broken_big5 = _common_share(evidence, "big5")
    if traditional >= 0.7 and traditional > chinese and broken_big5 <= 0.02:
        return "big5"
    if (chinese >= 0.6 and not broken) or (chinese >= 0.8 and broken <= 0.05):
        return "gb18030"
    return "windows-1252" if _is_western(evidence) else ""


def _damaged_utf8(evidence: bytes) -> bool:
    """Three-byte sequences hardly occur by chance: some of them, and fewer broken bytes, is UTF-8 with damage."""
    text = evidence.decode("utf-8", "surrogateescape")
    broken = len(_ESCAPED.findall(text))
    long = sum(char >= "\u0800" for char in text) - broken
    return long > broken


def _common_share(evidence: bytes, encoding: str) -> tuple[float, float]:
    """Shares of the non-ASCII text: characters of the encoding's everyday range, and bytes that do not decode.

    GB 2312 and Big5 both put the few thousand commonest characters into a first level, ordered by frequency class;
    text in the right encoding is nearly all first level and punctuation, in the wrong one it is scattered.
    """
    text = [char for char in evidence.decode(encoding, "surrogateescape") if char > "\x7f"]
    if not text:
        return 0.0, 1.0
    broken = sum("\udc80" <= char <= "\udcff" for char in text)
    narrow, last = ("gb2312", 0xD7) if encoding == "gb18030" else ("big5", 0xC6)
    first, marks = (0xB0, range(0xA1, 0xA4)) if encoding == "gb18030" else (0xA4, range(0xA1, 0xA4))
    common = 0
    for char in text:
        code = char.encode(narrow, "ignore")
        common += len(code) == 2 and (first <= code[0] <= last or code[0] in marks)
    return common / len(text), broken / len(text)


def _is_western(evidence: bytes) -> bool:
    """Accented letters and typographic marks, standing alone between ASCII letters as in western languages."""
    try:
        text = evidence.decode("windows-1252")
    except UnicodeDecodeError:
        return False
    foreign = sum(char > "\x7f" for char in text)
    in_runs = sum(len(run) for run in _LONG_RUN.findall(text))
    return len(_WESTERN.findall(text)) >= 0.9 * foreign and in_runs <= 0.3 * foreign


def _second_opinion(evidence: bytes, path: Path) -> str:
    best = from_bytes(evidence, cp_isolation=["gb18030", "big5", "cp1252", "shift_jis", "euc_kr"]).best()
    if best is None:
        return ""
    if best.encoding == "cp1252" and _LONG_RUN.search(str(best)):
        return ""  # windows-1252 with long runs of accents is Chinese gone wrong
    name = canonical(best.encoding)
    return name if decodes(path, name) else ""
