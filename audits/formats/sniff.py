"""What kind of file this is, by its content: the name is only a claim."""

import json
import re
import zipfile
from itertools import pairwise
from pathlib import Path
from typing import TextIO

from audits.formats import encoding as encodings
from audits.formats.base import FormatError, Options
from audits.formats.encoding import Guess
from audits.formats.messages import file_error

MAX_LINE = 16_000_000  # code points of one physical line
_HEAD = 1 << 16
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OLD_BIFF = (b"\x09\x08\x10\x00", b"\x09\x08\x08\x00", b"\x09\x04\x06\x00", b"\x09\x02\x06\x00")
_SIGNATURES = (
    (b"%PDF", "a PDF document"),
    (b"\x1f\x8b", "a compressed archive"),
    (b"BZh", "a compressed archive"),
    (b"\xfd7zXZ", "a compressed archive"),
    (b"7z\xbc\xaf\x27\x1c", "a compressed archive"),
    (b"Rar!", "a compressed archive"),
    (b"\x89PNG", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"GIF8", "an image"),
    (b"SQLite format 3", "a database"),
    (b"ARROW1", "an Arrow file (Feather)"),
    (b"Obj\x01", "an Avro file"),
    (b"\x80\x04\x95", "a Python object (pickle)"),
    (b"\x80\x05\x95", "a Python object (pickle)"),
    (b"{\\rtf", "a text document (RTF)"),
)
_CHARSET = re.compile(rb"""<meta[^>]{0,200}charset\s*=\s*["']?\s*([A-Za-z0-9_-]{2,30})""", re.IGNORECASE)
_HTML = re.compile(
    r"\s*(?:<!--(?:(?!-->).)*-->\s*)*<(?:!doctype html|html|head|body|table|meta|style|div)\b", re.I | re.S
)
_CONTROLS = bytes([*range(2, 9), *range(14, 26)])  # no text has these; separators (Hive: 1) and ESC come in exports
_MOST_CONTROLS = 50  # one in so many bytes
_FIRST = 1 << 17  # code points in which the first object may end
_SOME_CONTROLS = 3  # that the shortest file may have
_XML = re.compile(r"\s*<(?:\?xml|!DOCTYPE|[A-Za-z][\w:.-]*[\s/>])")


def kind_and_encoding(path: Path, options: Options) -> tuple[str, Guess | None]:
    """(a key of READERS, encoding of a text file). Raises FormatError for anything else."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if not head.strip(b"\xef\xbb\xbf\xff\xfe \t\r\n\x00"):
        raise file_error("empty_file")
    if head.startswith(b"PK"):
        return _zip_kind(path), None
    if head.startswith(b"PAR1"):
        return "parquet", None
    if head.startswith(_OLE):
        _refuse_other_containers(path)
    if head.startswith((_OLE, *_OLD_BIFF)):
        return "xls", None
    for signature, kind in _SIGNATURES:
        if head.startswith(signature):
            raise file_error("unknown_type", kind=kind)
    if _is_binary(head):
        raise file_error("unknown_type", kind="a binary file")
    chosen = options.encoding or _declared(head)
    guess = Guess(encodings.canonical(chosen), 1.0) if chosen else encodings.detect(path)
    return _text_kind(path, guess.name), guess


def _zip_kind(path: Path) -> str:
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
            protected = any(info.flag_bits & 1 for info in archive.infolist())
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        raise file_error("broken_workbook") from None
    if protected:
        raise file_error("encrypted")
    if "xl/workbook.bin" in names:
        raise file_error("binary_xlsb")
    if any(name.startswith("xl/") for name in names):
        return "xlsx"
    if any(name.startswith("word/") for name in names):
        raise file_error("unknown_type", kind="a Word document")
    if "mimetype" in names:
        raise file_error("unknown_type", kind="an OpenDocument file")
    raise file_error("unknown_type", kind="a ZIP archive")


def _refuse_other_containers(path: Path) -> None:
    """Old Office files and encrypted new ones share a container, and name their streams in UTF-16."""
    with path.open("rb") as file:
        tail = b""
        while chunk := file.read(1 << 20):
            if "EncryptedPackage".encode("utf-16-le") in tail + chunk:
                raise file_error("encrypted")
            if "WordDocument".encode("utf-16-le") in tail + chunk:
                raise file_error("unknown_type", kind="a Word document")
            tail = chunk[-64:]


def _declared(head: bytes) -> str:
    """The encoding that a web page says it has, where it is one that can be read."""
    found = _CHARSET.search(head[:5000]) if b"<" in head[:200] else None
    try:
        return encodings.canonical(found[1].decode()) if found else ""
    except FormatError:
        return ""


def _is_binary(head: bytes) -> bool:
    """Whether there are control characters that no text has, or mostly NUL. Some NUL is damage of a few rows."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")) or encodings.wide(head):
        return False
    text = head.rstrip(b"\x00")  # a disk that was full pads a file with NUL
    said = len(text) - text.count(0)
    controls = len(text) - len(text.translate(None, _CONTROLS))
    return said * 2 < len(text) or controls > max(_SOME_CONTROLS, said // _MOST_CONTROLS)


def _text_kind(path: Path, encoding: str) -> str:
    """JSON, JSON Lines or a table, by the first lines. Raises FormatError for web pages and XML."""
    with encodings.open_text(path, encoding) as stream:
        try:
            head = _first_lines(stream)
            first, second = [line.strip() for line in [*head[:2], "", ""][:2]]
        except UnicodeDecodeError:
            line = encodings.first_bad_line(path, encoding)
            raise file_error("undecodable", line=line, encoding=encoding) from None
    if not first:
        raise file_error("empty_file")
    if _HTML.match(first[:5000]) or _HTML.match(first[:5000] + second[:5000]):
        return "html"
    if _XML.match(first[:1000]):
        raise file_error("unknown_type", kind="an XML file")
    if first.startswith("[") and first[1:].lstrip()[:1] in {"", "{", "[", "]", '"'}:
        return "jsonl" if first.endswith("]") and second.startswith("[") else "json"
    if first.startswith("{"):
        return "jsonl" if _one_after_the_other(head) else _object_kind(first, second)
    return "csv"


def _first_lines(stream: TextIO) -> list[str]:
    """The first lines that say something: two at least, whatever their length, and more while they are short."""
    found: list[str] = []
    size = 0
    for raw in encodings.lines(stream, MAX_LINE):
        line = raw.strip("\ufeff\r\n\x00").rstrip()
        if line.strip():
            found.append(line)
            size += len(line)
        if len(found) > 1 and size > _FIRST:
            break
    return found


def _one_after_the_other(head: list[str]) -> bool:
    """Whether an object over several lines ends at the start of one, and the next begins."""
    return any(line == "}" and after.startswith("{") for line, after in pairwise(head))


def _object_kind(first: str, second: str) -> str:
    """One object per line, or one object over many lines (or alone in the file)."""
    if first.endswith("}"):
        return "jsonl" if second else "json"
    if first.endswith("},") and second.startswith("{"):
        return "jsonl"
    if first.endswith(("{", "[", ",", ":")) or not second.startswith("{"):
        return "json"
    try:
        return "jsonl" if isinstance(json.loads(second), dict) else "json"  # only the first line is broken
    except (ValueError, RecursionError):
        return "json"
