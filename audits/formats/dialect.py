"""How a table in text is written: which character separates its cells, and how quotation marks are meant."""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING

from audits.formats.escapes import END_OF_COPY, are_certain, unescaped
from audits.formats.header import LOOKED_AT, find_header, says_something
from audits.formats.messages import file_error
from audits.formats.roles import MAX_COLUMNS, known_roles

if TYPE_CHECKING:
    from _csv import Reader

DELIMITERS = ",;\t|"
RARE = "^~:\x01\x1f"  # sniffed only where nothing else fits and every row agrees
_SAMPLE = 200  # records
_TOP = 3  # lines among which the first one of a drawn table lies
_HELD = "\udfff"  # stands for a quotation mark while a line is parsed; no decoder gives it
_ESCAPED_MARK = {mark: re.compile(rf"(?<!\\)((?:\\\\)*)\\{mark}") for mark in "\"'"}
_WRAPPED = re.compile(r"\"(?:[^\"]|\"\")*\"|'(?:[^']|'')*'", re.DOTALL)
_RULE = re.compile(r"[\s|+]*:?[-=]{2,}[\s|+:=-]*")
_COUNTED = re.compile(r"\s*\(\d+ (?:rows?|行记录|行)\)\s*")  # what psql writes below
_MARKED = re.compile(r"\"|(?:^|\|)\s*'")
_OPENS = re.compile(r'(?:^|\t)"', re.MULTILINE)
Fields = list[str]


@dataclass(frozen=True)
class Dialect:
    """One way to write a table."""

    delimiter: str
    quoted: bool = True  # a quotation mark at the start of a cell opens a text that the next one closes
    backslash: bool = False  # \" is a quotation mark, as MySQL and Spark write it; otherwise it is written twice
    spaced: bool = False  # spaces stand between a separator and the quotation mark
    mark: str = '"'  # or '
    drawn: bool = False  # for people to look at: cells are padded with spaces, lines of hyphens lie between rows
    escapes: bool = False  # backslashes stand for what databases mean by them, see escapes.py

    def reader(self, lines: Iterable[str], *, strict: bool = True) -> "Reader":
        """A parser of these lines; when strict, it raises csv.Error for quotation marks out of place."""
        if self.backslash:
            lines = map(self.held, lines)
        if self.quoted:
            spaced = self.spaced
            return csv.reader(
                lines, delimiter=self.delimiter, quotechar=self.mark, skipinitialspace=spaced, strict=strict
            )
        return csv.reader(lines, delimiter=self.delimiter, quoting=csv.QUOTE_NONE, strict=strict)

    def held(self, text: str) -> str:
        """The text with another sign for quotation marks that neither open nor close."""
        if not self.backslash or f"\\{self.mark}" not in text:
            return text
        return _ESCAPED_MARK[self.mark].sub(rf"\1{_HELD}", text)

    def restored(self, fields: Fields) -> Fields:
        """The fields of a record as they are meant."""
        if self.escapes:
            fields = [""] if fields == [END_OF_COPY] else [unescaped(field) for field in fields]
        if self.drawn:
            fields = [""] if is_ruled(fields) else [field.strip(" ") for field in fields]
        return [field.replace(_HELD, self.mark) for field in fields] if self.backslash else fields

    @property
    def changes(self) -> bool:
        """Whether `restored` does anything."""
        return self.backslash or self.escapes or self.drawn

    def lenient(self, text: str) -> Fields:
        """The fields of the first record in a text whose quotation marks are out of place, as far as they go."""
        try:
            return self.restored(next(self.reader(io.StringIO(text, newline=""), strict=False), []))
        except csv.Error:
            return [text]


@dataclass(frozen=True)
class _Fit:
    """How well the head of a file can be read in a dialect."""

    roles: int  # known names in the header
    share: float  # of rows as wide as the header
    width: int
    rows: int  # below the header
    fitting: int

    @property
    def score(self) -> tuple[int, float, int]:
        """More known names, then more rows of one width, then more columns."""
        return self.roles, self.share, self.width


def choose_dialect(head: str, chosen: str, *, whole: bool) -> Dialect:
    """The dialect of a file that starts like this; chosen: its delimiter, "" to find out. Raises FormatError.

    whole: whether the head is the whole file, so that its last record is no cut one.
    """
    dialect = Dialect(one_character(chosen)) if chosen else _guess(head, whole=whole)
    if _is_drawn(head, dialect):
        return replace(dialect, quoted=False, drawn=True)
    if '"' in head or "'" in head:
        dialect = _best_variant(dialect, head, whole=whole)
    bare = dialect.delimiter == "\t" and not (dialect.quoted and _OPENS.search(head))
    certain = (bare or dialect.backslash) and are_certain(head, quoted=not bare)
    return replace(dialect, escapes=True) if certain else dialect


def _best_variant(dialect: Dialect, head: str, *, whole: bool) -> Dialect:
    """The way of quoting in which all rows fit, or most; of equals the usual one, unless it leaves texts in marks."""
    fits = {variant: _fit(head, variant, whole=whole) for variant in _variants(dialect, head)}
    ranks = {variant: (fit.share == 1.0, fit.fitting, fit.share) for variant, fit in fits.items()}
    best = max(ranks, key=lambda variant: ranks[variant])  # the first of equals
    if not best.quoted and _is_wrapped(head, best, '"'):
        best = dialect
    if fits.get(replace(best, backslash=True)) == fits[best] and _are_escaped(best, head):
        best = replace(best, backslash=True)
    spaced, single = replace(best, spaced=True), replace(best, mark="'")
    if fits.get(single) == fits[best] and _is_wrapped(head, best, "'"):
        return single
    return spaced if fits.get(spaced) == fits[best] and _is_wrapped(head, best, ' "') else best


def _are_escaped(dialect: Dialect, head: str) -> bool:
    """Whether marks after a backslash can only be meant so: none is doubled, or a list or object begins with [\\"."""
    opening = rf"(?:^|{re.escape(dialect.delimiter)})[\[{{]\\{dialect.mark}"
    return 2 * dialect.mark not in head or re.search(opening, head, re.MULTILINE) is not None


def is_ruled(fields: Fields) -> bool:
    """Whether a record is a line that somebody drew in a table, |---|---| or +----+----+, or counts its rows."""
    text = "|".join(fields)
    return _RULE.fullmatch(text) is not None or _COUNTED.fullmatch(text) is not None


def _is_drawn(head: str, dialect: Dialect) -> bool:
    """Whether a line of hyphens stands above or below the header, as in Markdown and in what psql and mysql print."""
    top = takewhile(lambda line: not _MARKED.search(line), head.lstrip().splitlines()[:_TOP])
    return dialect.delimiter == "|" and any(map(_RULE.fullmatch, top))  # in quotation marks, it is part of a text


def one_character(delimiter: str) -> str:
    """A chosen delimiter. Raises FormatError("bad_delimiter")."""
    wanted = "\t" if delimiter in {"\\t", "tab"} else delimiter
    if len(wanted) != 1 or wanted in '"\r\n\x00':
        raise file_error("bad_delimiter")
    return wanted


def _variants(dialect: Dialect, head: str) -> Iterator[Dialect]:
    """Ways in which quotation marks may be meant, the usual one first."""
    escaped = [replace(dialect, backslash=True)] if '\\"' in head else []
    yield from (dialect, *escaped)
    if (
        dialect.delimiter not in ",;" and '"' in head
    ):  # tables with these are quoted, or a text could not hold a comma
        yield replace(dialect, quoted=False)
    if f'{dialect.delimiter} "' in head:
        yield from (replace(variant, spaced=True) for variant in (dialect, *escaped))
    if head.startswith("'") or f"{dialect.delimiter}'" in head:
        yield replace(dialect, mark="'")
        if "\\'" in head:
            yield replace(dialect, mark="'", backslash=True)


def _is_wrapped(head: str, dialect: Dialect, start: str) -> bool:
    """Whether most cells that start with a quotation mark also end with one: then it is no part of the text."""
    records = (record for record in _records(head, dialect, whole=True) if record)
    cells = [field.strip(" ") for record in records for field in record if field.startswith(start)]
    wrapped = sum(len(cell) > 1 and bool(_WRAPPED.fullmatch(cell)) for cell in cells)
    return wrapped > 0.5 * len(cells)


def _guess(head: str, *, whole: bool) -> Dialect:
    fits = {one: _fit(head, one, whole=whole) for one in _separated(head, DELIMITERS)}
    best = max(fits, key=lambda one: fits[one].score, default=None)  # the first of equals
    if best and fits[best].width > 1 and (fits[best].roles > 1 or fits[best].share == 1.0):
        return Dialect(best.delimiter)
    for one in _separated(head, RARE):
        fit = _fit(head, one, whole=whole)
        if fit.share == 1.0 and (fit.roles > 1 or (fit.rows > 1 and fit.width > 2)):
            return Dialect(one.delimiter)
    if best and fits[best].width > 1:
        return Dialect(best.delimiter)
    line = head.lstrip().splitlines()[0]  # one column, or a header that cannot be parsed
    sign = max(DELIMITERS, key=line.count)
    if sign not in line:
        raise file_error("no_delimiter")
    return Dialect(sign)


def _separated(head: str, signs: str) -> Iterator[Dialect]:
    """Dialects with these separators, as far as they occur, in the usual quotation marks first."""
    found = [Dialect(sign) for sign in signs if sign in head]
    found += [replace(one, mark="'") for one in found if f"{one.delimiter}'" in head or head.startswith("'")]
    yield from found
    yield from (replace(one, backslash=True) for one in found if f"\\{one.mark}" in head)


def _records(head: str, dialect: Dialect, *, whole: bool) -> list[Fields | None]:
    """The first records that say something; None for one that cannot be read."""
    reader = dialect.reader(io.StringIO(head, newline=""))
    records: list[Fields | None] = []
    while len(records) < _SAMPLE:
        try:
            fields = dialect.restored(next(reader))
        except StopIteration:
            return records if whole else records[:-1] or records
        except csv.Error:
            records.append(None)
        else:
            records += [fields] if says_something(fields) else []
    return records


def _fit(head: str, dialect: Dialect, *, whole: bool) -> _Fit:
    records = _records(head, dialect, whole=whole)
    top = [*takewhile(lambda record: record is not None, records[:LOOKED_AT])]
    if not top:
        return _Fit(0, 0.0, 0, 0, 0)
    at = find_header([record for record in top if record], None).at or 0
    header, rows = records[at] or [], records[at + 1 :]
    fitting = sum(row is not None and len(row) == len(header) for row in rows)
    roles = known_roles(header[:MAX_COLUMNS])
    return _Fit(roles, fitting / len(rows) if rows else 0.0, len(header), len(rows), fitting)
