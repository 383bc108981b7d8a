"""Parquet, batch by batch through pyarrow, which is large and so an extra: loaded when a file needs it."""

import datetime
import decimal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from audits.formats.base import Notice, Options, RowProblem, SourceRow
from audits.formats.columns import MAX_COLUMNS
from audits.formats.jsonl import checked
from audits.formats.messages import file_error

BATCH = 500  # rows decoded at a time
MAX_GROUP = 1 << 30  # bytes of one group of rows, unpacked: the least that a reader must hold

_DAMAGE = (OSError, ValueError, TypeError, ArithmeticError, RuntimeError, KeyError, NotImplementedError)


class ParquetReader:
    """Rows are numbered from 1. Lists and structures come as lists and objects, all else as text or number."""

    name = "parquet"
    encoding: str | None = None
    delimiter: str | None = None
    sheet: str | None = None
    sheets: tuple[str, ...] = ()
    header_line: int | None = None
    warnings: tuple[Notice, ...] = ()
    columns: tuple[str, ...] = ()  # objects in cells are columns of their own already

    def __init__(self, path: Path, options: Options) -> None:
        """Raises FormatError when the file is damaged, has no rows, or pyarrow is not installed."""
        self._path = path
        with self._open() as file:
            self._total: int = file.metadata.num_rows
            if not self._total:
                raise file_error("no_rows")
            if len(file.schema_arrow.names) > MAX_COLUMNS:
                raise file_error("too_many_columns", limit=MAX_COLUMNS)
            groups = (file.metadata.row_group(number) for number in range(file.metadata.num_row_groups))
            if any(group.total_byte_size > MAX_GROUP for group in groups):
                raise file_error("parquet_too_large", limit=MAX_GROUP >> 20)
        self._read = 0

    @property
    def fraction(self) -> float | None:
        """See Reader."""
        return self._read / self._total

    def rows(self) -> Iterator[SourceRow | RowProblem]:
        """See Reader."""
        self._read = 0
        with self._open() as file:
            batches = file.iter_batches(batch_size=BATCH)
            while (batch := self._next(batches)) is not None:
                for values in batch:
                    self._read += 1
                    yield checked(self._read, {name: _plain(value) for name, value in values.items()})

    def _next(self, batches: Iterator[Any]) -> list[dict[str, Any]] | None:
        """The next rows, None at the end. Whatever pyarrow raises on damaged pages becomes a FormatError."""
        try:
            batch = next(batches, None)
            return None if batch is None else batch.to_pylist(maps_as_pydicts="lossy")
        except _DAMAGE as error:
            raise file_error("broken_parquet") from error

    def _open(self) -> Any:
        try:
            import pyarrow.parquet
        except ImportError:
            raise file_error("parquet_missing") from None
        try:
            return pyarrow.parquet.ParquetFile(self._path, memory_map=False, pre_buffer=False)
        except _DAMAGE as error:
            raise file_error("broken_parquet") from error


def _plain(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, str | int | float) or value is None:
        return value
    if isinstance(value, dict):
        return {str(name): _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, datetime.datetime | datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")  # a byte that is no text becomes a problem of its row
    return str(value)
