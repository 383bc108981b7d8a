"""Contexts under names that nobody knows: the longest text is read, and said so."""

import json

import pytest

from audits.formats import open_dataset

from .conftest import read

TEXTS = [["第3条：7日内可退货。", "第5条：定制商品除外。"], ["It doesn't cover accidents."], []]


def lines(wrap):
    rows = [{"question": f"q{n}?", "answer": f"a{n}.", **wrap(texts)} for n, texts in enumerate(TEXTS)]
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


@pytest.mark.parametrize(
    ("path", "wrap"),
    [
        ("检索结果[].段落", lambda texts: {"检索结果": [{"文件名": "手册.docx", "段落": text} for text in texts]}),
        ("chunks[].chunkBody", lambda texts: {"chunks": [{"chunkBody": text, "score": 0.5} for text in texts]}),
        ("hits.hits[]._src.words", lambda texts: {"hits": {"hits": [{"_src": {"words": text}} for text in texts]}}),
        ("contexts[][1]", lambda texts: {"contexts": [["A title", text] for text in texts]}),
    ],
)
def test_the_longest_text_of_each_object_is_the_context(write, path, wrap):
    opened = open_dataset(write(lines(wrap)))
    records, problems = read(opened)
    assert opened.understanding.mapping["contexts"] == path
    assert path in opened.columns
    assert problems == []
    assert [list(record.contexts) for record in records] == TEXTS
    notices = {notice.code: notice.params for notice in opened.understanding.warnings}
    assert notices["contexts_path"] == {"path": path}


def test_names_that_are_known_are_no_guess(write):
    opened = open_dataset(write(lines(lambda texts: {"chunks": [{"text": one, "longer": 3 * one} for one in texts]})))
    assert "contexts_path" not in {notice.code for notice in opened.understanding.warnings}
    assert [list(record.contexts) for record in read(opened)[0]] == TEXTS


def test_identifiers_are_no_contexts(write):
    def of(texts):
        return {"contexts": [{"document_id": "doc-20240305-0000000001", "score": 0.4} for _ in texts]}

    opened = open_dataset(write(lines(of)))
    records, problems = read(opened)
    assert opened.understanding.mapping["contexts"] == "contexts"
    assert [problem.code for problem in problems] == ["bad_contexts", "bad_contexts"]
    assert [record.flags for record in records] == [("no_context",)]
