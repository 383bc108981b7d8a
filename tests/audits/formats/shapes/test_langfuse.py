"""Exports of Langfuse."""

import pytest

from audits.formats import open_dataset
from audits.formats.shapes import recognise

from ..conftest import read
from .forms import A1, A2, C1, C2, EXPECTED, FORMS, Q1, Q2, as_json, as_lines, told

BESIDE = {"timestamp": "2024-03-01 10:00:00.000000", "name": "rag", "userId": "u", "sessionId": "s", "tags": ["prod"]}
SNAKE = {"timestamp": "2024-03-01", "user_id": "u", "session_id": "s", "environment": "default", "total_cost": 0.1}


def trace(number, question, contexts, answer, beside=BESIDE):
    return {
        "id": f"t{number}",
        **beside,
        "input": {"question": question},
        "output": {"answer": answer},
        "metadata": {"retrieved": [{"content": text, "score": 0.8} for text in contexts]},
        "release": None,
        "bookmarked": False,
    }


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("beside", [BESIDE, SNAKE])
def test_traces(write, form, beside):
    opened = open_dataset(write(form([trace(1, Q1, C1, A1, beside), trace(2, Q2, C2, A2, beside)])))
    assert opened.understanding.shape == "langfuse_traces"
    assert told(opened) == [("t1", Q1, C1, A1), ("t2", Q2, C2, A2)]
    mapping = opened.understanding.mapping
    assert mapping["contexts"] == "metadata.retrieved[].content"
    assert mapping["contexts"] in opened.understanding.columns


PAYLOADS = [
    (lambda q, c, a: (q, a, {"contexts": c})),
    (lambda q, c, a: (q, {"answer": a, "source_documents": [{"page_content": t, "metadata": {}} for t in c]}, None)),
    (lambda q, c, a: ({"query": q, "context": c}, {"response": a}, {})),
    (
        lambda q, c, a: (
            [{"role": "system", "content": "s"}, {"role": "user", "content": q}],
            {"role": "assistant", "content": a},
            {"documents": [{"text": t} for t in c]},
        )
    ),
    (
        lambda q, c, a: (
            {"messages": [{"role": "system", "content": "s"}, {"role": "user", "content": q}]},
            {"choices": [{"message": {"role": "assistant", "content": a}}]},
            {"retrieved_documents": c},
        )
    ),
]


@pytest.mark.parametrize("payload", PAYLOADS)
@pytest.mark.parametrize("form", FORMS)
def test_traces_hold_what_the_application_logged(write, form, payload):
    rows = []
    for number, (question, contexts, answer) in enumerate(EXPECTED, start=1):
        given, got, metadata = payload(question, contexts, answer)
        rows.append(
            {"id": f"t{number}", **BESIDE, "input": given, "output": got, "metadata": metadata, "release": ""}
        )
    opened = open_dataset(write(form(rows)))
    assert opened.understanding.shape == "langfuse_traces"
    assert told(opened) == [("t1", Q1, C1, A1), ("t2", Q2, C2, A2)]


def observations(number, question, contexts, answer, camel=False):
    trace_id, parent = ("traceId", "parentObservationId") if camel else ("trace_id", "parent_observation_id")
    return [
        {
            "id": f"o{number}r",
            trace_id: f"t{number}",
            "type": "RETRIEVER",
            parent: f"o{number}g",
            "input": question,
            "output": [{"pageContent": text, "metadata": {}} for text in contexts],
        },
        {
            "id": f"o{number}g",
            trace_id: f"t{number}",
            "type": "GENERATION",
            "model": "gpt-4o",
            parent: None,
            "input": [{"role": "system", "content": "s"}, {"role": "user", "content": question}],
            "output": {"role": "assistant", "content": answer},
        },
    ]


@pytest.mark.parametrize("camel", [True, False])
@pytest.mark.parametrize("form", FORMS)
def test_observations_are_joined(write, form, camel):
    first, second = observations(1, Q1, C1, A1, camel), observations(2, Q2, C2, A2, camel)
    rows = [first[0], second[1], first[1], second[0]]
    opened = open_dataset(write(form(rows)))
    assert opened.understanding.shape == "langfuse_observations"
    assert told(opened) == [("t1", Q1, C1, A1), ("t2", Q2, C2, A2)]
    assert {record.generator for record in read(opened)[0]} == {"gpt-4o"}


def test_a_whole_application_with_steps_is_asked_and_answers(write):
    prompt = f"Use the context.\nContext: {C1[0]}\nQuestion: {Q1}"
    common = {"traceId": "t1", "startTime": "2024-01-01T00:00:0"}
    rows = [
        {"id": "c", **common, "startTime": "5", "type": "GENERATION", "parentObservationId": "a", "name": "condense",
         "input": [{"role": "user", "content": "condense"}], "output": "condensed"},
        {"id": "a", **common, "startTime": "1", "type": "SPAN", "parentObservationId": "", "name": "rag",
         "input": {"args": [Q1], "kwargs": {}}, "output": {"answer": A1, "documents": C1}},
        {"id": "b", **common, "startTime": "2", "type": "SPAN", "parentObservationId": "a", "name": "vector-search",
         "input": {"query": "rewritten"}, "output": {"hits": [{"payload": {"text": text}} for text in C1]}},
        {"id": "d", **common, "startTime": "9", "type": "GENERATION", "parentObservationId": "a", "name": "answer",
         "input": [{"role": "user", "content": prompt}], "output": A2},
    ]  # fmt: skip
    assert told(open_dataset(write(as_lines(rows)))) == [("t1", Q1, C1, A1)]


def test_a_prompt_that_wraps_the_question_is_not_the_question(write):
    retriever, model = observations(1, Q1, C1, A1)
    model["input"][1]["content"] = f"Context:\n{C1[0]}\n\nQuestion: {Q1}"
    assert told(open_dataset(write(as_lines([retriever, model])))) == [("t1", Q1, C1, A1)]


def test_traces_that_hold_their_observations(write):
    rows = [
        {
            "id": "t1",
            **BESIDE,
            "input": Q1,
            "output": A1,
            "observations": observations("x", "rewritten", C1, "draft"),
        },
        {"id": "t2", **BESIDE, "input": Q2, "output": None, "observations": observations("y", Q2, C2, A2)},
    ]
    for text in (as_json(rows), as_json({"data": rows, "meta": {"page": 1}})):  # type: ignore[arg-type]
        opened = open_dataset(write(text))
        assert opened.understanding.shape == "langfuse_observations"
        assert told(opened) == [("t1", Q1, C1, A1), ("t2", Q2, C2, A2)]


def test_halves_are_imported_and_flagged_and_nothing_disappears(write):
    first, second, third = (observations(number, Q1, C1, A1) for number in (1, 2, 3))
    event = {
        "id": "e",
        "trace_id": "t3",
        "type": "EVENT",
        "parent_observation_id": None,
        "input": "x",
        "output": None,
    }
    lost = {**event, "id": "l", "trace_id": ""}
    opened = open_dataset(write(as_lines([first[1], second[0], event, lost, third[0] | {"output": []}])))
    records, problems = read(opened)
    assert [(one.external_id, one.answer, one.flags) for one in records] == [
        ("t1", A1, ("no_context",)),
        ("t2", "", ("no_answer",)),
    ]
    assert [(one.line, one.code) for one in problems] == [(4, "no_key"), (3, "no_item"), (5, "no_item")]


@pytest.mark.parametrize(
    "rows",
    [
        [{"id": "1", "input": Q1, "output": A1, "context": C1}],
        [{"id": "1", "type": "GENERATION", "input": Q1, "output": A1}],
        [{"id": "1", "trace_id": "t", "type": "invoice", "input": Q1, "output": A1, "level": "x"}],
        [{"id": "1", "input": Q1, "output": A1, "environment": "test"}],
        [{"trace_id": "1", "question": Q1, "answer": A1, "contexts": C1, "session_id": "s", "user_id": "u"}],
    ],
)
def test_near_misses(rows):
    shape = recognise(rows)
    assert shape is None or not shape.name.startswith("langfuse")
