"""A row of a table in an evidence package: each cell is checked when it is read, and an error names its place."""

import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from audits.exporting import safe_cell
from audits.labels import Label
from review.package.errors import PackageError

_WHOLE = re.compile(r"\d{1,18}", re.ASCII)
_LABELS = {label.value: label for label in Label}


def bare(cell: str) -> str:
    """A text without the ' that makes it harmless for spreadsheets."""
    return cell[1:] if cell.startswith("'") and safe_cell(cell[1:]) == cell else cell


@dataclass(frozen=True)
class Row:
    """number: of the row in the file, the header being 1."""

    table: str
    number: int
    cells: dict[str, str]

    def error(self, column: str, wanted: str) -> PackageError:
        """What to raise for a cell that is not what it should be."""
        return PackageError(
            f"{self.table}, row {self.number}, {column}: {wanted}, not {self.cells.get(column, '')[:60]!r}"
        )

    def raw(self, column: str) -> str:
        """The cell as it is."""
        return self.cells[column]

    def text(self, column: str) -> str:
        """A text as it was before it was made harmless for spreadsheets."""
        return bare(self.cells[column])

    def whole(self, column: str) -> int:
        """A whole number from 0."""
        if not _WHOLE.fullmatch(self.cells[column]):
            raise self.error(column, "a whole number")
        return int(self.cells[column])

    def whole_or_none(self, column: str) -> int | None:
        """The same; None for an empty cell."""
        return self.whole(column) if self.cells[column] else None

    def truth(self, column: str) -> bool:
        """true or false."""
        if self.cells[column] not in ("true", "false"):
            raise self.error(column, "true or false")
        return self.cells[column] == "true"

    def label(self, column: str) -> Label | None:
        """A label; None for an empty cell."""
        if self.cells[column] and self.cells[column] not in _LABELS:
            raise self.error(column, "a label or nothing")
        return _LABELS.get(self.cells[column])

    def one_of(self, column: str, words: Collection[str]) -> str:
        """One of these words."""
        if self.cells[column] not in words:
            raise self.error(column, f"one of {', '.join(words)}")
        return self.cells[column]

    def time(self, column: str) -> datetime:
        """A time with a zone."""
        try:
            found = datetime.fromisoformat(self.cells[column])
        except ValueError as error:
            raise self.error(column, "a time") from error
        if found.tzinfo is None:
            raise self.error(column, "a time with a zone")
        return found

    def json(self, column: str, kind: type) -> Any:
        """A JSON value of this kind."""
        try:
            found = json.loads(self.cells[column])
        except (ValueError, RecursionError) as error:
            raise self.error(column, "JSON") from error
        if not isinstance(found, kind):
            raise self.error(column, "JSON of another kind")
        return found
