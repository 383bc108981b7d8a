"""Contexts in one text: nothing is split unasked, and what is split loses nothing."""

import pytest

from audits.formats import SourceRow, map_record
from audits.formats.joined import guess_split, suggested_split
from audits.formats.splitting import looks_like_table_rows, split, suggest

TABLE = "| 区域 | 2022Q4 | 2023Q4 |\n|---|---|---|\n| 华东 | 1,250.0 | 1,437.5 |"
MAPPING = {"question": "q", "contexts": "c", "answer": "a"}


def rows(*cells):
    return [SourceRow(number, {"q": "q", "c": cell, "a": "a"}) for number, cell in enumerate(cells, start=2)]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("1. one\n2. two\n3. three", ["one", "two", "three"]),
        ("1、甲\n2、乙", ["甲", "乙"]),
        ("1.甲\n 2.乙\n", ["甲", "乙"]),
        ("1) one\n2) two", ["one", "two"]),
        ("(1) one\n(2) two", ["one", "two"]),
        ("（1）甲；（2）乙", ["甲；", "乙"]),
        ("[1] one\n[2] two\nmore of it", ["one", "two\nmore of it"]),
        ("【1】甲\n【2】乙", ["甲", "乙"]),
        ("①甲②乙③丙", ["甲", "乙", "丙"]),
        ("1) one 2) two 3) three", ["one", "two", "three"]),
        ("1. 退货7天内。 2. 邮费自理。", ["退货7天内。", "邮费自理。"]),
        ("一、甲\n二、乙\n三、丙", ["甲", "乙", "丙"]),
        ("第1条 甲\n第2条 乙", ["第1条 甲", "第2条 乙"]),
        ("第一条 甲\n第二条 乙\n第三条 丙", ["第一条 甲", "第二条 乙", "第三条 丙"]),
        ("Document 1: one\nDocument 2: two", ["one", "two"]),
        ("[Doc 1] one\n[Doc 2] two", ["one", "two"]),
        ("片段1：甲\n片段2：乙", ["甲", "乙"]),
        ("检索到：\n1. 甲\n2. 乙", ["检索到：", "甲", "乙"]),
        ("1. one", ["one"]),
        ("1. one\n1. not in turn\n2. two", ["one\n1. not in turn", "two"]),
        ("\n".join(f"{n}. x{n}" for n in range(1, 13)), [f"x{n}" for n in range(1, 13)]),
        # not numbered
        ("1.5 mg in 24 hours, 2.5 mg in 48", ["1.5 mg in 24 hours, 2.5 mg in 48"]),
        ("Adults: 500 mg (1) every 6 hours (2)", ["Adults: 500 mg (1) every 6 hours (2)"]),
        ("第八条 违约责任", ["第八条 违约责任"]),
        ("2. two\n3. three", ["2. two\n3. three"]),
        ("2023年\n2. 同比", ["2023年\n2. 同比"]),
        ("", [""]),
    ],
)
def test_numbered(text, pieces):
    assert split(text, "numbered") == pieces


@pytest.mark.parametrize(
    ("text", "how", "pieces"),
    [
        ("- one\n- two", "bullets", ["one", "two"]),
        ("• 甲\n•乙", "bullets", ["甲", "乙"]),
        ("* one\n  * inner\n* two", "bullets", ["one\n  * inner", "two"]),
        ("Found:\n● one\n● two", "bullets", ["Found:", "one", "two"]),
        ("-5 °C\n-10 °C", "bullets", ["-5 °C\n-10 °C"]),
        ("**bold**\n---\ntext", "bullets", ["**bold**\n---\ntext"]),
        ("one\n\ntwo\nmore\n \n\nthree", "blank_lines", ["one", "two\nmore", "three"]),
        ("one\ntwo\n\nthree\n", "lines", ["one", "two", "three"]),
        ("one", "lines", ["one"]),
        ("one ||| two|||three", "|||", ["one", "two", "three"]),
        ("one|||", "|||", ["one"]),
        ("a|||b||||c", "|||", ["a", "b||||c"]),
        ("a --- b ----- c", "---", ["a", "b ----- c"]),
        ("a|b||c", "|", ["a", "b", "c"]),
        ("a###b", "###", ["a", "b"]),
        ("a\n---\nb --- c", "\\n---\\n", ["a", "b --- c"]),
        ("a\tb", "\\t", ["a", "b"]),
        (" kept as it is ", "|", [" kept as it is "]),
        (" kept ", "", [" kept "]),
    ],
)
def test_other_ways(text, how, pieces):
    assert split(text, how) == pieces


@pytest.mark.parametrize("how", ["numbered", "bullets", "blank_lines", "lines", "|", "###"])
@pytest.mark.parametrize("sign", ["1. ", "- ", "\n", " \n", "| ", "#", "①", "第1条", "一、", "1", " "])
def test_long_texts_are_split_at_once(how, sign):
    text = sign * (200_000 // len(sign))
    assert sum(map(len, split(text, how))) <= len(text)


@pytest.mark.parametrize(
    ("texts", "how"),
    [
        (["a ||| b", "c"], "|||"),
        (["a[SEP]b"], "[SEP]"),
        (["a</s>b", "c </s> d"], "</s>"),
        (["a\x1eb"], "\x1e"),
        (["1. a\n2. b", "1. c\n2. d", "e"], "numbered"),
        (["- a\n- b", "- c\n- d"], "bullets"),
        (["one sentence here.\n\nanother one.", "x\n\ny"], "blank_lines"),
        (["A first long sentence.|A second long sentence.", "Only one sentence is here."], "|"),
        (["A first passage.###A second passage."], "###"),
        (["plain prose", "more of it"], ""),
        ([TABLE, TABLE], ""),
        (["Gold | Silver | Bronze are the three plans."], ""),
        ([], ""),
        (["", " "], ""),
    ],
)
def test_what_a_page_proposes(texts, how):
    assert suggest(texts) == how


@pytest.mark.parametrize(
    "cells",
    [
        ("Gold | Silver | Bronze", "x"),
        (TABLE, "|||\n|---|---|\n| a | b |"),
        ("| a ||| b |\n|---|---|---|---|\n| 1 ||| 2 |",),
        ("<s>old price</s> new price",),
        ("one; two; three", "x\n\ny"),
        ("1. one\n2. two",),
        ("one || two",),
        ("a\n---\nb",),
    ],
)
def test_what_occurs_in_prose_and_tables_is_never_split_unasked(cells):
    how, _said = guess_split(rows(*cells), MAPPING)
    assert how == ""
    for cell, row in zip(cells, rows(*cells), strict=True):
        assert map_record(row, {**MAPPING, "split": how}).contexts == (cell,)


def test_a_separator_that_never_occurs_in_prose_is_obeyed_and_said():
    found = rows("退货7天。 ||| 定制商品除外。", f"{TABLE} ||| 注：未经审计。", "一段")
    how, said = guess_split(found, MAPPING)
    assert (how, said.code, said.params) == ("|||", "contexts_split", {"separator": "|||", "count": 2})
    assert "|||" in str(said)
    mapped = [map_record(row, {**MAPPING, "split": how}).contexts for row in found]
    assert mapped == [("退货7天。", "定制商品除外。"), (TABLE, "注：未经审计。"), ("一段",)]


def test_what_may_be_split_is_said():
    assert guess_split(rows("Plan | price", "x"), MAPPING)[1].code == "joined_contexts"
    assert guess_split(rows("1. one\n2. two"), MAPPING)[1].code == "unsplit_contexts"
    assert guess_split(rows("plain"), MAPPING) == ("", None)
    assert guess_split(rows('["a|b"]', ["c ||| d"], None), MAPPING) == ("", None)
    assert guess_split(rows("a ||| b"), {**MAPPING, "contexts": ["c", "q"]}) == ("", None)
    assert guess_split(rows("a ||| b"), {}) == ("", None)
    assert suggested_split(rows("1. one\n2. two"), MAPPING) == "numbered"


def test_a_choice_is_obeyed_in_texts_and_not_in_lists():
    mapping = {**MAPPING, "split": "numbered"}
    (one,) = rows("1. one\n2. two")
    assert map_record(one, mapping).contexts == ("one", "two")
    for cell in (["1. one\n2. two"], '["1. one\\n2. two"]'):
        assert map_record(rows(cell)[0], mapping).contexts == ("1. one\n2. two",)
    assert map_record(rows(" ||| ")[0], {**MAPPING, "split": "|||"}).flags == ("no_context",)


def test_a_split_table_is_flagged():
    mapping = {**MAPPING, "split": "|"}
    assert map_record(rows("A sentence of some length.|Another sentence of length.")[0], mapping).flags == ()
    for cell in (TABLE, "The plan covers a lot of things.|Gold | Silver | Bronze are the plans."):
        assert map_record(rows(cell)[0], mapping).flags == ("table_split",)
    assert looks_like_table_rows(["---", "a long text that ends. "])
    assert not looks_like_table_rows(["退货期为7天。", "包邮。"])


def test_too_many_pieces_are_a_problem():
    problem = map_record(rows("x\n" * 1_001)[0], {**MAPPING, "split": "lines"})
    assert (problem.code, problem.column) == ("too_many_contexts", "c")
