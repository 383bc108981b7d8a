"""Texts that lie deeper than the name that gives them away."""

import json

import pytest

from audits.formats import open_dataset

from .conftest import read

ROWS = [("q1?", ["c1.", "c2."], "a1."), ("q2?", ["It's c3.\nTwo lines."], "a2 'x'.")]


def lines(wrap):
    return "".join(json.dumps(wrap(*row), ensure_ascii=False) + "\n" for row in ROWS)


def reply(answer):
    return {"id": "c", "model": "m", "choices": [{"index": 0, "message": {"role": "assistant", "content": answer}}]}


def message(answer):
    return {"lc": 1, "type": "constructor", "id": ["x", "AIMessage"], "kwargs": {"content": answer}}


def printed(text):
    return f"page_content='{text}' metadata={{'p': 1}}"


@pytest.mark.parametrize(
    "wrap",
    [
        lambda q, c, a: {"question": q, "completion": reply(a), "docs": [{"text": one} for one in c]},
        lambda q, c, a: {"request": {"query": q}, "response": {"body": reply(a)}, "contexts": c},
        lambda q, c, a: {"input": q, "contexts": c, "answer": message(a)},
        lambda q, c, a: {"prompt": q, "response": json.dumps({"text": a, "sources": [{"text": one} for one in c]})},
        lambda q, c, a: {"question": q, "answer": a, "context": [printed(one) for one in c]},
        lambda q, c, a: {"question": q, "answer": a, "context": [f"page_content={one!r}" for one in c]},
    ],
)
def test_the_text_is_found_and_nothing_is_lost(write, wrap):
    records, problems = read(open_dataset(write(lines(wrap))))
    assert problems == []
    assert [(one.question, list(one.contexts), one.answer) for one in records] == ROWS


def test_a_path_into_a_list_that_was_damaged_is_a_problem(write):
    good = json.dumps([{"content": "c", "score": 1}])
    rows = [["q1?", good, "a1."], ["q2?", "[{'content': c, 'score': 1}]", "a2."]]
    text = "question,docs,answer\n" + "".join(f'{q},"{c.replace(chr(34), chr(34) * 2)}",{a}\n' for q, c, a in rows)
    opened = open_dataset(write(text))
    records, problems = read(opened, dict(opened.understanding.mapping) | {"contexts": "docs[].content"})
    assert [record.contexts for record in records] == [("c",)]
    assert [(problem.line, problem.code) for problem in problems] == [(3, "bad_list")]


def test_a_file_without_any_context_is_said_to_be_so(write):
    opened = open_dataset(write("question,context,answer\nq1?,,a1.\nq2?,n/a,a2.\n"))
    assert "no_contexts" in {notice.code for notice in opened.understanding.warnings}
    opened = open_dataset(write("question,context,answer\nq1?,,a1.\nq2?,c,a2.\n"))
    assert "no_contexts" not in {notice.code for notice in opened.understanding.warnings}
