"""A file whose bad rows were mended by hand: its good rows and the mended ones, written as one new file."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from audits.exporting import safe_cell
from audits.formats.base import Record, Row, RowProblem, SourceRow
from audits.formats.cells import storable
from audits.formats.columns import RowMapper
from audits.formats.messages import file_error

BOOKKEEPING = ("line", "column", "value", "reason", "what to do")
"""The first columns of a table of errors, in any language; the file's own follow."""
MAX_MENDED = 100_000  # rows that are held in memory


@dataclass(frozen=True)
class Merged:
    """What became of the rows."""

    kept: int  # good ones of the file
    mended: int
    still_bad: int  # mended, and still not fit: written as they are, so that the import names them again
    left_out: int  # bad ones of the file that nobody has mended


def mended_rows(columns: Sequence[str], rows: Iterable[SourceRow | RowProblem]) -> dict[int, list[Row]]:
    """Line -> the rows that stand for it in a table of errors that was mended. 0: rows that are new.

    Raises FormatError for a file that is no such table, or where a row of it cannot be read.
    """
    if tuple(columns[: len(BOOKKEEPING)]) != BOOKKEEPING:
        raise file_error("not_mended", columns=", ".join(BOOKKEEPING))
    found: dict[int, list[Row]] = {}
    own = _own_names(columns[len(BOOKKEEPING) :])
    for number, row in enumerate(rows):
        if isinstance(row, RowProblem):
            raise file_error("bad_mended_row", line=row.line, reason=row.reason)
        if number >= MAX_MENDED:
            raise file_error("too_many_rows", limit=MAX_MENDED)
        values = {own[name]: _unguarded(value) for name, value in row.values.items() if name in own}
        if any(values.values()):
            found.setdefault(_line_of(row), []).append(values)
    return found


def merge(
    rows: Iterable[SourceRow | RowProblem],
    mapping: Mapping[str, Any],
    mended: Mapping[int, list[Row]],
    target: Path,
) -> Merged:
    """Write good and mended rows to target, as JSON Lines with the file's own columns, in the file's order.

    A row counts as good when the mapping can use it. A bad one that came back as it was is left out, even where it
    would fit by now: nobody has said that its texts stand in the right columns. Raises FormatError when a mended row
    names a line that was none of the bad ones: it would stand twice.
    """
    mapper, waiting = RowMapper(mapping), dict(mended)
    counts = dict.fromkeys(("kept", "mended", "still_bad", "left_out"), 0)
    with target.open("w", encoding="utf-8") as out:
        for row in rows:
            found = mapper(row) if isinstance(row, SourceRow) else row
            if isinstance(row, SourceRow) and isinstance(found, Record):
                _write(out, row.values)
                counts["kept"] += 1
            elif isinstance(found, RowProblem):
                changed = [values for values in waiting.pop(row.line, []) if not _same(values, found.values or {})]
                _write_mended(out, changed, row.line, mapper, counts)
        _write_mended(out, waiting.pop(0, []), 0, mapper, counts)
    if waiting:
        raise file_error("unknown_line", line=min(waiting))
    return Merged(**counts)


def _write_mended(out: Any, rows: list[Row], line: int, mapper: RowMapper, counts: dict[str, int]) -> None:
    counts["left_out"] += not rows and line > 0
    for values in rows:
        _write(out, values)
        counts["mended" if isinstance(mapper(SourceRow(line, values)), Record) else "still_bad"] += 1


def _write(out: Any, values: Row) -> None:
    json.dump(storable(values), out, ensure_ascii=False)
    out.write("\n")


def _same(values: Row, before: Row) -> bool:
    """Whether the table's row is what the table of errors gave out."""
    return all(cell_text(values.get(name)) == cell_text(before.get(name)) for name in {*values, *before})


def cell_text(value: Any) -> str:
    """A cell of a row as a table of errors writes it, to be read again."""
    if value is None or isinstance(value, str):
        return (value or "").replace("\r\n", "\n")
    return json.dumps(value, ensure_ascii=False)


def _line_of(row: SourceRow) -> int:
    text = str(row.values.get("line") or "").strip()
    if not text:
        return 0
    if not text.isascii() or not text.isdecimal():
        raise file_error("bad_mended_row", line=row.line, reason=text[:40])
    return int(text)


def _own_names(columns: Sequence[str]) -> dict[str, str]:
    """Column of the table -> column of the file; the reader has numbered one that is called as one of ours."""
    second = {f"{name} (2)": name for name in BOOKKEEPING}
    return {name: second.get(name, name) for name in columns}


def _unguarded(value: Any) -> Any:
    """The cell without the apostrophe that keeps a spreadsheet from taking it for a formula."""
    if isinstance(value, str) and value[:1] == "'" and safe_cell(value[1:]) == value:
        return value[1:]
    return value
