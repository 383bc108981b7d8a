"""Workbooks of the old Excel format: old.xls, beside this file, has two rows, number formats and a hidden sheet."""

from pathlib import Path

import pytest

from audits.formats import open_dataset

from .conftest import read, refused

OLD = Path(__file__).with_name("old.xls")


def test_rows_as_the_sheet_shows_them():
    opened = open_dataset(OLD)
    assert (opened.understanding.format, opened.understanding.sheet) == ("xls", "质检")
    (first, second), problems = read(opened)
    assert problems == []
    assert (first.external_id, first.question, first.contexts) == ("0007", "退款要多久？", ("三个工作日内退款。",))
    assert first.answer == "=三天" and second.answer == "99.95%\n赔付 10%"
    assert first.metadata["占比"] == "12.5%" and first.metadata["达标"] == "TRUE"
    assert "2024-03-05" in (first.metadata.get("日期"), str(first.timestamp)[:10])


@pytest.mark.parametrize("at", [30, 600, 1500, 3000, 4500])
def test_damage_ends_in_rows_or_a_sentence(write, at):
    content = OLD.read_bytes()
    path = write(content[:at] + b"\xff" * 64 + content[at + 64 :])
    try:
        records, problems = read(open_dataset(path))
    except Exception as error:
        assert getattr(error, "code", "") in {"broken_xls", "no_rows", "broken_workbook"}, error
    else:
        assert records or problems


def test_a_file_cut_in_the_middle(write):
    assert refused(write(OLD.read_bytes()[:2000])).code == "broken_xls"
