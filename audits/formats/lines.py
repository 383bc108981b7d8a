"""The physical lines of a text file, in bounded memory and nearly as fast as Python reads them."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Self

from audits.formats.decoding import decoder
from audits.formats.sniff import MAX_LINE

CHUNK = 1 << 16  # bytes: more at a time is slower


class LineTooLong(Exception):
    """A line of more than MAX_LINE code points: most likely not of text."""


class Lines:
    """Iterated once. Line ends stay as they are: \\n, \\r\\n or \\r. Raises LineTooLong, never UnicodeDecodeError."""

    def __init__(self, path: Path, encoding: str) -> None:
        self._file = path.open("rb", buffering=0)
        self._size = path.stat().st_size
        self._encoding = encoding
        self._decoder = decoder(encoding)
        self.read = 0  # bytes
        self.steps = 0  # in which they were read
        self.damaged = False  # whether a byte read so far was no text
        self.complete = True  # whether the last line given has a line end
        self._block = io.StringIO()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    @property
    def fraction(self) -> float:
        """How much of the file has been read, 0 to 1."""
        return min(1.0, self.read / self._size) if self._size else 1.0

    def __iter__(self) -> Iterator[str]:
        open_line: list[str] = []  # pieces of a line whose end is not read yet
        length = 0
        while chunk := self._file.read(CHUNK):
            text = self._decode(chunk)
            self.read += len(chunk)
            if open_line and open_line[-1].endswith("\r"):  # it may be half of \r\n
                length -= len(open_line[-1])
                text = open_line.pop() + text
            end = max(text.rfind("\n"), text.rfind("\r", 0, -1)) + 1
            if end:
                yield from self._given("".join([*open_line, text[:end]]))
                open_line, length = [], 0
            open_line.append(text[end:])
            length += len(text) - end
            if length > MAX_LINE:
                raise LineTooLong
        rest = "".join([*open_line, self._decode(b"", final=True)])
        self.complete = rest[-1:] in {"", "\r", "\n"}
        yield from self._given(rest)

    def _given(self, text: str) -> io.StringIO:
        self._block = io.StringIO(text, newline="")
        return self._block

    def recent(self, count: int) -> str:
        """The last `count` lines given, as far as they are still at hand."""
        given = self._block.getvalue()[: self._block.tell()]
        return "".join([*io.StringIO(given, newline="")][-count:])

    def _decode(self, chunk: bytes, *, final: bool = False) -> str:
        self.steps += 1
        state = self._decoder.getstate()
        try:
            return self._decoder.decode(chunk, final)
        except UnicodeDecodeError:
            self.damaged = True
            self._decoder = decoder(self._encoding, strict=False)
            self._decoder.setstate(state)
            return self._decoder.decode(chunk, final)
