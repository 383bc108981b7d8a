"""Arize Phoenix: questions with the documents joined, one row per document, or spans."""

import re
from collections.abc import Sequence
from typing import Any

from audits.formats.base import Row, RowProblem, SourceRow
from audits.formats.grouping import grouped
from audits.formats.nested import decoded
from audits.formats.shapes.base import Rows, each, gettext_noop
from audits.formats.shapes.choosing import chosen
from audits.formats.shapes.documents import contexts_in
from audits.formats.shapes.names import found, member, mostly, names_of, plain, text_member
from audits.formats.shapes.payloads import answer_in, question_in
from audits.formats.shapes.traces import ITEM, Span, items

_SPAN_ID = ("context.span_id", "span_id")
_TRACE_ID = ("context.trace_id", "trace_id")
_DOCUMENT = ("reference", "document.content", "document_content", "document.text", "document")
_QUESTION = ("input", "query", "question", "attributes.input.value")
_ANSWER = ("output", "response", "answer", "attributes.output.value")
_NUMBERED = re.compile(r"documents?\.(\d+)\.(?:document\.)?content$")


class PhoenixAnswers:
    """One row per answer, the documents joined in one text (get_qa_with_reference)."""

    name = "phoenix_answers"
    label = gettext_noop("an export of Phoenix answers with references")

    def fits(self, rows: Sequence[Row]) -> bool:
        """See Shape."""
        names = names_of(rows)
        sides = all(any(name.startswith(side) for name in names) for side in ("input", "output"))
        return "contextspanid" in names and sides and "reference" in names and "documentposition" not in names

    def mapping(self, columns: Sequence[str], rows: Sequence[Row]) -> dict[str, Any]:
        """See Shape. What Phoenix calls the reference is what was retrieved."""
        texts = chosen(columns, rows, inputs=("input",), outputs=("output",))
        own = {"reference": None, **found(columns, id=_SPAN_ID, contexts=("reference",))}
        return texts | own | {"split": ""}  # joined by blank lines, which occur inside documents as well

    def rows(self, rows: Rows) -> Rows:
        """See Shape."""
        return each(rows, _payloads)


class PhoenixDocuments:
    """One row per retrieved document (get_retrieved_documents)."""

    name = "phoenix_documents"
    label = gettext_noop("an export of Phoenix documents, one per row")

    def fits(self, rows: Sequence[Row]) -> bool:
        """See Shape."""
        names = names_of(rows)
        joined = names & {"contextspanid", "contexttraceid"}
        return bool("documentposition" in names and joined and names & {plain(name) for name in _DOCUMENT})

    def mapping(self, columns: Sequence[str], rows: Sequence[Row]) -> dict[str, Any]:
        """See Shape."""
        return ITEM | {"reference": None}

    def rows(self, rows: Rows) -> Rows:
        """See Shape."""
        for group in grouped(rows, _item_of, named="context.trace_id"):
            yield group if isinstance(group, RowProblem) else _with_documents(group)


class PhoenixSpans:
    """One row per span, of which several belong to one trace."""

    name = "phoenix_spans"
    label = gettext_noop("an export of Phoenix spans")

    def fits(self, rows: Sequence[Row]) -> bool:
        """See Shape."""
        return mostly(rows, _is_span)

    def mapping(self, columns: Sequence[str], rows: Sequence[Row]) -> dict[str, Any]:
        """See Shape."""
        return dict(ITEM)

    def rows(self, rows: Rows) -> Rows:
        """See Shape."""
        return items(rows, key=lambda values: text_member(values, *_TRACE_ID), named="context.trace_id", span=_span)


def _payloads(values: Row) -> Row:
    return {name: decoded(value) if plain(name) in {"input", "output"} else value for name, value in values.items()}


def _item_of(values: Row) -> str:
    return text_member(values, *_TRACE_ID, *_SPAN_ID)


def _with_documents(group: list[SourceRow]) -> SourceRow:
    """The rows of one answer as one row, the documents in the order of their positions."""
    first = group[0]
    spans = list(dict.fromkeys(text_member(row.values, *_SPAN_ID) for row in group))
    ordered = sorted(group, key=lambda row: (spans.index(text_member(row.values, *_SPAN_ID)), _position(row.values)))
    documents = [text for row in ordered for text in contexts_in(member(row.values, *_DOCUMENT))]
    questions = (question_in(member(row.values, *_QUESTION)) for row in group)
    answers = (answer_in(member(row.values, *_ANSWER)) for row in group)
    values = {
        "id": _item_of(first.values),
        "question": next((text for text in questions if text.strip()), ""),
        "contexts": list(dict.fromkeys(documents)),
        "answer": next((text for text in answers if text.strip()), ""),
    }
    taken = {plain(name) for name in (*_DOCUMENT, *_QUESTION, *_ANSWER, "document_position", "document_score")}
    notes = {name: value for name, value in first.values.items() if plain(name) not in taken and name not in values}
    return SourceRow(first.line, values | notes)


def _position(values: Row) -> float:
    try:
        return float(text_member(values, "document_position"))
    except ValueError:
        return 0.0


def _is_span(values: Row) -> bool:
    marks = ("openinference.span.kind", "input.value", "output.value", "retrieval.documents", "llm.output_messages")
    traced = bool(text_member(values, *_TRACE_ID))
    return traced and (any(_attribute(values, mark) is not None for mark in marks) or bool(_kind(values)))


def _kind(values: Row) -> str:
    has_attributes = any(plain(name).startswith("attributes") for name in values)
    return text_member(values, "span_kind").upper() if has_attributes else ""


def _attribute(values: Row, name: str) -> Any:
    return member(values, f"attributes.{name}")


def _span(values: Row) -> Span:
    kind = str(_attribute(values, "openinference.span.kind") or _kind(values)).upper()
    model = kind == "LLM"
    return Span(
        kind=kind.lower(),
        name=text_member(values, "name"),
        input=(_attribute(values, "llm.input_messages") if model else None) or _attribute(values, "input.value"),
        output=(_attribute(values, "llm.output_messages") if model else None) or _attribute(values, "output.value"),
        start=text_member(values, "start_time"),
        root=member(values, "parent_id", "parent_span_id", "context.parent_id") is None,
        documents=_documents(values),
        values=_told(values),
    )


def _documents(values: Row) -> list[str]:
    for name in ("reranker.output_documents", "retrieval.documents"):
        if (documents := _attribute(values, name)) is not None:
            return contexts_in(documents)
    numbered = ((_NUMBERED.search(name), value) for name, value in values.items())
    ordered = sorted((int(place[1]), str(value)) for place, value in numbered if place and isinstance(value, str))
    return [text for _, text in ordered if text.strip()]


def _told(values: Row) -> Row:
    """What travels along: what is said of the span itself, and the model's name."""
    told = {name: value for name, value in values.items() if not plain(name).startswith(("attributes", "context"))}
    model = _attribute(values, "llm.model_name")
    return told | ({"model": model} if isinstance(model, str) else {})
