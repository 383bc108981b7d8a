"""Exports of Arize Phoenix."""

import pytest

from audits.formats import open_dataset
from audits.formats.shapes import recognise

from ..conftest import read
from .forms import A1, A2, C1, C2, EXPECTED, FORMS, Q1, Q2, as_csv, as_lines, told

JOINED = [(f"s{number}", q, ["\n\n".join(c)], a) for number, (q, c, a) in enumerate(EXPECTED, start=1)]


@pytest.mark.parametrize("asks", [lambda q: {"query": q}, lambda q: q, lambda q: {"question": q, "k": 3}])
@pytest.mark.parametrize("answers", [lambda a: a, lambda a: {"response": a}])
@pytest.mark.parametrize("form", FORMS)
def test_answers_with_joined_documents(write, form, asks, answers):
    rows = [
        {"context.span_id": name, "input": asks(q), "output": answers(a), "reference": contexts[0]}
        for name, q, contexts, a in JOINED
    ]
    opened = open_dataset(write(form(rows)))
    assert opened.understanding.shape == "phoenix_answers"
    assert told(opened) == JOINED
    assert {record.reference for record in read(opened)[0]} == {""}
    assert opened.understanding.warnings == ()


def documents(name, question, contexts, answer, content="reference"):
    rows = [
        {
            "context.span_id": f"s{name}",
            "document_position": position,
            "context.trace_id": f"t{name}",
            "input": question,
            content: text,
            "document_score": 0.7,
            "output": answer,
        }
        for position, text in enumerate(contexts)
    ]
    return rows[::-1]


@pytest.mark.parametrize("content", ["reference", "document.content"])
@pytest.mark.parametrize("form", FORMS)
def test_one_row_per_document(write, form, content):
    first, second = documents(1, Q1, C1, A1, content), documents(2, {"query": Q2}, C2, A2, content)
    opened = open_dataset(write(form([first[0], *second, *first[1:]])))
    assert opened.understanding.shape == "phoenix_documents"
    assert told(opened) == [("t1", Q1, C1, A1), ("t2", Q2, C2, A2)]


def test_documents_without_an_answer_say_so(write):
    rows = [{name: value for name, value in row.items() if name != "output"} for row in documents(1, Q1, C1, A1)]
    records, problems = read(open_dataset(write(as_csv(rows))))
    assert [(one.contexts, one.flags) for one in records] == [(tuple(C1), ("no_answer",))]
    assert problems == []


def spans(name, question, contexts, answer, spread=True):
    attributes = [
        {"openinference.span.kind": "CHAIN", "input.value": question, "output.value": answer},
        {
            "openinference.span.kind": "RETRIEVER",
            "input.value": "rewritten",
            "retrieval.documents": [{"document.content": text, "document.score": 0.5} for text in contexts],
        },
        {
            "openinference.span.kind": "LLM",
            "llm.model_name": "gpt-4o",
            "llm.input_messages": [{"message.role": "user", "message.content": f"{contexts[0]} {question}"}],
            "llm.output_messages": [{"message.role": "assistant", "message.content": "draft"}],
        },
    ]
    rows = []
    for number, one in enumerate(attributes):
        row = {
            "name": "x",
            "span_kind": one["openinference.span.kind"],
            "parent_id": f"{name}0" if number else None,
            "start_time": f"2024-01-01T00:00:0{number}",
        }
        if spread:
            row |= {f"attributes.{key}": value for key, value in one.items()}
            row |= {"context.span_id": f"{name}{number}", "context.trace_id": f"t{name}"}
        else:
            row |= {"attributes": one, "context": {"trace_id": f"t{name}", "span_id": f"{name}{number}"}}
        rows.append(row)
    return rows


@pytest.mark.parametrize("spread", [True, False])
@pytest.mark.parametrize("form", FORMS)
def test_spans_are_joined(write, form, spread):
    first, second = spans(1, Q1, C1, A1, spread), spans(2, Q2, C2, A2, spread)
    opened = open_dataset(write(form([*first[1:], *second, first[0]])))
    assert opened.understanding.shape == "phoenix_spans"
    assert told(opened) == [("t1", Q1, C1, A1), ("t2", Q2, C2, A2)]


def nested(flat):
    """{"input.value": 1} -> {"input": {"value": 1}}."""
    out: dict = {}
    for name, value in flat.items():
        *path, last = name.split(".")
        inner = out
        for step in path:
            inner = inner.setdefault(step, {})
        inner[last] = value
    return out


def test_spans_nested_to_the_last(write):
    rows = [{**row, "attributes": nested(row["attributes"])} for row in spans(1, Q1, C1, A1, spread=False)]
    rows[1]["attributes"]["retrieval"]["documents"] = [{"document": {"content": text}} for text in C1]
    rows[2]["attributes"]["llm"]["output_messages"] = [{"message": {"role": "assistant", "content": "draft"}}]
    assert told(open_dataset(write(as_lines(rows)))) == [("t1", Q1, C1, A1)]
    assert told(open_dataset(write(as_lines(rows[1:])))) == [("t1", "rewritten", C1, "draft")]


def test_spans_with_numbered_documents(write):
    chain, retriever, model = spans(1, Q1, C1, A1)
    del retriever["attributes.retrieval.documents"]
    numbered = {f"attributes.retrieval.documents.{n}.document.content": text for n, text in enumerate(C1)}
    assert told(open_dataset(write(as_csv([chain, retriever | numbered, model])))) == [("t1", Q1, C1, A1)]


@pytest.mark.parametrize(
    "rows",
    [
        [{"span_id": "1", "input": Q1, "output": A1, "reference": C1[0]}],
        [{"context.span_id": "1", "input": Q1, "output": A1}],
        [{"document_position": 1, "input": Q1, "reference": C1[0], "output": A1}],
        [{"trace_id": "1", "span_kind": "LLM", "input": Q1, "output": A1}],
        [{"trace_id": "1", "attributes.colour": "red", "question": Q1, "answer": A1}],
    ],
)
def test_near_misses(rows):
    shape = recognise(rows)
    assert shape is None or not shape.name.startswith("phoenix")
