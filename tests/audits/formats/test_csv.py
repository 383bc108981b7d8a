"""Tables in text: separators, quoting, and the line of every row that does not fit."""

import pytest

from audits.formats import SourceRow, open_dataset

from .conftest import read, refused


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_separator_is_found(write, delimiter):
    rows = [["id", "question", "contexts", "answer"], ["1", "谁？", "甲，乙；丙", "甲"], ["2", "Who?", "A", "B"]]
    opened = open_dataset(write("\n".join(delimiter.join(row) for row in rows)))
    assert opened.understanding.delimiter == delimiter
    records, problems = read(opened)
    assert [(r.external_id, r.question, r.contexts, r.answer) for r in records] == [
        ("1", "谁？", ("甲，乙；丙",), "甲"),
        ("2", "Who?", ("A",), "B"),
    ]
    assert problems == []


def test_semicolons_in_quoted_cells_do_not_split(write):
    records, _ = read(open_dataset(write('﻿id;question;context;answer\r\n1;q;"a; b, c";"say ""x"""\r\n')))
    assert records[0].contexts == ("a; b, c",)
    assert records[0].answer == 'say "x"'


def test_sep_line_is_a_hint_and_no_header(write):
    opened = open_dataset(write("sep=;\r\nid;question;context;answer\r\n1;q;c;a\r\n2;q;c\r\n"))
    assert opened.understanding.columns == ("id", "question", "context", "answer")
    assert [row.line for row in opened.rows()] == [3, 4]


def test_quotation_marks_in_unquoted_tsv_are_text(write):
    text = 'id\tquestion\tcontext\tanswer\n1\tq\t"Gold" is a plan\t"Gold\n2\tq\tc\t6" disk\n'
    records, problems = read(open_dataset(write(text)))
    assert [r.answer for r in records] == ['"Gold', '6" disk']
    assert records[0].contexts == ('"Gold" is a plan',)
    assert problems == []


def test_quoted_tsv_keeps_tabs_and_line_ends(write):
    records, _ = read(open_dataset(write('id\tquestion\tcontext\tanswer\n1\tq\t"a\tb\nc"\t"x"\n')))
    assert records[0].contexts == ("a\tb\nc",)
    assert records[0].answer == "x"


def test_rows_that_do_not_fit_are_named_and_never_shifted(write):
    text = (
        "id,question,context,answer\n"
        "r1,q,c,a\n"
        "r2,q,c\n"  # no answer
        "r3,one, two,c,a\n"  # a comma without quotation marks
        'r4,q,"two\nlines",a\n'
        "r5,q,c,a\n"
    )
    records, problems = read(open_dataset(write(text)))
    assert [(r.line, r.external_id) for r in records] == [(2, "r1"), (5, "r4"), (7, "r5")]
    assert [(p.line, p.column, p.code) for p in problems] == [
        (3, "answer", "too_few_fields"),
        (4, "", "too_many_fields"),
    ]
    assert problems[0].reason == "The row has 3 fields where the header has 4."


def test_unclosed_quotation_mark_is_named_where_it_opens(write):
    records, problems = read(open_dataset(write('id,question,context,answer\n1,q,c,a\n2,"q,c,a\n3,q,c,a\n')))
    assert [r.external_id for r in records] == ["1"]
    assert [(p.line, p.code) for p in problems] == [(3, "unclosed_quote")]
    assert "lines 3 to 4" in problems[0].reason


def test_text_after_a_closing_quotation_mark_is_a_problem_of_its_row(write):
    records, problems = read(open_dataset(write('id,question,context,answer\n1,q,"a "b" c",a\n2,q,c,a\n')))
    assert [(p.line, p.code) for p in problems] == [(2, "bad_quotes")]
    assert [r.external_id for r in records] == ["2"]


def test_blank_lines_and_rows_of_separators_are_passed_over(write):
    opened = open_dataset(write("\nid,question,context,answer\n\n,,,\n1,q,c,a\n\n"))
    assert [row.line for row in opened.rows()] == [5]


def test_separators_after_the_last_column_are_accepted(write):
    records, problems = read(open_dataset(write("question,context,answer,\nq,c,a,\nq2,c,a,,\nq3,c,a\n")))
    assert (len(records), problems) == (3, [])


def test_mac_and_windows_line_ends(write):
    for end in ("\r", "\r\n", "\n"):
        opened = open_dataset(write(end.join(["question,context,answer", "q,c,a", "q,c,b", ""])))
        assert [row.line for row in opened.rows()] == [2, 3]


def test_long_cells_are_read_and_too_long_ones_named(write):
    long, too_long = "证" * 210_000, "x" * 1_000_001
    opened = open_dataset(write(f"question,context,answer\nq,{long},a\nq,c,{too_long}\nq,c,a\n"))
    records, problems = read(opened)
    assert [len(r.contexts[0]) for r in records] == [210_000, 1]
    assert [(p.line, p.column, p.code) for p in problems] == [(3, "answer", "cell_too_long")]


def test_a_cell_without_end_stops_the_reading_and_says_so(write):
    opened = open_dataset(write('question,context,answer\nq,c,a\nq,"' + "x" * 10_000_001 + '",a\nq,c,a\n'))
    records, problems = read(opened)
    assert len(records) == 1
    assert [(p.line, p.code) for p in problems] == [(3, "unreadable_rest")]


def test_undecodable_cell_is_named_and_the_others_are_read(write):
    text = "编号,问题,上下文,回答\n1,问,证据,答\n2,问,证据,坏\n3,问,证据,答\n".encode()
    records, problems = read(open_dataset(write(text.replace("坏".encode(), b"\xe5\x9d"))))
    assert [r.external_id for r in records] == ["1", "3"]
    assert [(p.line, p.column, p.code) for p in problems] == [(3, "回答", "undecodable")]


def test_undecodable_header_refuses_the_file(write):
    error = refused(write("编号,问题,上下文,回答\n1,问,证据,答\n".encode("gb18030")), encoding="utf-8")
    assert (error.code, error.params["line"]) == ("undecodable", 1)


def test_header_names_are_made_unique(write):
    opened = open_dataset(write("question, context ,context,,answer,\nq,c1,c2,x,a,\n"))
    assert opened.understanding.columns == ("question", "context", "context (2)", "column 4", "answer")
    assert read(opened)[0][0].contexts == ("c1", "c2")


def test_objects_in_cells_become_columns(write):
    text = 'id,input,output\n1,"{""question"": ""q""}","{""answer"": ""a"", ""docs"": [{""content"": ""c""}]}"\n'
    opened = open_dataset(write(text))
    names = ("id", "input.question", "output.answer", "output.docs", "output.docs[].content")
    assert opened.understanding.columns == names
    assert read(opened)[0][0].contexts == ("c",)


def test_one_answer_that_is_json_stays_text(write):
    text = 'question,context,answer\nq,c,plain\nq,c,"{""answer"": 1}"\n'
    records, _ = read(open_dataset(write(text)))
    assert [r.answer for r in records] == ["plain", '{"answer": 1}']


def test_formulas_are_text(write):
    records, _ = read(open_dataset(write("id,question,context,answer\n1,=1+1,+86,-5%\n")))
    assert (records[0].question, records[0].contexts, records[0].answer) == ("=1+1", ("+86",), "-5%")


def test_a_byte_order_mark_never_reaches_the_first_name(write):
    path = write('"id";question;context;answer\n1;q;c;a\n', "utf-8-sig")
    for encoding in (None, "utf-8", "utf-8-sig"):
        assert open_dataset(path, encoding=encoding).understanding.columns[0] == "id"


def test_hostile_header_takes_no_time(write):
    opened = open_dataset(write("question,context,answer," + "(" * 900_000 + "\nq,c,a,x\n"))
    assert len(opened.understanding.columns[3]) == 200


def test_chosen_separator_wins(write):
    path = write("a;b,question;context;answer\n1;q,c;a\n")
    assert open_dataset(path, delimiter=",").understanding.columns == ("a;b", "question;context;answer")
    assert refused(path, delimiter="ab").code == "bad_delimiter"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "empty_file"),
        (b"\xef\xbb\xbf\r\n  \n", "empty_file"),
        (b"id,question,context,answer\n", "no_rows"),
        (b"id,question,context,answer\n\n,,,\n", "no_rows"),
        (b"just some words\nand more words\n", "no_delimiter"),
        (b"question,context,answer\nq\nq\n", "no_good_rows"),
        (b",".join(b"c%d" % n for n in range(300)) + b"\n", "too_many_columns"),
        (b'"question,context,answer\nq,c,a\n', "bad_header"),
    ],
)
def test_files_without_rows_are_refused(write, content, code):
    error = refused(write(content))
    assert error.code == code
    assert "Nothing was imported." in str(error)


def test_rows_can_be_read_again_and_from_the_middle(write):
    opened = open_dataset(write("question,context,answer\n" + "".join(f"q{n},c,a\n" for n in range(1000))))
    first = list(opened.rows())
    assert len(first) == 1000
    assert list(opened.rows()) == first
    half = opened.rows()
    assert isinstance(next(half), SourceRow)
    half.close()
    assert len(list(opened.rows())) == 1000
