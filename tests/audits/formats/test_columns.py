"""What a row becomes under a mapping, and which mappings fit a file."""

import json
from datetime import UTC, datetime

import pytest

from audits.formats import FormatError, RowProblem, SourceRow, check_mapping, map_record
from audits.formats.columns import FLAGS, ROLES

MAPPING = {"id": "id", "question": "question", "contexts": "contexts", "answer": "answer"}


def record(mapping=MAPPING, **values):
    return map_record(SourceRow(7, {"id": "1", "question": "q", "contexts": "c", "answer": "a", **values}), mapping)


@pytest.mark.parametrize("missing", ["question", "contexts", "answer"])
@pytest.mark.parametrize("empty", [None, "absent", []])
def test_needed_columns_must_be_chosen(missing, empty):
    mapping = {**MAPPING, missing: empty}
    if empty == "absent":
        del mapping[missing]
    with pytest.raises(FormatError) as caught:
        check_mapping(mapping, ["id", "question", "contexts", "answer"])
    assert caught.value.code == "missing_column"
    assert caught.value.params["column"] == missing
    assert "id, question, contexts, answer" in str(caught.value)


def test_a_file_may_have_no_questions_and_no_ids():
    check_mapping({"id": None, "question": "", "contexts": ["x", "y"], "answer": "z"}, ["x", "y", "z"])
    found = record({**MAPPING, "id": None, "question": ""})
    assert (found.external_id, found.question, found.flags) == ("", "", ("no_question",))


def test_unknown_column_and_missing_header_are_told_apart():
    with pytest.raises(FormatError) as caught:
        check_mapping({**MAPPING, "answer": "gone"}, ["id", "question", "contexts", "answer"])
    assert (caught.value.code, caught.value.params["name"]) == ("unknown_column", "gone")
    with pytest.raises(FormatError) as caught:
        check_mapping(dict.fromkeys(MAPPING), ["How long is it?", "Three days.", "3 days"])
    assert caught.value.code == "no_header"


@pytest.mark.parametrize(
    ("cell", "contexts"),
    [
        ("one context", ("one context",)),
        ("a | b || c ||| d; e\n\nf", ("a | b || c ||| d; e\n\nf",)),
        ("|a|b|\n|---|---|\n|1|2|", ("|a|b|\n|---|---|\n|1|2|",)),
        ('["a", "b|c"]', ("a", "b|c")),
        (' ["a"]\n', ("a",)),
        ("['it', \"isn't\", 'x\\ny', '甲']", ("it", "isn't", "x\ny", "甲")),
        ("['a' 'b'\n 'c']", ("a", "b", "c")),  # as numpy prints an array: no commas
        ("array(['a', 'b'], dtype=object)", ("a", "b")),
        ('[{"text": "a", "score": 1}, {"page_content": "b"}, {"content": "c"}]', ("a", "b", "c")),
        ("[{'text': 'a', 'meta': None}]", ("a",)),
        ("[1] See the manual. [2]", ("[1] See the manual. [2]",)),
        ("[1]", ("[1]",)),
        ('[["a"], [null], ["b"]]', ("a", "b")),
        ("['a', None, nan, 'b',]", ("a", "b")),
        (["a", "", None, " ", "b"], ("a", "b")),
        ([{"text": "a"}, {"pageContent": "b"}], ("a", "b")),
        ([["a"], ["b"]], ("a", "b")),
        ([["a", "b"]], ("a", "b")),
        ({"text": "a"}, ("a",)),
        (3.0, ("3",)),
        *((nothing, ()) for nothing in ("", " \n", "[]", "[ ]", [], [""], None, float("nan"), [None, float("nan")])),
        *((nothing, ()) for nothing in ("nan", "NaN", "None", "null", "N/A", "-", "无", ["NaN"])),
    ],
)
def test_contexts_in_a_cell(cell, contexts):
    found = record(contexts=cell)
    assert found.contexts == contexts
    assert set(found.flags) - {"nan"} == (set() if contexts else {"no_context"})


@pytest.mark.parametrize(
    ("cell", "code"),
    [
        ("['a', 'b", "bad_list"),
        ("['a', ..., 'b']", "bad_list"),
        ("['a' ... 'b']", "bad_list"),
        ("['a', open('x')]", "bad_list"),
        ("['a'" + "[" * 900_000, "bad_list"),
        ("[{'a': " * 30_000, "bad_list"),
        ("[['a'], ['b']]", "bad_list"),
        ("['" + "\\" * 900_000, "bad_list"),
        ([{"score": 1, "rank": 2}], "bad_contexts"),
        ([["a", "b"], ["c"]], "bad_contexts"),
        ([1] * 2_000, "too_many_contexts"),
        ("x" * 1_000_001, "cell_too_long"),
        (["x" * 1_000_001], "cell_too_long"),
        ("\ud800", "bad_character"),
    ],
)
def test_contexts_that_cannot_be_told(cell, code):
    problem = record(contexts=cell)
    assert isinstance(problem, RowProblem)
    assert (problem.line, problem.column, problem.code) == (7, "contexts", code)
    assert problem.reason


def test_contexts_of_several_columns_follow_each_other():
    mapping = {**MAPPING, "contexts": ["contexts", "more"]}
    assert record(mapping, contexts='["a", "b"]', more="c").contexts == ("a", "b", "c")
    assert record(mapping, contexts="", more="c").contexts == ("c",)


@pytest.mark.parametrize("cell", ["", "  ", None, float("nan"), "\r\n", "\ufeff"])
def test_missing_cells_are_flagged_not_read(cell):
    assert record(answer=cell).flags == ("no_answer",)
    assert record(question=cell).flags == ("no_question",)
    assert record(id=cell).external_id == ""


@pytest.mark.parametrize("cell", ["nan", "NaN", "<NA>", "NULL", "\\N", "#N/A", " nan "])
def test_what_programs_write_for_nothing_is_read_as_nothing_and_said(cell):
    assert record(answer=cell).flags == ("no_answer", "nan")
    assert record(question=cell).flags == ("no_question", "nan")
    assert record(id=cell).external_id == ""


def test_none_can_be_an_answer():
    assert record(answer="None").answer == "None"


def test_texts_are_kept_as_they_are_but_for_line_ends():
    assert record(answer=" “甲”　乙,\r\n0007\r🚫 ").answer == " “甲”　乙,\n0007\n🚫 "
    assert record(answer=12).answer == "12"
    assert record(answer=12.0).answer == "12"
    assert record(answer=0.25).answer == "0.25"
    assert record(answer=True).answer == "true"
    assert record(id=" 0042 ").external_id == "0042"


def test_lists_are_no_answer():
    problem = record(answer=["a"])
    assert isinstance(problem, RowProblem)
    assert (problem.column, problem.code) == ("answer", "not_text")


def test_other_columns_travel_as_metadata_that_any_database_takes():
    found = record(score=0.5, empty="", none=None, tags=["x\x00", "\ud800y"], inf=float("inf"), deep={"a": [1]})
    assert found.metadata == {"score": 0.5, "tags": ["x", "y"], "inf": None, "deep": {"a": [1]}}
    json.dumps(found.metadata, allow_nan=False).encode()


def test_what_a_row_has_beside_its_texts():
    mapping = {**MAPPING, "reference": "ref", "generator": "model", "timestamp": "at", "tags": "tags"}
    found = record(
        mapping, ref='["one", "two"]', model=" gpt-4o ", at="2024-03-05 10:11", tags="退款，售后; VIP、退款"
    )
    assert found.reference == "one\ntwo"
    assert found.generator == "gpt-4o"
    assert found.timestamp == datetime(2024, 3, 5, 10, 11, tzinfo=UTC)
    assert found.tags == ("退款", "售后", "VIP")
    assert (found.metadata, found.flags, found.labels) == ({}, (), ())


@pytest.mark.parametrize("nothing", ["", None, "nan", "-", "N/A", "无", float("nan")])
def test_what_a_row_may_have_may_be_missing(nothing):
    mapping = {**MAPPING, "reference": "ref", "generator": "model", "timestamp": "at", "tags": "tags"}
    found = record(mapping, ref=nothing, model=nothing, at=nothing, tags=nothing)
    assert (found.reference, found.generator, found.timestamp, found.tags) == ("", "", None, ())
    assert set(found.flags) <= {"nan"}


@pytest.mark.parametrize(
    ("cell", "tags"),
    [
        (["a", "b, c", "a"], ("a", "b, c")),
        ('["a", "b"]', ("a", "b")),
        ("['a', 'b']", ("a", "b")),
        ([{"name": "a"}, {"tag": "b"}], ("a", "b")),
        ("a/b c", ("a/b c",)),
        (3, ("3",)),
    ],
)
def test_tags(cell, tags):
    assert record({**MAPPING, "tags": "tags"}, tags=cell).tags == tags


def test_a_time_that_can_be_read_in_two_ways_stays_as_text():
    found = record({**MAPPING, "timestamp": "at"}, at="03/04/2024")
    assert (found.timestamp, found.flags, found.metadata) == (None, ("odd_timestamp",), {"at": "03/04/2024"})


@pytest.mark.parametrize(
    ("role", "cell", "code"),
    [
        ("generator", "x" * 201, "cell_too_long"),
        ("generator", ["a", "b"], "not_text"),
        ("tags", [[1, 2], [3]], "not_text"),
        ("tags", [str(n) for n in range(101)], "too_many_tags"),
        ("reference", [{"a": 1, "b": 2}], "bad_contexts"),
    ],
)
def test_a_problem_shows_the_cell_and_the_row(role, cell, code):
    problem = record({**MAPPING, role: "extra"}, extra=cell)
    assert (problem.line, problem.column, problem.code) == (7, "extra", code)
    assert problem.value == (cell if isinstance(cell, str) else repr(cell))[:200]
    assert problem.values == {"id": "1", "question": "q", "contexts": "c", "answer": "a", "extra": cell}


def test_a_problem_holds_only_what_can_be_stored():
    problem = record(answer=["a\x00", "\ud800"], note=float("inf"))
    json.dumps([problem.value, problem.values], allow_nan=False, ensure_ascii=False).encode()


def test_flags_come_in_one_order_and_each_has_a_sentence():
    found = record({**MAPPING, "timestamp": "at"}, question="a\x00\u200b", answer="nan", contexts="#REF!", at="soon")
    assert found.flags == (
        "no_answer",
        "no_context",
        "nan",
        "spreadsheet_error",
        "nul_removed",
        "hidden_text",
        "odd_timestamp",
    )
    assert set(found.flags) < set(FLAGS)
    assert all(sentence.endswith(".") for sentence in FLAGS.values())


def test_paths_reach_into_objects_and_what_they_name_is_not_kept_twice():
    trace = {
        "run": {"inputs": [{"role": "user", "content": "q?"}], "model": "model-m"},
        "docs": '[{"content": "c1", "score": 0.9}, {"content": "c2", "score": 0.1}]',
        "out": "the answer",
    }
    mapping = {"question": "run.inputs[role=user].content", "contexts": "docs[].content", "answer": "out"}
    found = map_record(SourceRow(1, trace), {**mapping, "generator": "run.model"})
    assert (found.question, found.contexts, found.answer, found.generator) == (
        *("q?", ("c1", "c2")),
        *("the answer", "model-m"),
    )
    assert found.metadata == {"run": {"inputs": [{"role": "user"}]}, "docs": [{"score": 0.9}, {"score": 0.1}]}


def test_an_object_where_other_rows_have_a_text_is_a_problem():
    problem = map_record(SourceRow(7, {"question": "q", "contexts": "c", "answer.x": "a"}), MAPPING)
    assert (problem.code, problem.column) == ("not_text", "answer")


@pytest.mark.parametrize("role", [role for role in ROLES if role not in MAPPING and role != "claim_label"])
def test_columns_that_are_chosen_must_be_there(role):
    check_mapping({**MAPPING, role: "extra"}, [*MAPPING, "extra"])
    with pytest.raises(FormatError) as caught:
        check_mapping({**MAPPING, role: "extra"}, [*MAPPING])
    assert (caught.value.code, caught.value.params["column"]) == ("unknown_column", role)
