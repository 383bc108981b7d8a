"""A second row of a header, and a header that comes again."""

import io

import openpyxl
import pytest

from audits.formats import open_dataset

from .conftest import read


def sheet(rows):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


def table(rows):
    return "".join(",".join(row) + "\n" for row in rows)


DATA = [["r1", "退货多久？", "七天内可退。", "七天。"], ["r2", "保修多久？", "十二个月。", "一年。"]]
NAMES = ["编号", "问题", "检索片段", "回答"]
AGAIN = ["ID", "Question", "Contexts", "Answer"]


@pytest.mark.parametrize("form", [table, sheet])
def test_names_in_a_second_language_are_left_out_and_said(write, form):
    opened = open_dataset(write(form([NAMES, AGAIN, *DATA])))
    records, problems = read(opened)
    assert [record.external_id for record in records] == ["r1", "r2"]
    assert problems == []
    assert {(each.code, each.params["line"]) for each in opened.understanding.warnings} == {("named_again", 2)}


@pytest.mark.parametrize("form", [table, sheet])
def test_a_header_that_comes_again_is_named_and_no_sample(write, form):
    records, problems = read(open_dataset(write(form([NAMES, DATA[0], NAMES, DATA[1]]))))
    assert [record.external_id for record in records] == ["r1", "r2"]
    assert [(problem.line, problem.code) for problem in problems] == [(3, "repeated_header")]


@pytest.mark.parametrize("form", [table, sheet])
def test_rows_with_nothing_to_audit_are_named_and_no_samples(write, form):
    rows = [[*NAMES, "得分"], ["售后类", "", "", "", ""], [*DATA[0], "5"], ["合计", "", "", "", "5"], [*DATA[1], "4"]]
    records, problems = read(open_dataset(write(form(rows))))
    assert [record.external_id for record in records] == ["r1", "r2"]
    assert [(problem.line, problem.code) for problem in problems] == [
        (2, "nothing_to_audit"),
        (4, "nothing_to_audit"),
    ]
    assert problems[0].values["编号"] == "售后类"


def test_parts_of_merged_names_saved_as_text(write):
    text = "编号,问题,检索结果,,,回答\n,,片段1,片段2,相似度,\nr1,退货多久？,七天内可退。,除外。,0.9,七天。\n"
    opened = open_dataset(write(text))
    records, problems = read(opened)
    assert opened.understanding.header_line == 2
    assert opened.understanding.columns[2:5] == ("检索结果/片段1", "检索结果/片段2", "检索结果/相似度")
    assert problems == []
    assert [(record.contexts, record.answer) for record in records] == [(("七天内可退。", "除外。"), "七天。")]


def test_a_first_row_that_is_half_empty_is_data(write):
    records, _problems = read(open_dataset(write("question,context,,answer\n,c,,\nq?,c,,a.\n")))
    assert [(record.question, record.answer) for record in records] == [("", ""), ("q?", "a.")]
