"""What a new audit keeps: budget, reuse, batches, probes; and what a budget needs."""

from decimal import Decimal
from typing import Any

import pytest

from audits import pipeline
from audits.models import Audit, Event, Project
from audits.pipeline.panel import PanelError
from tests.audits.factory import make_dataset, make_judge

D = Decimal
pytestmark = pytest.mark.django_db


def start(project: Project, **options: Any) -> Audit:
    first, second = make_judge("openai", "gpt-x"), make_judge("anthropic", "claude-x")
    given: dict[str, Any] = {"extractor": first, "judges": [first, second], "threshold": D("0.02")}
    return pipeline.start_audit(
        project=project, dataset=make_dataset(project), user=None, name="A", **(given | options)
    )


def test_choices_are_kept(project: Project) -> None:
    audit = start(project, budget=D("4.5"), reuse=False, batch=True, probe_percent=10, double_percent=15)
    audit.refresh_from_db()
    assert (audit.budget, audit.reuse, audit.batch, audit.probe_percent) == (D("4.5"), False, True, 10)
    assert audit.double_percent == 15
    assert Event.objects.get(audit=audit, kind="start").data["budget"] == "4.5"
    assert all(row["cost"] for row in audit.expected)


def test_without_choices_nothing_is_limited(project: Project) -> None:
    audit = start(project)
    assert (audit.budget, audit.reuse, audit.batch, audit.probe_percent) == (None, True, False, 0)
    assert audit.double_percent == 0
    assert "budget" not in Event.objects.get(audit=audit, kind="start").data


@pytest.mark.parametrize("budget", [D(0), D(-1)])
def test_a_budget_is_more_than_nothing(project: Project, budget: Decimal) -> None:
    with pytest.raises(PanelError) as refused:
        start(project, budget=budget)
    assert refused.value.code == "budget" and not Audit.objects.exists()


@pytest.mark.parametrize("seat", ["extractor", "judge"])
def test_a_budget_needs_every_price(project: Project, seat: str) -> None:
    dear = make_judge("qwen", "qwen-max", price=None)
    first = make_judge("openai", "gpt-x")
    chosen = {"extractor": dear} if seat == "extractor" else {"judges": [first, dear]}
    with pytest.raises(PanelError, match="none is known for qwen:qwen-max"):
        start(project, budget=D(5), **chosen)
    assert start(project, **chosen).budget is None


def test_offline_judges_cost_nothing_and_fit_every_budget(project: Project) -> None:
    rules, vector = (make_judge("offline", model) for model in ("rules", "vector"))
    audit = start(project, extractor=rules, judges=[rules, vector], budget=D("0.01"))
    assert audit.expected_cost == 0 and all(seat.prices.at_most(10**6, 10**6) == 0 for seat in audit.panel)
