"""The content says what a file is; what is no dataset is refused in plain words."""

import io
import zipfile

import pytest

from audits.formats import messages, open_dataset

from .conftest import read, refused

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 504


def archive(*names):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as file:
        for name in names:
            file.writestr(name, b"x")
    return target.getvalue()


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (OLE + "Workbook".encode("utf-16-le"), "broken_xls"),
        (OLE + b"x" * (1 << 20) + "EncryptedPackage".encode("utf-16-le"), "encrypted"),
        (OLE + "WordDocument".encode("utf-16-le"), "unknown_type"),
        (b"\x09\x08\x10\x00\x00\x06", "broken_xls"),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3", "unknown_type"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "unknown_type"),
        (b"PAR1\x15\x04", "broken_parquet"),
        (b"ARROW1\x00\x00" + b"\xff" * 40, "unknown_type"),
        (b"\x80\x04\x95\x20\x00\x00\x00]\x94", "unknown_type"),
        (b"\x1f\x8b\x08\x00", "unknown_type"),
        (bytes(range(256)) * 40, "unknown_type"),
        (archive("word/document.xml"), "unknown_type"),
        (archive("a.csv"), "unknown_type"),
        (archive("mimetype", "content.xml"), "unknown_type"),
        (archive("xl/workbook.bin"), "binary_xlsb"),
        (archive("xl/workbook.xml"), "broken_workbook"),
        (b"PK\x03\x04rest", "broken_workbook"),
        (b"<html><body><p>No table here.</p>", "html"),
        ("<!-- x -->\n<TABLE border=1>\n<tr><td>问题</td>".encode("gbk"), "html"),
        (b"<!---->" * 700 + b"<x", "no_delimiter"),
        (b"<?xml version='1.0'?><rows/>", "unknown_type"),
        (b"", "empty_file"),
        (b"\x00" * 100, "empty_file"),
    ],
)
def test_what_is_no_dataset(write, content, code):
    error = refused(write(content, name="data.csv"), filename="data.csv")
    assert error.code == code
    assert "Nothing was imported." in str(error)


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030"])
@pytest.mark.parametrize("end", ["", "\x1a", "\x00" * 600])
def test_some_nul_makes_no_table_a_binary_file(write, encoding, end):
    rows = "1,退货多久？,七天\x00内\x00可退。,七天。\n2,保修\x00多久？,十二个月。,十二\x00\x00个月。\n"
    opened = open_dataset(write("编号,问题\x00,上下文,回答\n" + rows + end, encoding))
    records, problems = read(opened)
    assert opened.understanding.encoding == encoding
    assert problems == []
    assert [(one.question, one.contexts, one.answer) for one in records] == [
        ("退货多久？", ("七天内可退。",), "七天。"),
        ("保修多久？", ("十二个月。",), "十二个月。"),
    ]
    assert all("nul_removed" in one.flags for one in records)


def test_the_name_does_not_matter(write):
    path = write("question,context,answer\nq,c,a\n", name="data.xlsx")
    assert open_dataset(path, filename="data.xlsx").understanding.format == "csv"


def test_every_sentence_can_be_rebuilt_from_code_and_params(write):
    error = refused(write("question,context,answer\n", name="x"), encoding="nonsense")
    assert messages.FILE_ERRORS[error.code] % error.params == str(error)
    assert error.template == messages.FILE_ERRORS[error.code]
    (problem,) = [row for row in open_dataset(write("question,context,answer\nq,c,a\nq\n")).rows() if row.line == 3]
    assert messages.ROW_PROBLEMS[problem.code] % problem.params == problem.reason


def test_objects_printed_one_after_the_other(write):
    row = '{\n  "question": "q",\n  "contexts": ["c"],\n  "answer": "a"\n}\n'
    opened = open_dataset(write(row * 3))
    assert opened.understanding.format == "jsonl" and len(list(opened.rows())) == 3
    assert open_dataset(write(row)).understanding.format == "json"


@pytest.mark.parametrize("separator", ["\x01", "\x1f"])
def test_tables_that_databases_write_with_a_control_character(write, separator):
    rows = [["id", "question", "context", "answer"], *([str(n), "退款？", "三天。", "a"] for n in range(30))]
    opened = open_dataset(write("\n".join(separator.join(row) for row in rows)))
    assert (opened.understanding.delimiter, len(list(opened.rows()))) == (separator, 30)
