"""Workbooks: as a person sees them, and guarded against what they can do to a reader."""

import io
import re
import zipfile
from datetime import date, datetime, time

import openpyxl
import pytest

from audits.formats import SourceRow, open_dataset

from .conftest import read, refused

HEADER = ["编号", "问题", "检索片段1", "检索片段2", "回答"]


def workbook(*sheets, prepare=None):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets:
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    if prepare:
        prepare(book)
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


def codes(opened):
    return [warning.code for warning in opened.understanding.warnings]


def repack(content, change):
    """The workbook with every part passed through change(name, bytes)."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))
    return target.getvalue()


def test_rows_and_their_numbers(write):
    rows = [
        HEADER,
        ["r1", "谁？", "甲", "乙", "=SUM"[1:]],
        [],
        ["r2", "问", "丙", None, "答"],
        [None, None, None, None, "x"],
    ]
    opened = open_dataset(write(workbook(("数据", rows))))
    understanding = opened.understanding
    assert (understanding.format, understanding.sheet, understanding.columns) == ("xlsx", "数据", tuple(HEADER))
    records, problems = read(opened)
    assert problems == []
    assert [(r.line, r.external_id, r.contexts) for r in records] == [
        (2, "r1", ("甲", "乙")),
        (4, "r2", ("丙",)),
        (5, "", ()),
    ]
    assert records[2].flags == ("no_question", "no_context")
    assert list(opened.rows()) == list(opened.rows())


def test_values_read_as_they_are_shown(write):
    shown = {
        "1": 1,
        "1.5": 1.5,
        "0.1": 0.1,
        "1437.5": 1437.5,
        "TRUE": True,
        "2024-03-01": date(2024, 3, 1),
        "2024-03-01 10:30:00": datetime(2024, 3, 1, 10, 30),
        "10:30:00": time(10, 30),
        "0007": 7,
        "95%": 0.95,
        "95.5%": 0.955,
        "12345678901": 12345678901,
        "=1+1": "=1+1",
        "line\nbreak": "line\nbreak",
        "a_b": "a_x005F_b",
    }

    def formats(book):
        cells = {text: book.active.cell(2, column) for column, text in enumerate(shown, start=1)}
        cells["0007"].number_format = "0000"
        cells["95%"].number_format = "0%"
        cells["95.5%"].number_format = "0.0%"
        cells["=1+1"].data_type = "s"

    content = workbook(("s", [[f"c{n}" for n in range(len(shown))], list(shown.values())]), prepare=formats)
    (row,) = open_dataset(write(content)).rows()
    assert isinstance(row, SourceRow)
    assert list(row.values.values()) == list(shown)


def test_the_sheet_with_the_best_header_is_read(write):
    content = workbook(
        ("说明", [["请勿修改", "说明"], ["a", "b"]]),
        ("empty", []),
        ("隐藏", [HEADER, ["h", "h", "h", "h", "h"]]),
        ("明细", [["验收明细"], [], HEADER, ["r1", "问", "证", None, "答"]]),
        prepare=lambda book: setattr(book["隐藏"], "sheet_state", "hidden"),
    )
    opened = open_dataset(write(content))
    assert opened.understanding.sheet == "明细"
    assert opened.sheets == ("说明", "明细", "隐藏")
    assert [row.line for row in opened.rows()] == [4]
    assert codes(opened) == ["skipped_rows", "other_sheets", "hidden_sheets"]
    assert opened.understanding.header_line == 3
    assert open_dataset(write(content), sheet="说明").understanding.columns == ("请勿修改", "说明")
    assert read(open_dataset(write(content), sheet="隐藏"))[0][0].answer == "h"
    assert refused(write(content), sheet="没有").params["sheets"] == "说明, 明细, 隐藏"
    assert refused(write(content), sheet="empty").code == "no_rows"


def test_hidden_sheets_are_not_chosen_unasked(write):
    content = workbook(
        ("隐藏", [HEADER, ["h", "h", "h", "h", "h"]]),
        ("空", []),
        prepare=lambda book: setattr(book["隐藏"], "sheet_state", "veryHidden"),
    )
    error = refused(write(content))
    assert (error.code, error.params) == ("hidden_sheets_only", {"sheets": "隐藏"})
    assert len(read(open_dataset(write(content), sheet="隐藏"))[0]) == 1


def test_cells_beyond_the_header_are_named(write):
    records, problems = read(
        open_dataset(write(workbook(("s", [["question", "context", "answer"], list("abcd"), list("abc")]))))
    )
    assert [(p.line, p.code) for p in problems] == [(2, "too_many_fields")]
    assert len(records) == 1


def test_a_header_that_is_merged_with_rows_below_is_refused(write):
    def merge(book):
        book.active.merge_cells("C1:C9")

    assert refused(write(workbook(("s", [HEADER, ["1", "q", "c", "s", "a"]]), prepare=merge))).code == "merged_header"


def test_workbooks_without_rows(write):
    assert refused(write(workbook(("s", [])))).code == "no_rows"
    assert refused(write(workbook(("s", [HEADER])))).code == "no_rows"


def test_carriage_returns_are_unescaped(write):
    content = workbook(("s", [["question", "context", "answer"], ["q", "c", "PLACE"]]))
    content = repack(content, lambda name, part: part.replace(b"PLACE", b"a_x000D_\nb"))
    assert read(open_dataset(write(content)))[0][0].answer == "a\nb"


def test_the_size_that_a_sheet_claims_is_not_believed(write):
    content = workbook(("s", [["question", "context", "answer"], ["q", "c", "a"]]))
    content = repack(content, lambda name, part: re.sub(rb'<dimension ref="[^"]*"', b'<dimension ref="A1:A1"', part))
    assert read(open_dataset(write(content)))[0][0].answer == "a"


def test_hostile_merge_ranges_take_no_time(write):
    content = workbook(("s", [["question", "context", "answer"], *[["q", "c", "a"]] * 200]))
    planted = b"<mergeCell " * 90_000 + b'<mergeCell ref="A3:A9999999"/>'
    content = repack(content, lambda name, part: part.replace(b"</sheetData>", b"</sheetData>" + planted))
    records, problems = read(open_dataset(write(content)))
    assert [r.line for r in records] == [2]
    assert [(p.line, p.code) for p in problems] == [(3, "merged_cells")]


def cell(reference, text):
    return f'<c r="{reference}" t="inlineStr"><is><t>{text}</t></is></c>'.encode()


@pytest.mark.parametrize(
    ("row", "number"),
    [
        (b'<row r="1048576">' + cell("XFD1048576", "x") + b"</row>", 1048576),
        (b'<row r="99999999999">' + cell("A99999999999", "x") + b"</row>", 0),
    ],
)
def test_cells_far_away(write, row, number):
    content = workbook(("s", [["question", "context", "answer"], ["q", "c", "a"]]))
    content = repack(content, lambda name, part: part.replace(b"</sheetData>", row + b"</sheetData>"))
    if number:
        records, problems = read(open_dataset(write(content)))
        assert ([r.line for r in records], [(p.line, p.code) for p in problems]) == (
            [2],
            [(number, "too_many_fields")],
        )
    else:
        assert refused(write(content)).code == "broken_workbook"


def test_bombs_are_refused_before_they_are_unpacked(write):
    content = workbook(("s", [["question", "context", "answer"], ["q", "c", "PLACE"]]))
    content = repack(content, lambda name, part: part.replace(b"PLACE", b"x" * 40_000_000))
    assert len(content) < 100_000
    assert refused(write(content)).code == "workbook_too_large"


def test_entities_are_refused(write):
    content = workbook(("s", [["question", "context", "answer"], ["q", "c", "PLACE"]]))

    def plant(name, part):
        if b"PLACE" not in part:
            return part
        part = part.split(b"?>", 1)[-1] if part.startswith(b"<?xml") else part
        return b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]>' + part.replace(b"PLACE", b"&e;")

    assert refused(write(repack(content, plant))).code == "broken_workbook"


@pytest.mark.parametrize("keep", [0.2, 0.5, 0.9, 0.99])
def test_cut_workbook(write, keep):
    content = workbook(("s", [HEADER, *([str(n), "q", "c", "", "a"] for n in range(100))]))
    assert refused(write(content[: int(len(content) * keep)])).code == "broken_workbook"


def test_missing_part(write):
    content = workbook(("s", [HEADER, ["1", "q", "c", "", "a"]]))
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            if "worksheets" not in name:
                new.writestr(name, old.read(name))
    assert refused(write(target.getvalue())).code == "broken_workbook"
