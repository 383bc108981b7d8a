"""The one line that says how a file was understood."""

import pytest
from django.utils import translation

from audits.models import Dataset
from audits.understood import how_understood


def test_a_file_from_a_chinese_excel_in_an_archive() -> None:
    dataset = Dataset(
        format="csv", encoding="gb18030", confidence=0.85, delimiter=";", header_line=3, member="answers.csv"
    )
    assert how_understood(dataset) == [
        "table in text (CSV)",
        "GB18030 (GBK) (likely, 85 %)",
        "columns separated by “;”",
        "header in line 3",
        "file answers.csv in the archive",
    ]


def test_a_known_export_comes_first() -> None:
    dataset = Dataset(shape="ragas", format="jsonl", encoding="utf-8", confidence=1.0)
    assert how_understood(dataset) == ["Looks like a ragas export", "JSONL", "UTF-8 (certain)"]


@pytest.mark.parametrize(
    ("confidence", "said"), [(0.97, "almost certain, 97 %"), (0.8, "likely, 80 %"), (0.4, "a guess, 40 %")]
)
def test_how_sure_the_encoding_is_is_said_in_words(confidence: float, said: str) -> None:
    assert how_understood(Dataset(format="csv", encoding="big5", confidence=confidence))[1] == f"Big5 ({said})"


def test_sheets_lists_and_missing_headers_are_named() -> None:
    assert how_understood(Dataset(format="xlsx", sheet="质检", header_line=2)) == [
        "Excel workbook",
        "sheet 质检",
        "header in row 2",
    ]
    assert how_understood(Dataset(format="json", sheet="data.list"))[1] == "rows from data.list"
    assert how_understood(Dataset(format="csv", header=False))[-1] == "no header: the first row is data"


def test_a_shape_of_an_older_version_and_a_file_never_read_are_no_error() -> None:
    assert how_understood(Dataset(shape="gone", format="csv")) == ["table in text (CSV)"]
    assert how_understood(Dataset()) == []
    with translation.override("zh-hans"):
        assert how_understood(Dataset(format="csv", delimiter="\t"))
