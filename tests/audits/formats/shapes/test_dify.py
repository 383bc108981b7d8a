"""Logs of Dify."""

import json

import pytest

from audits.formats import open_dataset
from audits.formats.shapes import recognise

from .forms import A1, A2, C1, C2, FORMS, Q1, Q2, as_lines, told


def resources(contexts):
    return [
        {
            "position": n,
            "dataset_name": "kb",
            "document_name": "d.docx",
            "segment_id": f"s{n}",
            "score": 0.8,
            "content": text,
        }
        for n, text in enumerate(contexts, start=1)
    ]


def message(number, question, contexts, answer):
    return {
        "id": f"m{number}",
        "conversation_id": "c",
        "inputs": {},
        "query": question,
        "answer": answer,
        "message_files": [],
        "feedback": None,
        "metadata": {"usage": {"total_tokens": 5}, "retriever_resources": resources(contexts)},
        "created_at": 1705407629,
    }


ROWS = [message(1, Q1, C1, A1), message(2, Q2, C2, A2)]
READ = [("m1", Q1, C1, A1), ("m2", Q2, C2, A2)]


@pytest.mark.parametrize("form", FORMS)
def test_messages(write, form):
    opened = open_dataset(write(form(ROWS)))
    assert opened.understanding.shape == "dify"
    assert told(opened) == READ
    assert opened.understanding.mapping["contexts"] == "metadata.retriever_resources[].content"


@pytest.mark.parametrize("form", FORMS)
def test_messages_as_the_api_lists_them(write, form):
    rows = [{**row, "retriever_resources": row["metadata"]["retriever_resources"], "metadata": None} for row in ROWS]
    opened = open_dataset(write(form(rows)))
    assert opened.understanding.shape == "dify"
    assert told(opened) == READ


@pytest.mark.parametrize(
    "envelope",
    [
        {"limit": 20, "has_more": False, "data": ROWS},
        {"code": 0, "msg": "success", "data": {"total": 2, "page": 1, "list": ROWS}},
    ],
)
def test_envelopes(write, envelope):
    opened = open_dataset(write(json.dumps(envelope, indent=2)))
    assert opened.understanding.shape == "dify"
    assert told(opened) == READ


def test_one_answer_alone(write):
    assert told(open_dataset(write(json.dumps(ROWS[0], indent=2)))) == READ[:1]


def test_messages_inside_conversations(write):
    conversations = [{"id": "c1", "name": "n", "messages": ROWS[:1]}, {"id": "c2", "name": "n", "messages": ROWS[1:]}]
    opened = open_dataset(write(json.dumps({"data": conversations})))
    assert opened.understanding.shape == "dify"
    assert told(opened) == READ


def workflow(number, question, contexts, answer):
    return {
        "id": f"w{number}",
        "workflow_id": "wf",
        "status": "succeeded",
        "inputs": {"sys.query": question, "sys.files": []},
        "outputs": {"answer": answer, "result": resources(contexts)},
        "elapsed_time": 1.5,
    }


@pytest.mark.parametrize("form", FORMS)
def test_workflows(write, form):
    opened = open_dataset(write(form([workflow(1, Q1, C1, A1), workflow(2, Q2, C2, A2)])))
    assert opened.understanding.shape == "dify_workflow"
    assert told(opened) == [("w1", Q1, C1, A1), ("w2", Q2, C2, A2)]


@pytest.mark.parametrize("event", [{"event": "workflow_finished"}, {}])
def test_events_of_workflows(write, event):
    rows = [
        {**event, "workflow_run_id": f"w{n}", "task_id": "t", "data": data}
        for n, data in enumerate([workflow(1, Q1, C1, A1), workflow(2, Q2, C2, A2)], start=1)
    ]
    opened = open_dataset(write(as_lines(rows)))
    assert opened.understanding.shape == "dify_workflow"
    assert told(opened) == [("w1", Q1, C1, A1), ("w2", Q2, C2, A2)]


@pytest.mark.parametrize(
    "rows",
    [
        [{"id": "1", "query": Q1, "answer": A1, "contexts": C1}],
        [{"conversation_id": "1", "query": Q1, "answer": A1, "contexts": C1}],
        [{"id": "1", "inputs": {"query": Q1}, "outputs": {"text": A1}}],
    ],
)
def test_near_misses(rows):
    shape = recognise(rows)
    assert shape is None or not shape.name.startswith("dify")
