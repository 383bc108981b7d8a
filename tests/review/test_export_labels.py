"""The export of labels: every word of every expert, exactly as given, harmless in a spreadsheet."""

import csv
import io
import json
from typing import Any

import pytest
from django.urls import reverse
from openpyxl import load_workbook

from audits.models import Audit, Claim, Project, Role, Sample
from review.evidence_marks import store
from review.export import COLUMNS
from review.models import Adjudication, ReviewItem, Slot
from tests.review.factory import C, S, U, make_audit
from tests.review.words import items_of, say

pytestmark = pytest.mark.django_db
CLAIM = "=cmd|' /C calc'!A0, 该行于1950年开业 😀"
CONTEXT = '路/径\u00a0😀, "quoted"\n=SUM(A1) <b>𠀀</b>'


@pytest.fixture
def audit(project: Project, expert: Any, person: Any) -> Audit:
    """One expert marked evidence, and changed the label after the verdicts; another took a label back."""
    audit = make_audit(project, [(S, C), (S, S)], spot_check=1)
    Claim.objects.filter(decision="disputed").update(text=CLAIM)
    Sample.objects.update(contexts=["", CONTEXT])
    item, other = items_of(audit)
    first = say(item, expert, U, shown=True, reason="@第二段", active_ms=12_340, keys=3)
    store(first, [(1, 0, 5), (1, 7, len(CONTEXT))])
    say(item, expert, C)
    emil = person("emil", project, Role.EXPERT)
    say(other, emil, S)
    say(other, emil, "")
    Slot.objects.update(state="done")
    return audit


def get(client: Any, audit: Audit, fmt: str) -> Any:
    return client.get(reverse("review_labels_export", args=(audit.project.slug, audit.pk, fmt)))


def lines(response: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in b"".join(response.streaming_content).decode().splitlines()]


def test_every_word_is_a_row_with_its_marks(audit: Audit, signed_in: Any, manager: Any) -> None:
    first, second, third, fourth = lines(get(signed_in(manager), audit, "jsonl"))
    assert (first["claim"], first["label"], first["revision"], first["stands"]) == (CLAIM, U, 1, False)
    assert first["marks"] == [
        {"context": 1, "start": 0, "end": 5, "text": CONTEXT[:5]},
        {"context": 1, "start": 7, "end": len(CONTEXT), "text": CONTEXT[7:]},
    ]
    assert (first["reviewer"], first["reason"], first["active_seconds"], first["keys"]) == (
        "eve",
        "@第二段",
        12.34,
        3,
    )
    assert (first["blind"], first["verdicts_shown"] is None) == (True, False)
    assert (second["label"], second["blind"], second["revision"], second["stands"]) == (C, False, 2, True)
    assert (second["kind"], second["stratum"], second["decision"]) == ("dispute", "disputed", "disputed")
    assert second["outcome"] == first["outcome"] == C
    assert (third["label"], fourth["label"], fourth["stands"], third["outcome"]) == (S, None, False, S)
    assert [row["sample_id"] for row in (first, third)] == ["q0", "q1"]
    assert first["created"].endswith("+00:00") and first["slot"] == 1 and first["audit"] == audit.name


def test_a_table_is_harmless_and_holds_chinese_as_it_is(audit: Audit, signed_in: Any, manager: Any) -> None:
    response = get(signed_in(manager), audit, "csv")
    content = b"".join(response.streaming_content)
    assert content.startswith(b"\xef\xbb\xbf") and "该行于1950年开业 😀".encode() in content
    header, *rows = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""))
    assert header == list(COLUMNS)
    first = dict(zip(header, rows[0], strict=True))
    assert (first["claim"], first["reason"]) == ("'" + CLAIM, "'@第二段")
    assert [mark["text"] for mark in json.loads(first["marks"])] == [CONTEXT[:5], CONTEXT[7:]]
    assert (first["blind"], first["stands"], first["active_seconds"]) == ("true", "false", "12.34")
    assert dict(zip(header, rows[3], strict=True))["label"] == ""
    assert "attachment" in response["Content-Disposition"] and response["Cache-Control"] == "private, no-store"


def test_a_workbook_holds_the_same(audit: Audit, signed_in: Any, manager: Any) -> None:
    content = b"".join(get(signed_in(manager), audit, "xlsx").streaming_content)
    header, *rows = load_workbook(io.BytesIO(content)).active.iter_rows(values_only=True)
    assert list(header) == list(COLUMNS) and len(rows) == 4
    assert rows[0][header.index("label")] == U


def test_a_part_names_the_claim_it_was_cut_from(audit: Audit, signed_in: Any, manager: Any, expert: Any) -> None:
    item = ReviewItem.objects.get(kind="dispute")
    fields = ("audit", "extraction", "sample", "sentence", "start", "end")
    part = Claim.every.create(
        position=9, text="Part.", recut_of=item.claim, **{name: getattr(item.claim, name) for name in fields}
    )
    of_part = ReviewItem.objects.create(
        plan=item.plan, claim=part, kind=item.kind, stratum=item.stratum, order=99, parent=item
    )
    say(of_part, expert, S)
    rows = lines(get(signed_in(manager), audit, "jsonl"))
    (row,) = [one for one in rows if one["claim_id"] == part.pk]
    assert (row["claim"], row["recut_of"], row["label"]) == ("Part.", item.claim_id, S)


def test_the_number_of_queries_does_not_grow(
    audit: Audit, signed_in: Any, manager: Any, expert: Any, django_assert_max_num_queries: Any
) -> None:
    item = ReviewItem.objects.get(kind="dispute")
    for _ in range(30):
        store(say(item, expert, U), [(1, 0, 3)])
    client = signed_in(manager)
    with django_assert_max_num_queries(25):
        assert len(lines(get(client, audit, "jsonl"))) == 34


def test_analysts_and_managers_get_it_and_nobody_else(
    audit: Audit, signed_in: Any, analyst: Any, manager: Any, expert: Any, stranger: Any
) -> None:
    assert get(signed_in(analyst), audit, "csv").status_code == 200
    assert get(signed_in(manager), audit, "pdf").status_code == 404
    refused = get(signed_in(expert), audit, "csv")
    assert refused.status_code == 403 and "hidden from experts" in refused.content.decode()
    assert get(signed_in(stranger), audit, "csv").status_code == 404
    url = reverse("review_labels_export", args=(audit.project.slug, audit.pk, "csv"))
    assert signed_in(manager).post(url).status_code == 405


def test_a_manager_who_labels_gets_it_when_nothing_is_left_to_label(
    audit: Audit, signed_in: Any, person: Any, project: Project
) -> None:
    both = person("both", project, Role.EXPERT, Role.MANAGER)
    ReviewItem.objects.filter(kind="spot_check").update(kind="gold", gold_label=S)
    Slot.objects.update(state="waiting")
    assert get(signed_in(both), audit, "csv").status_code == 403
    Slot.objects.update(state="done")
    assert {row["kind"] for row in lines(get(signed_in(both), audit, "jsonl"))} == {"dispute"}
    assert Adjudication.objects.filter(item__kind="gold").exists()
