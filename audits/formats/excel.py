"""XLSX workbooks, through openpyxl row by row, behind guards against what a hostile or damaged file does to it."""

import re
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import openpyxl
from openpyxl.utils.cell import range_boundaries

from audits.formats.base import FormatError, Notice, Options, RowProblem, SourceRow
from audits.formats.cells import MAX_TEXT
from audits.formats.columns import MAX_COLUMNS, known_roles
from audits.formats.csv import column_names
from audits.formats.messages import file_error, notice, row_problem

MAX_ROWS = 1_048_576  # Excel's own limit; a row number beyond it makes openpyxl count towards it for hours
MAX_ENTRIES = 5_000
MAX_UNPACKED = 600 << 20  # bytes of all parts
MAX_MERGES = 100_000
MAX_RATIO = 100  # of a large part; real sheets pack 5 to 30 times
_LARGE = 30 << 20
_HEADER_ROWS = 10  # how far down a header is looked for
_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")
_MERGE = re.compile(rb'<(?:\w+:)?mergeCell\s[^<>]{0,200}?ref="([A-Z0-9:]{1,40})"')
_PERCENT = re.compile(r"0(?:\.(0+))?%")
Cells = tuple[Any, ...]


class ExcelReader:
    """The visible sheet whose header is known best, or the one chosen. Rows have the sheet's own numbers."""

    name = "xlsx"
    encoding: str | None = None
    delimiter: str | None = None
    sheet: str | None
    fraction: float | None = None

    def __init__(self, path: Path, options: Options) -> None:
        """Raises FormatError when the workbook is damaged, hostile, empty or has a merged header."""
        self._path = path
        _guard(path)
        with self._book() as book:
            visible = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
            if not book.worksheets:
                raise file_error("broken_workbook")
            heads = {sheet.title: _head(sheet) for sheet in visible}
            self.sheets = tuple(title for title, head in heads.items() if head)
            if options.sheet and options.sheet not in heads:
                raise file_error("unknown_sheet", sheet=options.sheet[:80], sheets=", ".join(heads))
            if not self.sheets:
                raise file_error("no_rows")
            self.sheet = options.sheet or max(self.sheets, key=lambda title: _best_header(heads[title])[0])
            part = next(sheet for sheet in visible if sheet.title == self.sheet)._worksheet_path
        head = heads[self.sheet]
        if not head:
            raise file_error("no_rows")
        _known, self._header, names = _best_header(head)
        self.header_line: int | None = self._header
        self.columns = column_names(names)
        self._merged = self._merged_rows(part)
        self.warnings = self._warnings(head[0][0])

    def rows(self) -> Iterator[SourceRow | RowProblem]:
        """See Reader."""
        with self._book() as book:
            for number, row in _numbered(book[self.sheet]):
                if number > self._header and any(cell.value is not None for cell in row):
                    yield self._row(number, row)

    def _row(self, number: int, row: Cells) -> SourceRow | RowProblem:
        if number in self._merged:
            return row_problem(number, "merged_cells")
        texts = [shown(cell.value, getattr(cell, "number_format", "")) for cell in row]
        width = len(self.columns)
        if any(texts[width:]):
            return row_problem(number, "too_many_fields", found=len(texts), expected=width)
        values = dict(zip(self.columns, [*texts, *[""] * width], strict=False))
        for column, text in values.items():
            if len(text) > MAX_TEXT:
                return row_problem(number, "cell_too_long", column, limit=MAX_TEXT)
        return SourceRow(number, values)

    def _merged_rows(self, part: str) -> frozenset[int]:
        """Data rows that merged cells touch: what a person sees in them, the file has in one cell only."""
        spans: list[tuple[int, int]] = []
        for ref in islice(_merges(self._path, part), MAX_MERGES):
            try:
                left, top, _right, bottom = range_boundaries(ref)
            except ValueError:
                continue
            if left <= len(self.columns) and top <= self._header <= bottom:
                raise file_error("merged_header", line=self._header)
            if left <= len(self.columns) and top > self._header:
                spans.append((top, min(bottom, MAX_ROWS)))
        touched: set[int] = set()
        reached = 0
        for top, bottom in sorted(spans):  # each row once, however many ranges overlap
            touched |= set(range(max(top, reached + 1), bottom + 1))
            reached = max(reached, bottom)
        return frozenset(touched)

    def _warnings(self, first: int) -> tuple[Notice, ...]:
        found = []
        if first < self._header:
            found.append(notice("skipped_rows"))
        if len(self.sheets) > 1:
            found.append(notice("other_sheets"))
        return tuple(found)

    @contextmanager
    def _book(self) -> Iterator[Any]:
        """The open workbook. Whatever openpyxl raises on a damaged part becomes FormatError("broken_workbook")."""
        with self._path.open("rb") as file:  # given a path, openpyxl would judge by its suffix
            try:
                yield openpyxl.load_workbook(file, read_only=True, data_only=True, keep_links=False)
            except (FormatError, MemoryError):
                raise
            except Exception as error:  # damaged parts make openpyxl raise anything: KeyError, ParseError, zlib.error
                raise file_error("broken_workbook") from error


def _guard(path: Path) -> None:
    """Refuse archives that unpack to too much, before anything is unpacked. zipfile never reads past these sizes."""
    try:
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        raise file_error("broken_workbook") from None
    bomb = any(part.file_size > max(_LARGE, MAX_RATIO * part.compress_size) for part in parts)
    if bomb or len(parts) > MAX_ENTRIES or sum(part.file_size for part in parts) > MAX_UNPACKED:
        raise file_error("workbook_too_large")


def _numbered(sheet: Any) -> Iterator[tuple[int, Cells]]:
    """Rows with their numbers; the size that the sheet claims is ignored, for it may be wrong."""
    sheet.reset_dimensions()
    for number, row in enumerate(sheet.iter_rows(), start=1):
        if number > MAX_ROWS:
            raise file_error("broken_workbook")
        yield number, row


def _head(sheet: Any) -> list[tuple[int, list[str]]]:
    """The first rows that say something, as texts."""
    rows = ((number, [shown(cell.value, "") for cell in row]) for number, row in _numbered(sheet))
    return list(islice(((number, texts) for number, texts in rows if any(texts)), _HEADER_ROWS))


def _best_header(head: list[tuple[int, list[str]]]) -> tuple[int, int, list[str]]:
    """(known columns, row number, names) of the row whose names are known best; the first row when none is."""
    scored = [(known_roles(texts[:MAX_COLUMNS]), number, texts) for number, texts in head]
    return max(scored, key=lambda row: (row[0] if row[0] > 1 else 0, -row[1]))


def _merges(path: Path, part: str) -> Iterator[str]:
    """The ranges of merged cells, which openpyxl does not read in this mode: they stand at the end of the sheet."""
    try:
        with zipfile.ZipFile(path) as archive, archive.open(part.lstrip("/")) as file:
            tail = b""
            while chunk := file.read(1 << 20):
                piece = tail + chunk
                end = 0
                for found in _MERGE.finditer(piece):
                    end = found.end()
                    yield found[1].decode()
                tail = piece[max(end, len(piece) - 200) :]
    except (zipfile.BadZipFile, KeyError, OSError, ValueError, EOFError) as error:
        raise file_error("broken_workbook") from error


def shown(value: Any, number_format: str) -> str:
    """A cell's value as the sheet shows it: 3 and not 3.0, 95% and not 0.95, a day without midnight."""
    if value is None:
        return ""
    if isinstance(value, str):
        return _ESCAPE.sub(_unescape, value) if "_x" in value else value
    for kind, show in _SHOW:
        if isinstance(value, kind):
            return show(value, number_format)
    return str(value)


def _number(value: float, number_format: str) -> str:
    percent = _PERCENT.fullmatch(number_format)
    if percent:
        return f"{value * 100:.{len(percent[1] or '')}f}%"
    text = str(value) if isinstance(value, int) else format(value, ".15g")
    if number_format.strip("0") == "" and text.isdigit():
        return text.zfill(len(number_format))  # an id such as 0007
    return text


def _moment(value: datetime, _format: str) -> str:
    return value.isoformat(" ", "seconds") if value.time() != time() else value.date().isoformat()


_SHOW: tuple[tuple[Any, Callable[[Any, str], str]], ...] = (
    (bool, lambda value, _format: "TRUE" if value else "FALSE"),
    (int | float, _number),
    (datetime, _moment),
    (date | time, lambda value, _format: value.isoformat()),
    (timedelta, lambda value, _format: str(value)),
)


def _unescape(found: re.Match[str]) -> str:
    """Excel writes control characters as _x000D_, and an underscore before such a pattern as _x005F_."""
    code = int(found[1], 16)
    return chr(code) if code < 32 or code == 0x5F else found[0]
