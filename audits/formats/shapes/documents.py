"""Contexts inside what a retriever gave back, however the tool wraps its documents."""

import ast
import re
from typing import Any

from audits.formats.cells import TEXT_HOLDERS, TEXT_KEYS, is_missing
from audits.formats.nested import decoded
from audits.formats.shapes.names import plain, plain_names
from audits.formats.written import NotWritten, listed

LISTS = plain_names(
    """
    retrieved_contexts retrieval_context retrieved_context contexts context source_documents source_nodes
    retrieved_documents retrieved_docs retrieved_chunks retrieved_passages retrieved_nodes retrieved
    retriever_resources quote_list input_documents documents document docs passages chunks nodes snippets
    search_results paragraph_list paragraphs citations references sources hits matches evidence knowledge results
    result 检索片段 检索上下文 检索结果 召回内容 召回片段 上下文 参考资料 引用 引用内容 知识库内容 文档 片段
    """
)
"""Plain names under which contexts lie, the surest first."""
_AS_TEXT = LISTS[:5]  # where a text alone is a context, too
_TEXTS = tuple(plain(name) for name in TEXT_KEYS)
_HOLDERS = tuple(plain(name) for name in (*TEXT_HOLDERS, "item", "value", "data"))
_PAGE_CONTENT = re.compile(r"""page_content=('[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*")""", re.S)
_BARE_MARK = re.compile(r"(?<!\\)'")
_LEVELS = 8
_LONGEST = 1_000_000  # code points of a document that was written out


def contexts_in(value: Any, level: int = 0) -> list[str]:
    """The texts of documents, in order: a list of texts or documents, an object that holds one, a single text."""
    if level > _LEVELS or is_missing(value):
        return []
    if isinstance(value, str):
        value = _written(value)
        if isinstance(value, str):
            return [value]
    if isinstance(value, list):
        return [text for part in value for text in contexts_in(part, level + 1)]
    if isinstance(value, dict):
        own = document_text(value)
        return [own] if own else found_contexts(value, level + 1) or _only_list(value, level + 1)
    return []


def _only_list(value: dict[str, Any], level: int) -> list[str]:
    lists = [inner for inner in value.values() if isinstance(inner, list)]
    return contexts_in(lists[0], level) if len(lists) == 1 else []


def _written(text: str) -> Any:
    """What a text writes out: a list, an object, one document of LangChain; else the text itself."""
    document = written_document(text)
    if document is not None:
        return document
    inner = decoded(text)
    try:
        return listed(text) if inner is text else inner
    except NotWritten:
        return text


def written_document(text: str) -> str | None:
    """The text of one document that LangChain wrote out: "page_content='…' metadata={…}"; None for any other text."""
    if not text.startswith(("page_content=", "Document(")):
        return None
    if (as_it_is := _unescaped_document(text)) is not None:
        return as_it_is
    document = _PAGE_CONTENT.search(text, 0, _LONGEST)
    if not document:
        return None
    try:
        return str(ast.literal_eval(document[1]))
    except (ValueError, SyntaxError):
        return None


def _unescaped_document(text: str) -> str | None:
    """What str() of a document wrote: its text as it is, between single marks; None for what repr() may have written.

    That writes a line break as an escape and a mark inside with a backslash, or takes other marks around.
    """
    start = "page_content='"
    end = max(text.rfind("' metadata={"), len(text) - 1 if text.endswith("'") else -1)
    inner = text[len(start) : end] if text.startswith(start) and end >= len(start) else ""
    return inner if "\n" in inner or _BARE_MARK.search(inner) else None


def found_contexts(value: Any, level: int = 0) -> list[str]:
    """The contexts under one of LISTS somewhere in an object; the surest name, on the highest level, wins."""
    value = decoded(value)
    if level > _LEVELS or not isinstance(value, dict | list):
        return []
    if isinstance(value, list):
        return [text for part in value if isinstance(part, dict) for text in found_contexts(part, level + 1)]
    by_name = {plain(name): inner for name, inner in value.items()}
    for name in LISTS:
        inner = decoded(by_name.get(name))
        holds = isinstance(inner, list | dict) or (name in _AS_TEXT and isinstance(inner, str))
        if holds and (found := contexts_in(inner, level + 1)):
            return found
    for inner in value.values():
        if found := found_contexts(inner, level + 1):
            return found
    return []


def document_text(value: dict[str, Any], level: int = 0) -> str:
    """The text of one document, "" for an object that is none."""
    by_name = {plain(name): inner for name, inner in value.items()}
    for name in _TEXTS:
        if isinstance(text := by_name.get(name), str) and text.strip():
            return text
    for name in _HOLDERS if level < 3 else ():
        inner = decoded(by_name.get(name))
        if isinstance(inner, dict) and (text := document_text(inner, level + 1)):
            return text
    return ""
