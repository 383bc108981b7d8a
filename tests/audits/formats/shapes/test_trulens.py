"""Exports of TruLens."""

import json

import pytest

from audits.formats import open_dataset
from audits.formats.shapes import recognise

from ..conftest import read
from .forms import A1, A2, C1, C2, EXPECTED, FORMS, Q1, Q2, as_csv, as_lines, told


def call(method, rets, path="app"):
    return {
        "stack": [{"path": "app", "method": {"name": "query"}}, {"path": path, "method": {"name": method}}],
        "rets": rets,
    }


def record(number, question, answer, calls, encode=json.dumps):
    return {
        "app_id": "app_hash_1",
        "app_name": "rag",
        "record_id": f"r{number}",
        "input": encode(question),
        "output": encode(answer),
        "tags": "-",
        "record_json": {"record_id": f"r{number}", "main_input": question, "main_output": answer, "calls": calls},
        "ts": "2024-03-01T10:00:00",
        "Groundedness": 0.8,
        "total_tokens": 512,
    }


@pytest.mark.parametrize("encode", [json.dumps, str])
@pytest.mark.parametrize("form", FORMS)
def test_records(write, form, encode):
    rows = [
        record(n, q, a, [call("retrieve", c), call("generate", a)], encode)
        for n, (q, c, a) in enumerate(EXPECTED, start=1)
    ]
    opened = open_dataset(write(form(rows)))
    assert opened.understanding.shape == "trulens"
    assert told(opened) == [("r1", Q1, C1, A1), ("r2", Q2, C2, A2)]
    assert not any("record_json" in name for one in read(opened)[0] for name in one.metadata)


@pytest.mark.parametrize(
    "calls",
    [
        [call("_get_relevant_documents", [{"page_content": text, "metadata": {}} for text in C1])],
        [call("invoke", [{"page_content": text} for text in C1], path="app.retriever")],
        [call("aretrieve", [{"node": {"text": text, "id_": "x"}, "score": 0.5} for text in C1])],
        [call("retrieve", C1), call("_retrieve", C1)],
        [call("query", A1), call("step", C1)],  # nobody says retrieve: the first list
        [call("query", A1), call("get_context", "\n".join(C1)[:0] or C1)],
    ],
)
def test_calls_of_other_applications(write, calls):
    assert told(open_dataset(write(as_lines([record(1, Q1, A1, calls)])))) == [("r1", Q1, C1, A1)]


def test_contexts_from_what_was_judged(write):
    row = record(1, Q1, A1, [])
    row["Context Relevance_calls"] = [{"args": {"question": Q1, "context": text}, "ret": 1.0} for text in C1]
    assert told(open_dataset(write(as_csv([row])))) == [("r1", Q1, C1, A1)]


def test_a_record_without_contexts_keeps_its_record(write):
    records, _ = read(open_dataset(write(as_lines([record(1, Q1, A1, [call("generate", A1)])]))))
    assert records[0].flags == ("no_context",)
    assert "record_json.calls" in records[0].metadata


@pytest.mark.parametrize(
    "rows",
    [
        [{"record_id": "1", "input": Q1, "output": A1, "context": C1}],
        [{"id": "1", "input": Q1, "output": A1, "app_id": "x", "total_tokens": 1}],
    ],
)
def test_near_misses(rows):
    shape = recognise(rows)
    assert shape is None or shape.name != "trulens"
