"""What holds of every shape."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audits.formats import FormatError, RowProblem, SourceRow, open_dataset
from audits.formats.shapes import SHAPES, recognise

from ..conftest import refused
from .forms import as_csv, as_lines

NAMES = [
    *("id", "input", "output", "metadata", "messages", "type", "trace_id", "run_type", "parent_run_id", "inputs"),
    *(
        "outputs",
        "history",
        "obj",
        "value",
        "responseData",
        "quoteList",
        "q",
        "a",
        "vars",
        "response",
        "test",
        "text",
    ),
    *("attributes", "attributes.input.value", "context.trace_id", "context.span_id", "document_position", "pass"),
    *("record_json", "calls", "rets", "stack", "record_id", "query", "answer", "retriever_resources", "source_nodes"),
    *(
        "user_input",
        "retrieved_contexts",
        "page_content",
        "node",
        "role",
        "content",
        "observations",
        "chatId",
        "choices",
    ),
    *("question", "contexts", "ground_truths", "actual_output", "[openai:x] y", "Status", "data", "event"),
]
WORDS = [
    *("RETRIEVER", "GENERATION", "chain", "llm", "retriever", "Human", "AI", "user", "assistant", "[]", "{", "[{}]"),
    *(
        '{"a": 1}',
        '[{"role": "user"}]',
        '"x"',
        "[PASS] y",
        "page_content='x",
        "Document(",
        "[Document(page_content=1)]",
    ),
]
texts = st.one_of(st.text(max_size=6), st.sampled_from(WORDS))
values = st.recursive(
    st.one_of(texts, st.none(), st.booleans(), st.integers(-2, 2), st.floats()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.one_of(st.sampled_from(NAMES), texts), inner, max_size=3)
    ),
    max_leaves=10,
)
rows_of_anything = st.lists(st.dictionaries(st.sampled_from(NAMES), values, max_size=8), min_size=1, max_size=4)


@pytest.mark.thorough
@pytest.mark.parametrize("name", SHAPES)
@settings(max_examples=60)
@given(rows=rows_of_anything)
def test_a_shape_reads_whatever_it_is_given(name, rows):
    shape = SHAPES[name]
    shape.fits(rows)
    given_rows = [SourceRow(line, row) for line, row in enumerate(rows, start=1)]
    found = list(shape.rows(iter(given_rows)))
    assert all(isinstance(one, SourceRow | RowProblem) for one in found)
    assert {one.line for one in found} <= {one.line for one in given_rows}
    assert found, "nothing disappears silently"
    good = [one.values for one in found if isinstance(one, SourceRow)]
    if good:
        shape.mapping(list(dict.fromkeys(key for row in good for key in row)), good)


@settings(max_examples=60)
@given(rows=rows_of_anything, form=st.sampled_from([as_csv, as_lines]))
def test_any_rows_are_imported_or_explained(rows, form, tmp_path_factory):
    path: Path = tmp_path_factory.mktemp("any") / "upload"
    path.write_text(form(rows), encoding="utf-8", errors="replace", newline="")
    try:
        opened = open_dataset(path)
        names = set(opened.understanding.columns)
        used = [name for role in ("id", "question", "answer") if (name := opened.understanding.mapping.get(role))]
        assert set(used) <= names
        list(opened.rows())
    except FormatError as error:
        assert "Nothing was imported." in str(error)


def test_names_and_labels():
    assert all(name == shape.name and len(name) <= 40 for name, shape in SHAPES.items())
    labels = [shape.label for shape in SHAPES.values()]
    assert len(set(labels)) == len(labels) - 1  # two tables of promptfoo


@pytest.mark.parametrize(
    "row",
    [
        {"question": "q", "contexts": ["c"], "answer": "a"},
        {"id": "1", "问题": "q", "检索片段": ["c"], "回答": "a", "参考答案": "g"},
        {"id": "1", "query": "q", "context": "c", "response": "a", "timestamp": "2024", "tags": ["t"], "model": "m"},
        {"prompt": "q", "completion": "a"},
        {"text": "t", "label": "SUPPORTED"},
        {"id": "1", "type": "SPAN", "name": "n"},
        {},
    ],
)
def test_plain_tables_are_no_shape(row):
    assert recognise([row]) is None


def test_a_plain_table_can_be_wanted_and_a_shape_chosen(write):
    rows = [{"user_input": "q", "retrieved_contexts": ["c"], "response": "a"}]
    path = write(as_lines(rows))
    assert open_dataset(path).understanding.shape == "ragas"
    assert open_dataset(path, shape="").understanding.shape == ""
    assert open_dataset(path, shape="deepeval").understanding.shape == "deepeval"
    error = refused(path, shape="lost")
    assert error.code == "unknown_shape" and "ragas" in str(error)
