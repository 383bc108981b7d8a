"""Downloads carry what came with a row in its file: reference, generator, time, tags, columns that are not mapped."""

import datetime
import io
import json
from typing import Any

import openpyxl
import pytest

from audits.models import Audit, GivenLabel, Project
from tests.audits.factory import S, cut, make_audit, make_dataset, make_sample, speak
from tests.audits.views.test_exports import HOSTILE, LINES, body, sheet, table, url_of

WRITTEN = datetime.datetime(2026, 10, 3, 8, 5, tzinfo=datetime.UTC)
NUMBER = 1234567890123456789
META = ["meta.zone", "meta.city", "meta.=1+1", "meta.kept"]
BESIDE = ["reference", "generator", "timestamp", "tags", *META]


@pytest.fixture
def audit(project: Project) -> Audit:
    """Two samples with one claim each; "=1+1" and "kept" are columns that the head of the file did not name."""
    dataset = make_dataset(project, samples=0, columns=["zone", "question", "city", "never_filled"])
    told: dict[str, Any] = {
        "reference": LINES,
        "generator": "zeta-7b",
        "timestamp": WRITTEN,
        "tags": ["refunds", "费用"],
        "metadata": {"kept": NUMBER, "=1+1": [1, {"a": None}], "city": HOSTILE, "zone": True},
    }
    first, second = make_sample(dataset, 0, **told), make_sample(dataset, 1, metadata={"city": "007", "kept": 0.5})
    audit = make_audit(dataset)
    for sample in (first, second):
        for claim in cut(audit, sample, ["The fee is 2 %."]):
            speak(claim, S, S)
    GivenLabel.objects.create(sample=first, position=1, claim="=2+2", word="对", label="SUPPORTED")
    GivenLabel.objects.create(sample=first, position=0, word="不支持", label="NOT_SUPPORTED")
    return audit


@pytest.mark.parametrize("kind", ["claims", "samples"])
def test_csv_has_a_column_for_each_in_the_order_of_the_file(
    signed_in: Any, analyst: Any, audit: Audit, kind: str
) -> None:
    raw = body(signed_in(analyst).get(url_of(audit, kind), {"contexts": "1"}))
    first, second = table(raw)
    assert list(first)[-len(BESIDE) :] == BESIDE
    assert first["reference"] == LINES and first["generator"] == "zeta-7b" and first["tags"] == "refunds, 费用"
    assert first["timestamp"] == "2026-10-03T08:05:00+00:00"
    assert [first[name] for name in META] == ["true", "'" + HOSTILE, '[1, {"a": null}]', str(NUMBER)]
    assert [second[name] for name in BESIDE] == ["", "", "", "", "", "007", "", "0.5"]


@pytest.mark.parametrize("kind", ["claims", "samples"])
def test_jsonl_has_them_as_they_came(signed_in: Any, analyst: Any, audit: Audit, kind: str) -> None:
    raw = body(signed_in(analyst).get(url_of(audit, kind, "jsonl")))
    first, second = [json.loads(line) for line in raw.decode().splitlines()]
    assert (first["reference"], first["generator"]) == (LINES, "zeta-7b")
    assert first["tags"] == ["refunds", "费用"] and first["timestamp"] == "2026-10-03T08:05:00+00:00"
    assert list(first["metadata"].items()) == [
        ("zone", True),
        ("city", HOSTILE),
        ("=1+1", [1, {"a": None}]),
        ("kept", NUMBER),
    ]
    assert second["metadata"] == {"city": "007", "kept": 0.5}
    assert (second["timestamp"], second["tags"], second["reference"]) == (None, [], "")


def test_xlsx_keeps_every_digit_and_runs_nothing(signed_in: Any, analyst: Any, audit: Audit) -> None:
    raw = body(signed_in(analyst).get(url_of(audit, "samples", "xlsx")))
    header, first, second = sheet(raw)
    at = {name: header.index(name) for name in BESIDE}
    assert [first[at[name]] for name in META] == ["true", "'" + HOSTILE, '[1, {"a": null}]', str(NUMBER)]
    assert [second[at[name]] for name in META] == [None, "007", None, 0.5]
    cells = [cell for row in openpyxl.load_workbook(io.BytesIO(raw)).worksheets[0] for cell in row]
    assert not [cell for cell in cells if cell.data_type == "f" or cell.hyperlink]


def test_human_labels_are_in_the_export_of_samples_alone(signed_in: Any, analyst: Any, audit: Audit) -> None:
    browser = signed_in(analyst)
    given = [
        {"claim": "", "word": "不支持", "label": "NOT_SUPPORTED"},
        {"claim": "=2+2", "word": "对", "label": "SUPPORTED"},
    ]
    lines = body(browser.get(url_of(audit, "samples", "jsonl"))).splitlines()
    assert [json.loads(line)["given_labels"] for line in lines] == [given, []]
    first, second = table(body(browser.get(url_of(audit, "samples"))))
    assert json.loads(first["given_labels"]) == given and second["given_labels"] == ""
    for fmt in ("csv", "jsonl"):
        raw = body(browser.get(url_of(audit, "claims", fmt))).decode()
        assert "given_labels" not in raw and "不支持" not in raw


def test_an_expert_gets_no_export(signed_in: Any, expert: Any, audit: Audit) -> None:
    answer = signed_in(expert).get(url_of(audit, "samples", "jsonl"))
    assert answer.status_code == 403 and "不支持" not in answer.content.decode()


def test_an_audit_of_a_file_without_other_columns_has_none(signed_in: Any, analyst: Any, project: Project) -> None:
    audit = make_audit(make_dataset(project, columns=["question", "answer", "city"]))
    rows = table(body(signed_in(analyst).get(url_of(audit, "samples"))))
    assert len(rows) == 3 and not [name for name in rows[0] if name.startswith("meta")]
