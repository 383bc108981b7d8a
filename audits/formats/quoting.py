"""What is wrong with a record whose quotation marks are out of place, and where."""

import re
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from audits.formats.base import RowProblem
from audits.formats.decoding import readable
from audits.formats.dialect import Dialect
from audits.formats.lines import Lines, LineTooLong
from audits.formats.messages import row_problem

_MOST = 1_000_000  # code points of a broken record that are looked at
_MOST_SHOWN = 10_000  # code points of a cell
_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True)
class Broken:
    """A record that cannot be parsed, and the file it is in."""

    path: Path
    codec: str
    dialect: Dialect
    columns: tuple[str, ...]
    line: int  # in which it starts
    lines: Lines  # just read to its end


def broken_record(broken: Broken, error: str, last: int, *, limit: int) -> RowProblem:
    """The problem that an error of the parser stands for; last: the line it stopped in."""
    if "limit" in error:
        return row_problem(broken.line, "unreadable_rest", limit=limit)
    if "unexpected end" in error:
        return _unclosed(broken, last)
    text = broken.lines.recent(last - broken.line + 1)
    values = _values(broken, text)
    return row_problem(broken.line, "bad_quotes", last=last, value=readable(text.strip()), values=values)


def _unclosed(broken: Broken, last: int) -> RowProblem:
    """A quotation mark without its fellow; where only half a row follows it, the file seems to be cut off there."""
    text = broken.dialect.held(_text_from(broken.path, broken.codec, broken.line))
    at, column = _opening(text, broken.dialect)
    name = broken.columns[column] if column < len(broken.columns) else ""
    shown = readable(broken.dialect.restored([text[at : at + _MOST_SHOWN]])[0])
    values = _values(broken, text)
    if not broken.lines.complete and not _holds_rows(text[at:], broken):
        return row_problem(broken.line, "cut_off", name, value=shown, values=values)
    opened = broken.line + len(_LINE_END.findall(text, 0, at))
    return row_problem(broken.line, "unclosed_quote", name, opened=opened, last=last, value=shown, values=values)


def _text_from(path: Path, codec: str, line: int) -> str:
    """What stands in the file from a line on, as far as it is looked at."""
    parts: list[str] = []
    length = 0
    with Lines(path, codec) as lines:
        try:
            for part in islice(lines, line - 1, None):
                parts.append(part)
                length += len(part)
                if length > _MOST:
                    break
        except LineTooLong:
            pass
    return "".join(parts)


def _opening(text: str, dialect: Dialect) -> tuple[int, int]:
    """Where the quotation mark stands that is not closed, and in which field of its record."""
    at = column = 0
    mark = dialect.mark
    ends = re.compile(f"{re.escape(dialect.delimiter)}|\r\n|\r|\n")
    while at < len(text):
        while dialect.spaced and text[at : at + 1] == " ":
            at += 1
        if text[at : at + 1] == mark:
            close = text.find(mark, at + 1)
            while close >= 0 and text[close + 1 : close + 2] == mark:
                close = text.find(mark, close + 2)
            if close < 0:
                break
            at = close + 1
        end = ends.search(text, at)
        if not end:
            break
        at, column = end.end(), column + 1 if end[0] == dialect.delimiter else 0
    return at, column


def _holds_rows(text: str, broken: Broken) -> bool:
    """Whether a line after the first one is a whole row: then the mark is wrong, and the file is not cut off."""
    rest = _LINE_END.split(text)[1:1000]
    return any(len(broken.dialect.lenient(line)) == len(broken.columns) for line in rest if line)


def _values(broken: Broken, text: str) -> dict[str, str]:
    fields = broken.dialect.lenient(text)
    return {name: readable(field[:_MOST_SHOWN]) for name, field in zip(broken.columns, fields, strict=False)}
