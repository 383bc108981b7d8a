"""Logs of conversations, as the chat interfaces of models write them."""

import json

import pytest

from audits.formats import open_dataset
from audits.formats.shapes import recognise

from ..conftest import read
from .forms import A1, A2, C1, C2, EXPECTED, FORMS, Q1, Q2, as_lines, told

READ = [("", Q1, C1, A1), ("", Q2, C2, A2)]


def openai(question, answer):
    return [
        {"role": "system", "content": "s"},
        {"role": "user", "content": question},
        {"role": "assistant", "content": answer},
    ]


def in_parts(question, answer):
    return [
        {"role": one["role"], "content": [{"type": "text", "text": one["content"]}]}
        for one in openai(question, answer)
    ]


def langchain(question, answer):
    return [{"type": "human", "content": question}, {"type": "ai", "content": answer}]


def sharegpt(question, answer):
    return [{"from": "human", "value": question}, {"from": "gpt", "value": answer}]


@pytest.mark.parametrize("write_chat", [openai, in_parts, langchain, sharegpt])
@pytest.mark.parametrize(
    "beside",
    [
        lambda c: {"contexts": c},
        lambda c: {"documents": [{"content": text, "score": 1} for text in c]},
        lambda c: {"metadata": {"retrieved": [{"text": text} for text in c]}},
    ],
)
@pytest.mark.parametrize("form", FORMS)
def test_messages_and_contexts_beside_them(write, form, beside, write_chat):
    rows = [{"messages": write_chat(q, a), **beside(c)} for q, c, a in EXPECTED]
    opened = open_dataset(write(form(rows)))
    assert opened.understanding.shape == "conversations"
    assert told(opened) == READ


def test_request_and_response(write):
    rows = [
        {
            "id": f"x{number}",
            "model": "gpt-4o",
            "request": {"model": "gpt-4o", "messages": openai(q, "")[:2]},
            "response": {"choices": [{"message": {"role": "assistant", "content": a}}]},
            "context": c,
        }
        for number, (q, c, a) in enumerate(EXPECTED, start=1)
    ]
    opened = open_dataset(write(as_lines(rows)))
    assert told(opened) == [("x1", Q1, C1, A1), ("x2", Q2, C2, A2)]
    assert {one.generator for one in read(opened)[0]} == {"gpt-4o"}


def test_contexts_of_each_answer(write):
    chat = openai(Q1, A1) + openai(Q2, A2)[1:]
    chat[2]["context"] = {"citations": [{"content": text, "title": "t"} for text in C1]}
    chat[4]["context"] = {"citations": [{"content": text} for text in C2]}
    assert told(open_dataset(write(as_lines([{"id": "c", "messages": chat}])))) == [
        ("c#1", Q1, C1, A1),
        ("c#2", Q2, C2, A2),
    ]


def test_what_tools_returned_is_the_context(write):
    chat = openai(Q1, A1)
    chat[2:2] = [
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]},
        {"role": "tool", "tool_call_id": "1", "content": json.dumps([{"text": text} for text in C1])},
    ]
    assert told(open_dataset(write(as_lines([{"messages": chat}])))) == [("", Q1, C1, A1)]


def test_earlier_turns_travel_along(write):
    chat = openai("before", "earlier") + openai(Q1, A1)[1:]
    records, problems = read(open_dataset(write(as_lines([{"messages": chat, "contexts": C1}]))))
    assert [(one.question, one.answer, one.contexts) for one in records] == [(Q1, A1, tuple(C1))]
    assert records[0].metadata["earlier"] == ["before", "earlier"]
    assert problems == []


def test_one_conversation_alone(write):
    document = {"messages": openai(Q1, A1), "contexts": C1}
    assert told(open_dataset(write(json.dumps(document, indent=1)))) == READ[:1]


@pytest.mark.parametrize(
    "row",
    [
        {"question": Q1, "contexts": C1, "answer": A1, "history": openai("q", "a")},
        {"messages": [{"role": "user", "content": Q1}], "contexts": C1},
        {"messages": [{"role": "buyer", "content": Q1}, {"role": "seller", "content": A1}]},
        {"messages": ["x", "y"], "prompt": Q1, "completion": A1},
        {"turns": [{"question": Q1, "reply": A1}]},
    ],
)
def test_near_misses(row):
    assert recognise([row]) is None


def test_a_list_with_an_element_for_each_answer(write):
    chat = openai(Q1, A1) + openai(Q2, A2)[1:]
    chunks = [{"chunks": [{"content": text, "document_name": "d"} for text in c], "total": 2} for c in (C1, C2)]
    assert told(open_dataset(write(as_lines([{"id": "c", "messages": chat, "reference": chunks}])))) == [
        ("c#1", Q1, C1, A1),
        ("c#2", Q2, C2, A2),
    ]


def test_what_an_assistant_says_besides_its_answer(write):
    chat = [
        {"role": "user", "type": "question", "content": Q1},
        {
            "role": "assistant",
            "type": "knowledge",
            "content": json.dumps({"chunks": [{"text": text} for text in C1]}),
        },
        {"role": "assistant", "type": "answer", "content": A1},
        {"role": "assistant", "type": "verbose", "content": '{"msg_type": "generate_answer_finish"}'},
        {"role": "assistant", "type": "follow_up", "content": "还想知道什么？"},
    ]
    assert told(open_dataset(write(as_lines([{"messages": chat}])))) == [("", Q1, C1, A1)]


@pytest.mark.parametrize(
    "beside",
    [
        lambda texts: {"chunks": [{"segmentText": one, "score": 0.5} for one in texts]},
        lambda texts: {"contexts": [{"segmentText": one, "score": 0.5} for one in texts]},
        lambda texts: {"retrieval": {"total": 2, "list": [{"segmentText": one} for one in texts]}, "docs": []},
        lambda texts: {"docs": {"total": 2, "list": [{"segmentText": one} for one in texts]}},
    ],
)
def test_contexts_beside_a_conversation_under_names_that_nobody_knows(write, beside):
    rows = [
        {"messages": [{"role": "user", "content": q}, {"role": "assistant", "content": a}]} | beside(c)
        for q, c, a in EXPECTED
    ]
    opened = open_dataset(write(as_lines(rows)))
    found = opened.understanding
    if "retrieval" in rows[0]:  # no name says that these are contexts: that is told
        assert "no_contexts" in {notice.code for notice in found.warnings}
    else:
        assert "contexts_path" in {notice.code for notice in found.warnings}
        assert [contexts for _id, _question, contexts, _answer in told(opened)] == [C1, C2]
