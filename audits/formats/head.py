"""The first rows of a file, on which what is understood of it rests: enough of them, and not too heavy."""

from collections.abc import Iterator
from typing import Any

from audits.formats.base import Row, RowProblem, SourceRow

HEAVY = 8_000_000  # weight of all rows of a head together
_EACH = 50  # weight of a value besides the code points of a text


class Head:
    """Iterated once: the first rows, at most so many, and not more after they became too heavy; at least one."""

    def __init__(self, rows: Iterator[SourceRow | RowProblem], most: int, *, heavy: int = HEAVY) -> None:
        self._rows, self._most, self._heavy = rows, most, heavy
        self.cut = False  # whether there may be more rows than were given

    def __iter__(self) -> Iterator[SourceRow | RowProblem]:
        weight = 0
        for number, row in enumerate(self._rows, start=1):
            yield row
            weight += weight_of(row.values, self._heavy) if isinstance(row, SourceRow) else _EACH
            if number >= self._most or weight > self._heavy:
                self.cut = True
                return


def weight_of(values: Row, limit: int) -> int:
    """How much there is in a row: code points of its texts, and something for each value; counted up to a limit."""
    weight = 0
    waiting: list[Any] = [values]
    while waiting and weight <= limit:
        value = waiting.pop()
        weight += _EACH
        if isinstance(value, str):
            weight += len(value)
        elif isinstance(value, dict):
            weight += sum(map(len, value))
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
    return weight
