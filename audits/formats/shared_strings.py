"""The texts that the cells of a workbook share, kept on disk when there are many."""

import os
import tempfile
from array import array
from collections.abc import Iterator
from typing import IO, Any
from xml.parsers import expat

_IN_MEMORY = 16 << 20  # bytes of text, about; what comes after lies in a file without a name
_PIECE = 1 << 16


class SharedStrings:
    """Texts by number, as openpyxl's reader of sheets asks for them."""

    def __init__(self, source: Any) -> None:
        """Read the table from an open part. Raises whatever a damaged part makes the parser raise."""
        self._kept: list[str] = []
        self._ends = array("Q", [0])  # where each text ends in the file
        self._file: IO[bytes] | None = None
        size = 0
        for text in _texts(source):
            if size < _IN_MEMORY:
                self._kept.append(text)
                size += 3 * len(text)
            else:
                self._store(text)
        if self._file:
            self._file.flush()

    def __len__(self) -> int:
        return len(self._kept) + len(self._ends) - 1

    def __getitem__(self, number: int) -> str:
        if number < len(self._kept):
            return self._kept[number] if number >= 0 else self._missing(number)
        at = number - len(self._kept)
        if at >= len(self._ends) - 1 or self._file is None:
            return self._missing(number)
        start = self._ends[at]
        content = os.pread(self._file.fileno(), self._ends[at + 1] - start, start)
        return content.decode("utf-8", "surrogatepass")

    def _missing(self, number: int) -> str:
        raise IndexError(number)

    def _store(self, text: str) -> None:
        if self._file is None:
            self._file = tempfile.TemporaryFile(prefix="assay-")  # noqa: SIM115 (lives as long as the table)
        content = text.encode("utf-8", "surrogatepass")
        self._file.write(content)
        self._ends.append(self._ends[-1] + len(content))


class _Parser:
    """Collects the texts of a table without their formatting and without their reading aids (furigana)."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._parts: list[str] = []
        self._taken = self._aid = False
        parser = expat.ParserCreate(namespace_separator="}")
        parser.buffer_text = True
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler = self._characters
        parser.StartDoctypeDeclHandler = self._refuse  # so that there are no entities, and nothing outside is read
        self.feed = parser.Parse

    def _start(self, name: str, _attributes: object) -> None:
        kind = name.rpartition("}")[2]
        self._aid = self._aid or kind == "rPh"
        self._taken = kind == "t" and not self._aid

    def _end(self, name: str) -> None:
        kind = name.rpartition("}")[2]
        self._taken = False
        if kind == "rPh":
            self._aid = False
        elif kind == "si":
            self.texts.append("".join(self._parts))
            self._parts.clear()

    def _characters(self, text: str) -> None:
        if self._taken:
            self._parts.append(text)

    def _refuse(self, *_: object) -> None:
        raise ValueError("a table of texts has no document type")


def _texts(source: Any) -> Iterator[str]:
    parser = _Parser()
    while piece := source.read(_PIECE):
        parser.feed(piece, False)
        yield from parser.texts
        parser.texts.clear()
    parser.feed(b"", True)
