"""A file that can be read: its rows, one per answer, and what was understood of them from the first ones."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from audits.formats.base import Notice, Options, Reader, Row, RowProblem, SourceRow, Understanding
from audits.formats.cells import storable
from audits.formats.columns import MAX_COLUMNS, ROLES, guess_mapping
from audits.formats.deeper import deeper, usable
from audits.formats.given import guess_words
from audits.formats.head import HEAVY, Head
from audits.formats.joined import guess_split
from audits.formats.longest import longest_texts
from audits.formats.messages import file_error, notice
from audits.formats.nested import decode, object_columns, spread
from audits.formats.notices import notices_of
from audits.formats.paths import paths_in
from audits.formats.roles import NEEDED
from audits.formats.shapes import Shape, recognise, shape_named
from audits.formats.shapes.choosing import chosen
from audits.formats.unnamed import guess_by_content

HEAD = 200  # rows that the understanding rests on
JOINED = 5_000  # raw rows from which those are made, where several make one
PREVIEW = 10
_MOST_NAMES = 5_000  # that are looked at


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
        head = self._first_rows()
        rows = [row for row in head if isinstance(row, SourceRow)]
        self.problems = tuple(row for row in head if isinstance(row, RowProblem))
        if not rows:
            raise _no_good_rows(head)
        names = dict.fromkeys(name for row in rows for name in row.values)
        self._names = _most_telling([*names])
        mapping, self.columns, said = self._map(rows)
        many = (notice("many_columns"),) if len(names) > MAX_COLUMNS else ()
        self.understanding = self._understand(rows, mapping, (*many, *said))

    @property
    def fraction(self) -> float | None:
        """How much of the file the newest iteration of rows() has read, 0 to 1; None where that is not known."""
        return self._reader.fraction

    def rows(self) -> Iterator[SourceRow | RowProblem]:
        """All rows, one per answer, in file order, with objects spread into dotted columns; each call starts anew.

        Streams from disk. Raises FormatError where the file itself is broken.
        """
        return self._shaped(self._decoded())

    def _decoded(self) -> Iterator[SourceRow | RowProblem]:
        rows = self._reader.rows()
        return self._with_objects(rows) if self._objects else rows

    def _with_objects(self, rows: Iterator[SourceRow | RowProblem]) -> Iterator[SourceRow | RowProblem]:
        for row in rows:
            yield SourceRow(row.line, decode(row.values, self._objects)) if isinstance(row, SourceRow) else row

    def _shaped(self, rows: Iterator[SourceRow | RowProblem]) -> Iterator[SourceRow | RowProblem]:
        if self.shape is None and self._reader.columns and not self._objects:
            return rows  # a table of texts: there is nothing to join or to spread
        return self._joined(rows)

    def _joined(self, rows: Iterator[SourceRow | RowProblem]) -> Iterator[SourceRow | RowProblem]:
        for row in self.shape.rows(rows) if self.shape else rows:
            if isinstance(row, SourceRow):
                values = spread(row.values)
                yield row if values is row.values else SourceRow(row.line, values)
            else:
                yield row

    def _head_of(self, rows: Iterator[SourceRow | RowProblem]) -> list[Row]:
        head = list(Head(rows, HEAD))
        if not head:
            raise file_error("no_rows")
        raw = [row.values for row in head if isinstance(row, SourceRow)]
        if not raw:
            raise _no_good_rows(head)
        return raw

    def _first_rows(self) -> list[SourceRow | RowProblem]:
        """The first rows, one per answer. Where the rest of the file is cut off, no row is blamed for being alone."""
        raw = Head(self._decoded(), JOINED, heavy=8 * HEAVY)
        head = list(Head(self._shaped(iter(raw)), HEAD))
        lonely = {"no_item"} if raw.cut else set()
        return [row for row in head if isinstance(row, SourceRow) or row.code not in lonely]

    def _map(self, rows: list[SourceRow]) -> tuple[dict[str, Any], tuple[str, ...], Sequence[Notice]]:
        """The guessed mapping, the columns and paths that a mapping can use, and what is to be said of it."""
        values = [row.values for row in rows]
        paths = paths_in(values)
        mapping: dict[str, Any] = dict(guess_mapping(self._names))
        if self.shape:
            mapping |= self.shape.mapping((*self._names, *paths), values)
        else:
            nested = (*(name for name in self._names if "." in name), *paths)
            guessed = chosen(nested, values)
            mapping |= _found(mapping, guessed) | deeper(mapping, guessed, values)
            if self._reader.header_line is None and not any(mapping.get(role) for role in NEEDED):
                mapping |= _found(mapping, guess_by_content(self._names, rows))
        path, told = longest_texts(mapping, (*self._names, *paths), values)
        mapping = usable(mapping | ({"contexts": path} if path else {}), rows)
        said = [told] if told else []
        if mapping.get("contexts") and "split" not in mapping:
            split, told = guess_split(rows, mapping)
            mapping |= {"split": split} if split else {}
            said += [told] if told else []
        if words := guess_words(rows, mapping):
            mapping["words"] = words
        known = {*self._names, *paths}
        beside = (name for name in _names_in(mapping) if name not in known)
        return mapping, (*self._names, *paths, *dict.fromkeys(beside)), said

    def _understand(self, rows: list[SourceRow], mapping: dict[str, Any], said: Sequence[Notice]) -> Understanding:
        reader = self._reader
        names = self._names if reader.columns else ()
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
            warnings=(*reader.warnings, *notices_of(rows, names, mapping, confidence=self._confidence), *said),
        )


def _most_telling(names: list[str]) -> tuple[str, ...]:
    """The first MAX_COLUMNS names; of more than these, the ones that say what a column is come first."""
    if len(names) > MAX_COLUMNS:
        known = {*_names_in(guess_mapping(names[:_MOST_NAMES]))}
        names = [*(name for name in names if name in known), *(name for name in names if name not in known)]
    return tuple(names[:MAX_COLUMNS])


def _found(mapping: dict[str, Any], guessed: Mapping[str, Any]) -> dict[str, Any]:
    return {role: name for role, name in guessed.items() if name and not mapping.get(role)}


def _names_in(mapping: Mapping[str, Any]) -> Iterator[str]:
    for role in ROLES:
        value = mapping.get(role)
        yield from (value if isinstance(value, list) else [value] if isinstance(value, str) and value else [])


def _chosen(name: str) -> Shape | None:
    return shape_named(name) if name else None


def _no_good_rows(head: Sequence[SourceRow | RowProblem]) -> Exception:
    first = next(row for row in head if isinstance(row, RowProblem)) if head else None
    if first is None:
        return file_error("no_rows")
    return file_error("no_good_rows", count=len(head), line=first.line, reason=first.reason)
