"""Workbooks of the old Excel format (BIFF), through xlrd; read as a copy in the new format, see converted.py."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import xlrd

from audits.formats.base import FormatError, Options
from audits.formats.converted import Cell, ConvertedReader, Table
from audits.formats.messages import file_error


class XlsReader(ConvertedReader):
    """Dates, percentages and merged cells as the sheet shows them."""

    name = "xls"

    def __init__(self, path: Path, options: Options) -> None:
        """Raises FormatError when the workbook is damaged or encrypted."""
        try:
            with xlrd.open_workbook(path, formatting_info=True, on_demand=True, logfile=_Silent()) as book:
                super().__init__(_tables(book), options)
        except (FormatError, MemoryError):
            raise
        except Exception as error:  # damaged records make xlrd raise anything: CompDocError, struct.error, IndexError
            if "encrypted" in str(error) or "password" in str(error):
                raise file_error("encrypted") from None
            raise file_error("broken_xls") from error


class _Silent:
    """Where xlrd may print its remarks."""

    def write(self, text: str) -> int:
        return len(text)

    def flush(self) -> None:
        return


def _tables(book: Any) -> Iterator[Table]:
    for number in range(book.nsheets):
        sheet = book.sheet_by_index(number)
        merges = [(top + 1, left + 1, bottom, right) for top, bottom, left, right in sheet.merged_cells]
        rows = (_row(book, sheet, at) for at in range(sheet.nrows))
        yield Table(sheet.name, rows, merges, hidden=sheet.visibility != 0, epoch_1904=book.datemode == 1)
        book.unload_sheet(number)


def _row(book: Any, sheet: Any, at: int) -> list[Cell | None]:
    return [_cell(book, cell) for cell in sheet.row(at)]


def _cell(book: Any, cell: Any) -> Cell | None:
    kind, value = cell.ctype, cell.value
    if kind in {xlrd.XL_CELL_EMPTY, xlrd.XL_CELL_BLANK}:
        return None
    if kind == xlrd.XL_CELL_BOOLEAN:
        return Cell(bool(value))
    if kind == xlrd.XL_CELL_ERROR:
        return Cell(xlrd.error_text_from_code.get(value, "#ERROR"))
    if kind == xlrd.XL_CELL_TEXT:
        return Cell(value)
    number = int(value) if float(value).is_integer() and abs(value) < 1e15 else value
    return Cell(number, _format_of(book, cell.xf_index))


def _format_of(book: Any, index: int | None) -> str:
    """The number format of a cell, "General" where the workbook names none that exists."""
    if index is None or not 0 <= index < len(book.xf_list):
        return "General"
    found = book.format_map.get(book.xf_list[index].format_key)
    return (found.format_str if found else "") or "General"
