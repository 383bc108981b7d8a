"""Parquet: rows as they are, lists and structures kept, damage and size named."""

import datetime

import pytest

from audits.formats import open_dataset
from audits.formats.parquet import ParquetReader

from .conftest import read, refused

pyarrow = pytest.importorskip("pyarrow")
from pyarrow import parquet  # noqa: E402


def written(tmp_path, columns, **options):
    path = tmp_path / "data.csv"  # the name does not matter
    parquet.write_table(pyarrow.table(columns), path, **options)
    return path


ROWS = {
    "id": ["r1", "r2"],
    "question": ["退款要多久？", None],
    "contexts": [["甲", "乙"], []],
    "answer": ["三天", "x"],
    "score": [0.5, float("nan")],
    "at": [datetime.datetime(2024, 3, 5, 10), None],
}


def test_rows(tmp_path):
    opened = open_dataset(written(tmp_path, ROWS))
    assert opened.understanding.format == "parquet"
    assert opened.understanding.mapping["contexts"] == "contexts"
    (first, second), problems = read(opened)
    assert (first.line, first.external_id, first.question, first.contexts) == (1, "r1", "退款要多久？", ("甲", "乙"))
    assert second.contexts == () and {"no_question", "no_context"} <= set(second.flags)
    assert problems == []
    assert opened.fraction == 1.0


def test_lists_of_structures(tmp_path):
    docs = [[{"page_content": "甲", "metadata": {"page": 1}}, {"page_content": "乙", "metadata": {"page": 2}}]]
    opened = open_dataset(written(tmp_path, {"question": ["q"], "documents": docs, "answer": ["a"]}))
    (record,), _ = read(opened)
    assert record.contexts == ("甲", "乙")


def test_many_groups_come_in_order(tmp_path):
    path = written(
        tmp_path,
        {"question": [f"q{n}" for n in range(2500)], "contexts": [["c"]] * 2500, "answer": ["a"] * 2500},
        row_group_size=700,
    )
    records, _ = read(open_dataset(path))
    assert [record.question for record in records] == [f"q{n}" for n in range(2500)]
    assert records[-1].line == 2500


def test_bytes_that_are_no_text_cost_their_row(tmp_path):
    columns = {"question": [b"q", "é".encode()], "context": ["c", "c"], "answer": [b"\xff\xfe", b"a"]}
    (record,), (problem,) = read(open_dataset(written(tmp_path, columns)))
    assert record.question == "é" and problem.line == 1


def test_what_is_refused(tmp_path, monkeypatch):
    assert refused(written(tmp_path, {"question": pyarrow.array([], pyarrow.string())})).code == "no_rows"
    path = written(tmp_path, ROWS)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    assert refused(path).code == "broken_parquet"
    path.write_bytes(content[:40] + b"\x00" * 200 + content[240:])
    assert refused(path).code == "broken_parquet"
    monkeypatch.setattr("audits.formats.parquet.MAX_GROUP", 10)
    path.write_bytes(content)
    assert refused(path).code == "parquet_too_large"


def test_without_pyarrow_a_sentence_says_what_to_do(tmp_path, monkeypatch):
    path = written(tmp_path, ROWS)
    monkeypatch.setitem(__import__("sys").modules, "pyarrow.parquet", None)
    error = refused(path)
    assert error.code == "parquet_missing" and "JSONL" in str(error)


def test_the_reader_says_what_it_is():
    assert ParquetReader.name == "parquet"
