"""Answers of Haystack."""

import pytest

from audits.formats import open_dataset

from .forms import EXPECTED, FORMS, as_json, as_lines, as_lines_of_texts, told

READ = [("", question, contexts, answer) for question, contexts, answer in EXPECTED]


def answer(question, contexts, text):
    documents = [
        {"id": f"d{number}", "content": one, "blob": None, "meta": {"file": "kb"}, "score": 0.5, "embedding": None}
        for number, one in enumerate(contexts)
    ]
    return {"data": text, "query": question, "documents": documents, "meta": {}}


def plain(*row):
    return answer(*row)


def typed(*row):
    return {"type": "haystack.dataclasses.answer.GeneratedAnswer", "init_parameters": answer(*row)}


def of_a_pipeline(*row):
    return {"answer_builder": {"answers": [typed(*row)]}}


def with_replies(question, contexts, text):
    reply = {"role": "assistant", "meta": {"model": "m"}, "name": None, "content": [{"text": text}]}
    return {"query": question, "documents": answer(question, contexts, text)["documents"], "replies": [reply]}


@pytest.mark.parametrize("wrap", [plain, typed, with_replies])
@pytest.mark.parametrize("form", FORMS)
def test_answers(write, form, wrap):
    opened = open_dataset(write(form([wrap(*row) for row in EXPECTED])))
    assert opened.understanding.shape == "haystack"
    assert told(opened) == READ


@pytest.mark.parametrize("form", [as_json, as_lines, as_lines_of_texts])
def test_what_a_pipeline_returned(write, form):
    opened = open_dataset(write(form([of_a_pipeline(*row) for row in EXPECTED])))
    assert opened.understanding.shape == "haystack"
    assert told(opened) == READ


def test_several_answers_of_one_run_are_several_items(write):
    opened = open_dataset(write(as_json([{"answers": [answer(*row) for row in EXPECTED]}])))
    assert told(opened) == READ


def test_a_column_named_data_alone_is_no_answer(write):
    rows = [{"query": question, "answer": text, "data": "2024-03-05"} for question, _contexts, text in EXPECTED]
    assert open_dataset(write(as_json(rows))).understanding.shape == ""
