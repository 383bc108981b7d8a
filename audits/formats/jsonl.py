"""JSON Lines: one object per line; a broken line costs that line only."""

import json
from collections.abc import Iterator
from pathlib import Path

from audits.formats import encoding as encodings
from audits.formats.base import Notice, Options, RowProblem, SourceRow
from audits.formats.messages import file_error, row_problem
from audits.formats.nested import MAX_DEPTH, depth
from audits.formats.sniff import MAX_LINE


class JsonlReader:
    """Each line names its own columns. Blank lines are passed over."""

    name = "jsonl"
    delimiter: str | None = None
    sheet: str | None = None
    sheets: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    warnings: tuple[Notice, ...] = ()
    header_line: int | None = None
    fraction: float | None = None

    def __init__(self, path: Path, options: Options) -> None:
        """options.encoding is set."""
        self._path = path
        self._codec = options.encoding or "utf-8"
        self.encoding: str | None = self._codec

    def rows(self) -> Iterator[SourceRow | RowProblem]:
        """See Reader."""
        with encodings.open_text(self._path, self._codec) as stream:
            try:
                for number, line in enumerate(encodings.lines(stream, MAX_LINE), start=1):
                    if len(line) == MAX_LINE and line[-1] not in "\r\n":
                        yield row_problem(number, "unreadable_rest", limit=MAX_LINE)
                    elif text := line.strip("\ufeff \t\r\n\x00"):
                        yield self._row(number, text)
            except UnicodeDecodeError:
                line_number = encodings.first_bad_line(self._path, self._codec)
                raise file_error("undecodable", line=line_number, encoding=self._codec) from None

    def _row(self, number: int, text: str) -> SourceRow | RowProblem:
        if encodings.damaged(text):
            return row_problem(number, "undecodable", encoding=self._codec)
        try:
            value = json.loads(text)
        except RecursionError:
            return row_problem(number, "too_deep", limit=MAX_DEPTH)
        except json.JSONDecodeError as error:
            return row_problem(number, "bad_json", position=error.pos + 1, detail=error.msg)
        except ValueError as error:  # an integer of thousands of digits
            return row_problem(number, "bad_json", position=1, detail=str(error)[:80])
        return checked(number, value)


def checked(line: int, value: object) -> SourceRow | RowProblem:
    """A decoded value as a row, when it is an object that is not too deep."""
    if not isinstance(value, dict):
        return row_problem(line, "not_an_object")
    if depth(value) > MAX_DEPTH:
        return row_problem(line, "too_deep", limit=MAX_DEPTH)
    return SourceRow(line, value)
