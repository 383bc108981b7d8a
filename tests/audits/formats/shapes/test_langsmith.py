"""Exports of LangSmith."""

import pytest

from audits.formats import open_dataset
from audits.formats.shapes import recognise

from ..conftest import read
from .forms import A1, A2, C1, C2, FORMS, Q1, Q2, as_csv, as_json, as_lines, told


def documents(contexts):
    return [{"id": None, "metadata": {"source": "kb"}, "page_content": text, "type": "Document"} for text in contexts]


def run(number, question, contexts, answer, id_name="run_id"):
    return {
        id_name: f"r{number}",
        "trace_id": f"r{number}",
        "name": "RunnableSequence",
        "run_type": "chain",
        "parent_run_id": None,
        "inputs": {"input": {"question": question}},
        "outputs": {"output": {"answer": answer, "documents": documents(contexts)}},
    }


@pytest.mark.parametrize("id_name", ["run_id", "id"])
@pytest.mark.parametrize("form", FORMS)
def test_runs(write, form, id_name):
    opened = open_dataset(write(form([run(1, Q1, C1, A1, id_name), run(2, Q2, C2, A2, id_name)])))
    assert opened.understanding.shape == "langsmith_runs"
    assert told(opened) == [("r1", Q1, C1, A1), ("r2", Q2, C2, A2)]
    assert opened.understanding.mapping["question"] == "inputs.input.question"
    assert opened.understanding.mapping["contexts"] == "outputs.output.documents[].page_content"


@pytest.mark.parametrize(
    ("inputs", "outputs"),
    [
        ({"input": Q1}, {"answer": A1, "context": documents(C1)}),
        ({"query": Q1}, {"result": A1, "source_documents": documents(C1)}),
        ({"question": Q1, "context": C1}, {"output": A1}),
        (
            {"messages": [{"role": "user", "content": Q1}, {"role": "system", "content": "s"}], "docs": C1},
            {"output": A1},
        ),
    ],
)
def test_runs_of_other_applications(write, inputs, outputs):
    row = run(1, "", [], "") | {"inputs": inputs, "outputs": outputs}
    assert told(open_dataset(write(as_lines([row, row | {"run_id": "r2", "trace_id": "r2"}])))) == [
        ("r1", Q1, C1, A1),
        ("r2", Q1, C1, A1),
    ]


def message(kind, text):
    return {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain", "schema", "messages", kind],
        "kwargs": {"content": text},
    }


def steps(number, question, contexts, answer):
    root = run(number, question, [], "") | {"outputs": {"output": answer}, "start_time": "2024-01-01T00:00:00"}
    step = {"trace_id": f"r{number}", "parent_run_id": f"r{number}"}
    prompt = f"Context: {contexts[0]} Question: {question}"
    return [
        {**step, "run_id": f"m{number}", "run_type": "llm", "name": "ChatOpenAI", "start_time": "2024-01-01T00:00:02",
         "inputs": {"messages": [[message("SystemMessage", "s"), message("HumanMessage", prompt)]]},
         "outputs": {"generations": [[{"text": "draft", "message": message("AIMessage", "draft")}]]}},
        {**step, "run_id": f"d{number}", "run_type": "retriever", "start_time": "2024-01-01T00:00:01",
         "inputs": {"query": question}, "outputs": {"documents": documents(contexts)}},
        root,
    ]  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_runs_with_their_steps_are_joined(write, form):
    first, second = steps(1, Q1, C1, A1), steps(2, Q2, C2, A2)
    opened = open_dataset(write(form([row for pair in zip(second, first, strict=True) for row in pair])))
    assert opened.understanding.shape == "langsmith_traces"
    assert told(opened) == [("r2", Q2, C2, A2), ("r1", Q1, C1, A1)]


def test_steps_without_the_whole_run(write):
    model, retriever, _ = steps(1, Q1, C1, A1)
    assert told(open_dataset(write(as_lines([model, retriever])))) == [("r1", Q1, C1, "draft")]


def test_runs_that_hold_their_steps(write):
    model, retriever, root = steps(1, Q1, C1, A1)
    inner = [
        {name: value for name, value in one.items() if name not in {"trace_id", "parent_run_id"}}
        for one in (retriever, model)
    ]
    rows = [root | {"child_runs": [inner[0], {**inner[1], "child_runs": []}]}]
    opened = open_dataset(write(as_json(rows)))
    assert opened.understanding.shape == "langsmith_traces"
    assert told(opened) == [("r1", Q1, C1, A1)]


def test_a_step_among_whole_runs_is_said(write):
    runs = [run(number, Q1, C1, A1) for number in range(250)]
    records, problems = read(open_dataset(write(as_lines([*runs, *steps(900, Q1, C1, A1)]))))
    assert len(records) == 251
    assert [(one.line, one.code) for one in problems] == [(251, "no_item"), (252, "no_item")]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "beside",
    [
        {"metadata": {"dataset_split": ["base"]}},
        {"dataset_id": "d", "created_at": "2024-01-01", "source_run_id": None},
        {"reference_outputs": {"answer": "gold"}, "latency": 1.5},
    ],
)
def test_datasets(write, form, beside):
    rows = [
        {"id": f"e{number}", "inputs": {"question": q}, "outputs": {"answer": a, "contexts": c}, **beside}
        for number, (q, c, a) in enumerate([(Q1, C1, A1), (Q2, C2, A2)], start=1)
    ]
    opened = open_dataset(write(form(rows)))
    assert opened.understanding.shape == "langsmith_dataset"
    assert told(opened) == [("e1", Q1, C1, A1), ("e2", Q2, C2, A2)]


@pytest.mark.parametrize("prefix", ["{}", "inputs.{} outputs.{}", "input_{} output_{}"])
def test_datasets_with_their_keys_as_columns(write, prefix):
    asks, answers = (prefix.split() * 2)[:2]
    row = {asks.format("question"): Q1, answers.format("answer"): A1, answers.format("contexts"): C1}
    opened = open_dataset(write(as_csv([row | {"metadata": {"dataset_split": ["base"]}}])))
    assert opened.understanding.shape == "langsmith_dataset"
    assert told(opened) == [("", Q1, C1, A1)]


def test_experiments(write):
    row = {
        "inputs.question": Q1,
        "outputs.answer": A1,
        "outputs.documents": documents(C1),
        "error": None,
        "reference.answer": "gold",
        "feedback.correct": 1,
        "execution_time": 2.5,
        "example_id": "e",
        "id": "x",
    }
    opened = open_dataset(write(as_csv([row])))
    assert opened.understanding.shape == "langsmith_dataset"
    assert told(opened) == [("x", Q1, C1, A1)]


@pytest.mark.parametrize(
    "rows",
    [
        [{"question": Q1, "answer": A1, "contexts": C1, "metadata": {"split": "base"}}],
        [{"inputs": {"question": Q1}, "outputs": {"answer": A1}}],
        [{"run_type": "train", "inputs": Q1, "outputs": A1}],
        [{"id": "1", "run_type": "chain", "question": Q1, "answer": A1}],
    ],
)
def test_near_misses(rows):
    shape = recognise(rows)
    assert shape is None or not shape.name.startswith("langsmith")


def test_runs_spread_over_columns_by_pandas(write):
    rows = []
    for row in (*steps(1, Q1, C1, A1), *steps(2, Q2, C2, A2)):
        flat = {name: value for name, value in row.items() if name not in {"inputs", "outputs"}}
        flat |= {f"inputs.{name}": value for name, value in row["inputs"].items() if not isinstance(value, dict)}
        flat |= {
            f"inputs.{a}.{b}": c
            for a, value in row["inputs"].items()
            if isinstance(value, dict)
            for b, c in value.items()
        }
        rows.append(flat | {f"outputs.{name}": value for name, value in row["outputs"].items()})
    opened = open_dataset(write(as_csv(rows)))
    assert opened.understanding.shape == "langsmith_traces"
    assert told(opened) == [("r1", Q1, C1, A1), ("r2", Q2, C2, A2)]
