"""Sheets with merged cells: headers of several rows, items of several rows, remarks."""

import io
import zipfile

import openpyxl
import pytest

from audits.formats import SourceRow, open_dataset

from .conftest import read, refused

HEADER = ["编号", "问题", "检索片段", "回答"]


@pytest.fixture
def sheet(write):
    """A workbook of these rows, with these ranges merged."""

    def sheet(rows, *merges):
        book = openpyxl.Workbook()
        for row in rows:
            book.active.append(row)
        for merge in merges:
            book.active.merge_cells(merge)
        target = io.BytesIO()
        book.save(target)
        return write(target.getvalue())

    return sheet


def codes(opened):
    return [warning.code for warning in opened.understanding.warnings]


def values(path, **options):
    found = list(open_dataset(path, **options).rows())
    assert all(isinstance(row, SourceRow) for row in found), found
    return [list(row.values.values()) for row in found]


def test_a_header_of_two_rows_below_a_title(sheet):
    rows = [
        ["质检表"],
        ["编号", "问题", "检索结果", None, "回答"],
        [None, None, "片段", "相似度", None],
        ["r1", "问", "证", 0.9, "答"],
    ]
    opened = open_dataset(sheet(rows, "A1:E1", "A2:A3", "B2:B3", "C2:D2", "E2:E3"))
    assert opened.understanding.columns == ("编号", "问题", "检索结果/片段", "检索结果/相似度", "回答")
    assert opened.understanding.header_line == 3
    assert codes(opened) == ["skipped_rows"]
    assert [row.line for row in opened.rows()] == [4]


def test_names_below_a_merged_name_while_the_others_are_blank(sheet):
    rows = [["编号", "问题", "检索结果", None, "回答"], [None, None, "片段", "相似度"], ["r1", "问", "证", 0.9, "答"]]
    opened = open_dataset(sheet(rows, "C1:D1"))
    assert opened.understanding.columns[2:4] == ("检索结果/片段", "检索结果/相似度")
    assert opened.understanding.header_line == 2


def test_a_header_of_three_rows(sheet):
    rows = [
        ["编号", "输入", None, None, "输出"],
        [None, "问题", "检索结果", None, "回答"],
        [None, None, "片段", "来源", None],
        ["r1", "问", "证", "书", "答"],
    ]
    opened = open_dataset(sheet(rows, "A1:A3", "B1:D1", "B2:B3", "C2:D2", "E2:E3"))
    assert opened.understanding.columns == (
        "编号",
        "输入/问题",
        "输入/检索结果/片段",
        "输入/检索结果/来源",
        "输出/回答",
    )
    assert [row.line for row in opened.rows()] == [4]


def test_one_name_over_several_columns_of_contexts(sheet):
    rows = [["编号", "问题", "检索片段", None, None, "回答"], ["r1", "问", "甲", "乙", None, "答"]]
    records, problems = read(open_dataset(sheet(rows, "C1:E1")))
    assert problems == []
    assert records[0].contexts == ("甲", "乙")


def test_a_column_of_merged_pairs_is_one_column(sheet):
    rows = [
        ["编号", "问题", None, "检索片段", "回答"],
        ["r1", "问", None, "证", "答"],
        ["r2", "问", None, "证", "答"],
    ]
    records, problems = read(open_dataset(sheet(rows, "B1:C1", "B2:C2", "B3:C3")))
    assert problems == []
    assert [(r.external_id, r.question) for r in records] == [("r1", "问"), ("r2", "问")]


def test_rows_of_one_item_are_one_row_with_a_list_of_contexts(sheet):
    rows = [
        HEADER,
        ["r1", "问1", "甲", "答1"],
        [None, None, "乙", None],
        ["r2", "问2", "丙", "答2"],
        ["r3", "问3", "丁", "答3"],
        [None, None, None, None],
        [None, None, "戊", None],
    ]
    path = sheet(rows, "A2:A3", "B2:B3", "D2:D3", "A5:A7", "B5:B7", "D5:D7")
    assert values(path) == [
        ["r1", "问1", ["甲", "乙"], "答1"],
        ["r2", "问2", ["丙"], "答2"],
        ["r3", "问3", ["丁", "戊"], "答3"],
    ]
    opened = open_dataset(path)
    assert [row.line for row in opened.rows()] == [2, 4, 5]
    assert [record.contexts for record in read(opened)[0]] == [("甲", "乙"), ("丙",), ("丁", "戊")]


def test_only_the_question_is_merged_and_the_answer_stands_in_the_first_row(sheet):
    path = sheet([HEADER, ["r1", "问", "甲", "答"], [None, None, "乙", None]], "B2:B3")
    assert values(path) == [["r1", "问", ["甲", "乙"], "答"]]


def test_a_category_that_many_items_share_makes_no_item(sheet):
    rows = [
        ["类别", *HEADER],
        ["售后", "r1", "问1", "甲", "答1"],
        [None, "r2", "问2", "乙", "答2"],
        ["售前", "r3", "问", "丙", "答"],
    ]
    assert values(sheet(rows, "A2:A3")) == [
        ["售后", "r1", "问1", "甲", "答1"],
        ["售后", "r2", "问2", "乙", "答2"],
        ["售前", "r3", "问", "丙", "答"],
    ]


def test_a_context_that_several_items_share(sheet):
    rows = [HEADER, ["r1", "问1", "共同的证据", "答1"], ["r2", "问2", None, "答2"], ["r3", "问3", "丙", "答3"]]
    records, problems = read(open_dataset(sheet(rows, "C2:C3")))
    assert problems == []
    assert [record.contexts for record in records] == [("共同的证据",), ("共同的证据",), ("丙",)]


def test_one_question_with_several_answers_is_several_items(sheet):
    rows = [
        HEADER,
        ["r1", "问", "甲", "答一"],
        [None, None, "乙", None],
        [None, None, "丙", "答二"],
        [None, None, "丁", None],
    ]
    path = sheet(rows, "A2:A5", "B2:B5", "D2:D3", "D4:D5")
    assert values(path) == [["r1", "问", ["甲", "乙"], "答一"], ["r1", "问", ["丙", "丁"], "答二"]]
    assert [row.line for row in open_dataset(path).rows()] == [2, 4]
    rows = [HEADER, ["r1", "问", "甲", "答一"], [None, None, "乙", "答二"]]
    assert values(sheet(rows, "A2:A3", "B2:B3")) == [["r1", "问", ["甲"], "答一"], ["r1", "问", ["乙"], "答二"]]


@pytest.mark.parametrize("merges", [("B2:B3", "D3:D4"), ("A2:A4", "B2:B3", "D3:D4")])
def test_merged_cells_that_do_not_line_up_are_a_problem(sheet, merges):
    rows = [
        HEADER,
        ["r1", "问1", "甲", "答1"],
        ["r2", None, "乙", "答2"],
        ["r3", "问3", "丙", "答3"],
        ["r4", "问", "丁", "答"],
    ]
    records, problems = read(open_dataset(sheet(rows, *merges)))
    assert [record.external_id for record in records] == ["r4"]
    assert [(problem.line, problem.code) for problem in problems] == [(2, "merged_cells")]
    assert problems[0].values is not None
    assert problems[0].values["编号"] == "r1"


def test_cells_merged_across_columns_are_a_problem_of_their_row(sheet):
    rows = [HEADER, ["r1", "问和证", None, "答"], ["r2", "问", "证", "答"]]
    records, problems = read(open_dataset(sheet(rows, "B2:C2")))
    assert [record.external_id for record in records] == ["r2"]
    assert [(problem.line, problem.code) for problem in problems] == [(2, "merged_cells")]


def test_remarks_at_the_end_and_headings_are_left_out_and_named(sheet):
    rows = [
        HEADER,
        ["一、售后"],
        ["r1", "问", "证", "答"],
        ["二、售前"],
        ["r2", "问", "证", "答"],
        [],
        ["备注：演示"],
        ["制表：张三"],
    ]
    opened = open_dataset(sheet(rows, "A2:D2", "A4:D4", "A8:C8"))
    assert [row.line for row in opened.rows()] == [3, 5]
    (warning,) = opened.understanding.warnings
    assert (warning.code, warning.params) == ("remark_rows", {"rows": "2, 4, 7, 8"})


def test_a_last_row_with_a_question_only_is_no_remark(sheet):
    records, problems = read(open_dataset(sheet([HEADER[1:], ["问", "证", "答"], ["未回答的问题"]])))
    assert [record.question for record in records] == ["问", "未回答的问题"]
    assert problems == []


def test_names_that_nobody_knows(sheet):
    rows = [["Frage", "Beleg", "Antwort"], ["f1", "a", "w1"], [None, "b", None], ["f2", "c", "w2"]]
    assert values(sheet(rows, "A2:A3", "C2:C3")) == [["f1", ["a", "b"], "w1"], ["f2", ["c"], "w2"]]


def test_a_sheet_without_a_header(sheet):
    rows = [
        ["r1", "退货要多久？", "三个工作日内退款。", "三个工作日。"],
        ["r2", "可以保修吗？", "仅限大陆地区。", "不可以。"],
    ]
    opened = open_dataset(sheet(rows))
    assert (opened.understanding.header_line, codes(opened)[0]) == (None, "header_guessed_missing")
    assert [row.line for row in opened.rows()] == [1, 2]
    assert values(sheet([HEADER, *rows]), header=False)[0] == HEADER


def test_a_long_item_is_refused_and_not_guessed(sheet):
    rows = [HEADER, *([None, None, f"证{n}", None] for n in range(1_200)), ["r", "问", "证", "答"]]
    rows[1] = ["r1", "问", "证0", "答"]
    records, problems = read(open_dataset(sheet(rows, "A2:A1201", "B2:B1201", "D2:D1201")))
    assert [record.external_id for record in records] == ["r"]
    assert [(problem.line, problem.code) for problem in problems] == [(2, "merged_cells")]


def test_a_row_with_too_much_spoils_its_item_only(sheet):
    rows = [HEADER, ["r1", "问1", "甲", "答1"], [None, None, "乙", None, "多余"], ["r2", "问2", "丙", "答2"]]
    records, problems = read(open_dataset(sheet(rows, "A2:A3", "B2:B3", "D2:D3")))
    assert [record.external_id for record in records] == ["r2"]
    assert [(problem.line, problem.code, problem.value) for problem in problems] == [(3, "too_many_fields", "多余")]


def test_very_many_merged_cells_take_no_time(sheet):
    rows = [HEADER]
    for n in range(1_500):
        rows += [[f"r{n}", "问", "甲", "答"], [None, None, "乙", None]]
    path = sheet(rows)
    merges = "".join(
        f'<mergeCell ref="{column}{2 * n + 2}:{column}{2 * n + 3}"/>' for n in range(1_500) for column in "ABD"
    )
    plant(path, f"</sheetData><mergeCells>{merges}</mergeCells>")
    assert len(values(path)) == 1_500


def plant(path, content):
    """Put XML behind the rows of the sheet."""
    target = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b"</sheetData>", content.encode()))
    path.write_bytes(target.getvalue())


def test_a_header_merged_into_the_rows_is_refused(sheet):
    error = refused(sheet([HEADER, ["r1", "问", None, "答"]], "C1:C7"))
    assert (error.code, error.params) == ("merged_header", {"line": 1})
