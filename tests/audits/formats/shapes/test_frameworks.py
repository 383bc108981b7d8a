"""What LangChain and LlamaIndex return."""

import json

import pytest

from audits.formats import open_dataset
from audits.formats.shapes import recognise

from .forms import A1, A2, C1, C2, EXPECTED, FORMS, Q1, Q2, as_csv, as_json, as_lines, told

READ = [("", Q1, C1, A1), ("", Q2, C2, A2)]


def plain(text):
    return {"page_content": text, "metadata": {"source": "kb"}}


def of_javascript(text):
    return {"pageContent": text, "metadata": {"source": "kb"}}


def serialised(text):
    return {"lc": 1, "type": "constructor", "id": ["langchain", "documents", "Document"], "kwargs": plain(text)}


def written(text):
    return f"page_content={text!r} metadata={{'source': 'kb'}}"


@pytest.mark.parametrize("document", [plain, of_javascript, serialised, written])
@pytest.mark.parametrize(
    "names",
    [
        ("query", "result", "source_documents"),
        ("input", "answer", "context"),
        ("question", "output_text", "input_documents"),
        ("question", "answer", "documents"),
    ],
)
@pytest.mark.parametrize("form", FORMS)
def test_chains(write, form, names, document):
    asks, answers, holds = names
    rows = [{asks: q, answers: a, holds: [document(text) for text in c]} for q, c, a in EXPECTED]
    opened = open_dataset(write(form(rows)))
    assert opened.understanding.shape == "langchain"
    assert told(opened) == READ


def test_documents_as_python_prints_them(write):
    def printed(contexts):
        return (
            "["
            + ", ".join(f"Document(metadata={{'source': 'kb'}}, page_content={text!r})" for text in contexts)
            + "]"
        )

    rows = [{"query": q, "result": a, "source_documents": printed(c)} for q, c, a in EXPECTED]
    opened = open_dataset(write(as_csv(rows)))
    assert opened.understanding.shape == "langchain"
    assert told(opened) == READ


NODES = [
    lambda text: {"node": {"id_": "n", "text": text, "metadata": {}, "class_name": "TextNode"}, "score": 0.8},
    lambda text: {"node": {"id_": "n", "text_resource": {"text": text}, "metadata": {}}, "score": 0.8},
    lambda text: {"id": "n", "text": text, "score": 0.8},
]


@pytest.mark.parametrize("node", NODES)
@pytest.mark.parametrize("names", [("query", "response", "source_nodes"), ("query_str", "response", "sourceNodes")])
@pytest.mark.parametrize("form", FORMS)
def test_responses(write, form, names, node):
    asks, answers, holds = names
    rows = [
        {asks: q, answers: a, holds: [node(text) for text in c], "metadata": {"n": {"file": "x"}}}
        for q, c, a in EXPECTED
    ]
    opened = open_dataset(write(form(rows)))
    assert opened.understanding.shape == "llamaindex"
    assert told(opened) == READ


def test_one_response_alone(write):
    row = {"response": A1, "source_nodes": [NODES[0](text) for text in C1], "metadata": {"n": {"file": "x"}}}
    for indent in (None, 2):
        assert told(open_dataset(write(json.dumps(row, indent=indent)))) == [("", "", C1, A1)]


def test_evaluations_of_responses(write):
    rows = [
        {
            "query": q,
            "contexts": c,
            "response": a,
            "passing": True,
            "feedback": "YES",
            "score": 1.0,
            "invalid_result": False,
        }
        for q, c, a in EXPECTED
    ]
    for form in FORMS:
        opened = open_dataset(write(form(rows)))
        assert opened.understanding.shape == "llamaindex"
        assert told(opened) == READ


@pytest.mark.parametrize(
    "rows",
    [
        [{"page_content": C1[0], "metadata": {}}],  # documents alone answer nothing
        [{"question": Q1, "answer": A1, "context": [{"text": text} for text in C1]}],
        [{"question": Q1, "answer": A1, "context": C1}],
        [{"query": Q1, "response": A1, "sources": [{"text": text} for text in C1]}],
        [{"query": Q1, "response": A1, "contexts": C1, "passing": True}],
    ],
)
def test_near_misses(rows):
    assert recognise(rows) is None


def test_documents_of_other_tools_need_no_shape(write):
    rows = [{"question": q, "answer": a, "docs": [{"id": 1, "text": text} for text in c]} for q, c, a in EXPECTED]
    for form in (as_json, as_lines, as_csv):
        opened = open_dataset(write(form(rows)))
        assert opened.understanding.shape == ""
        assert told(opened) == READ


def test_pipelines_of_haystack_need_no_shape(write):
    older = [
        {
            "query": q,
            "answers": [{"answer": a, "type": "generative", "context": "cut", "score": 0.5}],
            "documents": [{"id": "x", "content": text, "meta": {}} for text in c],
        }
        for q, c, a in EXPECTED
    ]
    newer = [
        {
            "prompt_builder": {"question": q},
            "llm": {"replies": [a], "meta": [{"model": "m"}]},
            "retriever": {"documents": [{"id": "x", "content": text, "score": 0.5} for text in c]},
        }
        for q, c, a in EXPECTED
    ]
    for rows in (older, newer):
        for form in (as_json, as_lines, as_csv):
            assert told(open_dataset(write(form(rows)))) == READ
        for indent in (None, 1):
            assert told(open_dataset(write(json.dumps(rows[0], indent=indent)))) == READ[:1]
