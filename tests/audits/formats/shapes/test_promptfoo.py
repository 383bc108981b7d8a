"""Results of promptfoo."""

import json

import pytest

from audits.formats import open_dataset
from audits.formats.shapes import recognise

from ..conftest import read
from .forms import A1, A2, C1, C2, EXPECTED, FORMS, Q1, Q2, as_csv, as_lines, told


def result(number, question, contexts, answer, context="context", asks="question"):
    variables = {asks: question, context: contexts}
    return {
        "id": f"r{number}",
        "promptIdx": 0,
        "testIdx": number,
        "testCase": {"vars": variables, "assert": []},
        "promptId": "p",
        "provider": {"id": "openai:gpt-4o", "label": ""},
        "prompt": {"raw": f"Context: {contexts}\nQuestion: {question}", "label": "rag"},
        "vars": variables,
        "response": {"output": answer, "tokenUsage": {"total": 9}, "cached": False},
        "success": True,
        "score": 1,
        "latencyMs": 12,
        "gradingResult": {"pass": True, "componentResults": []},
        "namedScores": {},
    }


@pytest.mark.parametrize("names", [("context", "question"), ("contexts", "query"), ("documents", "user_input")])
@pytest.mark.parametrize("form", FORMS)
def test_results(write, form, names):
    rows = [result(n, q, c, a, *names) for n, (q, c, a) in enumerate(EXPECTED, start=1)]
    opened = open_dataset(write(form(rows)))
    assert opened.understanding.shape == "promptfoo"
    assert told(opened) == [("r1", Q1, C1, A1), ("r2", Q2, C2, A2)]


def test_the_file_that_it_writes(write):
    results = [result(n, q, c[0], a) for n, (q, c, a) in enumerate(EXPECTED, start=1)]
    prompts = [{"raw": "{{question}}", "label": "rag", "provider": "openai:gpt-4o", "metrics": {"score": 1}}] * 3
    document = {
        "evalId": "eval-1",
        "results": {"version": 3, "prompts": prompts, "results": results, "stats": {"successes": 2}},
        "config": {"tests": [{"vars": one["vars"], "assert": []} for one in results * 2], "prompts": ["p"]},
        "shareableUrl": None,
    }
    opened = open_dataset(write(json.dumps(document, indent=2)))
    assert (opened.understanding.shape, opened.understanding.sheet) == ("promptfoo", "results.results")
    assert told(opened) == [("r1", Q1, C1[:1], A1), ("r2", Q2, C2, A2)]


def test_failed_calls_have_no_answer(write):
    rows = [result(1, Q1, C1, A1), result(2, Q2, C2, A2) | {"response": None, "error": "timeout", "success": False}]
    assert [one.flags for one in read(open_dataset(write(as_lines(rows))))[0]] == [(), ("no_answer",)]


def test_answers_that_are_objects(write):
    rows = [result(1, Q1, C1, A1)]
    rows[0]["vars"] = {"question": Q1}
    rows[0]["response"] = {"output": {"answer": A1, "context": C1}}
    assert told(open_dataset(write(as_lines(rows)))) == [("r1", Q1, C1, A1)]


def test_the_older_table_has_one_item_per_output(write):
    outputs = [{"text": text, "pass": True, "score": 1, "provider": name} for text, name in ((A1, "x"), (A2, "y"))]
    body = [
        {"vars": [C1[0], Q1], "test": {"vars": {"context": C1[0], "question": Q1}}, "testIdx": 4, "outputs": outputs}
    ]
    document = {
        "results": {"table": {"head": {"vars": ["context", "question"], "prompts": [{"raw": "p"}]}, "body": body}}
    }
    opened = open_dataset(write(json.dumps(document)))
    assert opened.understanding.shape == "promptfoo_table"
    assert told(opened) == [("4-1", Q1, C1[:1], A1), ("4-2", Q1, C1[:1], A2)]


def test_csv_has_one_item_per_model(write):
    text = (
        "question,context,[openai:gpt-4o] rag prompt,Status,Score,Named Scores,Grader Reason,Comment,"
        "[anthropic:x] rag prompt,Status,Score,Named Scores,Grader Reason,Comment\r\n"
        'q1,c1,"\'- first\n- second",PASS,1.00,,fine,,second answer,FAIL,0.00,,no,\r\n'
        "q2,c2,a3,PASS,1.00,,,,a4,PASS,1.00,,,\r\n"
    )
    opened = open_dataset(write(text))
    assert opened.understanding.shape == "promptfoo_csv"
    assert told(opened) == [
        ("", "q1", ["c1"], "- first\n- second"),
        ("", "q1", ["c1"], "second answer"),
        ("", "q2", ["c2"], "a3"),
        ("", "q2", ["c2"], "a4"),
    ]
    assert [one.generator for one in read(opened)[0]] == ["openai:gpt-4o", "anthropic:x"] * 2


def test_csv_of_older_versions_begins_with_the_verdict(write):
    row = {"query": Q1, "context": C1[0]}
    rows = [
        row | {"[openai:gpt-4o] rag": f"[PASS] {A1}"},
        row | {"[openai:gpt-4o] rag": f"[FAIL] (0.50) Expected x\n---\n{A2}"},
        row | {"[openai:gpt-4o] rag": f"[FAIL] {A2}"},
    ]
    assert [one[3] for one in told(open_dataset(write(as_csv(rows))))] == [A1, A2, A2]


@pytest.mark.parametrize(
    "rows",
    [
        [{"vars": {"question": Q1}, "response": {"output": A1}}],
        [{"question": Q1, "[1] source": "x", "Status": "ok", "answer": A1}],
        [{"prompt": Q1, "response": A1, "success": True, "score": 1}],
    ],
)
def test_near_misses(rows):
    shape = recognise(rows)
    assert shape is None or not shape.name.startswith("promptfoo")
