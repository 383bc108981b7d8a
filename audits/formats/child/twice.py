"""What a file holds twice, by the positions of its rows, and in words."""

import base64
from array import array
from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

from audits.formats.base import Notice
from audits.formats.duplicates import Seen
from audits.formats.messages import notice

SHOWN = 5  # lines that a notice names


class Twice:
    """Remembers, in a few bytes each, the good rows of a file."""

    def __init__(self) -> None:
        self._seen = Seen()
        self._positions, self._lines = array("I"), array("I")

    def add(
        self, position: int, line: int, external_id: str, question: str, answer: str, contexts: Sequence[str]
    ) -> None:
        """One good row, in the order of the file."""
        self._positions.append(position)
        self._lines.append(line)
        self._seen.add(position, external_id, question, answer, contexts)

    def add_all(self, position: int, lines: Sequence[int], *columns: Sequence[Any]) -> None:
        """Good rows that follow each other, by columns: identifiers, questions, answers, contexts."""
        self._positions.extend(range(position, position + len(lines)))
        self._lines.extend(lines)
        for at, texts in enumerate(zip(*columns, strict=True), start=position):
            self._seen.add(at, *texts)

    def told(self) -> tuple[list[Notice], dict[str, str]]:
        """What to say of it, and flag -> positions of the rows that get it, packed."""
        notices, flagged = [], {}
        for found in self._seen.found():
            lines = ", ".join(str(self._line(at)) for at in found.groups[0][:SHOWN])
            notices.append(notice(found.flag, rows=found.row_count, lines=lines))
            flagged[found.flag] = base64.b64encode(self._seen.lines(found.kind).astype("<u4").tobytes()).decode()
        return notices, flagged

    def _line(self, position: int) -> int:
        return self._lines[bisect_left(self._positions, position)]
