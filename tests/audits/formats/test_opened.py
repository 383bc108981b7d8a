"""What is understood of a file from its first rows."""

import json

import pytest

from audits.formats import SourceRow, check_mapping, open_dataset, opened
from audits.formats.head import Head, weight_of

from .conftest import read


def lines(rows):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


NESTED = [
    {
        "id": f"n{number}",
        "request": {"user": {"question": {"text": f"q{number}"}}},
        "retrieval": {"hits": [{"id": 1, "text": "甲"}, {"id": 2, "text": "乙"}], "index": "kb"},
        "reply": {"answer": {"text": f"a{number}", "language": "zh"}},
    }
    for number in range(3)
]


def test_nested_rows_of_no_known_tool_are_mapped_by_paths(write):
    found = open_dataset(write(lines(NESTED)))
    mapping = found.understanding.mapping
    assert found.understanding.shape == ""
    assert (mapping["question"], mapping["contexts"], mapping["answer"]) == (
        "request.user.question.text",
        "retrieval.hits[].text",
        "reply.answer.text",
    )
    assert [(one.question, one.contexts, one.answer) for one in read(found)[0]] == [
        (f"q{number}", ("甲", "乙"), f"a{number}") for number in range(3)
    ]


def test_contexts_that_lie_deeper_than_their_name(write):
    row = {
        "question": "q",
        "answer": "a",
        "chunks": [{"slice": {"content": "甲"}, "score": 1}, {"slice": {"content": "乙"}}],
    }
    found = open_dataset(write(lines([row, row])))
    assert found.understanding.mapping["contexts"] == "chunks[].slice.content"
    assert read(found)[0][0].contexts == ("甲", "乙")


def test_paths_are_offered_after_the_columns_and_may_be_chosen(write):
    found = open_dataset(write(lines(NESTED)))
    columns = found.understanding.columns
    assert columns[:6] == (
        "id",
        "request.user.question",
        "retrieval.hits",
        "retrieval.index",
        "reply.answer.text",
        "reply.answer.language",
    )
    assert set(columns[6:]) == {"request.user.question.text", "retrieval.hits[].text"}
    chosen = {"question": "retrieval.index", "contexts": ["retrieval.hits[].text"], "answer": "reply.answer.language"}
    check_mapping(chosen, columns)
    assert read(found, chosen)[0][0].contexts == ("甲", "乙")


def test_what_a_mapping_uses_is_always_offered(write):
    chat = {"id": "1", "timestamp": "t", "userId": "u", "sessionId": "s", "metadata": {"contexts": ["c"]}}
    row = chat | {"input": "q", "output": {"choices": [{"message": {"content": "a"}}]}}
    found = open_dataset(write(lines([row, row]))).understanding
    assert found.mapping["answer"] == "output.choices[0].message.content"
    check_mapping(found.mapping, found.columns)


def test_a_few_rows_of_another_form_change_nothing(write):
    rows = [*NESTED * 10, {"id": "x", "request": "text", "retrieval": None, "reply": {"answer": "plain"}}]
    records, problems = read(open_dataset(write(lines(rows))))
    assert len(records) == 30
    assert [(problem.line, problem.code) for problem in problems] == [(31, "nothing_to_audit")]


def observations(numbers, kind):
    output = [{"text": "c"}] if kind == "RETRIEVER" else "a"
    beside = {"type": kind, "parent_observation_id": None, "input": "q", "output": output}
    return [{"id": f"{kind}{number}", "trace_id": f"t{number}", **beside} for number in numbers]


def test_the_head_of_a_large_file_blames_no_row_for_being_alone(write, monkeypatch):
    monkeypatch.setattr(opened, "JOINED", 30)
    event = {
        "id": "e",
        "trace_id": "t0",
        "type": "EVENT",
        "parent_observation_id": None,
        "input": None,
        "output": None,
    }
    rows = [event, *observations(range(1, 40), "RETRIEVER"), *observations(range(40), "GENERATION")]
    found = open_dataset(write(lines(rows)))
    assert found.understanding.shape == "langfuse_observations"
    assert found.problems == ()
    records, problems = read(found)
    assert [one.external_id for one in records] == [f"t{number}" for number in range(40)]
    assert [one.flags for one in records] == [("no_context",)] + [()] * 39
    assert problems == []


def test_rows_can_be_read_again_from_the_start(write):
    found = open_dataset(write(lines(observations(range(5), "RETRIEVER") + observations(range(5), "GENERATION"))))
    next(found.rows())
    assert [row.values["id"] for row in found.rows()] == [row.values["id"] for row in found.rows()]


@pytest.mark.parametrize(
    ("answer", "codes"), [("退货需7天", []), ("é€€è´§å¤šä¹…", ["mojibake"]), ("a | b", []), ("锟斤拷", ["mojibake"])]
)
def test_notices_about_texts(write, answer, codes):
    row = {"question": "q", "contexts": ["c | d"], "answer": answer}
    found = open_dataset(write(lines([row, row])))
    assert [notice.code for notice in found.understanding.warnings] == codes


def test_texts_joined_by_a_sign_are_asked_about(write):
    row = {"question": "q", "context": "first text. | second text.", "answer": "a"}
    assert "joined_contexts" in [one.code for one in open_dataset(write(lines([row, row]))).understanding.warnings]


def test_an_optional_column_that_spoils_the_rows_is_left_alone(write):
    row = {
        "question": "q",
        "contexts": ["c"],
        "answer": "a",
        "reference": [{"chunks": [{"x": 1}], "total": 2}],
        "model": "m",
    }
    found = open_dataset(write(lines([row, row])))
    assert "reference" not in found.understanding.mapping
    records, problems = read(found)
    assert (problems, [one.generator for one in records]) == ([], ["m", "m"])
    assert records[0].metadata["reference"] == row["reference"]


def test_heavy_rows_make_a_short_head():
    rows = [SourceRow(line, {"text": "x" * 1000}) for line in range(1, 100)]
    head = Head(iter(rows), 50, heavy=5_000)
    assert ([row.line for row in head], head.cut) == ([1, 2, 3, 4, 5], True)
    head = Head(iter(rows[:3]), 50, heavy=10)
    assert ([row.line for row in head], head.cut) == ([1], True)
    head = Head(iter(rows[:3]), 50)
    assert (len(list(head)), head.cut) == (3, False)


def test_weights_count_texts_and_values_up_to_a_limit():
    assert weight_of({"ab": "cde"}, 1_000) == 50 + 2 + 50 + 3
    assert weight_of({"a": [[1, 2], {"b": None}]}, 1_000) == 50 + 1 + 50 + 50 + 100 + 50 + 1 + 50
    assert 1_000 < weight_of({"a": [0] * 1_000_000}, 1_000) < 2_000


def test_rows_of_very_many_values_are_opened(write):
    wide = [[[["x"] * 20] * 20] * 20] * 2
    row = {f"k{number}": wide for number in range(12)} | {"question": "q", "contexts": ["c"], "answer": "a"}
    found = open_dataset(write(lines([row] * 3)))
    assert found.understanding.mapping["contexts"] == "contexts"
    assert len(found.understanding.preview) == 1
