"""How many rows of a file are odd, and where the first of them are: said once for the whole file."""

from collections.abc import Sequence

from audits.formats.base import Notice
from audits.formats.messages import WARNINGS, notice
from audits.formats.oddities import FLAGS

SHOWN = 5  # lines that a notice names


class OddRows:
    """Counts flags of rows; memory does not grow with the file."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._lines: dict[str, list[int]] = {}

    def add(self, line: int, flags: Sequence[str]) -> None:
        """One row that is good."""
        for flag in flags:
            self._counts[flag] = self._counts.get(flag, 0) + 1
            if self._counts[flag] <= SHOWN:
                self._lines.setdefault(flag, []).append(line)

    def told(self) -> list[Notice]:
        """What to say of the file, in the order of the flags; nothing of those that concern a single row only."""
        return [
            notice(f"rows_{flag}", rows=self._counts[flag], lines=", ".join(map(str, self._lines[flag])))
            for flag in FLAGS
            if flag in self._counts and f"rows_{flag}" in WARNINGS
        ]
