"""Files as people really send them, in messy/: expected.json says what a right importer reads out of each."""

import json
from pathlib import Path
from typing import Any

import pytest

from audits.formats import FormatError, Record, RowProblem, SourceRow, map_record, open_dataset

FOLDER = Path(__file__).with_name("messy")
EXPECTED = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))
CANONICAL = {row["id"]: row for row in EXPECTED["canonical"]}
EXACT = sorted(name for name, file in EXPECTED["files"].items() if isinstance(file["rows"], list) and file["rows"])
ENCODINGS = {"01_gbk.csv": "gb18030", "31_cp1252.csv": "windows-1252", "03_excel_unicode_text_utf16le.txt": "utf-16"}
SHAPES = {
    "12_ragas_to_pandas_to_csv.csv": "ragas",
    "13_ragas_to_jsonl.jsonl": "ragas",
    "15_deepeval_save_as.csv": "deepeval",
    "15_deepeval_save_as.json": "deepeval",
    "15_deepeval_save_as.jsonl": "deepeval",
    "19_langfuse_observations.jsonl": "langfuse",
    "19_langfuse_traces.csv": "langfuse",
    "20_langsmith_dataset.csv": "langsmith",
    "20_langsmith_runs.jsonl": "langsmith",
    "21_phoenix_qa_with_reference.csv": "phoenix",
    "22_trulens_get_records.csv": "trulens",
    "28_dify_style_wrapped.json": "dify",
    "29_fastgpt_style_chat.json": "fastgpt",
}


def read(name: str) -> tuple[list[Record], list[RowProblem], Any]:
    opened = open_dataset(FOLDER / name, filename=name)
    found = opened.understanding
    rows = [map_record(row, found.mapping) if isinstance(row, SourceRow) else row for row in opened.rows()]
    return [r for r in rows if isinstance(r, Record)], [r for r in rows if isinstance(r, RowProblem)], found


def plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def wanted(name: str) -> list[dict[str, Any]]:
    rows = [CANONICAL[row] if isinstance(row, str) else row for row in EXPECTED["files"][name]["rows"]]
    if EXPECTED["files"][name].get("quoting") == "none":  # its line breaks are written as \n, which stays literal
        literal = json.dumps(rows, ensure_ascii=False).replace("\\n", "\\\\n")
        rows = json.loads(literal)
    return rows


@pytest.mark.parametrize("name", EXACT)
def test_every_text_is_read_to_the_letter(name: str) -> None:
    records, problems, found = read(name)
    assert problems == []
    want = wanted(name)
    assert [record.question for record in records] == [row["question"] for row in want]
    assert [record.answer for record in records] == [plain(row["answer"]) for row in want]
    assert [list(record.contexts) for record in records] == [[plain(c) for c in row["contexts"]] for row in want]
    if found.mapping.get("id") and name not in {"09_no_header.csv"}:
        assert all(record.external_id for record in records)


@pytest.mark.parametrize("name", SHAPES)
def test_exports_of_tools_are_recognised(name: str) -> None:
    assert read(name)[2].shape.startswith(SHAPES[name])


@pytest.mark.parametrize("name", sorted(set(EXPECTED["files"]) - set(SHAPES) - {"14_ragas_v01_columns.json"}))
def test_plain_tables_are_taken_for_nothing_else(name: str) -> None:
    try:
        assert open_dataset(FOLDER / name, filename=name).understanding.shape == ""
    except FileNotFoundError:
        assert name == "34_huge_cell.csv"  # made by a test below
    except FormatError as error:
        assert error.code in {"empty_file", "no_rows"}


@pytest.mark.parametrize("name", ENCODINGS)
def test_encodings(name: str) -> None:
    assert read(name)[2].encoding == ENCODINGS[name]


def test_merged_headers_and_items_over_several_rows() -> None:
    records, _problems, found = read("23_merged_headers.xlsx")
    assert (found.sheet, found.header_line) == ("质检明细", 3)
    assert sum(len(record.contexts) for record in records) == 9
    assert "remark_rows" in {notice.code for notice in found.warnings}


def test_ragged_and_unclosed_rows_are_named_by_line() -> None:
    records, problems, _found = read("11_ragged_broken.csv")
    assert len(records) == 1
    assert [(problem.line, problem.code) for problem in problems] == [
        (3, "too_few_fields"),
        (4, "too_many_fields"),
        (5, "unclosed_quote"),
    ]


@pytest.mark.parametrize("name", ["15_deepeval_save_as.csv", "15_deepeval_save_as.jsonl"])
def test_contexts_that_an_export_has_joined_are_not_taken_apart(name: str) -> None:
    records, problems, found = read(name)
    assert problems == [] and len(records) == 8
    assert [record.question for record in records] == [row["question"] for row in CANONICAL.values()]
    assert [record.answer for record in records] == [plain(row["answer"]) for row in CANONICAL.values()]
    assert "joined_contexts" in {notice.code for notice in found.warnings}


def test_wrongly_decoded_text_is_warned_about_and_kept() -> None:
    records, _problems, found = read("32_mojibake.csv")
    assert "mojibake" in {notice.code for notice in found.warnings}
    assert len(records) == 1 and "退货" not in records[0].question


def test_a_cell_of_two_hundred_thousand_characters(tmp_path: Path) -> None:
    path = tmp_path / "34_huge_cell.csv"
    path.write_text(f"id,question,context,answer\nh1,长文档？,{'很长的上下文。' * 30_000},好\n", encoding="utf-8")
    opened = open_dataset(path)
    (row,) = opened.rows()
    assert isinstance(row, SourceRow)
    record = map_record(row, opened.understanding.mapping)
    assert isinstance(record, Record) and len(record.contexts[0]) == 210_000


@pytest.mark.parametrize(("name", "code"), [("37_header_only.csv", "no_rows"), ("38_zero_bytes.csv", "empty_file")])
def test_files_without_rows(name: str, code: str) -> None:
    with pytest.raises(FormatError) as refused:
        read(name)
    assert refused.value.code == code
