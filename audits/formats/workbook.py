"""XLSX workbooks part by part: their sheets, styles and cells, behind guards against hostile and damaged files.

openpyxl reads the cells of a sheet. What it would also read, and refuse a sound table for, is left alone: properties,
themes, pictures, defined names.
"""

import posixpath
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from defusedxml.ElementTree import fromstring, iterparse
from openpyxl.styles.numbers import BUILTIN_FORMATS, is_date_format, is_timedelta_format
from openpyxl.utils.datetime import MAC_EPOCH, WINDOWS_EPOCH
from openpyxl.worksheet._reader import DATA_TAG, INLINE_STRING, ROW_TAG, VALUE_TAG, WorkSheetParser
from openpyxl.xml.constants import SHEET_MAIN_NS
from openpyxl.xml.functions import SubElement

from audits.formats.base import FormatError
from audits.formats.messages import file_error
from audits.formats.shared_strings import SharedStrings
from audits.formats.shown import shown

MAX_ROWS = 1_048_576  # Excel's own limit
MAX_ENTRIES = 5_000
MAX_UNPACKED = 600 << 20  # bytes of all parts
MAX_RATIO = 200  # of a large part; real sheets pack 5 to 100 times, bombs 1000 times
_LARGE = 30 << 20
_MAX_TEXT = 8 << 20  # bytes without a tag; Excel's own cells hold 32,767 characters
_MAX_TAG = 1 << 20  # bytes; the parser reads a tag anew with every piece of it
_MAX_ELEMENTS = 100_000  # without a row being complete
_TEXT, _RUN = f"{{{SHEET_MAIN_NS}}}t", f"{{{SHEET_MAIN_NS}}}r"
_TEXT_OR_RUN = {_TEXT, _RUN}
_STREAMED = ("xl/worksheets/", "xl/media/", "xl/embeddings/", "xl/sharedStrings")
_STRICT = (
    b"http://purl.oclc.org/ooxml/spreadsheetml/main",
    b"http://schemas.openxmlformats.org/spreadsheetml/2006/main",
)
Cells = dict[int, str]
"""Column from 1 -> what is shown there; without the cells in which nothing is."""


@dataclass(frozen=True)
class Sheet:
    """A worksheet as the workbook lists it."""

    title: str
    part: str
    visible: bool


class Workbook:
    """A workbook on disk; its shared texts are read once, however often its rows are."""

    def __init__(self, path: Path) -> None:
        """Raises FormatError when it is damaged or may be hostile."""
        self._path = path
        _guard(path)
        with self._parts() as archive:
            root, targets = _main_part(archive)
            self._epoch = MAC_EPOCH if _is_1904(root) else WINDOWS_EPOCH
            names = set(archive.namelist())
            self._formats = _formats(archive, targets.get("styles", ""), names)
            self._dates = {at for at, code in enumerate(self._formats) if is_date_format(code) or _is_weekday(code)}
            self._spans = {at for at, code in enumerate(self._formats) if is_timedelta_format(code)}
            self.sheets = tuple(sheet for sheet in _sheets(root, targets) if sheet.part in names)
            part = targets.get("sharedStrings", "")
            self._strings: SharedStrings | list[str] = []
            if part in names and self.sheets:
                with archive.open(part) as source:
                    self._strings = SharedStrings(source)
        if not self.sheets:
            raise file_error("broken_workbook")

    def rows(self, sheet: Sheet) -> Iterator[tuple[int, Cells]]:
        """The rows that are written in the sheet, with their numbers, in its order."""
        with self._parts() as archive, archive.open(sheet.part) as source:
            parser = WorkSheetParser(
                source, self._strings, data_only=True, epoch=self._epoch,
                date_formats=self._dates, timedelta_formats=self._spans,
            )  # fmt: skip
            for element in _rows_of(source):
                _plain_texts(element)
                number, cells = parser.parse_row(element)
                parser.row_dimensions.clear()
                if not 0 < number <= MAX_ROWS:
                    raise file_error("broken_workbook")
                yield number, self._shown(cells)

    def _shown(self, cells: list[dict[str, Any]]) -> Cells:
        found: Cells = {}
        for cell in cells:
            value = cell["value"]
            if value is not None and value != "":
                style = cell["style_id"]
                known = not isinstance(value, str) and style < len(self._formats)
                found[cell["column"]] = shown(value, self._formats[style] if known else "")
        return found

    @contextmanager
    def _parts(self) -> Iterator["_Archive"]:
        """The open archive. Whatever a damaged part raises becomes FormatError("broken_workbook")."""
        try:
            with _Archive(self._path) as archive:
                yield archive
        except (FormatError, MemoryError):
            raise
        except Exception as error:  # damaged parts raise anything: KeyError, ParseError, zlib.error, ValueError
            raise file_error("broken_workbook") from error


class _Archive(zipfile.ZipFile):
    """A ZIP file that stops reading where a text without end begins."""

    def open(self, name: Any, *args: Any, **kwargs: Any) -> Any:
        """The part as a guarded stream."""
        return _Guarded(super().open(name, *args, **kwargs))


class _Guarded:
    """A part of a workbook that is read in pieces."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._run = 0  # bytes since a tag began
        self._open = False  # whether it has not ended

    def read(self, size: int = -1) -> bytes:
        """The next bytes. Raises FormatError when very many of them are one tag or one text."""
        piece = self._file.read(size)
        begin, end = piece.rfind(b"<"), piece.rfind(b">")
        self._run = len(piece) - begin if begin >= 0 else self._run + len(piece)
        self._open = begin > end or (self._open and end < 0)
        if self._run > (_MAX_TAG if self._open else _MAX_TEXT):
            raise file_error("workbook_too_large")
        return piece.replace(*_STRICT) if _STRICT[0] in piece else piece

    def close(self) -> None:
        """Close the part."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._file.close()


def _guard(path: Path) -> None:
    """Refuse archives that unpack to too much, before anything is unpacked. zipfile never reads past these sizes."""
    try:
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, zlib.error, ValueError, OSError, NotImplementedError):
        raise file_error("broken_workbook") from None
    bomb = any(part.file_size > max(_LARGE, MAX_RATIO * part.compress_size) for part in parts)
    whole = any(part.file_size > _LARGE for part in parts if not part.filename.startswith(_STREAMED))
    if bomb or whole or len(parts) > MAX_ENTRIES or sum(part.file_size for part in parts) > MAX_UNPACKED:
        raise file_error("workbook_too_large")


def _rows_of(source: Any) -> Iterator[Any]:
    """The row elements of a sheet, up to the end of its data."""
    since = 0
    for _event, element in iterparse(source):
        since += 1
        if element.tag == ROW_TAG:
            yield element
            element.clear()
            since = 0
        elif element.tag == DATA_TAG:
            return
        elif since > _MAX_ELEMENTS:
            raise file_error("workbook_too_large")


def _plain_texts(row: Any) -> None:
    """Turn texts that stand in the cells themselves into plain values, which openpyxl reads much faster."""
    for cell in row:
        inline = cell.find(INLINE_STRING) if cell.get("t") == "inlineStr" else None
        if inline is not None:
            runs = (part if part.tag == _TEXT else part.find(_TEXT) for part in inline if part.tag in _TEXT_OR_RUN)
            cell.set("t", "str")
            SubElement(cell, VALUE_TAG).text = "".join(run.text or "" for run in runs if run is not None)


def _main_part(archive: zipfile.ZipFile) -> tuple[Any, dict[str, str]]:
    """The XML of the main part, and the parts that it refers to, by identifier and by kind."""
    package = _relations(archive, "_rels/.rels", "")
    main = package.get("officeDocument") or "xl/workbook.xml"
    folder, name = posixpath.split(main)
    targets = _relations(archive, f"{folder}/_rels/{name}.rels", folder)
    return fromstring(archive.read(main)), targets


def _relations(archive: zipfile.ZipFile, part: str, folder: str) -> dict[str, str]:
    found: dict[str, str] = {}
    if part in archive.namelist():
        for relation in fromstring(archive.read(part)):
            target = relation.get("Target", "")
            path = (
                target.lstrip("/") if target.startswith("/") else posixpath.normpath(posixpath.join(folder, target))
            )
            kind = relation.get("Type", "").rpartition("/")[2]
            found[relation.get("Id", "")] = path
            found.setdefault(kind, path)
            if kind == "worksheet":
                found[f"sheet {relation.get('Id', '')}"] = path
    return found


def _is_1904(root: Any) -> bool:
    settings = root.find("{*}workbookPr")
    return settings is not None and settings.get("date1904", "") in {"1", "true"}


def _sheets(root: Any, targets: dict[str, str]) -> Iterator[Sheet]:
    for element in root.findall("{*}sheets/{*}sheet"):
        identifier = next((value for name, value in element.items() if name.endswith("}id")), "")
        part = targets.get(f"sheet {identifier}", "")  # "" for charts and dialogs
        yield Sheet(element.get("name", ""), part, element.get("state", "visible") == "visible")


def _formats(archive: zipfile.ZipFile, part: str, names: set[str]) -> tuple[str, ...]:
    """The number format of each style."""
    if part not in names:
        return ()
    root = fromstring(archive.read(part))
    written = {item.get("numFmtId"): item.get("formatCode", "") for item in root.findall("{*}numFmts/{*}numFmt")}
    identifiers = [style.get("numFmtId", "0") for style in root.findall("{*}cellXfs/{*}xf")]
    return tuple(written.get(name) or BUILTIN_FORMATS.get(int(name), "General") for name in identifiers)


def _is_weekday(code: str) -> bool:
    """Whether a format shows a date as 星期二 or 周二 and nothing else, which openpyxl takes for a number."""
    return re.fullmatch(r"a{3,4}(?:;@)?", re.sub(r"\[[^\]]*\]", "", code), re.IGNORECASE) is not None
