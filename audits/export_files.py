"""Rows as files: CSV and JSON lines as a stream, XLSX in constant memory. Tables are safe for spreadsheets."""

import csv
import json
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Any

import xlsxwriter

from audits.exporting import Cell, safe_cell

BOM = "\ufeff"  # without it Excel reads UTF-8 as the local code page
CELL_LIMIT = 32_767  # UTF-16 units that a cell of Excel can hold
CUT = " … [cut here; the CSV and JSONL files hold all of it]"
EXACT = 10**15  # Excel keeps 15 digits of a number; a longer one, such as an identifier, is written as text
SHEET_ROWS = 1_048_576  # rows of a sheet, the header among them


class _Line:
    """A file of one line: csv.writer writes into it, and the line is taken out."""

    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> int:
        self.text = text
        return len(text)


def csv_lines(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Iterator[bytes]:
    """UTF-8 with BOM, RFC 4180."""
    line = _Line()
    writer = csv.writer(line)
    writer.writerow([safe_cell(column) for column in columns])
    yield (BOM + line.text).encode()
    for row in rows:
        writer.writerow([_table_cell(cell) for cell in row])
        yield line.text.encode()


def jsonl_lines(records: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    """One object per line, in UTF-8; texts are exactly those of the dataset."""
    for record in records:
        yield json.dumps(record, ensure_ascii=False).encode() + b"\n"


def xlsx_file(columns: Sequence[str], rows: Iterable[Sequence[Cell]], sheet_rows: int = SHEET_ROWS) -> IO[bytes]:
    """An open temporary file at its beginning, gone when it is closed. Text is always text, never formula or link.

    A further sheet is begun when one is full.
    """
    file = tempfile.TemporaryFile()  # noqa: SIM115 (the response that sends it closes it)
    texts_stay = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with xlsxwriter.Workbook(file, {"constant_memory": True} | texts_stay) as book:
        bold = book.add_format({"bold": True})
        at, sheet = sheet_rows, None
        for row in rows:
            if at >= sheet_rows:
                sheet, at = _sheet(book, columns, bold), 1
            _write(sheet, at, row)
            at += 1
        if sheet is None:
            _sheet(book, columns, bold)
    file.seek(0)
    return file


def _sheet(book: Any, columns: Sequence[str], bold: Any) -> Any:
    sheet = book.add_worksheet()
    for number, column in enumerate(columns):
        sheet.write_string(0, number, _fitting(column), bold)
    sheet.freeze_panes(1, 0)
    return sheet


def _write(sheet: Any, at: int, row: Sequence[Cell]) -> None:
    for number, cell in enumerate(row):
        value = _table_cell(cell)
        if isinstance(value, float) or (isinstance(value, int) and abs(value) < EXACT):
            sheet.write_number(at, number, value)
        elif value != "":
            sheet.write_string(at, number, _fitting(str(value)))


def _table_cell(cell: Cell) -> str | int | float:
    """Numbers stay numbers; true and false are words, the same in every program; text is made harmless."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return cell if isinstance(cell, int | float) else safe_cell(cell)


def _fitting(text: str) -> str:
    """The text, or as much as a cell holds and a note that it was cut."""
    if len(text) <= CELL_LIMIT // 2 or len(text.encode("utf-16-le")) // 2 <= CELL_LIMIT:
        return text
    room = CELL_LIMIT - len(CUT)
    return text.encode("utf-16-le")[: 2 * room].decode("utf-16-le", "ignore") + CUT
