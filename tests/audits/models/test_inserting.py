"""Rows that are inserted fast are the same as rows that are inserted by Django."""

import datetime
import json
from decimal import Decimal
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.forms.models import model_to_dict

from audits.judges.base import Purpose
from audits.labels import Label, Unscored
from audits.models import Audit, Call, Claim, Project, Sample, Verdict
from audits.models.inserting import insert, insert_values
from tests.audits.factory import cut, make_audit, make_dataset

pytestmark = pytest.mark.django_db


@pytest.fixture
def audit(project: Project) -> Audit:
    audit = make_audit(make_dataset(project))
    for sample in audit.dataset.samples.all():
        cut(audit, sample, ["The fee is 2 %.", "费用是百分之二。"])
    return audit


def call(audit: Audit, number: int, **fields: Any) -> Call:
    given: dict[str, Any] = {
        "purpose": Purpose.VERIFY, "request_hash": f"{number:064x}", "prompt_hash": "", "outcome": "ok",
        "reply": 'He said: "50 % of 100 \\ 冲突 😀"\n\t{"a": null}', "message": "%s",
    }  # fmt: skip
    return Call(audit=audit, member=audit.panel[0], **(given | fields))


def verdict(claim: Claim, **fields: Any) -> Verdict:
    given: dict[str, Any] = {"label": Label.SUPPORTED, "quotes": [{"context": 0, "text": "费", "start": 0, "end": 1}]}
    return Verdict(claim=claim, member=claim.audit.panel[0], **(given | fields))


def test_rows_are_stored_as_django_stores_them(audit: Audit) -> None:
    forms: list[dict[str, Any]] = [
        {"cost": Decimal("0.00000001"), "tokens_in": 0, "reusable": True, "status": 200},
        {"cost": None, "at_most": Decimal("123456.78900000"), "tokens_in": None},
        {"purpose": "probe", "latency_ms": 2**31 - 1},
    ]
    fast, slow = ([call(audit, number, **form) for number, form in enumerate(forms)] for _ in range(2))
    insert(fast)
    Call.objects.bulk_create(slow)
    for one, other in zip(fast, slow, strict=True):
        assert one.pk != other.pk
        stored = [model_to_dict(Call.objects.get(pk=row.pk), exclude=["id"]) for row in (one, other)]
        assert stored[0] == stored[1]
        assert Call.objects.get(pk=one.pk).created == one.created


def test_each_row_gets_its_own_id(audit: Audit) -> None:
    rows = [call(audit, number) for number in range(1500)]  # more than one statement on SQLite
    insert(rows)
    stored = dict(Call.objects.values_list("pk", "request_hash"))
    assert [stored[row.pk] for row in rows] == [row.request_hash for row in rows]
    insert([])


def test_rows_that_exist_stand(audit: Audit) -> None:
    first, second = Claim.objects.filter(audit=audit)[:2]
    insert([verdict(first, notes=["one"])], ignore_conflicts=True)
    unscored = verdict(second, label="", unscored=Unscored.REFUSED, quotes=[], shown=[[0, 0, 5]])
    insert([verdict(first, label=Label.CONTRADICTED), unscored], ignore_conflicts=True)
    stood, added = Verdict.objects.order_by("pk")
    assert (stood.label, stood.notes, stood.quotes[0]["text"], stood.shown) == ("SUPPORTED", ["one"], "费", None)
    assert (added.claim, added.unscored, added.shown) == (second, "refused", [[0, 0, 5]])
    with pytest.raises(IntegrityError), transaction.atomic():
        insert([verdict(first)])


def test_rows_given_as_text_are_stored_as_django_stores_them(project: Project) -> None:
    dataset = make_dataset(project, samples=0)
    hard = 'Tab\t, "quoted" \\N \\. back\\slash\r\nline\x01 % %s {} 冲突 😀'
    moment = datetime.datetime(2024, 5, 6, 7, 8, 9, 123456, datetime.UTC)
    fields = ("position", "line", "external_id", "question", "answer", "contexts", "metadata", "flags", "language")
    fields += ("reference", "generator", "timestamp", "tags")
    values = []
    for position in range(250):
        made = Sample(
            dataset=dataset, position=1000 + position, line=7, external_id=f"x{position}", question=hard, answer="",
            contexts=[hard], metadata={"k": hard}, flags=["odd"], language="zh", generator="m", tags=["a"],
            timestamp=moment if position % 2 else None,
        )  # fmt: skip
        made.save()
        told = [str(position), "7", f"x{position}", hard, "", json.dumps([hard], ensure_ascii=False)]
        told += [
            json.dumps({"k": hard}, ensure_ascii=False),
            '["odd"]',
            "zh",
            "",
            "m",
            str(moment)[:-6] if position % 2 else "",
            '["a"]',
        ]
        values += told
    insert_values(Sample, fields, values, dataset=dataset.pk)
    ours, theirs = (dataset.samples.filter(position__lt=1000), dataset.samples.filter(position__gte=1000))
    assert [model_to_dict(row, exclude=["id", "position"]) for row in ours] == [
        model_to_dict(row, exclude=["id", "position"]) for row in theirs
    ]
    assert ours.filter(timestamp=moment).count() == 125 and ours.filter(timestamp=None).count() == 125
    assert ours.filter(metadata__k=hard).count() == 250
    with pytest.raises(IntegrityError), transaction.atomic():
        insert_values(Sample, fields, values[: len(fields)], dataset=dataset.pk)
    insert_values(Sample, fields, [], dataset=dataset.pk)
    assert dataset.samples.count() == 500
