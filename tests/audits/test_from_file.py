"""What came with a sample in its file: one order on every database, and no more columns than a table can have."""

import json
from typing import Any

import pytest

from audits.from_file import FileColumns, FileOrder, as_text
from audits.models import Project
from tests.audits.factory import make_dataset, make_sample


def test_known_columns_come_as_in_the_file_and_others_by_name(project: Project) -> None:
    dataset = make_dataset(project, samples=0, columns=["b", "a"])
    assert list(FileOrder(dataset).sorted({"z": 1, "a": 2, "c": 3, "b": 4})) == ["b", "a", "c", "z"]


def test_a_file_of_very_many_columns_keeps_all_in_a_bounded_table(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("audits.from_file.MAX_COLUMNS", 2)
    dataset = make_dataset(project, samples=0, columns=["a", "b"])
    one = make_sample(dataset, 0, metadata={"a": 1, "b": 2, "c": 3})
    two = make_sample(dataset, 1, metadata={"d": "四"})
    columns = FileColumns(dataset)
    assert columns.names == ["reference", "generator", "timestamp", "tags", "meta.a", "meta.b", "metadata"]
    assert columns.cells(one)[4:] == [1, 2, '{"c": 3}']
    assert columns.cells(two)[4:] == ["", "", '{"d": "四"}']
    assert json.loads(str(columns.cells(two)[-1])) == {"d": "四"}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        ("", ""),
        ("=1", "=1"),
        (7, "7"),
        (True, "true"),
        (["a", None], '["a", null]'),
        ({"k": "值"}, '{"k": "值"}'),
    ],
)
def test_any_value_has_a_text(value: Any, text: str) -> None:
    assert as_text(value) == text
