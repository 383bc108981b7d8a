"""Rows that were not imported, as a table to mend: what is wrong with each, then its columns as the file has them."""

from collections.abc import Iterator

from audits.exporting import Cell
from audits.format_messages import row_reason, row_todo
from audits.formats.merging import BOOKKEEPING, cell_text
from audits.from_file import FileOrder
from audits.models import Dataset


def error_columns(dataset: Dataset) -> list[str]:
    """The header of error_rows: BOOKKEEPING, in any language, then the file's own columns in the file's order."""
    return [*BOOKKEEPING, *_names(dataset)]


def error_rows(dataset: Dataset) -> Iterator[list[Cell]]:
    """One line per row that was not imported, in file order, reasons in the language of the page."""
    names = _names(dataset)
    for error in dataset.row_errors.iterator():
        values = error.values if isinstance(error.values, dict) else {}
        about: list[Cell] = [error.line, error.column, error.value, row_reason(error.code, error.reason)]
        yield [*about, row_todo(error.code), *(cell_text(values.get(name)) for name in names)]


def _names(dataset: Dataset) -> list[str]:
    found: dict[str, None] = {}
    for values in dataset.row_errors.exclude(values=None).values_list("values", flat=True).iterator():
        found.update(dict.fromkeys(values if isinstance(values, dict) else ()))
    return [*FileOrder(dataset).sorted(found)]
