"""Reads an evidence package, a ZIP or the folder it was unpacked to. Knows no database.

Whoever made the package may be hostile: nothing is unpacked, sizes are limited before anything is read, and every
cell is checked where it is read. What is wrong is one sentence, with file and line.
"""

import csv
import io
import json
import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Any

from review.package.cells import Row
from review.package.errors import PackageError

FORMAT = 2  # of new packages, in seeds.json; those without one are 1 and lack some tables
LONGEST_CELL = 100_000_000  # characters
LARGEST_TEXT = 1_000_000_000  # bytes of a member that is held whole
LARGEST_JSON = 20_000_000
MOST_MEMBERS = 10_000
MOST_BYTES = 20_000_000_000  # of all members together, unpacked
SMALL, RATIO = 50_000_000, 200  # a larger member that is packed more tightly than this is a bomb
MOST_ROWS = 5_000_000  # of a table
_DRIVE = re.compile(r"[A-Za-z]:")
# RuntimeError: a member under a password; NotImplementedError: one packed in a way that this Python does not know.
BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError)


class Package:
    """An evidence package. PackageError for a path that is neither a folder nor a ZIP, and for a hostile ZIP."""

    def __init__(self, path: Path) -> None:
        self._folder = path if path.is_dir() else None
        self._zip: zipfile.ZipFile | None = None
        if self._folder is None:
            try:
                self._zip = zipfile.ZipFile(path)
            except (*BROKEN, ValueError) as error:
                raise PackageError(f"{path}: neither a folder nor a ZIP") from error
            _check(self._zip)

    @property
    def format(self) -> int:
        """1 for packages of earlier versions."""
        found = self.json("seeds.json")
        number = found.get("format", 1) if isinstance(found, dict) else 0
        if number not in range(1, FORMAT + 1):
            raise PackageError(f"seeds.json: made in a format that this version does not know: {str(number)[:40]}")
        return int(number)

    def names(self) -> list[str] | None:
        """Of all members; None for a folder, where anything may lie beside them."""
        return None if self._zip is None else self._zip.namelist()

    def has(self, name: str) -> bool:
        """Whether there is such a member."""
        if self._zip is not None:
            return name in self._zip.namelist()
        return self._place(name).exists()

    def data(self, name: str, most: int = LARGEST_TEXT) -> bytes:
        """The bytes of a member. PackageError when there are more than `most`."""
        try:
            with self._open(name) as file:
                found = file.read(most + 1)
        except BROKEN as error:
            raise PackageError(f"{name}: damaged: {error}") from error
        if len(found) > most:
            raise PackageError(f"{name}: larger than {most:,} bytes")
        return found

    def chunks(self, name: str) -> Iterator[bytes]:
        """The bytes of a member, piece by piece."""
        try:
            with self._open(name) as file:
                while chunk := file.read(1_000_000):
                    yield chunk
        except BROKEN as error:
            raise PackageError(f"{name}: damaged: {error}") from error

    def text(self, name: str) -> str:
        """A member as UTF-8."""
        try:
            return self.data(name).decode("utf-8")
        except UnicodeDecodeError as error:
            raise PackageError(f"{name}: not UTF-8") from error

    def json(self, name: str) -> Any:
        """A member as JSON."""
        try:
            return json.loads(self.data(name, LARGEST_JSON), parse_constant=_refuse)
        except (ValueError, RecursionError) as error:
            if isinstance(error, PackageError):
                raise
            raise PackageError(f"{name}: no JSON") from error

    def lines(self, name: str) -> Iterator[Any]:
        """The values of a member with one JSON value per line."""
        try:
            with self._open(name) as file:
                for number, line in enumerate(io.TextIOWrapper(file, encoding="utf-8", newline="\n"), start=1):
                    try:
                        yield json.loads(line, parse_constant=_refuse)
                    except (ValueError, RecursionError) as error:
                        raise PackageError(f"{name}, line {number}: no JSON") from error
        except UnicodeDecodeError as error:
            raise PackageError(f"{name}: not UTF-8") from error
        except BROKEN as error:
            raise PackageError(f"{name}: damaged: {error}") from error

    def table(self, name: str, *needed: str) -> Iterator[Row]:
        """Rows of a CSV member. PackageError without the columns that are needed."""
        csv.field_size_limit(LONGEST_CELL)  # Python's own is shorter than quotes of a long context can be
        try:
            with self._open(name) as file:
                rows = csv.reader(io.TextIOWrapper(file, encoding="utf-8-sig", newline=""), strict=True)
                header = next(rows, [])
                if len(set(header)) < len(header):
                    raise PackageError(f"{name}: a column stands twice")
                if missing := set(needed) - set(header):
                    raise PackageError(f"{name}: no column {', '.join(sorted(missing))}")
                for number, cells in enumerate(rows, start=2):
                    if len(cells) != len(header):
                        raise PackageError(f"{name}, row {number}: {len(cells)} cells, {len(header)} columns")
                    if number > MOST_ROWS:
                        raise PackageError(f"{name}: more than {MOST_ROWS:,} rows")
                    yield Row(name, number, dict(zip(header, cells, strict=True)))
        except (csv.Error, UnicodeDecodeError) as error:
            raise PackageError(f"{name}: no CSV in UTF-8: {error}") from error
        except BROKEN as error:
            raise PackageError(f"{name}: damaged: {error}") from error

    def _place(self, name: str) -> Path:
        return (self._folder or Path()).joinpath(name)

    def _open(self, name: str) -> IO[bytes]:
        if self._zip is not None:
            try:
                return self._zip.open(name)
            except KeyError as error:
                raise PackageError(f"{name}: not in the package") from error
        place, folder = self._place(name), (self._folder or Path()).resolve()
        if not place.exists():
            raise PackageError(f"{name}: not in the package")
        if not place.is_file() or not place.resolve().is_relative_to(folder):
            raise PackageError(f"{name}: not a file inside the package")
        return place.open("rb")


def _check(archive: zipfile.ZipFile) -> None:
    """PackageError for what no evidence package holds: doubled or outlying names, bombs, secrets."""
    members = archive.infolist()
    if len(members) > MOST_MEMBERS:
        raise PackageError(f"more than {MOST_MEMBERS:,} files in the ZIP")
    seen: set[str] = set()
    for info in members:
        name = info.filename
        if is_outside(name) or "\\" in info.orig_filename or "\0" in info.orig_filename:
            raise PackageError(f"a file in the ZIP has a name that leads elsewhere: {name[:80]!r}")
        if name in seen:
            raise PackageError(f"{name[:80]}: twice in the ZIP")
        seen.add(name)
        if info.flag_bits & 1:
            raise PackageError(f"{name[:80]}: encrypted")
        if info.file_size > SMALL and info.file_size > RATIO * max(1, info.compress_size):
            raise PackageError(f"{name[:80]}: would unpack to {info.file_size:,} bytes, which is no evidence package")
    if (total := sum(info.file_size for info in members)) > MOST_BYTES:
        raise PackageError(f"would unpack to {total:,} bytes, more than {MOST_BYTES:,}")


def is_outside(name: str) -> bool:
    """Whether a member's name could lead out of a folder that it is unpacked to."""
    path = PurePosixPath(name)
    return path.is_absolute() or ".." in path.parts or bool(_DRIVE.match(name)) or not path.parts


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON number")
