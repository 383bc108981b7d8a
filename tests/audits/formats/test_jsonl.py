"""JSON Lines: what a broken line costs, and objects that are not written one per line."""

import json

import pytest

from audits.formats import Options, RowProblem, SourceRow, open_dataset
from audits.formats.jsonl import JsonlReader

from .conftest import read

ROW = {"id": "1", "question": "谁？", "contexts": ["甲", "乙"], "answer": "甲"}
LINE = json.dumps(ROW, ensure_ascii=False) + "\n"


def rows(path, encoding="utf-8"):
    return list(JsonlReader(path, Options(encoding=encoding)).rows())


def test_a_broken_line_shows_what_stands_in_it(write):
    found = rows(write(LINE + '{"id": "2", "question": \n' + "[1, 2]\n" + LINE))
    assert [row.line for row in found] == [1, 2, 3, 4]
    assert [(row.code, row.value) for row in found if isinstance(row, RowProblem)] == [
        ("bad_json", '{"id": "2", "question":'),
        ("not_an_object", "[1, 2]"),
    ]


def test_several_objects_in_one_line_are_a_problem(write):
    (problem, row) = rows(write(LINE.strip() + LINE.strip() + "\n" + LINE))
    assert isinstance(problem, RowProblem)
    assert (problem.line, problem.code, problem.values) == (1, "several_objects", ROW)
    assert row.line == 2


def test_a_file_that_is_cut_off_says_so(write):
    problem = rows(write(LINE + LINE[:30]))[-1]
    assert (problem.line, problem.code, problem.value) == (2, "cut_off", LINE[:30].strip())
    assert rows(write(LINE + LINE[:30] + "\n"))[-1].code == "bad_json"
    assert isinstance(rows(write(LINE + LINE.strip()))[-1], SourceRow)


@pytest.mark.parametrize("indent", [1, 2, 4, "\t"])
def test_objects_printed_over_several_lines_are_read(write, indent):
    printed = json.dumps({**ROW, "metadata": {"a": [], "b": [{"c": 1}]}}, ensure_ascii=False, indent=indent) + "\n"
    found = rows(write(LINE + printed + "\n" + printed + LINE))
    height = printed.count("\n")
    assert [row.line for row in found] == [1, 2, height + 3, 2 * height + 3]
    assert [row.values["answer"] for row in found] == ["甲"] * 4


def test_a_broken_line_swallows_no_sound_one(write):
    found = rows(write('{"id": {\n' + LINE + "{\n  1,\n" + LINE + "{\n"))
    assert [row.line for row in found if isinstance(row, SourceRow)] == [2, 5]
    assert [(row.line, row.code) for row in found if isinstance(row, RowProblem)] == [
        (1, "bad_json"),
        (3, "bad_json"),
        (4, "bad_json"),
        (6, "bad_json"),
    ]


def test_many_open_lines_take_no_time(write):
    found = rows(write("{\n" * 3_000 + " {\n" * 3_000 + "{\n" + " x\n" * 3_000))
    assert len(found) == 9_001


def test_what_python_writes_for_missing_numbers(write):
    text = '{"question": "q", "contexts": ["c"], "answer": NaN}\n{"question": -Infinity, "answer": "a"}\n'
    records, problems = read(open_dataset(write(text)))
    assert problems == []
    assert (records[0].answer, records[1].question) == ("", "-inf")


def test_a_damaged_line_costs_itself(write):
    content = (LINE * 3).encode().replace("甲".encode(), b"\xff\xfe", 1)
    found = rows(write(content))
    assert [row.line for row in found] == [1, 2, 3]
    assert (found[0].code, "\\xff\\xfe" in found[0].value) == ("undecodable", True)
    assert found[1].values == found[2].values == ROW


def test_nesting_is_limited_and_brackets_in_texts_are_not(write):
    text = (
        json.dumps({**ROW, "answer": "[{" * 500})
        + "\n"
        + '{"a": '
        + "[" * 40
        + "]" * 40
        + "}\n"
        + "[" * 90_000
        + "\n"
    )
    found = rows(write(text))
    assert isinstance(found[0], SourceRow)
    assert [row.code for row in found[1:]] == ["too_deep", "too_deep"]


def test_a_line_without_end_stops_the_reading(write):
    found = rows(write(LINE + '{"a": "' + "x" * 16_100_000))
    assert [(row.line, getattr(row, "code", "")) for row in found] == [(1, ""), (2, "unreadable_rest")]


def test_the_part_that_is_read_is_known(write):
    reader = JsonlReader(write(LINE * 5_000), Options(encoding="utf-8"))
    assert reader.fraction is None
    fractions = [reader.fraction for _ in reader.rows()]
    assert fractions == sorted(fractions)
    assert 0 < fractions[0] < 0.5
    assert fractions[-1] == 1.0


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "gb18030"])
def test_blank_lines_and_marks_in_any_encoding(write, encoding):
    found = rows(write("\n" + LINE + " \t\r\n" + LINE, encoding), encoding)
    assert [(row.line, row.values) for row in found] == [(2, ROW), (4, ROW)]


@pytest.mark.parametrize(
    "text",
    [
        '{"question": "q1?", "contexts": ["It\'s c"], "answer": "a1"},\n{"question": "q2?", "answer": "a2"}\n',
        "{'question': 'q1?', 'contexts': [\"It's c\"], 'answer': 'a1'}\n{'question': 'q2?', 'answer': 'a2'}\n",
        '\x1e{"question": "q1?", "contexts": ["It\'s c"], "answer": "a1"}\n\x1e{"question": "q2?", "answer": "a2"}\n',
    ],
)
def test_lines_that_are_nearly_json(write, text):
    opened = open_dataset(write(text))
    records, problems = read(opened)
    assert (opened.understanding.format, problems) == ("jsonl", [])
    assert [(one.question, one.contexts, one.answer) for one in records] == [
        ("q1?", ("It's c",), "a1"),
        ("q2?", (), "a2"),
    ]
