"""Files to rows: what kind it is, what was understood of it, and every row with its place. No Django, no database."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from audits.formats.base import (
    FormatError,
    Options,
    Reader,
    Record,
    Row,
    RowProblem,
    SourceRow,
    Understanding,
)
from audits.formats.cells import storable
from audits.formats.columns import MAX_COLUMNS, check_mapping, context_columns, guess_mapping, map_record
from audits.formats.csv import CsvReader
from audits.formats.encoding import ENCODINGS
from audits.formats.excel import ExcelReader
from audits.formats.json import JsonReader
from audits.formats.jsonl import JsonlReader
from audits.formats.messages import WARNINGS, file_error
from audits.formats.nested import object_columns, spread
from audits.formats.sniff import kind_and_encoding
from audits.formats.suspicion import looks_wrongly_decoded

READERS: dict[str, Callable[[Path, Options], Reader]] = {
    "csv": CsvReader,
    "xlsx": ExcelReader,
    "jsonl": JsonlReader,
    "json": JsonReader,
}
MAX_BYTES = 2_000 << 20  # the upload has its own, lower limit
HEAD = 200  # rows that the understanding rests on
PREVIEW = 10
_UNICODE = frozenset({"utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"})


class Opened:
    """A file that can be read, any number of times from its start."""

    def __init__(self, reader: Reader, *, guessed: bool = False) -> None:
        """Reads the head. Raises FormatError when there is no row in it. guessed: nobody chose the encoding."""
        self._reader, self._guessed = reader, guessed
        head = list(islice(reader.rows(), HEAD))
        raw = [row for row in head if isinstance(row, SourceRow)]
        self.problems = tuple(row for row in head if isinstance(row, RowProblem))
        if not head:
            raise file_error("no_rows")
        if not raw:
            first = self.problems[0]
            raise file_error("no_good_rows", count=len(head), line=first.line, reason=first.reason)
        self._objects = object_columns(row.values for row in raw) if reader.columns else frozenset()
        rows = [self._spread(row) for row in raw]
        names = dict.fromkeys(name for row in rows for name in row.values)
        self.columns = tuple(names)[:MAX_COLUMNS]
        self.sheets = reader.sheets
        self.understanding = self._understand(rows, many=len(names) > MAX_COLUMNS)

    def rows(self) -> Iterator[SourceRow | RowProblem]:
        """All rows in file order, with objects spread into dotted columns; each call starts anew.

        Streams from disk. Raises FormatError where the file itself is broken.
        """
        for row in self._reader.rows():
            yield self._spread(row) if isinstance(row, SourceRow) else row

    def _spread(self, row: SourceRow) -> SourceRow:
        return SourceRow(row.line, spread(row.values, self._objects))

    def _understand(self, rows: list[SourceRow], *, many: bool) -> Understanding:
        reader, mapping = self._reader, guess_mapping(self.columns)
        alone = columns if len(columns := context_columns(mapping)) == 1 else []
        found = {
            "guessed_encoding": self._guessed and reader.encoding not in _UNICODE,
            "mojibake": any(looks_wrongly_decoded(text) for row in rows for text in _texts(row.values)),
            "no_header": bool(reader.columns) and not any(mapping.values()),
            "many_columns": many,
            "joined_contexts": any(_looks_joined(row.values.get(column)) for row in rows for column in alone),
        }
        return Understanding(
            format=reader.name,
            encoding=reader.encoding,
            delimiter=reader.delimiter,
            sheet=reader.sheet,
            columns=self.columns,
            mapping=mapping,
            preview=tuple(SourceRow(row.line, storable(row.values)) for row in rows[:PREVIEW]),
            warnings=(*reader.warnings, *(WARNINGS[code] for code, holds in found.items() if holds)),
        )


def _texts(values: Row) -> Iterator[str]:
    return (value[:2000] for value in values.values() if isinstance(value, str))


def _looks_joined(value: object) -> bool:
    return isinstance(value, str) and "|" in value and value.lstrip()[:1] not in {"[", "|"}


def open_dataset(
    path: Path,
    *,
    filename: str = "",
    encoding: str | None = None,
    delimiter: str | None = None,
    sheet: str | None = None,
) -> Opened:
    """Find out what a file is, by its content, and read its head. encoding, delimiter, sheet override the guess.

    Raises FormatError (codes in messages.FILE_ERRORS) when it is no dataset; nothing has been imported then.
    """
    if path.stat().st_size > MAX_BYTES:
        raise file_error("too_large", limit=MAX_BYTES >> 20)
    options = Options(filename=filename, encoding=encoding, delimiter=delimiter, sheet=sheet)
    kind, found = kind_and_encoding(path, options)
    reader = READERS[kind](path, replace(options, encoding=found))
    return Opened(reader, guessed=bool(found) and not encoding)


__all__ = [
    "ENCODINGS",
    "READERS",
    "FormatError",
    "Opened",
    "Reader",
    "Record",
    "RowProblem",
    "SourceRow",
    "Understanding",
    "check_mapping",
    "guess_mapping",
    "map_record",
    "open_dataset",
]
