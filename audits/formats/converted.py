"""Tables of other programs, copied into a workbook, so that one reader knows headers, merges and sheets."""

import re
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import openpyxl
from openpyxl.cell import WriteOnlyCell
from openpyxl.utils.cell import get_column_letter

from audits.formats.base import Options
from audits.formats.columns import MAX_COLUMNS
from audits.formats.excel import ExcelReader
from audits.formats.messages import file_error

MAX_ROWS = 200_000
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0d\x0e-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
_TITLE = str.maketrans(dict.fromkeys("[]:*?/\\", "_"))


@dataclass(frozen=True)
class Cell:
    """A value and how it is shown."""

    value: Any
    number_format: str = "General"


@dataclass(frozen=True)
class Table:
    """One sheet: rows of cells (None: empty); merged ranges as (top, left, bottom, right), from 1, all inclusive."""

    title: str
    rows: Iterable[list[Cell | None]]
    merges: Iterable[tuple[int, int, int, int]] = ()
    hidden: bool = False
    epoch_1904: bool = field(default=False, kw_only=True)


class ConvertedReader(ExcelReader):
    """Reads a copy of the tables, which is gone with the reader. Line numbers are those of the tables' rows."""

    def __init__(self, tables: Iterable[Table], options: Options) -> None:
        """Raises FormatError when there is no row in them."""
        self._copy = tempfile.NamedTemporaryFile(prefix="assay-", suffix=".xlsx")  # noqa: SIM115 (lives as long)
        _write(tables, Path(self._copy.name))
        super().__init__(Path(self._copy.name), options)


def _write(tables: Iterable[Table], path: Path) -> None:
    book = openpyxl.Workbook(write_only=True)
    for number, table in enumerate(tables, start=1):
        sheet = book.create_sheet((table.title.translate(_TITLE) or f"{number}")[:31])
        if table.epoch_1904:
            book.epoch = openpyxl.utils.datetime.CALENDAR_MAC_1904
        if table.hidden:
            sheet.sheet_state = "hidden"
        for count, row in enumerate(table.rows, start=1):
            if count > MAX_ROWS:
                raise file_error("too_many_rows", limit=MAX_ROWS)
            sheet.append([_cell(sheet, cell) for cell in row[: MAX_COLUMNS + 1]])
        for top, left, bottom, right in table.merges:
            if right <= MAX_COLUMNS + 1:
                sheet.merged_cells.add(f"{get_column_letter(left)}{top}:{get_column_letter(right)}{bottom}")
    if not book.worksheets:
        raise file_error("no_rows")
    book.save(path)


def _cell(sheet: Any, cell: Cell | None) -> Any:
    if cell is None:
        return None
    made = WriteOnlyCell(sheet)
    if isinstance(cell.value, str):  # set without openpyxl's own check, which would cut it and take = for a formula
        made._value, made.data_type = _escaped(cell.value), "s"
    else:
        made.value, made.number_format = cell.value, cell.number_format
    return made


def _escaped(text: str) -> str:
    """Control characters as a workbook writes them, and an underscore that would be read as one of them."""
    return _UNWRITABLE.sub(lambda found: f"_x{ord(found[0][0]):04X}_{found[0][1:]}", text)
