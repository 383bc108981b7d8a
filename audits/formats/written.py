"""Lists that a text writes out: as JSON, as Python, numpy or PostgreSQL print them, or documents of a framework."""

import ast
import json
import re
from collections.abc import Iterator
from typing import Any

MAX_ITEMS = 1_000
MAX_OBJECTS = 200_000  # code points of a list of objects as Python writes it; the parser takes 500 times as much
MAX_WRITTEN = 1_000_000  # code points of a list
_OPENS = frozenset('[{("a \t\r\n\ufeff\u3000')  # what a text can begin with that writes a list
_LIST = re.compile(r"""\[\s*(?:None\b|null\b|\[?\s*['"{])""")  # a list of texts or objects, not "[1] Some prose"
_DOCUMENTS = re.compile(r"\[\s*[A-Z]\w{2,40}\((?:\w+=|\))")  # [Document(page_content='…'), …]
_OBJECTS = re.compile(r"\[object Object\]")  # what JavaScript makes of objects: their texts are gone
_NUMPY = re.compile(r"array\((\[.*\])(?:,\s*dtype=\w+)?\)", re.DOTALL)
_QUOTED = r"""'[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*\""""
_ITEM = re.compile(rf"""\s*({_QUOTED}|None|nan)\s*,?\s*(?=[\]'"Nn])""", re.DOTALL)
_GROUP_ITEM = re.compile(rf"""(\s*)({_QUOTED}|None|NULL)\s*(?:,|(?=[)}}]$))""", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
DOCUMENT_TEXTS = ("page_content", "text", "content")
_DOCUMENT_HOLDERS = ("node", "document", "text_resource")


class NotWritten(Exception):
    """The text begins as a list does and does not end as one."""


def listed(text: str) -> Any:
    """The list that a text writes out, else the text itself.

    Texts and objects may be in the list; of documents as LangChain or LlamaIndex print them, the texts.
    Raises NotWritten when the list was cut or damaged.
    """
    if not text or text[0] not in _OPENS or len(text) > MAX_WRITTEN:
        return text
    stripped = text.strip(" \t\r\n\ufeff\u3000")
    if stripped.startswith("array("):
        array = _NUMPY.fullmatch(stripped)
        stripped = array[1] if array else stripped
    if stripped.startswith('"['):
        return _twice(stripped, text)
    if stripped.startswith(("(", "{")):
        return _group(stripped) or text
    if stripped.startswith("[") and stripped.endswith("]") and not stripped[1:-1].strip():
        return []
    if _OBJECTS.match(stripped):
        raise NotWritten
    if _DOCUMENTS.match(stripped):
        return _documents(stripped)
    return _list(stripped) if _LIST.match(stripped) else text


def _list(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _python_list(text)


def _twice(stripped: str, text: str) -> Any:
    """A list as JSON inside a JSON text; prose may begin so as well."""
    try:
        inner = json.loads(stripped)
        return _list(inner) if isinstance(inner, str) and _LIST.match(inner) else text
    except (ValueError, RecursionError):
        return text


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
        raise NotWritten
    return found


def _items(text: str) -> Iterator[str]:
    at = 1
    for _ in range(MAX_ITEMS + 1):
        item = _ITEM.match(text, at)
        if item is None:
            break
        yield item[1] if item[1] != "nan" else "None"
        at = item.end()
    if text[at:].strip() != "]":
        raise NotWritten


def _group(text: str) -> list[Any] | None:
    """A tuple or set of texts as Python writes it, or an array of PostgreSQL; None for any other text."""
    found: list[re.Match[str]] = []
    at = 1
    while at < len(text) - 1 and len(found) <= MAX_ITEMS:
        item = _GROUP_ITEM.match(text, at)
        if item is None:
            return None
        found.append(item)
        at = item.end()
    several = len(found) > 1 or (text[0] == "{" and found) or text.endswith(",)")
    if not several or text[at:].strip() != {"(": ")", "{": "}"}[text[0]]:
        return None
    postgres = text[0] == "{" and not any(item[1] or item[2][0] == "'" for item in found)
    return [_unquoted(item[2], postgres=postgres) for item in found]


def _unquoted(item: str, *, postgres: bool) -> Any:
    if item in {"None", "NULL"}:
        return None
    if postgres:  # a backslash stands before the character that is meant
        return _ESCAPED.sub(r"\1", item[1:-1])
    try:
        return ast.literal_eval(item)
    except (ValueError, SyntaxError):
        return item[1:-1]


def _documents(text: str) -> list[Any]:
    """The texts of [Document(page_content='…', metadata={…}), NodeWithScore(node=TextNode(text='…'), …)]."""
    try:
        tree = ast.parse(text, mode="eval") if len(text) <= MAX_OBJECTS else None
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        tree = None
    if tree is None or not isinstance(tree.body, ast.List):
        raise NotWritten
    return [_document_text(part) for part in tree.body.elts]


def _document_text(part: ast.expr) -> str:
    members = {word.arg: word.value for word in part.keywords} if isinstance(part, ast.Call) else {}
    for name in DOCUMENT_TEXTS:
        value = members.get(name)
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            return value.value
    for name in _DOCUMENT_HOLDERS:
        if name in members:
            return _document_text(members[name])
    raise NotWritten
