"""ZIP and GZ around a dataset: which files are inside, and one of them unpacked, behind guards against bombs."""

import gzip
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Protocol

from audits.formats.messages import file_error

MAX_MEMBERS = 5_000
MAX_RATIO = 200  # of a large file; texts pack 3 to 50 times
_LARGE = 50 << 20
_CHUNK = 1 << 20
_GZIP = b"\x1f\x8b"
_DATA = {".csv", ".tsv", ".tab", ".txt", ".json", ".jsonl", ".ndjson", ".xlsx", ".xlsm", ".xls", ".parquet", ".pq"}
_PROSE = {".txt", ".md", ".rst", ".pdf", ".docx", ".log", ".html"}  # lie beside data to explain it
_OFFICE = ("[Content_Types].xml", "mimetype")


class _Stream(Protocol):
    def read(self, size: int, /) -> bytes: ...


def is_archive(path: Path) -> bool:
    """Whether the file is a ZIP that is no office document, or a GZ."""
    with path.open("rb") as file:
        head = file.read(4)
    if head.startswith(_GZIP):
        return True
    if not head.startswith(b"PK"):
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        return False
    return not any(name in _OFFICE or name.startswith(("xl/", "word/", "ppt/")) for name in names)


def members_of(path: Path) -> tuple[str, ...]:
    """Names of the files in a ZIP that may be datasets, the likely ones first; () of a GZ, which holds one.

    Raises FormatError for an archive that is unsafe, damaged, encrypted or without any file.
    """
    return tuple(_shown(info) for info in _candidates(path)) if _is_zip(path) else ()


def unpack(path: Path, target: Path, *, member: str = "", limit: int) -> str:
    """Write one file of the archive to target; its name. limit: bytes that it may have unpacked.

    Raises FormatError: "several_files" when there is more than one and none is chosen, "archive_too_large" as soon as
    more than the limit, or suspiciously much, comes out. What was written is removed then.
    """
    try:
        with _open_zip(path, member) if _is_zip(path) else _open_gzip(path) as (name, stream, packed):
            _copy(stream, target, packed, limit)
    except BaseException:
        target.unlink(missing_ok=True)
        raise
    return name


def _is_zip(path: Path) -> bool:
    with path.open("rb") as file:
        return not file.read(2).startswith(_GZIP)


def _copy(stream: _Stream, target: Path, packed: int, limit: int) -> None:
    written = 0
    with target.open("wb") as out:
        while chunk := _read(stream):
            written += len(chunk)
            if written > limit or written > max(_LARGE, MAX_RATIO * packed):
                raise file_error("archive_too_large", limit=f"{limit >> 20} MB")
            out.write(chunk)


def _read(stream: _Stream) -> bytes:
    try:
        return stream.read(_CHUNK)
    except (zipfile.BadZipFile, EOFError, OSError, ValueError, zlib.error, NotImplementedError):
        raise file_error("broken_archive") from None  # OSError too: offsets in the archive that lead nowhere


@contextmanager
def _open_gzip(path: Path) -> Iterator[tuple[str, _Stream, int]]:
    with gzip.open(path, "rb") as stream:
        yield "", stream, path.stat().st_size


@contextmanager
def _open_zip(path: Path, member: str) -> Iterator[tuple[str, _Stream, int]]:
    info = _choose(_candidates(path), member)
    if info.flag_bits & 1:
        raise file_error("encrypted")
    with _zip(path) as archive:
        try:
            stream = archive.open(info)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, RuntimeError):
            raise file_error("broken_archive") from None
        with stream:
            yield _shown(info), stream, info.compress_size


@contextmanager
def _zip(path: Path) -> Iterator[zipfile.ZipFile]:
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        raise file_error("broken_archive") from None
    with archive:
        yield archive


def _candidates(path: Path) -> list[zipfile.ZipInfo]:
    with _zip(path) as archive:
        infos = archive.infolist()
    if len(infos) > MAX_MEMBERS:
        raise file_error("too_many_members", limit=MAX_MEMBERS)
    for info in infos:
        _refuse_tricks(info)
    files = [info for info in infos if not info.is_dir() and not _is_litter(_shown(info))]
    if not files:
        raise file_error("empty_archive")
    data = [info for info in files if _suffix(info) in _DATA - _PROSE]
    loose = [info for info in files if _suffix(info) not in _PROSE and info not in data]
    return data or loose or files


def _choose(infos: list[zipfile.ZipInfo], member: str) -> zipfile.ZipInfo:
    if member:
        chosen = [info for info in infos if _shown(info) == member]
        if not chosen:
            raise file_error("unknown_member", member=member[:80], files=_listed(infos))
        return chosen[0]
    if len(infos) > 1:
        raise file_error("several_files", files=_listed(infos))
    return infos[0]


def _listed(infos: list[zipfile.ZipInfo]) -> str:
    return ", ".join(_shown(info)[:60] for info in infos[:20]) + (" …" if len(infos) > 20 else "")


def _refuse_tricks(info: zipfile.ZipInfo) -> None:
    """Names that lead out of a folder, and links: nothing is written under them, but who makes them has plans."""
    name = info.filename.replace("\\", "/")
    absolute = name.startswith("/") or name[1:2] == ":"
    if absolute or ".." in PurePosixPath(name).parts or stat.S_ISLNK(info.external_attr >> 16):
        raise file_error("unsafe_archive", member=_shown(info)[:80])


def _is_litter(name: str) -> bool:
    """What systems put into archives beside the files: __MACOSX/, .DS_Store, Thumbs.db, desktop.ini."""
    parts = PurePosixPath(name).parts
    return "__MACOSX" in parts or parts[-1].startswith(".") or parts[-1].lower() in {"thumbs.db", "desktop.ini"}


def _suffix(info: zipfile.ZipInfo) -> str:
    return PurePosixPath(info.filename).suffix.lower()


def _shown(info: zipfile.ZipInfo) -> str:
    """The member's name; Windows in Chinese writes GBK without saying so, which zipfile reads as code page 437."""
    if info.flag_bits & 0x800 or info.filename.isascii():
        return info.filename
    for read in (_in("utf-8"), _in("gb18030")):
        if name := read(info.filename):
            return name
    return info.filename


def _in(encoding: str) -> Callable[[str], str]:
    def read(name: str) -> str:
        try:
            return name.encode("cp437").decode(encoding)
        except UnicodeError:
            return ""

    return read
