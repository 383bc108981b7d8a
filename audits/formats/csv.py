"""Comma-separated text and its kin: ; tab and | too, quoted or not, with the line of every row that does not fit."""

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice, pairwise
from pathlib import Path

from audits.formats import encoding as encodings
from audits.formats.base import Notice, Options, Row, RowProblem, SourceRow
from audits.formats.cells import MAX_TEXT
from audits.formats.decoding import readable
from audits.formats.dialect import choose_dialect
from audits.formats.header import BLANK, SAMPLE, Header, column_names, find_header, numbered_names, says_something
from audits.formats.lines import CHUNK, Lines, LineTooLong
from audits.formats.messages import file_error, notice, row_problem
from audits.formats.quoting import Broken, broken_record
from audits.formats.second_header import names_again, with_parts
from audits.formats.sniff import MAX_LINE

_HEAD = 1 << 18  # code points on which the dialect is guessed
_MAX_FIELD = 10_000_000  # beyond this a quotation mark was most likely never closed
_MOST_SHOWN = 10_000  # code points of a cell that is too long
_TWICE_ESCAPED = re.compile(r"\\\\(?:n|u[0-9a-f]{4})")  # in a list, where one backslash is usual
_SEP_LINE = re.compile(r'\ufeff?"?sep=(.)"?(?:\r\n|\r|\n)', re.IGNORECASE)
Fields = list[str]

csv.field_size_limit(_MAX_FIELD)  # of the process; Python's own 131,072 is less than one long context


class _Unread(list[str]):
    """A record that cannot be parsed: no fields, but what is wrong."""

    def __init__(self, problem: RowProblem) -> None:
        super().__init__()
        self.problem = problem


class CsvReader:
    """A table in text. Its header is looked for in the first rows; a `sep=;` line before it is obeyed."""

    name = "csv"
    sheet: str | None = None
    sheets: tuple[str, ...] = ()

    def __init__(self, path: Path, options: Options) -> None:
        """Raises FormatError when no header can be read. options.encoding is set."""
        self._path = path
        self._codec = options.encoding or "utf-8"
        self.encoding: str | None = self._codec
        self._lines: Lines | None = None  # of the newest iteration
        with encodings.open_text(path, self._codec) as stream:
            head = stream.read(_HEAD)
            whole = not stream.read(1)
        hint = _SEP_LINE.match(head)
        self._skipped = 1 if hint else 0  # lines before the first record
        text = head[hint.end() :] if hint else head
        dialect = choose_dialect(text, options.delimiter or (hint[1] if hint else ""), whole=whole)
        self._dialect = dialect if options.escapes is None else replace(dialect, escapes=options.escapes)
        self.delimiter: str | None = self._dialect.delimiter
        self.columns: tuple[str, ...] = ()
        first = self._first_rows()
        found = find_header([fields for _line, fields in first], options.header)
        self.header_line: int | None = None if found.at is None else first[found.at][0]
        self._header: Fields = [] if found.at is None else first[found.at][1]
        self._named_again = 0  # line
        self.columns = self._names(first, found)
        self.warnings = tuple(self._notices(first, found, options, sep_line=bool(hint)))

    @property
    def fraction(self) -> float | None:
        """See Reader."""
        return self._lines.fraction if self._lines else None

    def rows(self) -> Iterator[SourceRow | RowProblem]:
        """See Reader."""
        columns, width, header = self.columns, len(self.columns), max(self.header_line or 0, self._named_again)
        name = self._header[0] if self._header else None
        steps, read, suspicious = 0, 0, True
        with Lines(self._path, self._codec) as lines:
            self._lines = lines
            for line, fields in self._records(lines):
                if lines.steps != steps:  # at a few rows in a hundred, so that the others cost little
                    suspicious = lines.damaged or lines.read - read > MAX_TEXT - 2 * CHUNK
                    steps, read = lines.steps, lines.read
                if suspicious or len(fields) != width or not fields[0].strip(BLANK) or fields[0] == name:
                    found = self._examined(line, fields, complete=lines.complete) if line > header else None
                    if found:
                        yield found
                elif line > header:
                    yield SourceRow(line, dict(zip(columns, fields, strict=True)))

    def _examined(self, line: int, fields: Fields, *, complete: bool) -> SourceRow | RowProblem | None:
        """A row that may be a problem; None for a blank one. complete: whether it ends with its line."""
        if isinstance(fields, _Unread):
            return fields.problem
        if not says_something(fields):
            return None
        width, values = len(self.columns), self._values(fields)
        if fields == self._header:
            return row_problem(line, "repeated_header", values=values)
        if len(fields) < width:
            column = self.columns[len(fields)]
            if not complete:  # only the last record of a file can be so
                return row_problem(line, "cut_off", column, value=readable(fields[-1]), values=values)
            return row_problem(line, "too_few_fields", column, found=len(fields), expected=width, values=values)
        if says_something(fields[width:]):
            extra = " | ".join(fields[width:])
            return row_problem(line, "too_many_fields", found=len(fields), expected=width, value=extra, values=values)
        return self._examined_texts(line, fields, values)

    def _examined_texts(self, line: int, fields: Fields, values: Row) -> SourceRow | RowProblem:
        for column, field in zip(self.columns, fields, strict=False):
            if len(field) > MAX_TEXT:
                return row_problem(line, "cell_too_long", column, limit=MAX_TEXT, value=field, values=values)
            if encodings.damaged(field):
                shown = readable(field)
                return row_problem(line, "undecodable", column, encoding=self._codec, value=shown, values=values)
        return SourceRow(line, dict(zip(self.columns, fields, strict=False)))

    def _values(self, fields: Sequence[str]) -> Row:
        """The fields by column, as far as they go, for mending the row."""
        names = [*self.columns, *(f"column {number}" for number in range(len(self.columns) + 1, len(fields) + 1))]
        return {name: readable(field[:_MOST_SHOWN]) for name, field in zip(names, fields, strict=False)}

    def _first_rows(self) -> list[tuple[int, Fields]]:
        """The first rows that say something, among which the header is. Raises FormatError when there is none."""
        first: list[tuple[int, Fields]] = []
        with Lines(self._path, self._codec) as lines:
            for line, fields in self._records(lines):
                if isinstance(fields, _Unread):
                    if not first:
                        raise file_error("bad_header", line=line, reason=fields.problem.reason)
                    break
                if says_something(fields):
                    first.append((line, fields))
                if len(first) == SAMPLE:
                    break
        if not first:
            raise file_error("no_rows")
        return first

    def _names(self, first: Sequence[tuple[int, Fields]], found: Header) -> tuple[str, ...]:
        if found.at is None:
            return numbered_names([fields for _line, fields in first])
        line, fields = first[found.at]
        if any(map(encodings.damaged, fields)):
            raise file_error("undecodable", line=line, encoding=self._codec)
        return column_names(self._with_second(first[found.at + 1 :][:1], fields))

    def _with_second(self, below: Sequence[tuple[int, Fields]], header: Fields) -> Fields:
        """The names, of which a second row may give parts; a row that only gives them again is left out."""
        for line, fields in below:
            if names := with_parts(header, fields):
                self.header_line = line
                return names
            if names_again(header, fields) and fields != header:
                self._named_again = line
        return header

    def _notices(
        self, first: Sequence[tuple[int, Fields]], found: Header, options: Options, *, sep_line: bool
    ) -> Iterator[Notice]:
        if sep_line:
            yield notice("sep_line", delimiter=self._dialect.delimiter)
        if found.at:
            yield notice("skipped_rows")
        if found.guessed:
            yield notice("header_guessed_missing")
        if self._named_again:
            yield notice("named_again", line=self._named_again)
        rows = first[found.at or 0 :]
        for (line, fields), (following, _fields) in pairwise(rows):
            if following > line + 1 + sum(map(_breaks, fields)) and not self._dialect.drawn:
                yield notice("blank_lines", line=line + 1 + sum(map(_breaks, fields)))
                break
        texts = "\0".join(field for _line, fields in rows for field in fields)
        if options.escapes is None and self._dialect.escapes:
            yield notice("escapes_read")
        elif options.escapes is None and _TWICE_ESCAPED.search(texts):
            yield notice("escapes")
        elif options.escapes is None and self.delimiter == "\t" and "\\n" in texts and "\n" not in texts:
            yield notice("escapes")  # a quoted table would hold line breaks as they are

    def _records(self, lines: Lines) -> Iterator[tuple[int, Fields]]:
        """Every record with the line it starts in. After one that cannot be read to its end, nothing follows."""
        physical = iter(lines)
        for _ in islice(physical, self._skipped):
            pass
        return self._parse(physical, lines)

    def _parse(self, physical: Iterator[str], lines: Lines) -> Iterator[tuple[int, Fields]]:
        reader, skipped = self._dialect.reader(physical), self._skipped
        restored = self._dialect.restored if self._dialect.changes else None
        before = skipped
        while True:
            try:
                for fields in reader:
                    yield before + 1, fields if restored is None else restored(fields)
                    before = skipped + reader.line_num
                return
            except LineTooLong:
                yield before + 1, _Unread(row_problem(before + 1, "unreadable_rest", limit=MAX_LINE))
                return
            except csv.Error as error:
                broken = Broken(self._path, self._codec, self._dialect, self.columns, before + 1, lines)
                problem = broken_record(broken, str(error), skipped + reader.line_num, limit=_MAX_FIELD)
                yield before + 1, _Unread(problem)
                if problem.code != "bad_quotes":
                    return
                before = skipped + reader.line_num


def _breaks(field: str) -> int:
    """How many line ends lie in a text."""
    return field.count("\n") + field.count("\r") - field.count("\r\n")
