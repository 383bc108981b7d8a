"""The texts that the cells of a workbook share, kept on disk when there are many."""

import os
import tempfile
from array import array
from collections.abc import Iterator
from typing import IO, Any

from defusedxml.ElementTree import iterparse
from openpyxl.xml.constants import SHEET_MAIN_NS

_IN_MEMORY = 16 << 20  # bytes of text; what comes after lies in a file without a name
_ITEM, _TEXT, _RUN = (f"{{{SHEET_MAIN_NS}}}{name}" for name in ("si", "t", "r"))


class SharedStrings:
    """Texts by number, as openpyxl's reader of sheets asks for them."""

    def __init__(self, source: IO[bytes]) -> None:
        """Read the table. Raises whatever a damaged part makes the parser raise."""
        self._kept: list[str] = []
        self._ends = array("Q", [0])  # where each text ends in the file
        self._file: IO[bytes] | None = None
        size = 0
        for text in _texts(source):
            if size < _IN_MEMORY:
                self._kept.append(text)
                size += len(text.encode("utf-8", "surrogatepass"))
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


def _texts(source: IO[bytes]) -> Iterator[str]:
    """Each text without its formatting and without its reading aids (furigana)."""
    root: Any = None
    for event, element in iterparse(source, events=("start", "end")):
        if event == "start":
            root = element if root is None else root
        elif element.tag == _ITEM:
            runs = (
                child if child.tag == _TEXT else child.find(_TEXT) for child in element if child.tag in {_TEXT, _RUN}
            )
            yield "".join(run.text or "" for run in runs if run is not None)
            root.clear()
