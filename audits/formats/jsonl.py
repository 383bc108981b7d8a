"""JSON Lines: one object per line; a broken line costs that line only."""

import json
from collections import deque
from collections.abc import Iterator
from pathlib import Path

from audits.formats import encoding as encodings
from audits.formats.base import Notice, Options, RowProblem, SourceRow
from audits.formats.decoding import readable
from audits.formats.lines import Lines, LineTooLong
from audits.formats.messages import row_problem
from audits.formats.nested import MAX_DEPTH, decoded, depth
from audits.formats.shapes.chats import messages_in
from audits.formats.sniff import MAX_LINE

_AROUND = "\ufeff \t\r\n\x00\x1e"  # \x1e begins each line of a "JSON text sequence"
_OPENERS = ("{", "[", ",", ":")


class JsonlReader:
    """Each line names its own columns. Blank lines are passed over; an object over several lines is one row."""

    name = "jsonl"
    delimiter: str | None = None
    sheet: str | None = None
    sheets: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    warnings: tuple[Notice, ...] = ()
    header_line: int | None = None

    def __init__(self, path: Path, options: Options) -> None:
        """options.encoding is set."""
        self._path = path
        self._codec = options.encoding or "utf-8"
        self.encoding: str | None = self._codec
        self._lines: Lines | None = None  # of the newest iteration

    @property
    def fraction(self) -> float | None:
        """See Reader."""
        return self._lines.fraction if self._lines else None

    def rows(self) -> Iterator[SourceRow | RowProblem]:
        """See Reader."""
        loads = json.loads
        with Lines(self._path, self._codec) as lines:
            self._lines = lines
            numbered = _Numbered(lines)
            try:
                for line in numbered:
                    try:
                        value = loads(line)
                    except (ValueError, RecursionError):
                        value = None
                    if type(value) is dict and _is_shallow(line) and not (lines.damaged and encodings.damaged(line)):
                        yield SourceRow(numbered.number, value)
                    else:
                        yield from self._examined(line, numbered, complete=lines.complete)
            except LineTooLong:
                yield row_problem(numbered.number + 1, "unreadable_rest", limit=MAX_LINE)

    def _examined(self, line: str, numbered: "_Numbered", *, complete: bool) -> Iterator[SourceRow | RowProblem]:
        """A line that may be a problem, or blank, or the start of an object over several lines."""
        number, text = numbered.number, line.strip(_AROUND)
        if encodings.damaged(text):
            yield row_problem(number, "undecodable", encoding=self._codec, value=readable(text))
        elif text:
            row = _row(number, text[:-1] if text.endswith("},") else text)
            if isinstance(row, RowProblem) and isinstance(written := decoded(text), dict):
                row = checked(number, written)  # as Python prints it
            bad = isinstance(row, RowProblem) and row.code == "bad_json"
            whole = numbered.object_from(line) if bad and text.endswith(_OPENERS) else ""
            if encodings.damaged(whole):
                yield row_problem(number, "undecodable", encoding=self._codec, value=readable(whole))
            elif whole:
                yield _row(number, whole.strip(_AROUND))
            elif bad and not complete:
                yield row_problem(number, "cut_off", value=text)
            else:
                yield row


class _Numbered:
    """Lines with the number of the newest one, of which some can be taken together."""

    def __init__(self, lines: Lines) -> None:
        self._lines = iter(lines)
        self._ahead: deque[str] = deque()  # taken, but part of no object
        self.number = 0

    def __iter__(self) -> Iterator[str]:
        while (line := self._ahead.popleft() if self._ahead else next(self._lines, None)) is not None:
            self.number += 1
            yield line

    def object_from(self, first: str) -> str:
        """The object that starts in this line and ends with a bracket at the start of a later one, "" if none does.

        The lines between are indented, as they are printed; so a broken line never swallows the sound ones below it.
        """
        taken: list[str] = []
        length = 0
        while first[0] == "{" and length < MAX_LINE and (line := self._next()) is not None:
            taken.append(line)
            length += len(line)
            if line[0] not in " \t}]\r\n":
                break
            if line[0] == "}":
                self.number += len(taken)
                return first + "".join(taken)
        self._ahead.extendleft(reversed(taken))
        return ""

    def _next(self) -> str | None:
        return self._ahead.popleft() if self._ahead else next(self._lines, None)


def _row(number: int, text: str) -> SourceRow | RowProblem:
    try:
        value = json.loads(text)
    except RecursionError:
        return row_problem(number, "too_deep", limit=MAX_DEPTH, value=text)
    except json.JSONDecodeError as error:
        if error.msg == "Extra data" and text[error.pos] == "{":
            first = json.loads(text[: error.pos])
            return row_problem(
                number, "several_objects", value=text, values=first if isinstance(first, dict) else None
            )
        return row_problem(number, "bad_json", position=error.pos + 1, detail=error.msg, value=text)
    except ValueError as error:  # an integer of thousands of digits
        return row_problem(number, "bad_json", position=1, detail=str(error)[:80], value=text)
    return checked(number, value)


def checked(line: int, value: object) -> SourceRow | RowProblem:
    """A decoded value as a row, when it is an object that is not too deep."""
    if isinstance(value, list) and depth(value) <= MAX_DEPTH and messages_in(value):
        value = {"messages": value}  # a conversation
    if not isinstance(value, dict):
        return row_problem(line, "not_an_object", value=value if depth(value) <= MAX_DEPTH else "")
    if depth(value) > MAX_DEPTH:
        return row_problem(line, "too_deep", limit=MAX_DEPTH)
    return SourceRow(line, value)


def _is_shallow(line: str) -> bool:
    """Whether a line has too few brackets to be nested too deep; to count them is quicker than to look."""
    return line.count("{") + line.count("[") <= MAX_DEPTH
