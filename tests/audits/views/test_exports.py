"""Downloads: the same rows as CSV, XLSX and JSON lines; text exact, cells harmless."""

import csv
import io
import json
from typing import Any

import openpyxl
import pytest
from django.urls import reverse

from audits.export_files import CELL_LIMIT, xlsx_file
from audits.models import Audit, Project
from tests.audits.factory import C, S, cut, judged_audit, make_audit, make_dataset, make_sample, speak

HOSTILE = '=HYPERLINK("http://x","费用")'
LINES = '第一行，"引号"\n第二行\u00a0/ 😀'


@pytest.fixture
def audit(project: Project) -> Audit:
    return judged_audit(project, name="十月/审计")


def url_of(audit: Audit, kind: str = "claims", fmt: str = "csv") -> str:
    return reverse("audit_export", args=[audit.project.slug, audit.pk, kind, fmt])


def body(answer: Any) -> bytes:
    return b"".join(answer.streaming_content)


def table(raw: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(raw.decode("utf-8-sig"), newline="")))


def sheet(raw: bytes) -> list[tuple[Any, ...]]:
    return list(openpyxl.load_workbook(io.BytesIO(raw)).worksheets[0].values)


@pytest.fixture
def odd(project: Project) -> Audit:
    """One sample full of what breaks tables and spreadsheets."""
    dataset = make_dataset(project, samples=0)
    sample = make_sample(dataset, 0, external_id="+1", question=HOSTILE, answer=LINES * 3, contexts=[LINES, HOSTILE])
    audit = make_audit(dataset)
    for claim in cut(audit, sample, [HOSTILE, LINES]):
        speak(claim, S, C, quote="第二行")
    return audit


def test_csv_has_one_row_per_claim(signed_in: Any, analyst: Any, audit: Audit) -> None:
    answer = signed_in(analyst).get(url_of(audit))
    raw = body(answer)
    assert raw.startswith(b"\xef\xbb\xbf")  # Excel needs it to see UTF-8
    rows = table(raw)
    assert len(rows) == 6
    first, last = rows[0], rows[-1]
    assert (first["sample_id"], first["claim_no"], first["claim"]) == ("q-1", "1", "The fee is 2 %.")
    assert first["decision"] == "SUPPORTED" and first["deepseek:deepseek-v4 label"] == "SUPPORTED"
    assert first["anthropic:claude-x quotes"] == "[1] the fee is 2 %"
    assert (first["start"], first["end"], first["vague"]) == ("0", "15", "false")
    assert last["decision"] == "disputed" and last["anthropic:claude-x label"] == ""
    assert last["anthropic:claude-x unscored"] == "refused"
    assert "contexts" not in first


def test_headers_of_a_download(signed_in: Any, analyst: Any, audit: Audit) -> None:
    for fmt in ("csv", "xlsx", "jsonl"):
        answer = signed_in(analyst).get(url_of(audit, fmt=fmt))
        body(answer)
        assert answer["Content-Disposition"].startswith("attachment;") and "%2F" not in answer["Content-Disposition"]
        assert "no-store" in answer["Cache-Control"]


def test_csv_survives_commas_quotes_lines_and_formulas(signed_in: Any, analyst: Any, odd: Audit) -> None:
    first, second = table(body(signed_in(analyst).get(url_of(odd), {"contexts": "1"})))
    assert first["question"] == "'" + HOSTILE and first["claim"] == "'" + HOSTILE
    assert second["claim"] == LINES and second["answer"] == LINES * 3
    assert first["contexts"] == f"[1] {LINES}\n[2] {HOSTILE}"


def test_jsonl_is_the_text_itself(signed_in: Any, analyst: Any, odd: Audit) -> None:
    raw = body(signed_in(analyst).get(url_of(odd, fmt="jsonl"), {"contexts": "1"}))
    assert "费用".encode() in raw and b"\\u8d39" not in raw
    first, second = [json.loads(line) for line in raw.decode().splitlines() if line]
    assert first["claim"] == HOSTILE and first["sample_id"] == "+1" and second["claim"] == LINES
    assert second["contexts"] == [LINES, HOSTILE]
    assert [(said["judge"], said["label"]) for said in second["verdicts"]] == [
        ("A", "SUPPORTED"),
        ("B", "CONTRADICTED"),
    ]
    start, end = second["verdicts"][0]["quotes"][0]["start"], second["verdicts"][0]["quotes"][0]["end"]
    assert LINES[start:end] == "第二行"


def test_xlsx_holds_text_never_formulas(signed_in: Any, analyst: Any, odd: Audit) -> None:
    raw = body(signed_in(analyst).get(url_of(odd, fmt="xlsx")))
    header, first, second = sheet(raw)
    at = header.index("claim")
    assert first[at] == "'" + HOSTILE and second[at] == LINES
    assert first[header.index("claim_no")] == 1
    book = openpyxl.load_workbook(io.BytesIO(raw))
    assert all(cell.data_type in {"s", "n"} and not cell.hyperlink for row in book.worksheets[0] for cell in row)


def test_a_text_too_long_for_a_cell_is_cut_and_says_so() -> None:
    with xlsx_file(["text"], [["😀" * CELL_LIMIT], ["short"]]) as file:
        _, (long,), (short,) = sheet(file.read())
    assert len(long.encode("utf-16-le")) // 2 <= CELL_LIMIT and "cut here" in long and short == "short"


def test_a_full_sheet_is_followed_by_another() -> None:
    with xlsx_file(["n"], [[number] for number in range(5)], sheet_rows=3) as file:
        book = openpyxl.load_workbook(file)
    assert [[row[0] for row in page.values] for page in book] == [["n", 0, 1], ["n", 2, 3], ["n", 4]]


def test_samples_without_claims_are_in_the_export_of_samples(signed_in: Any, analyst: Any, audit: Audit) -> None:
    rows = table(body(signed_in(analyst).get(url_of(audit, "samples"))))
    assert [(row["sample_id"], row["claims"], row["disputed"]) for row in rows] == [
        ("q-1", "3", "0"),
        ("q-2", "3", "2"),
        ("q-3", "0", "0"),
    ]
    assert rows[2]["refusal"] == "true" and rows[2]["no_claims"].startswith("1: refusal")
    (first, *_) = [
        json.loads(line) for line in body(signed_in(analyst).get(url_of(audit, "samples", "jsonl"))).splitlines()
    ]
    assert (first["supported"], first["contradicted"], first["no_claims"]) == (2, 1, {})
    assert len(sheet(body(signed_in(analyst).get(url_of(audit, "samples", "xlsx"))))) == 4


def test_an_audit_without_claims_exports_its_header(signed_in: Any, analyst: Any, project: Project) -> None:
    audit = make_audit(make_dataset(project))
    assert table(body(signed_in(analyst).get(url_of(audit)))) == []
    assert sheet(body(signed_in(analyst).get(url_of(audit, fmt="xlsx"))))[0][0] == "sample_id"


def test_manager_may_stranger_and_others_may_not(
    signed_in: Any, manager: Any, analyst: Any, stranger: Any, audit: Audit
) -> None:
    assert signed_in(manager).get(url_of(audit)).status_code == 200
    assert signed_in(stranger).get(url_of(audit)).status_code == 404
    assert signed_in(analyst).post(url_of(audit)).status_code == 405
    for kind, fmt in (("claims", "exe"), ("calls", "csv")):
        assert signed_in(analyst).get(url_of(audit, kind, fmt)).status_code == 404


def test_the_number_of_queries_does_not_grow_with_the_claims(
    signed_in: Any, analyst: Any, project: Project, django_assert_num_queries: Any
) -> None:
    audit = make_audit(make_dataset(project, samples=4))
    for sample in audit.dataset.samples.all():
        for claim in cut(audit, sample, ["One.", "Two.", "Three."]):
            speak(claim, S, S)
    browser = signed_in(analyst)
    with django_assert_num_queries(11):  # one of them for the names of the file's other columns
        body(browser.get(url_of(audit)))
