"""Contexts in lists of objects whose text goes by a name that nobody knows: the longest text in them, and said so."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from audits.formats.base import Notice, Row
from audits.formats.cells import CellError, contexts_of, is_missing
from audits.formats.messages import notice
from audits.formats.nested import decoded
from audits.formats.paths import keys_of, lookup
from audits.formats.shapes.documents import LISTS
from audits.formats.shapes.names import plain

_LOOKED_AT = 30  # rows
_HALF = 0.5
_PROSE = re.compile(r"\S\s+\S|[\u3040-\u9fff\uac00-\ud7ff]{4}")  # an identifier, address or file name has none of it
_LEAST = 8  # code points of prose
_MOST_PATHS = 200


def longest_texts(
    mapping: Mapping[str, Any], names: Sequence[str], rows: Sequence[Row]
) -> tuple[str | None, Notice | None]:
    """(path for the contexts, what to say of it); (None, None) where the column can be read, or nothing fits.

    names: columns and paths of these rows. Without a column, lists under a name such as "hits" are looked into.
    """
    rows, column = rows[:_LOOKED_AT], mapping.get("contexts")
    if isinstance(column, list):
        return None, None
    whole = column.removesuffix("[][]") if column else ""
    if whole and _are_pairs(whole, rows):
        return f"{whole}[][1]", notice("contexts_path", path=f"{whole}[][1]")
    if column and not _is_unreadable(column, rows):
        return None, None
    below = [name for name in names if "[]" in name and "=" not in name and _lies_below(name, column)][:_MOST_PATHS]
    lengths = {name: length for name in below if (length := _prose_length(name, rows))}
    if not lengths:
        return None, None
    best = max(lengths, key=lambda name: lengths[name])
    return best, notice("contexts_path", path=best)


def _lies_below(name: str, column: str | None) -> bool:
    if column:
        return name.startswith((f"{column}[", f"{column}."))
    return any(plain(key) in LISTS for key in keys_of(name))


def _is_unreadable(column: str, rows: Sequence[Row]) -> bool:
    values = [value for row in rows if not is_missing(value := lookup(row, column))]
    return bool(values) and sum(map(_is_bad, values)) > _HALF * len(values)


def _is_bad(value: Any) -> bool:
    try:
        contexts_of(value)
    except CellError as error:
        return error.code == "bad_contexts"
    return False


def _are_pairs(column: str, rows: Sequence[Row]) -> bool:
    """Whether the column holds lists of [title, text], or of [title, sentences]."""
    lists = [value for row in rows if isinstance(value := decoded(lookup(row, column)), list)]
    parts = [part for value in lists for part in value]
    pairs = bool(parts) and all(
        isinstance(part, list) and [type(text) for text in part] in ([str, str], [str, list]) for part in parts
    )
    return pairs and any(len(value) > 1 for value in lists)


def _prose_length(name: str, rows: Sequence[Row]) -> float:
    """How long the texts of a path are on average; 0 where most rows have none, or most texts are no prose."""
    found = [[*_texts(lookup(row, name))] for row in rows]
    texts = [text for row in found for text in row]
    prose = sum(len(text) >= _LEAST and _PROSE.search(text) is not None for text in texts)
    if sum(map(bool, found)) < _HALF * len(rows) or prose <= _HALF * len(texts):
        return 0
    return sum(map(len, texts)) / len(texts)


def _texts(value: Any) -> Iterator[str]:
    for part in value if isinstance(value, list) else [value]:
        if isinstance(part, str) and part.strip():
            yield part
