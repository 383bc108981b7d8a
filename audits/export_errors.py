"""Rows that were not imported, as a table to mend: what is wrong with each, then its columns as the file has them."""

import json
from collections.abc import Iterator
from typing import Any

from audits.format_messages import row_reason, row_todo
from audits.models import Dataset

ERROR_COLUMNS = ("line", "column", "value", "reason", "what to do")  # before the file's own columns, in any language


def error_columns(dataset: Dataset) -> list[str]:
    """The header of error_rows; the file's columns in the order in which the bad rows name them."""
    return [*ERROR_COLUMNS, *_names(dataset)]


def error_rows(dataset: Dataset) -> Iterator[list[str]]:
    """One line per fault, in file order, reasons in the language of the page. A row with two faults comes twice."""
    names = _names(dataset)
    for error in dataset.row_errors.iterator():
        values = error.values if isinstance(error.values, dict) else {}
        about = [str(error.line), error.column, error.value, row_reason(error.code, error.reason)]
        yield [*about, row_todo(error.code), *(_cell(values.get(name)) for name in names)]


def _names(dataset: Dataset) -> list[str]:
    found: dict[str, None] = {}
    for values in dataset.row_errors.exclude(values=None).values_list("values", flat=True).iterator():
        found.update(dict.fromkeys(values if isinstance(values, dict) else ()))
    return [*found]


def _cell(value: Any) -> str:
    """A cell as the reader of files would read it again."""
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)
