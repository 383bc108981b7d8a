"""A file that can be read: its rows, one per answer, and what was understood of them from the first ones."""

from collections.abc import Iterator, Sequence
from itertools import islice

from audits.formats.base import Notice, Options, Reader, Row, RowProblem, SourceRow, Understanding
from audits.formats.cells import storable
from audits.formats.columns import MAX_COLUMNS, context_columns, guess_mapping
from audits.formats.messages import file_error, notice
from audits.formats.nested import decode, object_columns, spread
from audits.formats.shapes import Shape, recognise, shape_named
from audits.formats.suspicion import looks_wrongly_decoded

HEAD = 200  # rows that the understanding rests on
PREVIEW = 10
SURE = 0.95  # confidence in an encoding below which a person is asked to look


class Opened:
    """A file that can be read, any number of times from its start."""

    def __init__(self, reader: Reader, options: Options, *, confidence: float | None = None) -> None:
        """Reads the head. Raises FormatError when there is no row in it. confidence: in the reader's encoding."""
        self._reader, self._confidence = reader, confidence
        self.sheets = reader.sheets
        raw = self._head_of(reader.rows())
        self._objects = object_columns(raw) if reader.columns else frozenset()
        decoded = [decode(row, self._objects) for row in raw]
        self.shape: Shape | None = recognise(decoded) if options.shape is None else _chosen(options.shape)
        head = list(islice(self.rows(), HEAD))
        rows = [row for row in head if isinstance(row, SourceRow)]
        self.problems = tuple(row for row in head if isinstance(row, RowProblem))
        if not rows:
            raise _no_good_rows(head)
        names = dict.fromkeys(name for row in rows for name in row.values)
        self.columns = tuple(names)[:MAX_COLUMNS]
        self.understanding = self._understand(rows, many=len(names) > MAX_COLUMNS)

    @property
    def fraction(self) -> float | None:
        """How much of the file the newest iteration of rows() has read, 0 to 1; None where that is not known."""
        return self._reader.fraction

    def rows(self) -> Iterator[SourceRow | RowProblem]:
        """All rows, one per answer, in file order, with objects spread into dotted columns; each call starts anew.

        Streams from disk. Raises FormatError where the file itself is broken.
        """
        rows = self._decoded()
        for row in self.shape.rows(rows) if self.shape else rows:
            yield SourceRow(row.line, spread(row.values)) if isinstance(row, SourceRow) else row

    def _decoded(self) -> Iterator[SourceRow | RowProblem]:
        for row in self._reader.rows():
            yield SourceRow(row.line, decode(row.values, self._objects)) if isinstance(row, SourceRow) else row

    def _head_of(self, rows: Iterator[SourceRow | RowProblem]) -> list[Row]:
        head = list(islice(rows, HEAD))
        if not head:
            raise file_error("no_rows")
        raw = [row.values for row in head if isinstance(row, SourceRow)]
        if not raw:
            raise _no_good_rows(head)
        return raw

    def _understand(self, rows: list[SourceRow], *, many: bool) -> Understanding:
        reader = self._reader
        mapping = guess_mapping(self.columns) | (self.shape.mapping(self.columns) if self.shape else {})
        return Understanding(
            format=reader.name,
            encoding=reader.encoding,
            confidence=self._confidence,
            delimiter=reader.delimiter,
            sheet=reader.sheet,
            shape=self.shape.name if self.shape else "",
            header_line=reader.header_line,
            member="",
            columns=self.columns,
            mapping=mapping,
            preview=tuple(SourceRow(row.line, storable(row.values)) for row in rows[:PREVIEW]),
            warnings=(*reader.warnings, *self._notices(rows, mapping, many=many)),
        )

    def _notices(self, rows: list[SourceRow], mapping: dict[str, object], *, many: bool) -> Iterator[Notice]:
        alone = columns if len(columns := context_columns(mapping)) == 1 else []  # type: ignore[arg-type]
        if self._confidence is not None and self._confidence < SURE:
            yield notice("guessed_encoding")
        if any(looks_wrongly_decoded(text) for row in rows for text in _texts(row.values)):
            yield notice("mojibake")
        if self._reader.columns and not any(mapping.values()):
            yield notice("no_header")
        if many:
            yield notice("many_columns")
        if any(_looks_joined(row.values.get(column)) for row in rows for column in alone):
            yield notice("joined_contexts")


def _chosen(name: str) -> Shape | None:
    return shape_named(name) if name else None


def _no_good_rows(head: Sequence[SourceRow | RowProblem]) -> Exception:
    first = next(row for row in head if isinstance(row, RowProblem)) if head else None
    if first is None:
        return file_error("no_rows")
    return file_error("no_good_rows", count=len(head), line=first.line, reason=first.reason)


def _texts(values: Row) -> Iterator[str]:
    return (value[:2000] for value in values.values() if isinstance(value, str))


def _looks_joined(value: object) -> bool:
    return isinstance(value, str) and "|" in value and value.lstrip()[:1] not in {"[", "|"}
