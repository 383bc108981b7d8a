"""Which row of a table names its columns, and tables in which none does."""

import pytest

from audits.formats import open_dataset

from .conftest import read


def codes(opened):
    return [warning.code for warning in opened.understanding.warnings]


def values(path, **options):
    return [list(row.values.values()) for row in open_dataset(path, **options).rows()]


def test_the_line_of_the_header_is_known(write):
    for text, line in (("q,x\n", 1), ("sep=;\nq;x\n", 2), ("\n\nq,x\n", 3)):
        names = text.replace("q", "question").replace("x", "answer")
        assert open_dataset(write(names + "a;b\nc,d\n")).understanding.header_line == line


def test_titles_above_the_header_are_left_out_and_named(write):
    table = "编号,问题,上下文,回答\n1,问,证,答\n2,问,证,答\n"
    for titles, line in (("RAG 质检表（2024年3月）\n", 2), ("质检表,,,\n导出人：张三,,,\n,,,\n", 4), ("表\n\n", 3)):
        opened = open_dataset(write(titles + table))
        assert opened.understanding.header_line == line
        assert "skipped_rows" in codes(opened)
        assert [record.external_id for record in read(opened)[0]] == ["1", "2"]


def test_titles_above_a_header_of_unknown_names(write):
    opened = open_dataset(write("Report of March\n\nFrage,Kontext,Antwort\nq1,c1,a1\nq2,c2,a2\n"))
    assert opened.understanding.columns == ("Frage", "Kontext", "Antwort")
    assert [row.line for row in opened.rows()] == [4, 5]


HEADERLESS = [
    'What is the dose for adults?,"Adults: 4 g per day.\nHalve it later.",Up to 4 g per day.\n'
    'Who pays for it?,"The buyer pays for the repair.\nSee page 3.",The buyer does.\n'
    'Is it "Gold"?,"The Gold plan covers it.\nSilver does not.",Yes.\n',
    "r1,退货要多久？,三个工作日内原路退款。,三个工作日。\nr2,可以保修吗？,仅限中国大陆地区。,不可以。\n",
    '1,短问题,"[""甲"", ""乙""]",短\n2,短问,"[""丙""]",答\n3,问题三,"[""丁""]",答案\n',
    "2024-03-01,0.92,好\n2024-03-02,0.95,差\n",
]


@pytest.mark.parametrize("text", HEADERLESS)
def test_a_first_row_like_the_others_is_data(write, text):
    opened = open_dataset(write(text))
    first = next(opened.rows())
    assert (first.line, opened.understanding.header_line) == (1, None)
    assert list(first.values)[:2] == ["column 1", "column 2"]
    assert "header_guessed_missing" in codes(opened)
    assert sum(1 for _ in opened.rows()) == sum(1 for _ in open_dataset(write(text), header=True).rows()) + 1


@pytest.mark.parametrize(
    "text",
    [
        "Frage,Kontext,Antwort\nWer zahlt das?,Der Käufer zahlt.,Der Käufer.\nWann?,Nach drei Tagen.,Bald.\n",
        "0,1,2\nWer zahlt das?,Der Käufer zahlt.,Der Käufer.\nWann ist es da?,Nach drei Tagen.,Bald.\n",
        "Zeitstempel,Was war die Frage?,Was war gut?\n2024-03-01,Wer zahlt?,Alles war gut.\n2024-03-02,Wo?,Nichts.\n",
        ",alpha,beta\n0,x,y\n1,z,w\n",
        "alpha,beta\nx,y\nz,w\n",
        "alpha,beta\nx,y\n",
    ],
)
def test_unknown_names_above_other_things_are_a_header(write, text):
    opened = open_dataset(write(text))
    assert opened.understanding.header_line == 1
    assert "header_guessed_missing" not in codes(opened)


def test_one_row_without_a_header(write):
    opened = open_dataset(write("Who pays?,The buyer pays for the repair.,The buyer does.\n"))
    assert [row.line for row in opened.rows()] == [1]


def test_a_person_says_whether_there_is_a_header(write):
    path = write("question,context,answer\nq,c,a\n")
    assert values(path, header=False) == [["question", "context", "answer"], ["q", "c", "a"]]
    assert "header_guessed_missing" not in codes(open_dataset(path, header=False))
    assert open_dataset(write(HEADERLESS[1]), header=True).understanding.header_line == 1
