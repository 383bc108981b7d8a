"""What openpyxl does not tell of a sheet while it reads row by row: merged ranges, hidden parts, errors, its end.

The sheet's XML is looked through once, piece by piece, without being parsed. It is only asked for facts that a person
should know; the cells themselves are read by openpyxl.
"""

import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from openpyxl.utils.cell import column_index_from_string, range_boundaries

from audits.formats.messages import file_error

MAX_MERGES = 100_000
_BROKEN = (zipfile.BadZipFile, zlib.error, KeyError, OSError, ValueError, EOFError, NotImplementedError)
_CHUNK = 1 << 20  # bytes
_TAIL = 1 << 18  # bytes before the end of the rows in which the last ones are looked for
_TAG = rb"<(?:\w{1,20}:)?"
_ENDS = rb"</(?:\w{1,20}:)?"
_MERGE = re.compile(_TAG + rb"""mergeCell\s[^<>]{0,200}?ref=["']([A-Z0-9:]{1,40})["']""")
_HIDDEN = rb"""\b[^<>]{0,300}?\bhidden=["'](?:1|true)["'][^<>]{0,300}>"""
_HIDDEN_ROW = re.compile(_TAG + rb"row" + _HIDDEN + rb"\s{0,20}" + _TAG + rb"c\b")  # one with cells
_HIDDEN_COLUMNS = re.compile(_TAG + rb"col" + _HIDDEN)
_ERROR = re.compile(_TAG + rb"""c\b(?=[^<>]{0,300}?\bt=["']e["'])[^<>]{0,300}?\br=["']([A-Z]{1,3}\d{1,7})["']""")
_FORMULA = re.compile(
    _TAG + rb"c\b([^<>]{0,300})>\s{0,20}"
    + _TAG + rb"f\b[^<>]{0,300}(?:/>|>[^<]{0,9000}" + _ENDS + rb"f>)\s{0,20}"
    rb"(?:" + _TAG + rb"v\s?/>|" + _TAG + rb"v>\s{0,20}" + _ENDS + rb"v>)?\s{0,20}" + _ENDS + rb"c>"
)  # fmt: skip
_OF_TEXT = re.compile(rb"""\bt=["']str["']""")
_AT = re.compile(rb"""\br=["']([A-Z]{1,3})?(\d{1,7})["']""")
_BOUND = re.compile(rb"""\b(min|max)=["'](\d{1,5})["']""")
_ROW = re.compile(_TAG + rb"row\b")
_CELL = re.compile(_TAG + rb"c\b")
_CONTENT = re.compile(_TAG + rb"[vt](?:\s[^<>]{0,100})?>[^<]")
_END = re.compile(_ENDS + rb"sheetData>")


@dataclass(frozen=True, order=True)
class Range:
    """Merged cells, by rows and columns from 1, all inclusive."""

    top: int
    left: int
    bottom: int
    right: int


@dataclass
class Scan:
    """Facts of one sheet."""

    merges: list[Range] = field(default_factory=list)
    hidden_rows: int = 0
    hidden_columns: set[int] = field(default_factory=set)
    errors: int = 0
    first_error: str = ""
    formulas: int = 0  # without a value
    first_formula: str = ""
    prefixed: bool = False  # whether the names of tags have a prefix
    last_rows: list[tuple[int, frozenset[int]]] = field(default_factory=list)  # number, columns that hold something

    @property
    def last_row(self) -> int:
        """The number of the last row that holds something, 0 where that is not known."""
        return max((number for number, columns in self.last_rows if columns), default=0)


def scan_sheet(path: Path, part: str, widest: int) -> Scan:
    """Look through one sheet of a workbook. Raises FormatError("broken_workbook").

    widest: the last column whose being hidden is of interest.
    """
    scan, tail, ended = Scan(), b"", False
    try:
        for piece in _pieces(path, part):
            _look(scan, piece, widest)
            if not ended:
                end = _END.search(piece) if b"sheetData>" in piece else None
                tail = (tail + (piece[: end.start()] if end else piece))[-_TAIL:]
                ended = end is not None
    except _BROKEN as error:
        raise file_error("broken_workbook") from error
    scan.last_rows = list(_rows(tail))
    return scan


def _pieces(path: Path, part: str) -> Iterator[bytes]:
    """The sheet in pieces that end before the start of a cell, row or merged range."""
    with zipfile.ZipFile(path) as archive, archive.open(part.lstrip("/")) as file:
        rest = b""
        while chunk := file.read(_CHUNK):
            piece = rest + chunk
            cut = max(piece.rfind(mark) for mark in (b"<row", b":row", b"mergeCell "))
            cut = piece.rfind(b"<", 0, cut + 1)
            cut = cut if 0 < len(piece) - cut < _CHUNK else len(piece)  # a row of any length is not held
            yield piece[:cut]
            rest = piece[cut:]
        yield rest


def _look(scan: Scan, piece: bytes, widest: int) -> None:
    """Most pieces hold none of this, which is quick to see."""
    if b"mergeCell" in piece and len(scan.merges) < MAX_MERGES:
        scan.merges += [*_merges(piece)][: MAX_MERGES - len(scan.merges)]
    if b"hidden=" in piece:
        scan.hidden_rows += len(_HIDDEN_ROW.findall(piece))
        for found in _HIDDEN_COLUMNS.finditer(piece):
            bounds = {name: int(number) for name, number in _BOUND.findall(found[0])}
            scan.hidden_columns |= set(range(bounds.get(b"min", 1), min(bounds.get(b"max", 0), widest) + 1))
    if b't="e"' in piece:
        errors = _ERROR.findall(piece)
        scan.errors += len(errors)
        scan.first_error = scan.first_error or (errors[0].decode() if errors else "")
    scan.prefixed = scan.prefixed or b":sheetData>" in piece
    if b"<f" in piece or (scan.prefixed and b":f" in piece):
        for found in _FORMULA.finditer(piece):
            at = _AT.search(found[1])
            if at and at[1] and not _OF_TEXT.search(found[1]):
                scan.formulas += 1
                scan.first_formula = scan.first_formula or (at[1] + at[2]).decode()


def _merges(piece: bytes) -> Iterator[Range]:
    for found in _MERGE.finditer(piece):
        try:
            left, top, right, bottom = range_boundaries(found[1].decode())
        except ValueError:
            continue
        if left and top and right and bottom and (left, top) != (right, bottom):
            yield Range(top, left, bottom, right)


def _rows(tail: bytes) -> Iterator[tuple[int, frozenset[int]]]:
    """The last rows with the columns in which they hold something; none where rows or cells have no numbers."""
    for row in _ROW.split(tail)[1:]:
        first, *cells = _CELL.split(row)
        at = _AT.search(first)
        if not at:
            return
        places = [_AT.search(cell.partition(b">")[0]) for cell in cells if _CONTENT.search(cell)]
        if not all(place and place[1] for place in places):
            return
        yield int(at[2]), frozenset(column_index_from_string(place[1].decode()) for place in places if place)
