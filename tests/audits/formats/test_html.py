"""Tables of web pages, as reporting tools save them under the name of a workbook."""

import pytest

from audits.formats import open_dataset

from .conftest import read, refused

HEADER = "<tr><th>编号</th><th>问题</th><th>检索片段</th><th>回答</th></tr>"


def page(rows, head="", encoding="utf-8"):
    return f"<html><head>{head}</head><body><table border=1>{HEADER}{rows}</table></body></html>".encode(encoding)


def test_a_table_in_gb2312(write):
    meta = '<meta http-equiv="Content-Type" content="text/html; charset=gb2312">'
    row = "<tr><td>007</td><td>多久？</td><td>三天。<br>五天。</td><td>A &amp; B &lt;三天&gt;</td></tr>"
    opened = open_dataset(write(page(row, meta, "gbk"), name="report.xls"))
    assert (opened.understanding.format, opened.understanding.encoding) == ("html", "gb18030")
    (record,), problems = read(opened)
    assert problems == []
    assert (record.external_id, record.question) == ("007", "多久？")
    assert (record.contexts, record.answer) == (("三天。\n五天。",), "A & B <三天>")


def test_what_looks_like_a_formula_or_an_escape_stays_text(write):
    row = "<tr><td>1</td><td>=1+1</td><td>_x0041_ stays</td><td>+86</td></tr>"
    (record,), _ = read(open_dataset(write(page(row))))
    assert (record.question, record.contexts, record.answer) == ("=1+1", ("_x0041_ stays",), "+86")


def test_a_long_cell_is_not_cut(write):
    long = "证" * 50_000
    (record,), _ = read(open_dataset(write(page(f"<tr><td>1</td><td>q</td><td>{long}</td><td>a</td></tr>"))))
    assert record.contexts == (long,)


def test_the_table_with_the_known_header_is_read(write):
    other = "<table><tr><td>Menu</td></tr><tr><td>Home</td></tr></table><script>var x = '<table>';</script>"
    content = page("<tr><td>1<td>q<td>c<td>a").replace(b"<table border", other.encode() + b"<table border")
    opened = open_dataset(write(content))
    (record,), _ = read(opened)
    assert record.answer == "a" and len(opened.sheets) == 2


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"<html><body>Please sign in.</body></html>", "html"),
        (b"<table><tr><td>only one row</td></tr></table>", "html"),
        (b"<html>" + b"<table>" * 60, "broken_html"),
        (page("")[:-20] + b"<td " + b"x" * 1_100_000, "broken_html"),
    ],
)
def test_pages_without_rows(write, content, code):
    assert refused(write(content)).code == code
