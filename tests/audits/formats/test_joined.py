"""Cells that seem to hold several contexts."""

import json

from audits.formats import open_dataset

from .conftest import read


def codes(opened):
    return [notice.code for notice in opened.understanding.warnings]


def test_lists_without_quotation_marks_are_one_context_and_said(write):
    rows = 'q1?,"[七天内可退。, 定制商品除外。]",a1.\nq2?,"[保修一年, 仅限大陆]",a2.\n'
    opened = open_dataset(write("question,contexts,answer\n" + rows))
    assert codes(opened) == ["bare_lists"]
    assert read(opened)[0][0].contexts == ("[七天内可退。, 定制商品除外。]",)


def test_lists_and_notes_in_brackets_are_no_bare_lists(write):
    rows = 'q1?,"[""one"", ""two""]",a1.\nq2?,[1] See the manual.,a2.\nq3?,Plain [see above],a3.\n'
    assert codes(open_dataset(write("question,contexts,answer\n" + rows))) == []


def test_names_that_tell_are_offered_among_very_many(write):
    noise = {f"m{number}": "x" for number in range(300)}
    lines = "".join(
        json.dumps(noise | {"question": f"q{n}?", "context": "c", "answer": "a"}) + "\n" for n in range(3)
    )
    opened = open_dataset(write(lines))
    assert codes(opened) == ["many_columns"]
    assert [record.question for record in read(opened)[0]] == ["q0?", "q1?", "q2?"]


def test_what_lies_in_an_input_is_no_answer(write):
    row = {"input.value": "q?", "output.value": "a.", "docs": ["c"]}
    opened = open_dataset(write(json.dumps(row) + "\n" + json.dumps(row)))
    assert [(one.question, one.answer) for one in read(opened)[0]] == [("q?", "a.")] * 2
