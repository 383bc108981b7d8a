"""How quotation marks and backslashes are meant in a table."""

import json

import pytest

from audits.formats import open_dataset

from .conftest import read


def codes(opened):
    return [warning.code for warning in opened.understanding.warnings]


def values(path, **options):
    return [list(row.values.values()) for row in open_dataset(path, **options).rows()]


def test_semicolons_in_quoted_cells_do_not_split(write):
    records, _ = read(open_dataset(write('﻿id;question;context;answer\r\n1;q;"a; b, c";"say ""x"""\r\n')))
    assert records[0].contexts == ("a; b, c",)
    assert records[0].answer == 'say "x"'


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


def test_backslash_n_is_kept_unless_a_person_says_what_it_means(write):
    path = write('question\tcontext\tanswer\nq\t"Gold" is\\n- a\\tplan\tC:\\new\nq\tc\ta\n')
    opened = open_dataset(path)
    assert codes(opened) == ["escapes"]
    assert values(path) == [["q", '"Gold" is\\n- a\\tplan', "C:\\new"], ["q", "c", "a"]]
    assert values(path, escapes=True) == [["q", '"Gold" is\n- a\tplan', "C:\new"], ["q", "c", "a"]]
    for chosen in (True, False):
        assert open_dataset(path, escapes=chosen).understanding.warnings == ()


def test_backslashes_of_databases_are_read_where_nothing_else_can_be_meant(write):
    path = write('question\tcontexts\tanswer\nq\t["a\\\\nb"]\tone\\ntwo C:\\\\new\nq\t["c"]\t\\N\n\\.\n')
    opened = open_dataset(path)
    assert codes(opened) == ["escapes_read"]
    records, problems = read(opened)
    assert problems == []
    assert [(r.contexts, r.answer) for r in records] == [(("a\nb",), "one\ntwo C:\\new"), (("c",), "")]
    assert values(path, escapes=False)[0][2] == "one\\ntwo C:\\\\new"


@pytest.mark.parametrize("newline", ["\n", "\\\n"])  # of Spark and pandas, of MySQL
def test_backslashes_of_databases_in_quoted_tables(write, newline):
    def written(text):
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", newline) + '"'

    rows = [["Q?", json.dumps(["a\nb", 'say "x"']), 'one\ntwo "y"'], ["r", json.dumps(["c"]), "C:\\new \\"]]
    text = "question,contexts,answer\n" + "".join(",".join(map(written, row)) + "\n" for row in rows)
    opened = open_dataset(write(text))
    records, problems = read(opened)
    assert codes(opened) == ["escapes_read"]
    assert problems == []
    assert [(r.contexts, r.answer) for r in records] == [
        (("a\nb", 'say "x"'), 'one\ntwo "y"'),
        (("c",), "C:\\new \\"),
    ]


def test_single_quotation_marks(write):
    text = "'question','context','answer'\n'Who''s that, \"A\"?','two\nlines','a'\n'r','c','it''s'\n"
    records, problems = read(open_dataset(write(text)))
    assert problems == []
    assert [(r.question, r.contexts, r.answer) for r in records] == [
        ('Who\'s that, "A"?', ("two\nlines",), "a"),
        ("r", ("c",), "it's"),
    ]
    bare = "question;context;answer\n'Tis true;'s;it's\n'Twas;c;'a\n"
    assert values(write(bare)) == [["'Tis true", "'s", "it's"], ["'Twas", "c", "'a"]]


def test_backslash_n_beside_line_breaks_is_only_text(write):
    assert codes(open_dataset(write('question\tcontext\tanswer\nq\t"two\nlines"\tC:\\new\n'))) == []
    assert codes(open_dataset(write("question\tcontext\tanswer\nq\tone\\ntwo\ta\n"))) == ["escapes"]


def test_quotation_marks_after_a_backslash(write):
    text = r"""id,question,context,answer
1,q,"a \"b, c\" d","x"
2,q,"ends with \\","say \"hi\""
3,q,C:\new,"[\"a\", \"b\"]"
"""
    records, problems = read(open_dataset(write(text)))
    assert problems == []
    assert [r.contexts for r in records] == [('a "b, c" d',), ("ends with \\\\",), ("C:\\new",)]
    assert [r.answer for r in records] == ["x", 'say "hi"', '["a", "b"]']


def test_a_backslash_before_doubled_marks_is_text(write):
    text = 'question,contexts,answer\nq,"[""say \\""hi\\"" now""]","a \\"\nq,c,a\n'
    records, problems = read(open_dataset(write(text)))
    assert problems == []
    assert records[0].contexts == ('say "hi" now',)
    assert records[0].answer == "a \\"


def test_spaces_before_quotation_marks(write):
    for row in ('1, "q, r", "c", "a ""b"""', '1,  "q, r",   "c", "a ""b"""'):
        records, problems = read(open_dataset(write(f"id, question, context, answer\n{row}\n{row}\n")))
        assert problems == []
        assert [(r.question, r.contexts, r.answer) for r in records] == [("q, r", ("c",), 'a "b"')] * 2
    assert values(write('question, answer\n "q", "a"\nr, "b"\n')) == [["q", "a"], ["r", "b"]]
    assert values(write('question,answer\n"q", "Gold" is\nr, a\n')) == [["q", ' "Gold" is'], ["r", " a"]]
    assert values(write('question,answer\n"q","[""a"", ""b""]"\n')) == [["q", '["a", "b"]']]


def test_an_unclosed_mark_among_marks_after_a_backslash(write):
    text = 'id,question,context,answer\n1,"say \\"a\\"",c,"\\"b\\""\n2,"say \\"a\\"",c,"b\\"\n3,q,c,a\n'
    records, problems = read(open_dataset(write(text)))
    assert [(r.question, r.answer) for r in records] == [('say "a"', '"b"')]
    assert [(p.line, p.column, p.code) for p in problems] == [(3, "answer", "unclosed_quote")]
    assert problems[0].value.startswith('"b"\n3,q')


def test_a_quoted_table_with_tabs_stays_quoted_when_one_mark_is_missing(write):
    text = 'question\tcontext\tanswer\n"q 1"\t"c"\t"a"\n"q 2"\t"c"\t"a"\n"q 3"\t"c\t"a"\n"q 4"\t"c"\t"a"\n'
    records, problems = read(open_dataset(write(text)))
    assert [r.question for r in records] == ["q 1", "q 2", "q 4"]
    assert [(p.line, p.code) for p in problems] == [(4, "bad_quotes")]


@pytest.mark.parametrize(
    "text",
    [
        "| question | context | answer |\n|:--|---|---|\n| q 1 | c | a |\n| q 2 | c |  |\n",
        "question | context | answer\n--- | --- | ---\nq 1 | c | a\nq 2 | c | \n",
        " question | context | answer \n----------+---------+-------\n q 1 | c | a\n q 2 | c | \n(2 rows)\n\n",
        "+--+--+--+\n| question | context | answer |\n+--+--+--+\n| q 1 | c | a |\n| q 2 | c | |\n+--+--+--+\n",
    ],
)
def test_tables_that_are_drawn(write, text):
    opened = open_dataset(write(text))
    records, problems = read(opened)
    assert codes(opened) == []
    assert problems == []
    assert [(r.question, r.contexts, r.answer) for r in records] == [("q 1", ("c",), "a"), ("q 2", ("c",), "")]


def test_a_table_inside_a_text_is_no_drawn_one(write):
    path = write('question|context|answer\nq|"| a | b |\n|---|---|\n| 1 | 2 |"|" a "\n')
    assert values(path) == [["q", "| a | b |\n|---|---|\n| 1 | 2 |", " a "]]


def test_lists_after_a_backslash_outside_of_quotation_marks(write):
    text = 'question;contexts;answer\nq;[\\"a; b\\"];a\nr;[\\"say \\\\\\"hi\\\\\\"\\"];"x \\"y\\""\n'
    path = write(text.replace("a; b", "a, b"))
    records, problems = read(open_dataset(path))
    assert problems == []
    assert [(r.contexts, r.answer) for r in records] == [(("a, b",), "a"), (('say "hi"',), 'x "y"')]


def test_lines_of_a_table_inside_a_text_are_no_rows(write):
    text = 'id|question|context|answer|x\n1|q|"| a | b | c |\n|---|---|---|\n| 1 | 2 | 3 |\n| 4 | 5 | 6 |"|a|x\n'
    assert values(write(text))[0][2] == "| a | b | c |\n|---|---|---|\n| 1 | 2 | 3 |\n| 4 | 5 | 6 |"


def test_rare_separators_with_other_quotation_marks(write):
    rows = ["'question'^'context'^'answer'", "'q ^ 1'^'c'^'a'", "'it''s q 2'^'c'^'a'"]
    records, problems = read(open_dataset(write("\n".join(rows) + "\n")))
    assert problems == []
    assert [r.question for r in records] == ["q ^ 1", "it's q 2"]


def test_escapes_that_are_escaped_once_more_are_asked_about(write):
    path = write("question,contexts,answer\nq,\"['a\\\\nb', 'c']\",a\n")
    assert codes(open_dataset(path)) == ["escapes"]
    assert read(open_dataset(path, escapes=True))[0][0].contexts == ("a\nb", "c")
