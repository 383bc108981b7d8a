"""Mended rows: taken back in their place, bad ones named again, nothing twice and nothing lost without a word."""

import json

import pytest

from audits.formats import FormatError, open_dataset
from audits.formats.merging import BOOKKEEPING, Merged, mended_rows, merge

TABLE = "id,question,context,answer,line\n1,q1,c1,a1,x\n2,q2\n3,q3,c3,a3,y\n4,q4,c4,a4,z,too,many\n"


def table(*rows: str) -> str:
    return ",".join([*BOOKKEEPING, "id", "question", "context", "answer", "line"]) + "\n" + "".join(rows)


def merged(write, tmp_path, mended: str) -> tuple[Merged, list[dict[str, str]]]:
    opened = open_dataset(write(TABLE, name="bad.csv"))
    fixed = open_dataset(write(mended, name="mended.csv"), shape="")
    target = tmp_path / "out.jsonl"
    rows = mended_rows(fixed.columns, fixed.rows())
    counts = merge(opened.rows(), opened.understanding.mapping, rows, target)
    return counts, [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]


def test_mended_rows_take_their_places(write, tmp_path):
    counts, rows = merged(
        write,
        tmp_path,
        table("3,context,,too few,,2,q2,c2,'=a2,w\n", "5,,,too many,,4,q4,c4,a44,z\n", ",,,,,5,new,c5,a5,v\n"),
    )
    assert counts == Merged(kept=2, mended=3, still_bad=0, left_out=0)
    assert [row["id"] for row in rows] == ["1", "2", "3", "4", "5"]
    assert rows[1] == {"id": "2", "question": "q2", "context": "c2", "answer": "=a2", "line": "w"}


def test_rows_nobody_has_mended_are_counted(write, tmp_path):
    counts, rows = merged(write, tmp_path, table("3,context,,too few,,2,q2,c2,a2,w\n"))
    assert counts == Merged(kept=2, mended=1, still_bad=0, left_out=1)
    assert [row["id"] for row in rows] == ["1", "2", "3"]


def test_one_bad_row_may_become_several(write, tmp_path):
    counts, rows = merged(write, tmp_path, table("3,,,,,2a,q,c,a,\n", "3,,,,,2b,q,c,a,\n"))
    assert counts.mended == 2 and [row["id"] for row in rows] == ["1", "2a", "2b", "3"]


@pytest.mark.parametrize(
    ("mended", "code"),
    [
        ("id,question,context,answer\n1,q,c,a\n", "not_mended"),
        (table("2,,,,,1,q,c,a,\n"), "unknown_line"),
        (table("two,,,,,1,q,c,a,\n"), "bad_mended_row"),
        (table("3,,,,,1,q\n", "5,,,,,1,q,c,a,\n"), "bad_mended_row"),
    ],
)
def test_what_cannot_be_taken_back(write, tmp_path, mended, code):
    with pytest.raises(FormatError) as refused:
        merged(write, tmp_path, mended)
    assert refused.value.code == code and "Nothing was imported." in str(refused.value)
