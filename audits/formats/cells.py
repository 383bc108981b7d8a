"""What one cell says: a text, several contexts, or nothing."""

import ast
import json
import math
import re
from collections.abc import Iterator
from typing import Any

MAX_TEXT = 1_000_000  # code points of one text
MAX_CONTEXTS = 1_000
MAX_OBJECTS = 200_000  # code points of a list of objects as Python writes it; the parser takes 500 times as much
TEXT_KEYS = ("text", "content", "page_content", "pageContent", "passage", "chunk", "snippet", "document", "body")
_SURROGATE = re.compile("[\ud800-\udfff]")
_ITEM = re.compile(
    r"""\s*('[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*"|None|nan)\s*,?\s*(?=[\]'"Nn])""", re.DOTALL
)
_WRITTEN_LIST = re.compile(
    r"""\[\s*(?:None\b|null\b|\[?\s*['"{])"""
)  # a list of texts or objects, not "[1] Some prose"
_NUMPY = re.compile(r"array\((\[.*\])(?:,\s*dtype=\w+)?\)", re.DOTALL)
_NOTHING = frozenset({"", "nan", "<na>"})


class CellError(Exception):
    """The cell cannot be used; code and params as in messages.ROW_PROBLEMS."""

    def __init__(self, code: str, **params: Any) -> None:
        super().__init__(code)
        self.code = code
        self.params = params


def is_missing(value: Any) -> bool:
    """Whether a cell says nothing: no value, blank text, or what pandas writes for a missing value."""
    if isinstance(value, str):
        return len(stripped := value.strip()) <= 4 and stripped.lower() in _NOTHING
    return value is None or (isinstance(value, float) and math.isnan(value))


def text_of(value: Any) -> str:
    """The cell as text, "" when missing; line ends become \\n and NUL, which no database takes, goes.

    Raises CellError for a list or an object, a text longer than MAX_TEXT, or half a character.
    """
    if is_missing(value):
        return ""
    if isinstance(value, list | dict):
        raise CellError("not_text")
    text = _as_written(value)
    if len(text) > MAX_TEXT:
        raise CellError("cell_too_long", limit=MAX_TEXT)
    if not text.isascii() and _SURROGATE.search(text):
        raise CellError("bad_character")
    return text.replace("\x00", "").replace("\r\n", "\n").replace("\r", "\n")


def _as_written(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def contexts_of(value: Any) -> list[str]:
    """The contexts in a cell, in order, without empty ones.

    A list of texts or of objects with a text (TEXT_KEYS), the same written as JSON or as Python writes it, or plain
    text, which is one context: it is never split, since any separator also occurs in prose and tables.
    Raises CellError.
    """
    if isinstance(value, str):
        value = _written_list(value)
    parts = value if isinstance(value, list) else [value]
    if len(parts) > MAX_CONTEXTS:
        raise CellError("bad_contexts")
    texts = (text_of(_text_in(part)) for part in parts)
    return [text for text in texts if text.strip() and text.strip().lower() not in {"none", "null"}]


def _text_in(part: Any) -> Any:
    if isinstance(part, dict):
        for key in TEXT_KEYS:
            if isinstance(part.get(key), str):
                return part[key]
        if len(part) == 1 and isinstance(only := next(iter(part.values())), str):
            return only
    if isinstance(part, list) and len(part) == 1 and not isinstance(part[0], list):
        return _text_in(part[0])
    if isinstance(part, dict | list):
        raise CellError("bad_contexts")
    return part


def _written_list(text: str) -> Any:
    """The list that a text writes out, else the text itself."""
    stripped = text.strip() if len(text) <= MAX_TEXT else ""
    array = _NUMPY.fullmatch(stripped)
    stripped = array[1] if array else stripped
    if stripped.startswith("[") and stripped.endswith("]") and not stripped[1:-1].strip():
        return []
    if not _WRITTEN_LIST.match(stripped):
        return text
    try:
        return json.loads(stripped)
    except (ValueError, RecursionError):
        return _python_list(stripped)


def _python_list(text: str) -> list[Any]:
    """What `str(list)` of texts or objects, or `str(numpy array)` of texts wrote. Only literals are read.

    Texts are read one by one: numpy puts no commas between them, and Python would join such neighbours into one.
    """
    try:
        if not text.startswith("[{"):
            return [ast.literal_eval(item) for item in _items(text)]
        found = ast.literal_eval(text) if len(text) <= MAX_OBJECTS else None
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        found = None
    if not isinstance(found, list) or not all(isinstance(part, dict) for part in found):
        raise CellError("bad_list")
    return found


def _items(text: str) -> Iterator[str]:
    at = 1
    for _ in range(MAX_CONTEXTS + 1):
        item = _ITEM.match(text, at)
        if item is None:
            break
        yield item[1] if item[1] != "nan" else "None"
        at = item.end()
    if text[at:].strip() != "]":
        raise CellError("bad_list")


def holds_nul(value: Any) -> bool:
    """Whether a text, or a text in a list or object, holds NUL."""
    if isinstance(value, str):
        return "\x00" in value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(holds_nul(part) for part in inner)


def storable(value: Any) -> Any:
    """The value as any database's JSON takes it: no NUL, no half characters, no NaN or infinity."""
    if isinstance(value, str):
        text = value.replace("\x00", "")
        return text if text.isascii() else _SURROGATE.sub("", text)
    if isinstance(value, dict):
        return {storable(str(key)): storable(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [storable(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, int | float | bool) or value is None else str(value)
