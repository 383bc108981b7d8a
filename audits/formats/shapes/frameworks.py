"""What RAG frameworks return: chains of LangChain, responses of LlamaIndex."""

from collections.abc import Iterator, Sequence
from typing import Any

from audits.formats.base import Row
from audits.formats.nested import decoded
from audits.formats.shapes.base import AsTheyAre, Rows, each, gettext_noop
from audits.formats.shapes.choosing import chosen
from audits.formats.shapes.documents import LISTS, written_document
from audits.formats.shapes.names import found, member, mostly, names_of, plain, text_member

_QUESTION = ("query", "question", "input", "user_input", "human_input")
_ANSWER = ("result", "answer", "output", "output_text", "response", "text")


class LangChain:
    """What a chain returned, with its documents."""

    name = "langchain"
    label = gettext_noop("answers of a LangChain chain")

    def fits(self, rows: Sequence[Row]) -> bool:
        """See Shape."""
        answered = mostly(rows, lambda row: text_member(row, *_QUESTION) and _answer(row))
        return answered and any(_are_documents(value) for row in rows for value in _lists(row))

    def mapping(self, columns: Sequence[str], rows: Sequence[Row]) -> dict[str, Any]:
        """See Shape."""
        return chosen(columns, rows) | found(columns, question=_QUESTION, answer=_ANSWER)

    def rows(self, rows: Rows) -> Rows:
        """See Shape."""
        return each(rows, _documents)


class LlamaIndex(AsTheyAre):
    """A response with its source nodes, or the result of an evaluation of one."""

    name = "llamaindex"
    label = gettext_noop("responses of LlamaIndex")

    def fits(self, rows: Sequence[Row]) -> bool:
        """See Shape."""
        names = names_of(rows)
        nodes = any(isinstance(decoded(member(row, "source_nodes")), list) for row in rows)
        evaluated = {"query", "response", "contexts", "passing"} <= names and bool(
            names & {"feedback", "invalidresult"}
        )
        return evaluated or (nodes and any(name.startswith(("response", "answer")) for name in names))

    def mapping(self, columns: Sequence[str], rows: Sequence[Row]) -> dict[str, Any]:
        """See Shape."""
        return chosen(columns, rows)


def _answer(values: Row) -> Any:
    answer = member(values, *_ANSWER)
    return answer if isinstance(answer, str | dict) else None


def _lists(values: Row) -> Iterator[Any]:
    return (decoded(value) for name, value in values.items() if plain(name) in LISTS)


def _are_documents(value: Any) -> bool:
    """Whether a list holds documents as LangChain has them, as objects or written out."""
    if isinstance(value, str):
        return "page_content=" in value[:2000] and value.lstrip("[ ").startswith(("Document(", "page_content="))
    parts = value if isinstance(value, list) else []
    return bool(parts) and all(
        written_document(part) is not None if isinstance(part, str) else isinstance(part, dict) and _is_document(part)
        for part in parts
    )


def _is_document(part: Row) -> bool:
    inner = member(part, "kwargs")
    return "pagecontent" in names_of([part, inner] if isinstance(inner, dict) else [part])


def _documents(values: Row) -> Row:
    """The row with documents that were written out as texts as objects again."""
    return {name: _objects(value) if plain(name) in LISTS else value for name, value in values.items()}


def _objects(value: Any) -> Any:
    parts = decoded(value)
    if not isinstance(parts, list) or not any(isinstance(part, str) and written_document(part) for part in parts):
        return value
    texts = ((part, written_document(part) if isinstance(part, str) else None) for part in parts)
    return [
        {"page_content": text if text is not None else part} if isinstance(part, str) else part
        for part, text in texts
    ]
