"""Comma-separated text and its kin: ; tab and | too, quoted or not, with the line of every row that does not fit."""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from audits.formats import encoding as encodings
from audits.formats.base import FormatError, Notice, Options, RowProblem, SourceRow
from audits.formats.cells import MAX_TEXT
from audits.formats.columns import MAX_COLUMNS, MAX_NAME, known_roles
from audits.formats.messages import file_error, row_problem
from audits.formats.sniff import MAX_LINE

if TYPE_CHECKING:
    from _csv import Reader

DELIMITERS = ",;\t|"
_HEAD = 1 << 18  # code points on which the dialect is guessed
_MAX_FIELD = 10_000_000  # beyond this a quotation mark was most likely never closed
_SEP_LINE = re.compile(r'\ufeff?"?sep=(.)"?(?:\r\n|\r|\n)', re.IGNORECASE)

csv.field_size_limit(_MAX_FIELD)  # of the process; Python's own 131,072 is less than one long context


class CsvReader:
    """A table in text. The first line that is not blank is the header; a `sep=;` line before it is obeyed."""

    name = "csv"
    sheet: str | None = None
    sheets: tuple[str, ...] = ()
    warnings: tuple[Notice, ...] = ()
    header_line: int | None = None
    fraction: float | None = None

    def __init__(self, path: Path, options: Options) -> None:
        """Raises FormatError when no header can be read. options.encoding is set."""
        self._path = path
        self._codec = options.encoding or "utf-8"
        self.encoding: str | None = self._codec
        with encodings.open_text(path, self._codec) as stream:
            try:
                head = stream.read(_HEAD)
            except UnicodeDecodeError:
                raise self._undecodable() from None
        hint = _SEP_LINE.match(head)
        self._skipped = 1 if hint else 0  # lines before the header
        text = head[hint.end() :] if hint else head
        chosen = options.delimiter or (hint[1] if hint else "")
        self._separator = _one_character(chosen) if chosen else _guess_delimiter(text)
        self.delimiter: str | None = self._separator
        self._quoted = _is_quoted(text, self._separator)
        self.columns: tuple[str, ...] = ()
        self.columns = self._header()

    def rows(self) -> Iterator[SourceRow | RowProblem]:
        """See Reader."""
        records = self._records()
        for _line, fields in records:
            if not isinstance(fields, RowProblem) and _says_something(fields):
                break  # the header
        for line, fields in records:
            if isinstance(fields, RowProblem):
                yield fields
            elif _says_something(fields):
                yield self._row(line, fields)

    def _header(self) -> tuple[str, ...]:
        for line, fields in self._records():
            if isinstance(fields, RowProblem):
                raise file_error("bad_header", line=line, reason=fields.reason)
            if any(encodings.damaged(field) for field in fields):
                raise file_error("undecodable", line=line, encoding=self._codec)
            if _says_something(fields):
                return column_names(fields)
        raise file_error("no_rows")

    def _row(self, line: int, fields: list[str]) -> SourceRow | RowProblem:
        width = len(self.columns)
        extra = fields[width:]
        if len(fields) < width:
            column = self.columns[len(fields)]
            return row_problem(line, "too_few_fields", column, found=len(fields), expected=width)
        if _says_something(extra):
            return row_problem(line, "too_many_fields", found=len(fields), expected=width)
        for column, field in zip(self.columns, fields, strict=False):
            if len(field) > MAX_TEXT:
                return row_problem(line, "cell_too_long", column, limit=MAX_TEXT)
            if encodings.damaged(field):
                return row_problem(line, "undecodable", column, encoding=self._codec)
        return SourceRow(line, dict(zip(self.columns, fields, strict=False)))

    def _records(self) -> Iterator[tuple[int, list[str] | RowProblem]]:
        """Every record with the line it starts in. After one that cannot be read to its end, nothing follows."""
        with encodings.open_text(self._path, self._codec) as stream:
            try:
                for _ in range(self._skipped):
                    stream.readline(MAX_LINE)
                yield from self._parse(stream)
            except UnicodeDecodeError:
                raise self._undecodable() from None

    def _parse(self, stream: TextIO) -> Iterator[tuple[int, list[str] | RowProblem]]:
        reader = _reader(_capped(stream), self._separator, quoted=self._quoted)
        while True:
            line = self._skipped + reader.line_num + 1
            try:
                fields = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                last, reason = self._skipped + reader.line_num, str(error)
                if "unexpected end" in reason:
                    yield line, row_problem(line, "unclosed_quote", last=last)
                    return
                if "limit" in reason:
                    yield line, row_problem(line, "unreadable_rest", limit=_MAX_FIELD)
                    return
                yield line, row_problem(line, "bad_quotes", last=last)
            else:
                yield line, fields

    def _undecodable(self) -> FormatError:
        line = encodings.first_bad_line(self._path, self._codec)
        return file_error("undecodable", line=line, encoding=self._codec)


def column_names(fields: list[str]) -> tuple[str, ...]:
    """A header's cells as names: trimmed, none blank or twice, no blank ones at the end. Raises FormatError."""
    tidy = (field[: 2 * MAX_NAME].replace("\x00", "").strip("\ufeff \t\r\n\u3000") for field in fields)
    names = [" ".join(name.split())[:MAX_NAME] for name in tidy]
    while names and not names[-1]:
        names.pop()
    if len(names) > MAX_COLUMNS:
        raise file_error("too_many_columns", limit=MAX_COLUMNS)
    found: dict[str, None] = {}
    for number, name in enumerate(names, start=1):
        unique, copy = name or f"column {number}", 2
        while unique in found:
            unique, copy = f"{name} ({copy})", copy + 1
        found[unique] = None
    return tuple(found)


def _says_something(fields: list[str]) -> bool:
    return any(field.strip("\ufeff \t\r\n\x00") for field in fields)


def _capped(stream: TextIO) -> Iterator[str]:
    for line in encodings.lines(stream, MAX_LINE):
        if len(line) == MAX_LINE and line[-1] not in "\r\n":
            raise csv.Error("line above the limit")
        yield line


def _reader(lines: Iterable[str], delimiter: str, *, quoted: bool) -> "Reader":
    if quoted:
        return csv.reader(lines, delimiter=delimiter, strict=True)
    return csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE, strict=True)


def _one_character(delimiter: str) -> str:
    wanted = "\t" if delimiter in {"\\t", "tab"} else delimiter
    if len(wanted) != 1 or wanted in '"\r\n\x00':
        raise file_error("bad_delimiter")
    return wanted


def _fit(head: str, delimiter: str, *, quoted: bool) -> tuple[list[str], int, int]:
    """The header under this dialect, how many rows of the head have its width, and how many have not."""
    reader = _reader(io.StringIO(head, newline=""), delimiter, quoted=quoted)
    header: list[str] = []
    fitting = misfits = 0
    while True:
        try:
            fields = next(reader)
        except StopIteration:
            return header, fitting, misfits
        except csv.Error:
            misfits += 1
            continue
        if not header:
            header = fields if _says_something(fields) else []
        elif fields:
            fits = len(fields) == len(header)
            fitting, misfits = fitting + fits, misfits + (not fits)


def _guess_delimiter(head: str) -> str:
    """The separator whose header has the most known names, then the most rows of one width, then the most columns."""
    best, choice = (0, 0.0, 0), ""
    for delimiter in DELIMITERS:
        header, fitting, misfits = _fit(head, delimiter, quoted=True)
        score = (known_roles(header[:MAX_COLUMNS]), fitting / (fitting + misfits or 1), len(header))
        if len(header) > 1 and score > best:
            best, choice = score, delimiter
    if not choice:  # one column, or a header that cannot be parsed
        line = head.lstrip().splitlines()[0]
        choice = max(DELIMITERS, key=line.count)
        if choice not in line:
            raise file_error("no_delimiter")
    return choice


def _is_quoted(head: str, delimiter: str) -> bool:
    """Tab-separated text is often written without quoting: then a quotation mark at a cell's start is plain text."""
    if delimiter != "\t":
        return True
    quoted, bare = (_fit(head, delimiter, quoted=choice)[1] for choice in (True, False))
    return quoted >= bare - (len(head) == _HEAD)  # the last row of a cut head does not count
