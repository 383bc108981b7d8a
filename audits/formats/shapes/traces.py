"""A trace of an application, as spans: which one asks, which ones retrieve, which one answers."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from audits.formats.base import Row, RowProblem, SourceRow
from audits.formats.cells import is_missing
from audits.formats.grouping import grouped
from audits.formats.messages import row_problem
from audits.formats.shapes.base import Rows
from audits.formats.shapes.chats import last_of, messages_in
from audits.formats.shapes.documents import contexts_in, found_contexts
from audits.formats.shapes.names import plain, plain_names
from audits.formats.shapes.payloads import answer_in, question_in

ITEM = {"id": "id", "question": "question", "contexts": "contexts", "answer": "answer"}
"""The mapping for rows of `items`."""
_RETRIEVES = re.compile(r"retriev|search|knowledge|vector|recall|rerank|lookup|检索|召回|知识", re.I)
_HEAVY = frozenset(
    plain_names("input output inputs outputs documents messages events parent_observation_id parent_run_id parent_id")
)
_LONGEST_NOTE = 2_000  # code points of what travels along from a span


@dataclass
class Span:
    """One step. kind: "retriever", "reranker", "llm", or anything else."""

    kind: str
    name: str
    input: Any
    output: Any
    start: str = ""
    root: bool = False
    documents: list[str] = field(default_factory=list)  # where the tool keeps them beside the output
    values: Row = field(default_factory=dict)  # what may travel along


def items(rows: Rows, *, key: Callable[[Row], str], named: str, span: Callable[[Row], Span]) -> Rows:
    """One row per trace with the columns of ITEM and what the answering span says about itself.

    Rows of a trace that holds neither an answer nor contexts are problems ("no_item").
    """
    for group in grouped(rows, key, named=named):
        if isinstance(group, RowProblem):
            yield group
        else:
            yield from _item(group, key(group[0].values), span)


def _item(group: Sequence[SourceRow], name: str, span: Callable[[Row], Span]) -> Iterator[SourceRow | RowProblem]:
    spans = sorted((span(row.values) for row in group), key=lambda one: one.start)
    contexts = contexts_of(spans)
    answering, answer = answer_of(spans)
    if not answer and not contexts:
        yield from (row_problem(row.line, "no_item", values=row.values) for row in group)
        return
    question = question_of(spans, answering, contexts)
    values = {"id": name, "question": question, "contexts": contexts, "answer": answer}
    told = [one for one in (answering, *(one for one in spans if one.root)) if one]
    yield SourceRow(group[0].line, values | _notes(told, values))


def contexts_of(spans: Sequence[Span]) -> list[str]:
    """What was retrieved, each text once; of what a reranker saw, only what it let pass."""
    for kind in ("reranker", "retriever"):
        of_kind = [one for one in spans if one.kind == kind]
        if found := _once(text for one in of_kind for text in one.documents or contexts_in(one.output)):
            return found
    steps = [one for one in spans if one.kind not in {"llm", "retriever"} and _RETRIEVES.search(one.name)]
    if found := _once(text for one in steps for text in one.documents or _documents_of_step(one.output)):
        return found
    for one in [*(one for one in spans if one.root), *spans]:
        for place in (one.output, one.values.get("metadata"), one.input):
            if found := _once(one.documents or found_contexts(place)):
                return found
    return []


def _documents_of_step(output: Any) -> list[str]:
    return contexts_in(output) if isinstance(output, list) else found_contexts(output)


def _once(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(texts))


def answer_of(spans: Sequence[Span]) -> tuple[Span | None, str]:
    """The span that answers and its text: the whole application where it has one, else the last model."""
    roots = [(one, answer_in(one.output, sure=one.kind != "llm")) for one in spans if one.root and _may_answer(one)]
    models = [(one, answer_in(one.output)) for one in reversed(spans) if one.kind == "llm"]
    steps = [one for one in reversed(spans) if isinstance(one.output, dict) and _may_answer(one)]
    others = [(one, answer_in(one.output, sure=True)) for one in steps]
    return next((found for found in (*roots, *models, *others) if found[1].strip()), (None, ""))


def _may_answer(span: Span) -> bool:
    return span.kind not in {"retriever", "reranker", "embedding"} and (span.root or not _RETRIEVES.search(span.name))


def question_of(spans: Sequence[Span], answering: Span | None, contexts: Sequence[str]) -> str:
    """What the user asked: of the application, else of the model, else of the retriever.

    A model's prompt that holds what was retrieved is not what the user asked; the retriever's query is closer.
    """
    roots = [question_in(one.input, sure=True) for one in spans if one.root and one.kind != "llm"]
    queries = [question_in(one.input) for one in spans if one.kind == "retriever"]
    query = next((text for text in queries if text.strip()), "")
    asked = _asked(answering) if answering else ""
    wraps = query and query != asked and any(text[:40] in asked for text in contexts)
    found = (*roots, query if wraps else asked, query, *(_asked(one) for one in spans if one.kind == "llm"))
    return next((text for text in found if text.strip()), "")


def _asked(span: Span) -> str:
    return last_of(messages_in(span.input), "user") or question_in(span.input)


def _notes(spans: Iterable[Span], taken: Row) -> Row:
    """What the spans say about themselves, without their texts and what is taken already."""
    notes: Row = {}
    for span in spans:
        for name, value in span.values.items():
            light = isinstance(value, bool | int | float) or (isinstance(value, str) and len(value) <= _LONGEST_NOTE)
            light = light or (isinstance(value, list) and all(isinstance(part, str) for part in value[:20]))
            if name not in taken and plain(name) not in _HEAVY and light and not is_missing(value) and value != []:
                notes.setdefault(name, value)
    return notes
