"""JSON that lists columns or numbers its rows, as pandas and datasets write it, turned into rows."""

from collections.abc import Iterator
from typing import Any

from audits.formats.arrays import is_answer
from audits.formats.base import Row

MAX_BYTES = 50 << 20  # of a document that has to be held as a whole
_LISTED = 20  # rows or columns that are looked at


def turned_rows(document: Any) -> list[Row] | None:
    """The rows of a document that is no list of rows; None for any other document.

    {"question": ["…"], "answer": ["…"]}, the same with {"0": "…"} instead of the lists, {"columns": […], "data":
    [[…]]}, and {"q1": {"question": "…", "answer": "…"}}.
    """
    if not isinstance(document, dict):
        return None
    turned = (turn(document) for turn in (_columns, _split, _numbered))
    return next((rows for rows in turned if rows), None)


def turned_inside(document: Row) -> list[Row] | None:
    """The same for the first object inside a document that can be turned: {"data": {"question": […], …}}."""
    turned = (turned_rows(value) for value in document.values())
    return next((rows for rows in turned if rows), None)


def _columns(document: Row) -> list[Row] | None:
    columns = {name: value for name, value in document.items() if isinstance(value, list | dict) and value}
    if not is_answer([*columns]):
        return None
    if all(isinstance(value, list) for value in columns.values()):
        if len({len(value) for value in columns.values()}) != 1 or not _are_texts(columns):
            return None
        return [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    if not all(isinstance(value, dict) for value in columns.values()):
        return None
    keys = dict.fromkeys(key for value in columns.values() for key in value)
    alike = all(len(value) == len(keys) for value in columns.values())
    return [{name: value[key] for name, value in columns.items()} for key in keys] if alike else None


def _are_texts(columns: dict[str, Any]) -> bool:
    """Whether at least the answers are texts: {"query": […], "response": [{…}]} may be an envelope."""
    texts = [name for name, value in columns.items() if all(not isinstance(cell, dict) for cell in value[:_LISTED])]
    return is_answer(texts)


def _split(document: Row) -> list[Row] | None:
    names, data = document.get("columns"), document.get("data")
    if not isinstance(names, list) or not isinstance(data, list) or not all(isinstance(name, str) for name in names):
        return None
    fits = all(isinstance(cells, list) and len(cells) == len(names) for cells in data)
    return [dict(zip(names, cells, strict=True)) for cells in data] if fits and is_answer(names) else None


def _numbered(document: Row) -> list[Row] | None:
    rows = list(document.items())
    if len(rows) < 2 or not all(isinstance(row, dict) for _, row in rows):
        return None
    if not all(is_answer([*row]) for _, row in rows[:_LISTED]):
        return None
    return list(_with_keys(rows))


def _with_keys(rows: list[tuple[str, Row]]) -> Iterator[Row]:
    """The key of a row is its id, unless it has one or the keys only count."""
    counting = [key for key, _ in rows] == [str(number) for number in range(len(rows))]
    for key, row in rows:
        yield row if counting or "id" in row else {"id": key} | row
