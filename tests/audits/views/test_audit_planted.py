"""Planted claims from the start of an audit: the form, the command, what is expected to be paid."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from audits.models import Audit, Event, Probe, Project
from audits.pipeline import counting
from audits.pipeline.estimating import estimate
from tests.audits.factory import make_dataset, make_judge
from tests.audits.views.test_audits import form_for, new_url
from tests.vendor_server.server import VendorServer

pytestmark = pytest.mark.django_db
PANEL = ("--primary", "openai:model-a", "--secondary", "anthropic:claude-b")


def test_planted_claims_are_paid_for_twice_by_each_judge(project: Project) -> None:
    counting.cache.clear()
    first, second = make_judge("openai", "model-a"), make_judge("anthropic", "claude-b")
    panel: dict[str, Any] = {"dataset": make_dataset(project, samples=100), "extractor": first}
    panel["judges"] = [first, second]
    plain, planted, all_of_them = (estimate(**panel, planted=claims) for claims in (0, 50, 10_000))
    assert plain.claims == planted.claims == 360
    assert [member.calls for member in planted.per_member] == [100, 360 + 100, 360 + 100]
    assert [member.calls for member in all_of_them.per_member] == [100, 360 * 3, 360 * 3]  # no more than there are
    assert planted.cost is not None and plain.cost is not None and planted.cost > plain.cost


@pytest.mark.parametrize(("sent", "stored"), [("40", 40), ("", 0), ("0", 0)])
def test_the_form_starts_an_audit_with_them(
    signed_in: Any, analyst: Any, project: Project, sent: str, stored: int
) -> None:
    dataset = make_dataset(project, generator="gpt-5")
    signed_in(analyst).post(new_url(project), form_for(dataset, planted=sent))
    audit = Audit.objects.get()
    assert audit.planted == stored and not Probe.objects.exists()  # nothing is planted before all is decided
    assert Event.objects.get(audit=audit, kind="start").data.get("planted") == (str(stored) if stored else None)


@pytest.mark.parametrize("sent", ["-1", "1001", "many"])
def test_the_form_refuses_what_is_no_number_of_claims(
    signed_in: Any, analyst: Any, project: Project, sent: str
) -> None:
    page = signed_in(analyst).post(new_url(project), form_for(make_dataset(project, generator="gpt-5"), planted=sent))
    assert page.status_code == 422 and page.context["form"].errors["planted"] and not Audit.objects.exists()


def test_the_plan_shows_what_they_cost(signed_in: Any, analyst: Any, project: Project) -> None:
    dataset = make_dataset(project, samples=20, generator="gpt-5")
    browser, drafts = signed_in(analyst), []
    for planted in ("0", "30"):
        page = browser.post(new_url(project), form_for(dataset, planted=planted, recalculate="1"))
        drafts.append(page.context["draft"].estimate)
    assert drafts[1].calls == drafts[0].calls + 2 * 2 * 30
    assert 'name="planted"' in page.content.decode()


def test_the_command_plants_claims(tmp_path: Path, vendor_server: VendorServer) -> None:
    file = tmp_path / "rows.jsonl"
    row = {
        "id": "1",
        "question": "Cost?",
        "contexts": ["The loan costs 5 percent."],
        "answer": "The loan costs 5 percent.",
    }
    file.write_text(json.dumps(row), encoding="utf-8")
    err = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("audit", str(file), *PANEL, "--planted", "3", stdout=StringIO(), stderr=err)
    assert ended.value.code == 0 and "planted claims 4/4" in err.getvalue()
    assert Audit.objects.get().planted == 3 and Probe.objects.filter(status="done").count() == 4
    with pytest.raises(SystemExit) as ended:
        call_command("audit", str(file), *PANEL, "--planted", "-2", stdout=StringIO(), stderr=err)
    assert ended.value.code == 2 and "--planted is '-2'" in err.getvalue()
