"""What a plan proposes, stores and says; where the claims per answer come from."""

import json
from decimal import Decimal
from typing import Any

import pytest

from audits.models import Audit, Project
from audits.planning import Density, Outlook, Rule, density_of, outlook
from audits.stats.power import Setup, chance_to_pass, plan
from audits.templatetags.figures import chosen_text
from audits.templatetags.planning import chance, chance_bars
from tests.audits.factory import judged_audit, make_dataset

D = Decimal
FIVE = Density(5.0, "assumed")


def planned(threshold: str = "0.02", scope: str = "dataset", answers: int = 300, **more: Any) -> Outlook:
    sizes = {name: more.pop(name) for name in ("spot_check", "double_percent") if name in more}
    return outlook(Rule(D(threshold), scope, **more), answers=answers, density=FIVE, **sizes)


def test_the_proposal_is_a_quarter_more_than_what_is_needed() -> None:
    found = planned()
    expected = plan(Setup(0.02, "dataset", 0.95, 300, 5.0), 0.005)
    assert (found.needed, found.proposed, found.spot_check) == (expected.spot_check, 250, 250)
    assert found.needed == 200 and found.needed_chance == round(expected.chance, 4) >= 0.8
    assert found.expected_rate == "0.005" and found.claims == 1500


def test_chances_are_those_of_the_chosen_spot_check_at_every_shown_rate() -> None:
    found = planned(spot_check=400, expected_rate=D("0.008"))
    setup = Setup(0.02, "dataset", 0.95, 300, 5.0)
    assert [rate for rate, _ in found.chances] == [0.0, 0.002, 0.005, 0.008, 0.01, 0.015, 0.02, 0.03]
    for rate, shown in found.chances:
        assert shown == round(chance_to_pass(setup, rate, 400), 4)
    assert found.chance == dict(found.chances)[0.008]


def test_more_looks_and_more_confidence_need_more() -> None:
    assert planned(looks=4).needed > planned().needed  # type: ignore[operator]
    assert planned(confidence=D("0.99")).needed > planned(confidence=D("0.9")).needed  # type: ignore[operator]


def test_labels_hold_disputes_and_second_labels_and_never_more_than_there_are() -> None:
    once, twice = planned(spot_check=100), planned(spot_check=100, double_percent=100)
    assert twice.labels == 2 * once.labels > 200 and once.hours == round(once.labels * 70 / 3600, 1)
    assert planned(spot_check=1_000_000).labels == once.claims == 1500


def test_few_answers_say_nothing_of_the_traffic() -> None:
    found = planned(threshold="0.05", scope="traffic", answers=29)
    assert found.too_few_answers and found.never and found.needed is None
    assert found.answers_needed is not None and found.answers_needed >= 30
    assert {shown for _, shown in found.chances} == {0.0}


def test_where_no_spot_check_can_do_it_more_answers_are_named_or_the_rate_is_too_near() -> None:
    found = planned(scope="traffic", answers=60)
    assert found.needed is None and found.answers_needed is not None and found.answers_needed > 60
    near = planned(expected_rate=D("0.0199"), scope="traffic")
    assert (near.needed, near.answers_needed, near.hopeless) == (None, None, False)
    assert planned(expected_rate=D("0.02")).hopeless
    assert planned(spot_check=0).never and not planned(spot_check=0).chance


def test_a_plan_comes_back_from_json_as_it_was() -> None:
    found = planned(scope="traffic", double_percent=10)
    again = Outlook.from_stored(json.loads(json.dumps(found.stored())))
    assert again == found
    assert Outlook.from_stored({}) is None and Outlook.from_stored({"needed": 5}) is None


@pytest.mark.django_db
def test_claims_per_answer_are_measured_counted_or_assumed(project: Project) -> None:
    dataset = make_dataset(project)
    assert density_of(project, dataset, 3) == Density(5.0, "assumed")
    assert density_of(project, dataset, 3, 8) == Density(2.7, "counted")
    audit = judged_audit(project)  # six claims of three answers
    assert density_of(project, audit.dataset, 3, 8) == Density(2.0, "measured")
    other = Project.objects.create(name="Other", slug="other")
    assert density_of(other, audit.dataset, 3).source == "assumed"
    Audit.objects.update(calibration=True)
    assert density_of(project, audit.dataset, 3).source == "assumed"


def test_rates_keep_their_decimals_and_chances_are_never_certain() -> None:
    assert [chosen_text(x) for x in ("0.0005", 0.00125, D("0.02"), 0.0)] == ["0.05 %", "0.125 %", "2 %", "0 %"]
    assert [chance(x) for x in (0.879, 1.0, 0.0, 0.004)] == ["88 %", "> 99 %", "< 1 %", "< 1 %"]
    assert chance(0.0, True) == "0 %"
    rows = chance_bars(planned())["rows"]
    assert [(row.rate, row.note) for row in rows if row.note] == [("0.5 %", "expected"), ("2 %", "accepted at most")]
