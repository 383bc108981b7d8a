"""Chat logs with one message per row, and conversations as other tools write them."""

import json

import pytest

from audits.formats import open_dataset

from ..conftest import read
from .forms import A1, A2, C1, C2, EXPECTED, FORMS, Q1, Q2, as_json, as_lines, told

READ = [(Q1, C1, A1), (Q2, C2, A2)]


def texts(opened):
    return [(question, contexts, answer) for _id, question, contexts, answer in told(opened)]


def openai(key, question, contexts, answer):
    return [
        {"session_id": key, "role": "user", "content": question, "sources": None},
        {"session_id": key, "role": "assistant", "content": answer, "sources": contexts},
    ]


def chinese(key, question, contexts, answer):
    return [
        {"会话ID": key, "角色": "用户", "内容": question, "引用": None},
        {"会话ID": key, "角色": "助手", "内容": answer, "引用": contexts},
    ]


def coze(key, question, contexts, answer):
    recalled = {"msg_type": "knowledge_recall", "data": json.dumps({"chunks": [{"slice": one} for one in contexts]})}
    own = {"conversation_id": key, "role": "assistant"}
    return [
        {"conversation_id": key, "role": "user", "type": "question", "content": question},
        own | {"type": "knowledge", "content": json.dumps(recalled)},
        own | {"type": "answer", "content": answer},
        own | {"type": "follow_up", "content": "还有别的问题吗？"},
    ]


@pytest.mark.parametrize("of", [openai, chinese, coze])
@pytest.mark.parametrize("form", FORMS)
def test_messages_are_joined_by_conversation(write, form, of):
    first, second = of("k1", *EXPECTED[0]), of("k2", *EXPECTED[1])
    rows = [*first[:1], *second[:1], *first[1:], *second[1:]]  # a log of several at once
    opened = open_dataset(write(form(rows)))
    assert opened.understanding.shape == "message_rows"
    assert told(opened) == [("k1", *READ[0]), ("k2", *READ[1])]


def test_without_a_key_a_question_begins_a_conversation(write):
    rows = [
        {name: value for name, value in message.items() if name != "session_id"}
        for row in EXPECTED
        for message in openai("", *row)
    ]
    assert texts(open_dataset(write(as_lines(rows)))) == READ


def test_in_an_envelope_the_messages_are_the_rows(write):
    rows = [message for number, row in enumerate(EXPECTED) for message in coze(f"k{number}", *row)]
    opened = open_dataset(write(json.dumps({"code": 0, "msg": "", "data": rows})))
    assert (opened.understanding.shape, opened.understanding.sheet) == ("message_rows", "data")
    assert texts(opened) == READ


@pytest.mark.parametrize("form", [as_json, as_lines])
def test_lists_of_messages_are_conversations(write, form):
    rows = [
        [{"role": "user", "content": q}, {"role": "assistant", "content": a, "contexts": c}] for q, c, a in EXPECTED
    ]
    opened = open_dataset(write(form(rows)))
    assert opened.understanding.shape == "conversations"
    assert texts(opened) == READ


def test_the_results_of_a_search_among_the_output_are_contexts(write):
    def row(question, contexts, answer):
        search = {"type": "file_search_call", "id": "f", "results": [{"text": one, "score": 0.5} for one in contexts]}
        said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": answer}]}
        return {"id": "", "input": [{"role": "user", "content": question}], "output": [search, said]}

    opened = open_dataset(write(as_lines([row(*one) for one in EXPECTED])))
    assert opened.understanding.shape == "conversations"
    assert texts(opened) == READ


def test_other_names_of_a_conversation(write):
    def claude(question, _contexts, answer):
        return {"chat_messages": [{"sender": "human", "text": question}, {"sender": "assistant", "text": answer}]}

    def gemini(question, _contexts, answer):
        return {
            "contents": [
                {"role": "user", "parts": [{"text": question}]},
                {"role": "model", "parts": [{"text": answer}]},
            ]
        }

    for wrap in (claude, gemini):
        opened = open_dataset(write(as_lines([wrap(*one) for one in EXPECTED])))
        records, problems = read(opened)
        assert problems == []
        assert [(one.question, one.answer) for one in records] == [(Q1, A1), (Q2, A2)]
