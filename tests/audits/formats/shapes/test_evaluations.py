"""Datasets of ragas and deepeval."""

import json

import pytest

from audits.formats import open_dataset
from audits.formats.shapes import recognise

from ..conftest import read
from .forms import A1, A2, C1, C2, EXPECTED, FORMS, Q1, Q2, as_csv, as_json, as_lines, told

READ = [("", Q1, C1, A1), ("", Q2, C2, A2)]
RAGAS = [
    {"user_input": q, "retrieved_contexts": c, "response": a, "reference": "gold", "reference_contexts": ["gold"]}
    for q, c, a in EXPECTED
]


def camel(rows):
    def name(snake):
        first, *rest = snake.split("_")
        return first + "".join(part.title() for part in rest)

    return [{name(key): value for key, value in row.items()} for row in rows]


@pytest.mark.parametrize("style", [list, camel])
@pytest.mark.parametrize("form", FORMS)
def test_ragas(write, form, style):
    opened = open_dataset(write(form(style(RAGAS))))
    assert opened.understanding.shape == "ragas"
    assert told(opened) == READ
    assert {record.reference for record in read(opened)[0]} == {"gold"}


def test_ragas_with_scores_and_without_references(write):
    rows = [{"user_input": q, "retrieved_contexts": c, "response": a, "faithfulness": 0.5} for q, c, a in EXPECTED]
    opened = open_dataset(write(as_csv(rows)))
    assert opened.understanding.shape == "ragas"
    assert told(opened) == READ


def test_ragas_conversations(write):
    talk = [{"content": "hi", "type": "human"}, {"content": "hello", "type": "ai"}]
    talk += [{"content": Q1, "type": "human"}, {"content": A1, "type": "ai"}]
    opened = open_dataset(write(as_json([{"user_input": talk, "reference": "gold", "rubrics": None}])))
    assert opened.understanding.shape == "ragas"
    records, _ = read(opened)
    assert [(one.question, one.answer, one.flags) for one in records] == [(Q1, A1, ("no_context",))]


def test_a_testset_of_ragas_has_no_answers(write):
    rows = [
        {"user_input": q, "reference_contexts": c, "reference": "gold", "synthesizer_name": "s"}
        for q, c, _ in EXPECTED
    ]
    understanding = open_dataset(write(as_csv(rows))).understanding
    assert understanding.shape == "ragas"
    assert (understanding.mapping["answer"], understanding.mapping["contexts"]) == (None, None)


@pytest.mark.parametrize("truth", [{"ground_truth": "gold"}, {"ground_truths": ["gold", "other"]}])
@pytest.mark.parametrize("form", FORMS)
def test_older_ragas(write, form, truth):
    rows = [{"question": q, "answer": a, "contexts": c, **truth} for q, c, a in EXPECTED]
    opened = open_dataset(write(form(rows)))
    assert opened.understanding.shape == "ragas_old"
    assert told(opened) == READ
    assert {record.reference for record in read(opened)[0]} == {"gold"}


DEEPEVAL = [
    {
        "input": q,
        "actual_output": a,
        "expected_output": "gold",
        "retrieval_context": c,
        "context": ["gold context"],
        "name": None,
        "tools_called": None,
        "additional_metadata": None,
    }
    for q, c, a in EXPECTED
]


@pytest.mark.parametrize("style", [list, camel])
@pytest.mark.parametrize("form", FORMS)
def test_deepeval(write, form, style):
    opened = open_dataset(write(form(style(DEEPEVAL))))
    assert opened.understanding.shape == "deepeval"
    assert told(opened) == READ
    assert {record.reference for record in read(opened)[0]} == {"gold"}


def test_deepeval_test_run(write):
    run = {"testCases": [{**row, "metricsData": [{"name": "f", "score": 1}]} for row in camel(DEEPEVAL)]}
    run |= {"conversationalTestCases": [], "metricsScores": [{"metric": "f", "scores": [1]}], "testPassed": 2}
    opened = open_dataset(write(json.dumps(run)))
    assert (opened.understanding.shape, opened.understanding.sheet) == ("deepeval", "testCases")
    assert told(opened) == READ


@pytest.mark.parametrize("form", [as_csv, as_lines])
def test_deepeval_joins_contexts_by_a_sign_that_texts_hold(write, form):
    opened = open_dataset(write(form([{**row, "retrieval_context": "|".join(C1)} for row in DEEPEVAL])))
    assert "joined_contexts" in [notice.code for notice in opened.understanding.warnings]
    assert {one[2][0] for one in told(opened)} == {"|".join(C1)}


def test_deepeval_without_what_was_retrieved_takes_no_gold_for_it(write):
    rows = [{name: value for name, value in row.items() if name != "retrieval_context"} for row in DEEPEVAL]
    assert open_dataset(write(as_csv(rows))).understanding.mapping["contexts"] is None


@pytest.mark.parametrize(
    "row",
    [
        {"question": Q1, "contexts": C1, "answer": A1},
        {"question": Q1, "contexts": C1[0], "answer": A1, "ground_truth": "gold"},
        {"question": Q1, "context": C1, "answer": A1, "ground_truth": "gold"},
        {"user_input": Q1, "response": A1, "contexts": C1},
        {"input": Q1, "output": A1, "context": C1, "expected_output": "gold"},
        {"input": Q1, "actual_output": A1},
    ],
)
def test_near_misses(row):
    assert recognise([row]) is None
