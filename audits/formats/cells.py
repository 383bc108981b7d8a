"""What one cell says: a text, several contexts, or nothing."""

import math
from typing import Any

from audits.formats import splitting
from audits.formats.oddities import (
    CELL_LIMIT,
    LONGEST_NOTHING,
    NOTHING,
    SPREADSHEET_ERRORS,
    SURROGATE,
    cleaned,
    is_plain,
)
from audits.formats.written import NotWritten, listed

MAX_TEXT = 1_000_000  # code points of one text
MAX_CONTEXTS = 1_000
# Where the text of an object lies, the special before the general.
TEXT_KEYS = (
    "page_content", "pageContent", "text", "content", "passage", "passage_text", "chunk_text", "chunk_content",
    "chunk", "snippet", "document", "document_content", "document_text", "contents", "body", "context",
    "content_with_weight", "slice", "segment_content",
    "内容", "正文", "文本", "片段",
)  # fmt: skip
TEXT_HOLDERS = (
    "node", "document", "doc", "text_resource", "segment", "chunk", "kwargs", "payload", "_source", "entity",
    "properties", "metadata",
)  # fmt: skip
_TELLING = frozenset({"metadata", "properties"})
# As a context these say that there is none; as an answer they can be one.
NO_CONTEXT = frozenset({"none", "n/a", "na", "nil", "-", "--", "—", "–", "/", "无", "暂无", "空"})


class CellError(Exception):
    """The cell cannot be used; code and params as in messages.ROW_PROBLEMS."""

    def __init__(self, code: str, **params: Any) -> None:
        super().__init__(code)
        self.code = code
        self.params = params


def is_missing(value: Any) -> bool:
    """Whether a cell says nothing: no value, blank text, or what programs write for a missing value."""
    if isinstance(value, str):
        return not (text := value.strip()) or (len(text) <= LONGEST_NOTHING and text.lower() in NOTHING)
    return value is None or (isinstance(value, float) and math.isnan(value))


def text_of(value: Any, odd: set[str] | None = None) -> str:
    """The cell as text, "" when missing; line ends become \\n and NUL, which no database takes, goes.

    odd: receives what is odd about the text, of oddities.FLAGS.
    Raises CellError for a list or an object, a text longer than MAX_TEXT, or half a character.
    """
    odd = set() if odd is None else odd
    text = value if isinstance(value, str) else _as_written(value)
    if len(text) <= LONGEST_NOTHING:
        if _says_nothing(text, odd):
            return ""
    elif len(text) >= CELL_LIMIT:
        _check_length(text, odd)
    if is_plain(text):
        return text if text.strip() else ""
    if not text.isascii() and SURROGATE.search(text):
        raise CellError("bad_character")
    text = cleaned(text, odd)
    return text if text.strip() else ""


def _says_nothing(text: str, odd: set[str]) -> bool:
    word = text.strip().lower()
    if word in SPREADSHEET_ERRORS:
        odd.add("spreadsheet_error")
        return True
    if word in NOTHING:
        odd |= {"nan"} if word else set()
        return True
    return False


def _check_length(text: str, odd: set[str]) -> None:
    if len(text) == CELL_LIMIT:
        odd.add("cut_text")
    if len(text) > MAX_TEXT:
        raise CellError("cell_too_long", limit=MAX_TEXT)


def _as_written(value: Any) -> str:
    if value is None or value != value:  # NaN
        return ""
    if isinstance(value, list | dict):
        raise CellError("not_text")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def contexts_of(value: Any, odd: set[str] | None = None, split: str = "") -> list[str]:
    """The contexts in a cell, in order, without empty ones.

    A list of texts or of objects with a text (TEXT_KEYS), the same written as text (see written.py), or plain text.
    That is one context, unless a person has said how it is split, for any separator also occurs in prose and tables:
    split as in splitting.py. odd as for text_of. Raises CellError.
    """
    odd = set() if odd is None else odd
    parts = parts_of(value)
    if parts is None:
        return _in_plain(text_of(value, odd), odd, split)
    if len(parts) > MAX_CONTEXTS:
        raise CellError("too_many_contexts", limit=MAX_CONTEXTS)
    texts = [text_of(part if isinstance(part, str) else _text_in(part), odd) for part in parts]
    return [text for text in texts if text and not _is_no_context(text, odd)]


def _in_plain(text: str, odd: set[str], split: str) -> list[str]:
    pieces = splitting.split(text, split) if split and text else [text]
    if len(pieces) > 1 and "|" in split and splitting.looks_like_table_rows(pieces):
        odd.add("table_split")
    if len(pieces) > MAX_CONTEXTS:
        raise CellError("too_many_contexts", limit=MAX_CONTEXTS)
    return [piece for piece in pieces if piece and not _is_no_context(piece, odd)]


def _is_no_context(text: str, odd: set[str]) -> bool:
    if len(text) <= 8 and text.strip().lower() in NO_CONTEXT:
        odd.add("nan")
        return True
    return False


def parts_of(value: Any) -> list[Any] | None:
    """The elements of a list or of a text that writes one out; None for any other value.

    A list that holds nothing but one list of texts is that list. Raises CellError("bad_list").
    """
    if isinstance(value, str):
        try:
            value = listed(value)
        except NotWritten:
            raise CellError("bad_list") from None
    if isinstance(value, dict):
        return [value]
    if not isinstance(value, list):
        return None
    if len(value) == 1 and isinstance(inner := value[0], list) and all(isinstance(part, str) for part in inner):
        return inner
    return value


def _text_in(part: Any, level: int = 0, told: bool = False) -> Any:
    """The text of a document. told: the object tells of one, so that its only text may be a name of a file."""
    if isinstance(part, dict):
        for key in TEXT_KEYS:
            if isinstance(part.get(key), str):
                return part[key]
        for key in TEXT_HOLDERS if level < 2 else ():
            inner = part.get(key)
            if isinstance(inner, dict) and isinstance(found := _text_or_none(inner, level + 1, key in _TELLING), str):
                return found
        if len(part) == 1 and not told and isinstance(only := next(iter(part.values())), str):
            return only
    if isinstance(part, list) and len(part) == 1 and not isinstance(part[0], list):
        return _text_in(part[0], level)
    if isinstance(part, dict | list):
        raise CellError("bad_contexts")
    return part


def _text_or_none(part: Any, level: int, told: bool) -> Any:
    try:
        return _text_in(part, level, told)
    except CellError:
        return None


def storable(value: Any) -> Any:
    """The value as any database's JSON takes it: no NUL, no half characters, no NaN or infinity."""
    if isinstance(value, str):
        return _storable_text(value)
    if isinstance(value, dict):
        return {_storable_text(str(key)): storable(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [storable(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, int | float | bool) or value is None else str(value)


def _storable_text(text: str) -> str:
    if "\x00" in text:
        text = text.replace("\x00", "")
    if text.isascii():
        return text
    try:
        text.encode()  # ten times as fast as a search for what it refuses
    except UnicodeEncodeError:
        return SURROGATE.sub("", text)
    return text
