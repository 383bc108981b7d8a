"""Tables in text: separators, headers, quoting, and the line of every row that does not fit."""

import pytest

from audits.formats import Options, SourceRow, open_dataset
from audits.formats.csv import CsvReader

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


def test_sep_line_is_a_hint_and_no_header(write):
    opened = open_dataset(write("sep=;\r\nid;question;context;answer\r\n1;q;c;a\r\n2;q;c\r\n"))
    assert opened.understanding.columns == ("id", "question", "context", "answer")
    assert [row.line for row in opened.rows()] == [3, 4]


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


def codes(opened):
    return [warning.code for warning in opened.understanding.warnings]


def values(path, **options):
    return [list(row.values.values()) for row in open_dataset(path, **options).rows()]


@pytest.mark.parametrize("delimiter", ["^", "~", ":", "\x01", "\x1f"])
def test_rare_separators_are_found_where_every_row_agrees(write, delimiter):
    rows = [["id", "question", "contexts", "answer"], ["1", "q, r; s", "a | b", "x"], ["2", "q", "c", "y"]]
    reader = CsvReader(write("\n".join(delimiter.join(row) for row in rows)), Options(encoding="utf-8"))
    assert reader.delimiter == delimiter
    assert [row.values["question"] for row in reader.rows()] == ["q, r; s", "q"]


@pytest.mark.parametrize("delimiter", ["，", "｜", "#", "\t", "tab"])
def test_any_separator_can_be_chosen(write, delimiter):
    sign = "\t" if delimiter == "tab" else delimiter
    path = write("\n".join(sign.join(row) for row in (["question", "context", "answer"], ["q, 1", "c", "a"])))
    assert values(path, delimiter=delimiter) == [["q, 1", "c", "a"]]


def test_full_width_signs_and_colons_in_texts_never_separate(write):
    text = "question,context,answer\n谁：甲，乙：丙,见第3条，第4条,好：的，是\n何时：今天,条款：一，二,是：的，好\n"
    assert open_dataset(write(text)).understanding.delimiter == ","


def test_separators_inside_json_do_not_count(write):
    cell = '[{""a"": 1, ""b"": 2; ""c"": 3}, {""d"": 4, ""e"": 5}]'
    opened = open_dataset(write(f'question\tcontexts\tanswer\nq\t"{cell}"\ta\nq\t"{cell}"\ta\n'))
    assert opened.understanding.delimiter == "\t"
    opened = open_dataset(write(f'question;contexts;answer\nq;"{cell}";a\nq;"{cell}";a\n'))
    assert opened.understanding.delimiter == ";"


def test_problems_carry_what_was_read(write):
    text = 'id,question,context,answer\nr2,q,c\nr3,one, two,c,a\nr4,q,"a "b" c",a\nr5,q,c,a\n'
    _, problems = read(open_dataset(write(text)))
    assert [(p.value, p.values) for p in problems] == [
        ("", {"id": "r2", "question": "q", "context": "c"}),
        ("a", {"id": "r3", "question": "one", "context": " two", "answer": "c", "column 5": "a"}),
        ('r4,q,"a "b" c",a', {"id": "r4", "question": "q", "context": 'a b" c"', "answer": "a"}),
    ]


def test_undecodable_bytes_are_shown(write):
    content = "question,context,answer\nq,证据,X答\nq,c,a\n".encode().replace(b"X", b"\xff")
    _, (problem,) = read(open_dataset(write(content)))
    assert (problem.value, problem.values) == ("\\xff答", {"question": "q", "context": "证据", "answer": "\\xff答"})
    assert problem.values is not None
    "".join(problem.values.values()).encode()


@pytest.mark.parametrize("end", ["2,q", '2,q,"half a con', '2,q,"half\na con', '2,"half a qu'])
def test_a_file_that_is_cut_off_says_so(write, end):
    records, problems = read(open_dataset(write("id,question,context,answer\n1,q,c,a\n" + end)))
    assert [r.external_id for r in records] == ["1"]
    assert [(p.line, p.code) for p in problems] == [(3, "cut_off")]
    assert problems[0].values is not None
    assert problems[0].values["id"] == "2"


def test_a_short_last_row_with_a_line_end_is_only_short(write):
    _, problems = read(open_dataset(write("id,question,context,answer\n1,q,c,a\n2,q\n")))
    assert [p.code for p in problems] == ["too_few_fields"]


def test_the_line_is_named_in_which_a_mark_opens(write):
    text = 'id,question,context,answer\n1,q,c,a\n2,"two\nlines","x,\ny\n3,q,c,a\n'
    _, (problem,) = read(open_dataset(write(text)))
    assert (problem.line, problem.column, problem.code) == (3, "context", "unclosed_quote")
    assert problem.reason.startswith("A quotation mark opens in line 4 ")
    assert "lines 3 to 6" in problem.reason
    assert problem.values == {"id": "2", "question": "two\nlines", "context": "x,\ny\n3,q,c,a\n"}


def test_nuls_in_cells(write):
    opened = open_dataset(write(f"question,context,answer\nq\0,c,a\n\0,,\nq,\0c,{'a' * 500}\n"))
    assert [row.line for row in opened.rows()] == [2, 4]
    records, problems = read(opened)
    assert [r.question for r in records] == ["q", "q"]
    assert problems == []


def test_blank_lines_and_hints_are_mentioned(write):
    assert codes(open_dataset(write("question,context,answer\nq,c,a\n\nq,c,a\n\n"))) == ["blank_lines"]
    assert codes(open_dataset(write('question,context,answer\nq,"c\n\r\nc",a\nq,c,a\n\n,,\n'))) == []
    assert codes(open_dataset(write("sep=;\nquestion;context;answer\nq;c;a\n"))) == ["sep_line"]


def test_the_part_that_is_read_is_known(write):
    opened = open_dataset(write("question,context,answer\n" + "".join(f"q{n},{'c' * 500},a\n" for n in range(2000))))
    fractions = []
    for _ in opened.rows():
        fractions.append(opened.fraction)
    assert fractions == sorted(fractions)
    assert 0 < fractions[0] < 0.2 < fractions[1000] < 0.8
    assert fractions[-1] == opened.fraction == 1.0


def test_two_iterations_at_once(write):
    opened = open_dataset(write("question,context,answer\n" + "".join(f"q{n},c,a\n" for n in range(20_000)) + "q,c"))
    for one, other in zip(opened.rows(), opened.rows(), strict=True):
        assert one == other


def test_line_ends_at_the_edges_of_pieces(write):
    for pad in range(65_536 - 70, 65_536 - 30):
        text = "question,context,answer\r\n" + f"q,{'c' * pad},a\r\n" + 'q,"two\r\nlines",a\r\n' * 3
        assert [row.line for row in open_dataset(write(text)).rows()] == [2, 3, 5, 7]


def test_old_mac_line_ends_in_a_long_file(write):
    opened = open_dataset(write("question,context,answer\r" + "".join(f"q{n},c,a\r" for n in range(30_000))))
    assert [row.line for row in opened.rows()] == list(range(2, 30_002))
