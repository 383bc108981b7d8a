"""A claim that no call can do is unscored, even when it is asked by itself; a vendor that is down scores nothing."""

from collections import Counter
from typing import Any

import pytest
from django.urls import reverse

from audits import pipeline
from audits.labels import Decision, Unscored
from audits.models import Audit, Call, Extraction, Project, Verdict
from tests.audits import road
from tests.vendor_server.server import VendorServer

pytestmark = pytest.mark.django_db
POISON = "[1] The manager is called Ms Otter"
MANAGER = "The manager is called Ms Otter."


def start(project: Project, name: str, concurrency: int = 1) -> Audit:
    """An audit whose second judge, of that name, makes so many calls at a time."""
    dataset = road.make_dataset(project)
    first = road.judge("openai", "model-a", price_in=1, price_out=2)
    return road.start(dataset, first, road.judge("anthropic", name, price_in=1, price_out=2, concurrency=concurrency))


@pytest.mark.parametrize("rule", [{"status": 500}, {"status": 529}, {"fault": "reset"}, {"fault": "html"}])
def test_the_last_claim_of_all_is_unscored_when_no_call_can_do_it(
    project: Project, vendor_server: VendorServer, rule: dict
) -> None:
    audit = start(project, "alone")
    vendor_server.rules({**rule, "model": "alone", "contains": POISON}, {"model": "alone", "status": 401, "times": 1})
    road.work_off(audit)
    assert audit.status == Audit.Status.PAUSED  # the key is refused: nothing was judged yet
    vendor_server.script.rules.pop()
    assert pipeline.resume(audit, None)
    road.work_off(audit)
    assert audit.status == Audit.Status.REVIEWING
    verdict = Verdict.objects.get(member__model="alone", claim__text=MANAGER)
    assert (verdict.label, verdict.unscored) == ("", Unscored.FAILED) and verdict.detail
    assert verdict.claim.decision == Decision.DISPUTED
    assert Verdict.objects.filter(member__model="alone").exclude(label="").count() == 3


def test_a_claim_that_alone_is_left_and_fails_does_not_stop_its_judge(
    project: Project, vendor_server: VendorServer
) -> None:
    audit = start(project, "left")
    vendor_server.rules({"model": "left", "status": 401, "contains": POISON})
    road.work_off(audit)
    assert audit.status == Audit.Status.PAUSED
    vendor_server.rules({"model": "left", "status": 500, "contains": POISON})
    assert pipeline.resume(audit, None)
    road.work_off(audit)
    assert audit.status == Audit.Status.REVIEWING
    failed = Call.objects.filter(member__model="left", outcome="server")
    controls = Call.objects.filter(member__model="left", purpose="control")
    assert failed.count() == 5 and [call.outcome for call in controls] == ["ok"]


def test_the_small_question_has_a_line_of_its_own_in_the_bill(
    project: Project, vendor_server: VendorServer, signed_in: Any, analyst: Any
) -> None:
    vendor_server.rules({"purpose": "extract", "status": 500})
    audit = road.work_off(road.start(road.make_dataset(project, road.TWO_ROWS[:1])))
    assert Call.objects.filter(purpose="control").count() == 1
    html = signed_in(analyst).get(reverse("audit_costs", args=[project.slug, audit.pk])).content.decode()
    assert "asking whether the judge is well" in html


def test_a_vendor_that_is_down_stops_its_judge_and_scores_nothing(
    project: Project, vendor_server: VendorServer
) -> None:
    audit = start(project, "down", concurrency=3)
    vendor_server.rules({"model": "down", "status": 500})
    road.work_off(audit)
    assert audit.status == Audit.Status.PAUSED
    assert not Verdict.objects.filter(member__model="down").exists()
    calls = Call.objects.filter(member__model="down")
    assert Counter(calls.values_list("purpose", flat=True)) == {"verify": 4 * 5, "control": 5}
    vendor_server.rules()
    assert pipeline.resume(audit, None)
    road.work_off(audit)
    assert audit.status == Audit.Status.REVIEWING
    assert Verdict.objects.exclude(label="").count() == 8


def test_an_answer_that_cannot_be_cut_is_a_failed_extraction_even_alone(
    project: Project, vendor_server: VendorServer
) -> None:
    vendor_server.rules({"purpose": "extract", "status": 500})
    dataset = road.make_dataset(project, road.TWO_ROWS[:1])
    audit = road.work_off(road.start(dataset))
    assert audit.status == Audit.Status.REVIEWING
    (extraction,) = audit.extractions.all()
    assert extraction.status == Extraction.Status.FAILED and "status 500" in extraction.failure


def test_the_small_question_is_paid_from_the_budget(project: Project, vendor_server: VendorServer) -> None:
    dataset = road.make_dataset(project)
    panel = road.judge("openai", "model-a", price_in=1, price_out=2), road.judge("anthropic", "paid", concurrency=1)
    panel[1].price_in = panel[1].price_out = 1
    panel[1].save()
    audit = road.start(dataset, *panel, budget=10)
    vendor_server.rules({"model": "paid", "status": 500, "contains": POISON})
    road.work_off(audit)
    assert audit.status == Audit.Status.REVIEWING
    assert audit.spent == sum(call.cost for call in Call.objects.exclude(cost=None))
