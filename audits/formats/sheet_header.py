"""The header of a sheet: one row, or several whose cells are merged, below titles."""

from collections.abc import Sequence
from dataclasses import dataclass

from audits.formats.header import find_header
from audits.formats.roles import MAX_COLUMNS, known_roles
from audits.formats.scan import Range
from audits.formats.workbook import Cells

_LOOKED_AT = 10  # rows that say something among which the header is looked for
_MOST_LEVELS = 4
_MOST_MERGES = 1_000
Row = tuple[int, Cells]


@dataclass(frozen=True)
class SheetHeader:
    """Where the header is and what it says. For a sheet without one, `last` is 0."""

    first: int
    last: int
    names: tuple[str, ...]  # as written, one per column; () without a header
    known: int  # how many roles the names give away
    skipped: bool = False  # whether rows above it say something
    guessed_missing: bool = False
    same: frozenset[int] = frozenset()  # columns that share their merged header with the column to their left


def find_sheet_header(rows: Sequence[Row], merges: Sequence[Range], wanted: bool | None) -> SheetHeader:
    """The header among the first rows that say something; wanted: whether there is one, None to find out."""
    width = min(max(max(cells) for _number, cells in rows), MAX_COLUMNS + 1)
    last = rows[:_LOOKED_AT][-1][0] + _MOST_LEVELS
    near = sorted(merge for merge in merges if merge.top <= last and merge.left <= width)[:_MOST_MERGES]
    filled = _filled(rows, near, width, last)
    if wanted is not False:
        inside = {number for merge in near for number in range(merge.top + 1, min(merge.bottom, last) + 1)}
        starts = [number for number, _cells in rows[:_LOOKED_AT] if number not in inside]
        blocks = [_block(number, filled, near, width) for number in starts]
        best = max(blocks, key=lambda block: (block.known, -block.first))
        if best.known > 1:
            return _with_titles(best, rows)
    found = find_header([_texts(cells, width) for _number, cells in rows], wanted)
    if found.at is None:
        return SheetHeader(0, 0, (), 0, guessed_missing=found.guessed)
    return _with_titles(_block(rows[found.at][0], filled, near, width), rows)


def _with_titles(header: SheetHeader, rows: Sequence[Row]) -> SheetHeader:
    skipped = rows[0][0] < header.first
    return SheetHeader(header.first, header.last, header.names, header.known, skipped, same=header.same)


def _texts(cells: Cells, width: int) -> list[str]:
    return [cells.get(column, "") for column in range(1, width + 1)]


def _filled(rows: Sequence[Row], merges: Sequence[Range], width: int, last: int) -> dict[int, list[str]]:
    """The rows as texts, where each cell of a merged range has its text."""
    filled = {number: _texts(cells, width) for number, cells in rows}
    for merge in merges:
        text = filled[merge.top][merge.left - 1] if merge.top in filled else ""
        for number in range(merge.top, min(merge.bottom, last) + 1) if text else ():
            row = filled.setdefault(number, [""] * width)
            for column in range(merge.left, min(merge.right, width) + 1):
                row[column - 1] = text
    return filled


def _block(first: int, filled: dict[int, list[str]], merges: Sequence[Range], width: int) -> SheetHeader:
    """The rows from this one on as a header, with the names that stand above each other joined by "/"."""
    last = _last(first, filled, merges, width)
    rows = [filled[number] for number in range(first, last + 1) if number in filled]
    names = tuple(_path([row[column] for row in rows]) for column in range(width))
    same = {
        column
        for merge in merges
        if first <= merge.top and merge.bottom <= last
        for column in range(merge.left + 1, min(merge.right, width) + 1)
        if names[column - 1] == names[column - 2]
    }
    return SheetHeader(first, last, names, known_roles(names[:MAX_COLUMNS]), same=frozenset(same))


def _path(texts: Sequence[str]) -> str:
    parts: list[str] = []
    for text in (" ".join(text.split()) for text in texts):
        if text and parts[-1:] != [text]:
            parts.append(text)
    return "/".join(parts)


def _last(first: int, filled: dict[int, list[str]], merges: Sequence[Range], width: int) -> int:
    """The last row of a header that starts in this one: merged cells reach down to it, or names stand below them."""
    here = [merge for merge in merges if merge.top == first and not _spans_all(merge, filled, width)]
    down = max((merge.bottom for merge in here), default=first)
    if down > first:
        return down if down - first < _MOST_LEVELS else first
    across = [merge for merge in here if merge.right > merge.left]
    below = filled.get(first + 1)
    if not across or not below:
        return first
    covered = {column for merge in across for column in range(merge.left, min(merge.right, width) + 1)}
    named = all(below[column - 1].strip() for column in covered)
    others = [column for column in range(1, width + 1) if column not in covered and filled[first][column - 1].strip()]
    return first + 1 if named and not any(below[column - 1].strip() for column in others) else first


def _spans_all(merge: Range, filled: dict[int, list[str]], width: int) -> bool:
    """Whether a range is the only text of its row: a title."""
    outside = (column for column in range(1, width + 1) if not merge.left <= column <= merge.right)
    return not any(filled[merge.top][column - 1].strip() for column in outside if merge.top in filled)
