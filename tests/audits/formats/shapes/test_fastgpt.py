"""Chats and logs of FastGPT."""

import json

import pytest

from audits.formats import open_dataset
from audits.formats.shapes import recognise

from ..conftest import read
from .forms import A1, A2, C1, C2, FORMS, Q1, Q2, as_csv, as_json, as_lines, told

SYSTEM = {"obj": "System", "value": "s"}


def quotes(contexts):
    return [{"id": "x", "q": text, "a": "", "sourceName": "手册.pdf"} for text in contexts]


def turn(question, contexts, answer, texts=str):
    return [
        {"obj": "Human", "value": texts(question)},
        {
            "obj": "AI",
            "value": texts(answer),
            "responseData": [{"moduleName": "知识库搜索", "quoteList": quotes(contexts)}],
        },
    ]


def parts(text):
    return [{"type": "text", "text": {"content": text}}]


@pytest.mark.parametrize("texts", [str, parts])
@pytest.mark.parametrize("name", ["history", "chatItems", "对话"])
@pytest.mark.parametrize("form", FORMS)
def test_chats(write, form, name, texts):
    rows = [
        {"chatId": "c1", "title": "t", name: [SYSTEM, *turn(Q1, C1, A1, texts), *turn(Q2, C2, A2, texts)]},
        {"chatId": "c2", "title": "u", name: turn(Q2, C2, A2, texts)},
    ]
    opened = open_dataset(write(form(rows)))
    assert opened.understanding.shape == "fastgpt"
    assert told(opened) == [("c1#1", Q1, C1, A1), ("c1#2", Q2, C2, A2), ("c2", Q2, C2, A2)]
    assert [record.metadata["title"] for record in read(opened)[0]] == ["t", "t", "u"]


def test_quotes_of_steps_and_of_pairs(write):
    human, answer = turn(Q1, C1, A1)
    answer["dataId"] = "d1"
    pair = {"q": "保修多久？", "a": "12个月。"}
    answer["responseData"] = [
        {"moduleName": "AI 对话", "quoteList": quotes(C1[:1])},
        {"moduleName": "工具", "toolDetail": [{"quoteList": [*quotes(C1[:1]), pair]}]},
    ]
    rows = [{"chatId": "c", "history": [human, answer]}]
    for text in (as_json(rows), as_json(rows[0])):  # type: ignore[arg-type]
        assert told(open_dataset(write(text))) == [("d1", Q1, [C1[0], "保修多久？\n12个月。"], A1)]


def test_greetings_and_open_questions(write):
    greeting = {"obj": "AI", "value": "您好，请问有什么可以帮您？"}
    rows = [
        {"chatId": "c", "history": [greeting, *turn(Q1, C1, A1), {"obj": "Human", "value": Q2}]},
        {"chatId": "d", "history": [greeting]},
    ]
    records, problems = read(open_dataset(write(as_lines(rows))))
    assert [(one.question, one.answer, one.flags) for one in records] == [
        (Q1, A1, ()),
        (Q2, "", ("no_answer", "no_context")),
    ]
    assert [(one.line, one.code, one.value) for one in problems] == [
        (1, "no_item", greeting["value"]),
        (2, "no_item", greeting["value"]),
    ]


@pytest.mark.parametrize("form", FORMS)
def test_one_turn_per_row(write, form):
    first = [{"chatId": "c1", "time": "2024", **one} for one in turn(Q1, C1, A1)]
    second = [{"chatId": "c2", "time": "2024", **one} for one in turn(Q2, C2, A2)]
    opened = open_dataset(write(form([first[0], second[0], first[1], second[1]])))
    assert opened.understanding.shape == "fastgpt_turns"
    assert told(opened) == [("c1", Q1, C1, A1), ("c2", Q2, C2, A2)]


@pytest.mark.parametrize("names", [("question", "answer", "quoteList"), ("问题", "回答", "quoteList")])
@pytest.mark.parametrize("form", FORMS)
def test_one_answer_per_row(write, form, names):
    asks, answers, quoted = names
    rows = [
        {"chatId": f"c{n}", asks: q, answers: a, quoted: quotes(c)}
        for n, (q, c, a) in enumerate([(Q1, C1, A1), (Q2, C2, A2)])
    ]
    opened = open_dataset(write(form(rows)))
    assert opened.understanding.shape == "fastgpt_answers"
    assert told(opened) == [("c0", Q1, C1, A1), ("c1", Q2, C2, A2)]


def test_the_exported_log_does_not_say_who_speaks(write):
    details = [{"id": str(n), "value": parts(text)} for n, text in enumerate([Q1, A1, Q2, A2])]
    row = {
        "来源": "在线",
        "标题": "t",
        "消息总数": 4,
        "会话ID": "c1",
        "对话详情": json.dumps(details, ensure_ascii=False),
    }
    records, problems = read(open_dataset(write(as_csv([row]))))
    assert [(one.question, one.answer, one.flags) for one in records] == [
        (Q1, A1, ("no_context",)),
        (Q2, A2, ("no_context",)),
    ]
    assert problems == []


@pytest.mark.parametrize(
    "rows",
    [
        [{"chatId": "c", "history": [{"role": "Human", "value": Q1}, {"role": "AI", "value": A1}]}],
        [{"chatId": "c", "obj": "Invoice", "value": Q1}],
        [{"question": Q1, "answer": A1, "quotes": quotes(C1)}],
        [{"question": Q1, "answer": A1, "list": [{"id": 1, "value": "x"}]}],
    ],
)
def test_near_misses(rows):
    shape = recognise(rows)
    assert shape is None or not shape.name.startswith("fastgpt")
