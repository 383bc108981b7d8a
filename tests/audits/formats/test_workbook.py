"""Workbooks part by part: what other programs write, what a person should know of cells, and attacks."""

import datetime
import io
import re
import zipfile

import openpyxl
import pytest
import xlsxwriter

from audits.formats import open_dataset
from audits.formats.shared_strings import SharedStrings

from .conftest import read, refused

HEADER = ["question", "context", "answer", "score"]
NAMESPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def workbook(rows, prepare=None):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    if prepare:
        prepare(book.active)
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


def written(fill):
    """A workbook as xlsxwriter writes it: with shared texts."""
    target = io.BytesIO()
    with xlsxwriter.Workbook(target, {"in_memory": True}) as book:
        fill(book, book.add_worksheet())
    return target.getvalue()


def repack(content, change, compression=zipfile.ZIP_DEFLATED):
    """The workbook with every part passed through change(name, bytes)."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(target, "w", compression) as new:
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))
    return target.getvalue()


def replaced(content, old, new):
    return repack(content, lambda _name, part: part.replace(old.encode(), new.encode()))


def notices(path):
    return {warning.code: dict(warning.params) for warning in open_dataset(path).understanding.warnings}


def texts(path):
    return [list(row.values.values()) for row in open_dataset(path).rows()]


def test_errors_are_kept_as_text_and_counted(write):
    path = write(
        replaced(workbook([HEADER, ["q", "c", "a", 111], ["q", "c", "a", 111]]), "<v>111</v>", "<v>#N/A</v>")
    )
    path.write_bytes(repack(path.read_bytes(), lambda _n, part: re.sub(rb'(<c r="D\d+") t="n"', rb'\1 t="e"', part)))
    assert texts(path) == [["q", "c", "a", "#N/A"]] * 2
    assert notices(path) == {"error_cells": {"count": 2, "cell": "D2"}}


def test_formulas_without_a_stored_result_are_named(write):
    path = write(workbook([HEADER, ["q", "c", "a", "=1+1"], ["q", "=B2", "a", 1]]))
    assert texts(path) == [["q", "c", "a", ""], ["q", "", "a", "1"]]
    assert notices(path) == {"formulas_without_value": {"count": 2, "cell": "D2"}}


def test_formulas_with_a_result_show_it(write):
    def fill(_book, sheet):
        sheet.write_row(0, 0, HEADER)
        sheet.write_row(1, 0, ["q", "c"])
        sheet.write_formula(1, 2, '="a"&"b"', None, "ab")
        sheet.write_formula(1, 3, "=1/2", None, 0.5)
        sheet.write_row(2, 0, ["q", "c", "a"])
        sheet.write_formula(2, 3, '=IF(1=1,"","x")', None, "EMPTY")

    path = write(replaced(written(fill), "<v>EMPTY</v>", "<v></v>"))
    assert texts(path) == [["q", "c", "ab", "0.5"], ["q", "c", "a", ""]]
    assert notices(path) == {}


def test_hidden_rows_and_columns_are_read_and_mentioned(write):
    def hide(sheet):
        sheet.row_dimensions[3].hidden = True
        sheet.row_dimensions[90].hidden = True  # without cells
        sheet.column_dimensions["B"].hidden = True
        sheet.column_dimensions["Z"].hidden = True  # beside the table

    path = write(workbook([HEADER, ["q", "c", "a", 1], ["q2", "c2", "a2", 2]], hide))
    assert texts(path)[1] == ["q2", "c2", "a2", "2"]
    assert notices(path) == {"hidden_cells": {"rows": 1, "columns": 1}}


def test_rich_text_and_reading_aids(write):
    content = written(
        lambda _book, sheet: [sheet.write_row(0, 0, HEADER), sheet.write_row(1, 0, ["RICH", "c", "a", 1])]
    )
    rich = (
        "<r><rPr><b/></rPr><t>東京</t></r><r><t xml:space='preserve'> と大阪</t></r>"
        "<rPh sb='0' eb='2'><t>トウキョウ</t></rPh><phoneticPr fontId='1'/>"
    )
    assert texts(write(replaced(content, "<t>RICH</t>", rich)))[0][0] == "東京 と大阪"


def test_escapes_in_shared_texts(write):
    content = written(
        lambda _book, sheet: [sheet.write_row(0, 0, HEADER), sheet.write_row(1, 0, ["ESCAPED", "c", "a", 1])]
    )
    path = write(replaced(content, "ESCAPED", "_x005F_x000D_ and _x000D_\n"))
    assert texts(path)[0][0] == "_x000D_ and \r\n"


def test_a_strict_workbook_is_read(write):
    content = replaced(
        workbook([HEADER, ["q", "c", "a", 1]]), NAMESPACE, "http://purl.oclc.org/ooxml/spreadsheetml/main"
    )
    assert texts(write(content)) == [["q", "c", "a", "1"]]


def test_what_a_table_does_not_need_may_be_broken(write):
    def change(name, part):
        return b"<broken" if name in {"docProps/core.xml", "xl/theme/theme1.xml"} else part

    assert texts(write(repack(workbook([HEADER, ["q", "c", "a", 1]]), change))) == [["q", "c", "a", "1"]]


def test_rows_and_cells_without_numbers(write):
    def change(_name, part):
        return re.sub(rb'<(row|c) r="[A-Z]*\d+"', rb"<\1", part)

    assert texts(write(repack(workbook([HEADER, ["q", "c", "a", 1]] * 2), change)))[-1] == ["q", "c", "a", "1"]


def test_dates_of_both_epochs_and_of_their_format(write):
    def dates(sheet):
        sheet["D2"].number_format = 'yyyy"年"m"月"d"日"'

    content = workbook([HEADER, ["q", "c", "a", 45356]], dates)
    assert texts(write(content))[0][3] == "2024年3月5日"
    content = repack(content, lambda _name, part: part.replace(b"<workbookPr />", b'<workbookPr date1904="1"/>'))
    assert texts(write(content))[0][3] == "2028年3月6日"


def test_the_part_that_is_read_is_known(write):
    opened = open_dataset(write(workbook([HEADER, *([["q", "c", "a", n] for n in range(99)])])))
    fractions = [opened.fraction for _row in opened.rows()]
    assert (fractions[0], fractions[49], fractions[-1]) == (0.02, 0.51, 1.0)


def test_many_shared_texts_lie_on_disk_and_read_the_same():
    wanted = [f"{n} 文😀" * 2_000 for n in range(1_200)]
    source = "".join(f"<si><t>{text}</t></si>" for text in wanted)
    strings = SharedStrings(io.BytesIO(f'<sst xmlns="{NAMESPACE}">{source}</sst>'.encode()))
    assert len(strings) == 1_200
    assert sum(len(text.encode()) for text in strings._kept) < 17 << 20
    for number in (0, 1, 600, 1_000, 1_199):
        assert strings[number] == wanted[number]
    for number in (-1, 1_200):
        with pytest.raises(IndexError):
            strings[number]


def test_a_cell_that_names_no_shared_text(write):
    content = written(lambda _book, sheet: [sheet.write_row(0, 0, HEADER), sheet.write_row(1, 0, ["q", "c", "a", 1])])
    content = repack(content, lambda _name, part: part.replace(b't="s"><v>5</v>', b't="s"><v>99</v>'))
    assert refused(write(content)).code == "broken_workbook"


ATTACKS = {
    "a text without end": lambda part: part.replace(b"PLACE", b"x" * (20 << 20)),
    "a tag without end": lambda part: part.replace(b"<sheetData>", b"<sheetData><c " + b"a" * (20 << 20)),
    "elements without end": lambda part: part.replace(b"<sheetData>", b"<sheetData>" + b"<x/>" * 2_100_000),
    "a row number beyond all": lambda part: part.replace(b'<row r="2"', b'<row r="99999999999"'),
    "no row number": lambda part: part.replace(b'<row r="2"', b'<row r="-4"'),
    "a row number that is none": lambda part: part.replace(b'<row r="2"', b'<row r="two"'),
    "a column beyond all": lambda part: part.replace(b'r="A2"', b'r="ZZZZ2"'),
    "an entity": lambda part: (
        b'<!DOCTYPE x [<!ENTITY e "x">]>' + part.partition(b"?>")[2].replace(b"PLACE", b"&e;")
        if b"PLACE" in part
        else part
    ),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_attacks_on_a_sheet_are_refused(write, name):
    content = workbook([HEADER, ["q", "c", "PLACE", 1]])
    content = repack(
        content, lambda part, data: ATTACKS[name](data) if "sheet1" in part else data, zipfile.ZIP_STORED
    )
    assert refused(write(content)).code in {"broken_workbook", "workbook_too_large"}


def test_an_entity_in_shared_texts_is_refused(write):
    content = written(
        lambda _book, sheet: [sheet.write_row(0, 0, HEADER), sheet.write_row(1, 0, ["PLACE", "c", "a", 1])]
    )
    declared = f'<!DOCTYPE sst [<!ENTITY e SYSTEM "file:///etc/hostname">]><sst xmlns="{NAMESPACE}"'
    content = replaced(replaced(content, f'<sst xmlns="{NAMESPACE}"', declared), "PLACE", "&e;")
    assert refused(write(content)).code == "broken_workbook"


def test_a_large_part_that_is_read_as_a_whole_is_refused(write):
    def change(name, part):
        return part + b" " * (31 << 20) if name == "xl/workbook.xml" else part

    assert refused(write(repack(workbook([HEADER]), change, zipfile.ZIP_STORED))).code == "workbook_too_large"


def test_many_far_cells_take_no_time(write):
    far = "".join(f'<row r="{n}"><c r="XFD{n}"><v>1</v></c></row>' for n in range(3, 20_003))
    content = replaced(workbook([HEADER, ["q", "c", "a", 1]]), "</sheetData>", far + "</sheetData>")
    records, problems = read(open_dataset(write(content)))
    assert [record.line for record in records] == [2]
    assert len(problems) == 20_000
    assert {problem.code for problem in problems} == {"too_many_fields"}


def test_a_claimed_size_is_not_believed(write):
    content = repack(
        workbook([HEADER, ["q", "c", "a", 1]]),
        lambda _name, part: re.sub(rb'<dimension ref="[^"]*"', b'<dimension ref="A1:XFD1048576"', part),
    )
    opened = open_dataset(write(content))
    assert [row.line for row in opened.rows()] == [2]
    assert opened.fraction == 1.0


def test_very_many_sheets_with_one_far_cell_each(write):
    book = openpyxl.Workbook()
    for row in (HEADER, ["q", "c", "a", 1]):
        book.active.append(row)
    for number in range(150):
        book.create_sheet(f"s{number}")
    target = io.BytesIO()
    book.save(target)
    far = b'<sheetData><row r="1048576"><c r="A1048576"><v>1</v></c></row></sheetData>'
    content = repack(
        target.getvalue(), lambda _name, part: part.replace(b"<sheetData/>", far).replace(b"<sheetData />", far)
    )
    assert texts(write(content)) == [["q", "c", "a", "1"]]


@pytest.mark.parametrize(
    "planted",
    [
        b"<row " * 40_000,
        b"<c " * 80_000,
        b'<row r="5"><c r="A5"><v>1' * 10_000,
        b"<f>" * 80_000 + b" " * 200_000,
        b'<c r="A1"><f>1</f>' + b" " * 250_000,
        b"<" * 250_000,
    ],
)
def test_looking_through_broken_xml_takes_no_time(write, planted):
    content = repack(
        workbook([HEADER, ["q", "c", "a", 1]]),
        lambda _name, part: part.replace(b"</sheetData>", planted + b"</sheetData>"),
    )
    assert refused(write(content)).code == "broken_workbook"


def test_a_date_that_is_shown_as_its_weekday(write):
    book = openpyxl.Workbook()
    book.active.append(HEADER)
    book.active.append(["q", "c", datetime.date(2024, 3, 5), datetime.date(2024, 3, 5)])
    book.active["C2"].number_format, book.active["D2"].number_format = "[$-804]aaaa", "aaa;@"
    target = io.BytesIO()
    book.save(target)
    assert texts(write(target.getvalue())) == [["q", "c", "星期二", "周二"]]
