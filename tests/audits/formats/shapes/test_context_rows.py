"""Tables with one row per context."""

import pytest

from audits.formats import open_dataset

from ..conftest import read
from .forms import A1, A2, C1, C2, EXPECTED, as_csv, as_lines

READ = [(Q, tuple(C), A) for Q, C, A in EXPECTED]


def repeated(key, question, contexts, answer):
    return [{"id": key, "question": question, "context": one, "answer": answer} for one in contexts]


def numbered(key, question, contexts, answer):
    rows = repeated(key, question, contexts, answer)
    return [row | {"id": f"{key}-{number}"} for number, row in enumerate(rows)]


def left_out(key, question, contexts, answer):
    first, *others = repeated(key, question, contexts, answer)
    return [first, *(row | {"id": "", "question": "", "answer": ""} for row in others)]


@pytest.mark.parametrize("of", [repeated, numbered, left_out])
@pytest.mark.parametrize("form", [as_csv, as_lines])
def test_rows_of_one_answer_are_joined(write, form, of):
    rows = [row | {"score": len(row["context"])} for number, one in enumerate(EXPECTED) for row in of(number, *one)]
    opened = open_dataset(write(form(rows)))
    records, problems = read(opened)
    assert opened.understanding.shape == "context_rows"
    assert problems == []
    assert [(one.question, one.contexts, one.answer) for one in records] == READ
    assert [str(score) for score in records[0].metadata["score"]] == [str(len(one)) for one in C1]
    assert records[1].metadata["score"] in (len(C2[0]), str(len(C2[0])))


def test_rows_with_identifiers_of_their_own_are_answers_of_their_own(write):
    rows = [row for one in EXPECTED for row in repeated("", *one)]
    rows = [row | {"id": str(number)} for number, row in enumerate(rows)]
    opened = open_dataset(write(as_lines(rows)))
    assert opened.understanding.shape == "" and len(read(opened)[0]) == len(rows)


def test_a_person_may_say_that_rows_stand_for_themselves(write):
    path = write(as_lines([row for number, one in enumerate(EXPECTED) for row in repeated(number, *one)]))
    assert len(read(open_dataset(path, shape=""))[0]) == 3


def test_rows_that_are_there_twice_are_not_joined(write):
    rows = [row for number, one in enumerate(EXPECTED) for row in repeated(number, *one)][1:]
    assert open_dataset(write(as_lines([*rows, *rows]))).understanding.shape == ""
    assert open_dataset(write(as_lines([rows[0], rows[0], rows[1]]))).understanding.shape == ""


def test_one_repeated_answer_among_many_is_no_table_of_contexts(write):
    rows = [{"question": f"q{n}?", "context": f"c{n}", "answer": f"a{n}"} for n in range(20)]
    rows.append(rows[-1] | {"context": "another"})
    assert open_dataset(write(as_lines(rows))).understanding.shape == ""


def test_answers_that_differ_are_several(write):
    rows = [row for one in EXPECTED for row in repeated("1", *one)]
    rows[1] = rows[1] | {"answer": A2}
    records, _problems = read(open_dataset(write(as_lines(rows))))
    assert [one.answer for one in records] == [A1, A2, A2]
