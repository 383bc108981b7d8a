"""Flags of claims: in the filter of the list, in every export, and in words on pages."""

import csv
import io
import json
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation

from audits.models import Audit, Claim, Project
from audits.templatetags.flagging import WHAT, flag_place, flag_word
from tests.audits.factory import judged_audit
from tests.audits.judges.attacks import ATTACKS

FLAGS = [{"code": "instruction", "where": "context 2"}, {"code": "hidden", "where": "answer"}]


@pytest.fixture
def audit(project: Project) -> Audit:
    """One of six claims is flagged."""
    audit = judged_audit(project)
    Claim.objects.filter(text="The bank has a desk.").update(flags=FLAGS)
    return audit


def exported(browser: Any, audit: Audit, fmt: str) -> str:
    answer = browser.get(reverse("audit_export", args=[audit.project.slug, audit.pk, "claims", fmt]))
    return b"".join(answer.streaming_content).decode("utf-8-sig")


def test_the_list_can_be_cut_down_to_flagged_claims(signed_in: Any, analyst: Any, audit: Audit) -> None:
    url = reverse("audit_claims", args=[audit.project.slug, audit.pk])
    page = signed_in(analyst).get(url, {"flagged": "on"})
    assert [claim.text for claim, _ in page.context["rows"]] == ["The bank has a desk."]
    assert page.context["filter"].is_active
    assert len(signed_in(analyst).get(url).context["rows"]) == 6


def test_exports_say_what_was_found_where(signed_in: Any, analyst: Any, audit: Audit) -> None:
    rows = list(csv.DictReader(io.StringIO(exported(signed_in(analyst), audit, "csv"), newline="")))
    assert {row["claim"]: row["flags"] for row in rows if row["flags"]} == {
        "The bank has a desk.": "instruction (context 2), hidden (answer)"
    }
    records = [json.loads(line) for line in exported(signed_in(analyst), audit, "jsonl").splitlines()]
    assert [record["flags"] for record in records if record["flags"]] == [FLAGS]


def test_flags_are_told_in_words() -> None:
    html = render_to_string("audits/claim_flags.html", {"flags": FLAGS})
    assert "text that gives orders to the judge" in html and "in context 2" in html
    assert "hidden text" in html and "own sentence" in html
    assert render_to_string("audits/claim_flags.html", {"flags": []}).strip() == ""


def test_every_code_that_is_ever_found_has_a_word() -> None:
    codes = {code for *_, codes in ATTACKS for code in codes}
    assert codes == set(WHAT)
    with translation.override("zh-hans"):
        assert all(str(flag_word(code)) for code in codes)
    assert flag_word("new") == "new" and flag_place("context x") == "context x"
