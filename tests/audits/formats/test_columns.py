"""What a column's name gives away, and what a row becomes under a mapping."""

import json

import pytest

from audits.formats import FormatError, RowProblem, SourceRow, check_mapping, guess_mapping, map_record

MAPPING = {"id": "id", "question": "question", "contexts": "contexts", "answer": "answer"}


def record(mapping=MAPPING, **values):
    return map_record(SourceRow(7, {"id": "1", "question": "q", "contexts": "c", "answer": "a", **values}), mapping)


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ("id question contexts answer", "id question contexts answer"),
        ("user_input retrieved_contexts response reference", "- user_input retrieved_contexts response"),
        (
            "input actual_output expected_output retrieval_context context name",
            "- input retrieval_context actual_output",
        ),
        ("Question ANSWER Context ground_truth", "- Question Context ANSWER"),
        ("question answer ground_truths reference_contexts", "- question - answer"),
        ("question ground_truth reference expected_output", "- question - -"),
        ("编号 问题 参考证据 回答", "编号 问题 参考证据 回答"),
        ("序号 用户问题 检索内容 答案", "序号 用户问题 检索内容 答案"),
        ("问题 标准答案 模型回答 上下文", "- 问题 上下文 模型回答"),
        ("问题（必填） 回答（必填） 证据", "- 问题（必填） 证据 回答（必填）"),
        ("query output documents qid", "qid query documents output"),
        ("Retrieved-Contexts userInput Response", "- userInput Retrieved-Contexts Response"),
        ("a b c", "- - - -"),
    ],
)
def test_names_are_known(columns, expected):
    mapping = guess_mapping(columns.split())
    found = [mapping[role] or "-" for role in ("id", "question", "contexts", "answer")]
    assert found == expected.split()


@pytest.mark.parametrize(
    ("columns", "contexts"),
    [
        (["question", "context_2", "context_1", "answer"], ["context_1", "context_2"]),
        (["检索片段1", "检索片段2", "检索片段10"], ["检索片段1", "检索片段2", "检索片段10"]),
        (["上下文二", "上下文一"], ["上下文一", "上下文二"]),
        (["context", "context 2"], ["context", "context 2"]),
        (["context_1", "answer"], "context_1"),
    ],
)
def test_numbered_contexts_belong_together(columns, contexts):
    assert guess_mapping(columns)["contexts"] == contexts
    assert json.loads(json.dumps(guess_mapping(columns)))["contexts"] == contexts


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
