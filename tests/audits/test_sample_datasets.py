"""The sample datasets with known labels: every file is complete, consistent and in its language."""

import json
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import audits
from audits.labels import Label
from audits.text.language import language_of
from audits.text.refusals import is_refusal

FOLDER = Path(audits.__file__).parent / "samples"
FILES = sorted([*FOLDER.glob("*.en.jsonl"), *FOLDER.glob("*.zh.jsonl")])
FIELDS = {"id", "question", "contexts", "answer", "reference", "tags", "claims"}

Row = dict[str, Any]


def rows_of(path: Path) -> list[Row]:
    """The rows of a sample dataset; a line that is no JSON object fails the test that asks."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert all(isinstance(row, dict) for row in rows)
    return rows


def claims_of(rows: list[Row]) -> list[dict[str, str]]:
    return [claim for row in rows for claim in row["claims"]]


def texts_of(row: Row) -> list[str]:
    """All that a person reads of a row."""
    return [
        row["question"],
        row["answer"],
        row["reference"],
        *row["contexts"],
        *(claim["text"] for claim in row["claims"]),
    ]


every_file = pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)


def test_there_are_sample_datasets_in_both_languages() -> None:
    assert {path.name.split(".")[1] for path in FILES} == {"en", "zh"}


@every_file
def test_a_file_has_about_forty_rows_with_all_fields(path: Path) -> None:
    rows = rows_of(path)
    assert 36 <= len(rows) <= 44
    assert [row["id"] for row in rows if set(row) != FIELDS] == []


@every_file
def test_ids_and_questions_are_unique(path: Path) -> None:
    rows = rows_of(path)
    for field in ("id", "question"):
        assert [value for value, times in Counter(row[field] for row in rows).items() if times > 1] == []


def test_ids_are_unique_over_all_files() -> None:
    ids = Counter(row["id"] for path in FILES for row in rows_of(path))
    assert [value for value, times in ids.items() if times > 1] == []


@every_file
def test_no_text_is_empty_and_no_context_is_missing(path: Path) -> None:
    for row in rows_of(path):
        assert 1 <= len(row["contexts"]) <= 4, row["id"]
        assert 1 <= len(row["tags"]) <= 3, row["id"]
        assert all(isinstance(text, str) and text.strip() for text in [*texts_of(row), *row["tags"]]), row["id"]


@every_file
def test_no_text_holds_characters_that_cannot_be_seen(path: Path) -> None:
    for row in rows_of(path):
        hidden = {char for text in texts_of(row) for char in text if unicodedata.category(char) in ("Cc", "Cf", "Co")}
        assert hidden <= {"\n"}, row["id"]


@every_file
def test_claims_carry_a_text_and_a_label(path: Path) -> None:
    for row in rows_of(path):
        assert all(set(claim) == {"text", "label"} for claim in row["claims"]), row["id"]
        assert {claim["label"] for claim in row["claims"]} <= set(Label), row["id"]


@every_file
def test_no_answer_has_the_same_claim_twice(path: Path) -> None:
    for row in rows_of(path):
        assert len({claim["text"] for claim in row["claims"]}) == len(row["claims"]), row["id"]


@every_file
def test_refusals_have_no_claims_and_are_few(path: Path) -> None:
    rows = rows_of(path)
    assert [row["id"] for row in rows if is_refusal(row["answer"]) and row["claims"]] == []
    assert 1 <= sum(not row["claims"] for row in rows) <= 6


@every_file
def test_every_label_occurs_and_most_claims_are_supported(path: Path) -> None:
    claims = claims_of(rows_of(path))
    labels = Counter(claim["label"] for claim in claims)
    assert set(labels) == set(Label)
    assert 0.65 <= labels[Label.SUPPORTED] / len(claims) <= 0.9


@every_file
def test_a_file_is_written_in_its_language(path: Path) -> None:
    language = path.name.split(".")[1]
    for row in rows_of(path):
        assert language_of(" ".join([row["question"], row["answer"], *row["contexts"]])) == language, row["id"]


@pytest.mark.parametrize(
    "path", [path for path in FILES if path.name.endswith(".zh.jsonl")], ids=lambda path: path.name
)
def test_chinese_answers_and_claims_are_chinese_with_full_width_marks(path: Path) -> None:
    for row in rows_of(path):
        assert language_of(row["answer"]) == "zh", row["id"]
        assert all(language_of(claim["text"]) == "zh" for claim in row["claims"]), row["id"]
        assert set(row["answer"]) & set("，。；：、！？"), row["id"]
