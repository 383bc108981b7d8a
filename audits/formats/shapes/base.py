"""What is known of one tool's exports."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from audits.formats.base import Row, RowProblem, SourceRow

gettext_noop = str  # the name by which collectors of strings know what is to be translated

Rows = Iterator[SourceRow | RowProblem]


class AsTheyAre:
    """For shapes whose rows are one per answer already."""

    def rows(self, rows: Rows) -> Rows:
        """See Shape."""
        return rows


def each(rows: Rows, change: Callable[[Row], Row]) -> Rows:
    """The rows with their values changed; problems pass through."""
    for row in rows:
        yield SourceRow(row.line, change(row.values)) if isinstance(row, SourceRow) else row


class Shape(Protocol):
    """One kind of export: how it is recognised, which column is what, and how its rows become one per answer.

    Rows come as the reader gave them; texts in cells that are JSON objects are decoded already.
    """

    name: str  # key in SHAPES
    label: str  # gettext_noop("a ragas export"): follows "looks like"

    def fits(self, rows: Sequence[Row]) -> bool:
        """Whether these first rows of a file are such an export; by names and contents that others do not have."""
        ...

    def mapping(self, columns: Sequence[str], rows: Sequence[Row]) -> dict[str, Any]:
        """Role -> column or path, for what the shape knows; the rest is guessed by name.

        columns: of the first rows that `rows` gave, and the paths in them; rows: these.
        """
        ...

    def rows(self, rows: Rows) -> Rows:
        """One row per answer, in file order; problems pass through. Bounded memory: see grouping.py."""
        ...
