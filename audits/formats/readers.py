"""The formats that can be read, one reader each. What is large is loaded when a file needs it."""

from collections.abc import Callable
from pathlib import Path

from audits.formats.base import Options, Reader
from audits.formats.csv import CsvReader
from audits.formats.json import JsonReader
from audits.formats.jsonl import JsonlReader


def _excel(path: Path, options: Options) -> Reader:
    from audits.formats.excel import ExcelReader

    return ExcelReader(path, options)


def _xls(path: Path, options: Options) -> Reader:
    from audits.formats.xls import XlsReader

    return XlsReader(path, options)


def _html(path: Path, options: Options) -> Reader:
    from audits.formats.html import HtmlReader

    return HtmlReader(path, options)


def _parquet(path: Path, options: Options) -> Reader:
    from audits.formats.parquet import ParquetReader

    return ParquetReader(path, options)


READERS: dict[str, Callable[[Path, Options], Reader]] = {
    "csv": CsvReader,
    "xlsx": _excel,
    "jsonl": JsonlReader,
    "json": JsonReader,
    "xls": _xls,
    "html": _html,
    "parquet": _parquet,
}
