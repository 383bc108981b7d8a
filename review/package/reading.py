"""Reads an evidence package, a ZIP or the folder it was unpacked to. Knows no database."""

import csv
import io
import json
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

LONGEST_CELL = 100_000_000  # characters


class PackageError(ValueError):
    """The package lacks something or holds something else; the message says what."""


class Package:
    """An evidence package. PackageError for a path that is neither a folder nor a ZIP."""

    def __init__(self, path: Path) -> None:
        self._folder = path if path.is_dir() else None
        self._zip: zipfile.ZipFile | None = None
        if self._folder is None:
            try:
                self._zip = zipfile.ZipFile(path)
            except (OSError, zipfile.BadZipFile) as error:
                raise PackageError(f"{path}: neither a folder nor a ZIP") from error

    def data(self, name: str) -> bytes:
        """The bytes of a member."""
        try:
            with self._open(name) as file:
                return file.read()
        except (zipfile.BadZipFile, zlib.error) as error:
            raise PackageError(f"{name}: {error}") from error

    def json(self, name: str) -> Any:
        """A member as JSON."""
        try:
            return json.loads(self.data(name))
        except ValueError as error:
            raise PackageError(f"{name}: no JSON") from error

    def table(self, name: str, *needed: str) -> Iterator[dict[str, str]]:
        """Rows of a CSV member, as texts by column. PackageError without the columns that are needed."""
        csv.field_size_limit(LONGEST_CELL)  # Python's own is shorter than quotes of a long context can be
        try:
            with self._open(name) as file:
                rows = csv.DictReader(io.TextIOWrapper(file, encoding="utf-8-sig", newline=""))
                if missing := set(needed) - set(rows.fieldnames or ()):
                    raise PackageError(f"{name}: no column {', '.join(sorted(missing))}")
                yield from rows
        except (csv.Error, zipfile.BadZipFile, zlib.error) as error:
            raise PackageError(f"{name}: {error}") from error

    def _open(self, name: str) -> IO[bytes]:
        try:
            if self._zip is not None:
                return self._zip.open(name)
            return (self._folder or Path()).joinpath(name).open("rb")
        except (KeyError, OSError) as error:
            raise PackageError(f"{name}: not in the package") from error
