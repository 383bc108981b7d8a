"""A JSON document read piece by piece: what is needed of it, and where in the file it is wrong.

The standard decoder reads element after element from a moving window, so that memory is bounded by the largest one.
It accepts the NaN that Python itself writes, and keeps an unpaired surrogate instead of replacing it by "?" (as yajl,
and so ijson, does): it becomes a row's problem, not another text.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, TextIO

from audits.formats.base import FormatError
from audits.formats.messages import file_error
from audits.formats.nested import MAX_DEPTH
from audits.formats.sniff import MAX_LINE

SIZE = 1 << 16  # code points read at a time
_NEAR_END = 16  # an error this close to the end of the window may just be a cut literal
_DECODER = json.JSONDecoder()
_COMMENT = re.compile(r"//|/\*|#")
_COMMA_TOO_MANY = re.compile(r",\s*[\]}]")


class Window:
    """A moving piece of the document. Whoever stops at a value takes it, with `value` or step by step."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._text = stream.read(SIZE).lstrip("\ufeff")
        self._at = 0
        self._lines = 0  # line ends before the window
        self._before = 0  # code points of the window's first line that are gone
        self.length = 0  # code points of the value that was taken last

    @property
    def read(self) -> int:
        """Bytes of the file that have been read."""
        return self._stream.buffer.tell()

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
                    raise self._broken(error, cut=cut) from None
            except ValueError as error:  # an integer of thousands of digits
                raise self.error(str(error)[:80]) from None
            else:
                if end < len(self._text) or not self._refill():  # a number may go on in the next piece
                    self.length = end - self._at
                    self._at = end
                    return value

    def elements(self) -> Iterator[None]:
        """Stop before each element of an array."""
        self.take("[")
        if self.peek() == "]":
            self.take("]")
            return
        while True:
            yield
            if self.peek() == "]":
                self.take("]")
                return
            self.take(",")

    def members(self) -> Iterator[tuple[str, str]]:
        """Stop before each value of an object: its name and its first character."""
        self.take("{")
        if self.peek() == "}":
            self.take("}")
            return
        while True:
            if self.peek() != '"':
                raise self.error("expected a name in quotation marks")
            name = self.value()
            self.take(":")
            yield name, self.peek()
            if self.peek() == "}":
                self.take("}")
                return
            self.take(",")

    def _broken(self, error: json.JSONDecodeError, *, cut: bool) -> FormatError:
        if cut and len(self._text) - self._at > MAX_LINE:
            line, column = self._place(self._at)
            return file_error("long_json", line=line, position=column, limit=MAX_LINE)
        return self.error(error.msg, error.pos)

    def error(self, detail: str, position: int | None = None) -> FormatError:
        """What is wrong here, or at a position of the window, by line and column."""
        position = self._at if position is None else position
        line, column = self._place(position)
        if self._is_loose(position):
            return file_error("commented_json", line=line, position=column)
        return file_error("bad_json", line=line, position=column, detail=detail)

    def _place(self, position: int) -> tuple[int, int]:
        """Line and column, from 1, of a position of the window."""
        start = self._text.rfind("\n", 0, position) + 1
        column = position - start + 1 + (0 if start else self._before)
        return 1 + self._lines + self._text.count("\n", 0, position), column

    def _is_loose(self, position: int) -> bool:
        """Whether a comment stands here, or a comma before the end of a list or object: JSON as people write it."""
        before = len(self._text[:position].rstrip())
        comma = max(before - 1, 0)
        return bool(_COMMENT.match(self._text, position) or _COMMA_TOO_MANY.match(self._text, comma))

    def _refill(self) -> bool:
        """Drop what was taken and read on, twice as much for a long value. False at the end or above the limit."""
        if len(self._text) - self._at > MAX_LINE:
            return False
        more = self._stream.read(max(SIZE, len(self._text) - self._at))
        if not more:
            return False
        gone = self._text[: self._at]
        self._lines += gone.count("\n")
        self._before = len(gone) - gone.rfind("\n") - 1 if "\n" in gone else self._before + len(gone)
        self._text, self._at = self._text[self._at :] + more, 0
        return True
