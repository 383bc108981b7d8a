"""A damaged file ends in rows, in named problems, or in a FormatError: in nothing else."""

import io
import json
import random

import openpyxl
import pytest

from audits.formats import FormatError, Record, RowProblem, open_dataset

from .conftest import read
from .damage import spoil

ROWS = [
    {
        "id": f"r{n}",
        "question": "退款要多久？",
        "contexts": ["收到退货后，三个工作日内“退款”。", 'a "b" | c'],
        "answer": f"{n}天;\n内",
    }
    for n in range(6)
]


def as_csv(delimiter):
    quoted = lambda text: '"' + text.replace('"', '""') + '"'  # noqa: E731  # one line, used twice
    lines = [delimiter.join(ROWS[0])]
    for row in ROWS:
        lines.append(
            delimiter.join(
                quoted(v if isinstance(v, str) else json.dumps(v, ensure_ascii=False)) for v in row.values()
            )
        )
    return "\r\n".join(lines)


def as_workbook():
    book = openpyxl.Workbook()
    book.active.append(list(ROWS[0]))
    for row in ROWS:
        book.active.append([str(value) for value in row.values()])
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


SEEDS = {
    "csv": as_csv(",").encode(),
    "gbk": as_csv(";").encode("gbk"),
    "tsv": as_csv("\t").encode("utf-16"),
    "jsonl": "\n".join(json.dumps(row, ensure_ascii=False) for row in ROWS).encode(),
    "json": json.dumps({"data": ROWS}, ensure_ascii=False, indent=1).encode(),
    "xlsx": as_workbook(),
}


@pytest.mark.parametrize("kind", SEEDS)
def test_damaged_files(write, kind):
    source = random.Random(f"formats {kind}")
    ends = {"rows": 0, "refused": 0}
    for _ in range(60):
        try:
            opened = open_dataset(write(spoil(SEEDS[kind], source)))
            records, problems = read(opened)
        except FormatError as error:
            assert str(error) == error.template % error.params if error.params else error.template
            ends["refused"] += 1
        else:
            ends["rows"] += 1
            assert records or problems
            for record in records:
                assert isinstance(record, Record)
                json.dumps([record.question, record.answer, record.contexts, record.metadata], allow_nan=False)
                "".join((record.question, record.answer, record.external_id, *record.contexts)).encode()
            for problem in problems:
                assert isinstance(problem, RowProblem)
                assert problem.line >= 1
                (problem.reason + problem.column).encode()
    assert ends["refused"] < 60
    assert ends["rows"] < 60 or kind in {"csv", "gbk", "tsv", "jsonl"}


@pytest.mark.parametrize("kind", SEEDS)
def test_sound_seeds_are_read_whole(write, kind):
    records, problems = read(open_dataset(write(SEEDS[kind])))
    assert problems == []
    assert [r.external_id for r in records] == [row["id"] for row in ROWS]
    assert [r.contexts for r in records] == [tuple(row["contexts"]) for row in ROWS]
    assert [r.answer for r in records] == [row["answer"] for row in ROWS]
