"""One JSON document: an array of objects, an envelope around such an array, or a single object.

The standard decoder reads element after element from a moving window, so that memory is bounded by the largest one.
It accepts the NaN that Python itself writes, and keeps an unpaired surrogate instead of replacing it by "?" (as yajl,
and so ijson, does): it becomes a row's problem, not another text.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from audits.formats import encoding as encodings
from audits.formats.base import FormatError, Notice, Options, RowProblem, SourceRow
from audits.formats.columns import guess_mapping, known_roles
from audits.formats.jsonl import checked
from audits.formats.messages import file_error
from audits.formats.nested import MAX_DEPTH
from audits.formats.sniff import MAX_LINE

_WINDOW = 1 << 16  # code points read at a time
_ENVELOPES = 3  # how deep an array may lie: {"data": {"page": {"list": […]}}}
_NEAR_END = 16  # an error this close to the end of the window may just be a cut literal
_DECODER = json.JSONDecoder()
Place = tuple[str, ...]


class JsonReader:
    """Rows are numbered by element, from 1."""

    name = "json"
    delimiter: str | None = None
    sheet: str | None = None
    sheets: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    warnings: tuple[Notice, ...] = ()
    header_line: int | None = None
    fraction: float | None = None

    def __init__(self, path: Path, options: Options) -> None:
        """Reads the document once to its end: a broken one raises FormatError before any row is given."""
        self._path = path
        self._codec = options.encoding or "utf-8"
        self.encoding: str | None = self._codec
        self._array = self._find_array()

    def rows(self) -> Iterator[SourceRow | RowProblem]:
        """See Reader."""
        with self._window() as window:
            if self._array is None:
                yield checked(1, window.value())
                return
            number = 0
            for path, element in _walk(window):
                if path == self._array:
                    number += 1
                    yield checked(number, element)

    def _find_array(self) -> Place | None:
        """Where the rows are: the array with the most known columns, then most objects; None: the whole is a row."""
        found: dict[Place, list[int]] = {}
        members: dict[str, str] = {}
        with self._window() as window:
            bare = window.peek() == "["
            for path, element in _walk(window, members=members):
                score = found.setdefault(path, [0, 0])
                if isinstance(element, dict):
                    score[0] = max(score[0], known_roles([*element]) if score[1] < 20 else 0)
                    score[1] += 1
            if window.peek():
                raise window.error("Extra data")
        if bare:
            return ()
        if _is_record(members):
            return None
        path = max(found, key=lambda path: found[path], default=())
        if not path or not found[path][1]:
            raise file_error("no_objects")
        return path

    @contextmanager
    def _window(self) -> Iterator["_Window"]:
        with encodings.open_text(self._path, self._codec, strict=True) as stream:
            try:
                yield _Window(stream)
            except UnicodeDecodeError:
                line = encodings.first_bad_line(self._path, self._codec)
                raise file_error("undecodable", line=line, encoding=self._codec) from None


class _Window:
    """A moving piece of the document."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._text = stream.read(_WINDOW).lstrip("\ufeff")
        self._at = 0
        self._lines = 0  # line ends before the window
        self._before = 0  # code points of the window's first line that are gone

    def peek(self) -> str:
        """The next character that is no space, "" at the end."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in " \t\r\n":
                self._at += 1
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._refill():
                return ""

    def take(self, wanted: str) -> None:
        """Step over one of the wanted characters. Raises FormatError when another stands there."""
        found = self.peek()
        if not found or found not in wanted:
            raise self.error(f"expected {' or '.join(wanted)}")
        self._at += 1

    def value(self) -> Any:
        """Decode the value that starts here, reading on as long as it may only be cut."""
        self.peek()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except RecursionError:
                raise file_error("too_deep", limit=MAX_DEPTH) from None
            except json.JSONDecodeError as error:
                cut = error.pos >= len(self._text) - _NEAR_END or error.msg.startswith("Unterminated string")
                if not cut or not self._refill():
                    raise self.error(error.msg, error.pos) from None
            except ValueError as error:  # an integer of thousands of digits
                raise self.error(str(error)[:80]) from None
            else:
                if end < len(self._text) or not self._refill():  # a number may go on in the next piece
                    self._at = end
                    return value

    def error(self, detail: str, position: int | None = None) -> FormatError:
        """What is wrong here, or at a position of the window, by line and column."""
        position = self._at if position is None else position
        start = self._text.rfind("\n", 0, position) + 1
        column = position - start + 1 + (0 if start else self._before)
        line = 1 + self._lines + self._text.count("\n", 0, position)
        return file_error("bad_json", line=line, position=column, detail=detail)

    def _refill(self) -> bool:
        """Drop what was taken and read on, twice as much for a long value. False at the end or above the limit."""
        if len(self._text) - self._at > MAX_LINE:
            return False
        more = self._stream.read(max(_WINDOW, len(self._text) - self._at))
        if not more:
            return False
        gone = self._text[: self._at]
        self._lines += gone.count("\n")
        self._before = len(gone) - gone.rfind("\n") - 1 if "\n" in gone else self._before + len(gone)
        self._text, self._at = self._text[self._at :] + more, 0
        return True


def _is_record(members: dict[str, str]) -> bool:
    """Whether an object (name -> first character of the value) is itself a row. Raises FormatError for columns."""
    mapping = guess_mapping([*members])
    answer = mapping["answer"]
    if not isinstance(answer, str) or not (mapping["question"] or mapping["contexts"]):
        return False
    if members[answer] in {"[", "{"}:
        raise file_error("column_oriented")
    return True


def _walk(window: _Window, path: Place = (), members: dict[str, str] | None = None) -> Iterator[tuple[Place, Any]]:
    """Every element of every array that lies in objects only, with the array's path.

    members: filled with the names of the outermost object and the first character of each value.
    """
    if window.peek() == "[":
        for _ in _elements(window):
            yield path, window.value()
    elif window.peek() == "{" and len(path) < _ENVELOPES:
        for name, first in _members(window):
            if members is not None:
                members[name] = first
            if first in {"[", "{"}:
                yield from _walk(window, (*path, name))
            else:
                window.value()
    else:
        window.value()


def _elements(window: _Window) -> Iterator[None]:
    """Stop before each element of an array; whoever iterates takes the element."""
    window.take("[")
    if window.peek() == "]":
        window.take("]")
        return
    while True:
        yield
        if window.peek() == "]":
            window.take("]")
            return
        window.take(",")


def _members(window: _Window) -> Iterator[tuple[str, str]]:
    """Each name of an object and the first character of its value, which the caller takes."""
    window.take("{")
    if window.peek() == "}":
        window.take("}")
        return
    while True:
        if window.peek() != '"':
            raise window.error("expected a name in quotation marks")
        name = window.value()
        window.take(":")
        yield name, window.peek()
        if window.peek() == "}":
            window.take("}")
            return
        window.take(",")
