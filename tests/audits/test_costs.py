"""The bill of an audit and of a project, read from the ledger; unknown parts stay unknown."""

from decimal import Decimal
from typing import Any

import pytest

from audits.costs import audit_costs, budget_of, project_costs, reused
from audits.export_ledger import ledger_columns, ledger_rows
from audits.models import Audit, Batch, Call, Claim, Project, Verdict
from audits.pipeline import budgeting
from tests.audits.factory import cut, make_audit, make_dataset
from tests.audits.pipeline import ledger

D = Decimal
pytestmark = pytest.mark.django_db


@pytest.fixture
def audit(project: Project) -> Audit:
    expected = [
        {"role": "extractor", "calls": 3, "tokens_in": 900, "tokens_out": 90, "cost": None, "learned": 0},
        {"role": "judge", "calls": 9, "tokens_in": 9000, "tokens_out": 900, "cost": "0.02", "learned": 40},
    ]
    expected = [row | {"position": 0} for row in expected]
    return make_audit(make_dataset(project), expected=expected, expected_cost=D("0.05"))


def seats(audit: Audit) -> Any:
    return audit.members.get(role="extractor"), *audit.panel


def test_sums_of_each_judge_and_purpose(audit: Audit) -> None:
    extractor, first, _ = seats(audit)
    ledger.call(extractor, "extract", tokens_in=300, tokens_out=30, cost=D("0.001"))
    for cost in ("0.01", "0.02"):
        ledger.call(first, tokens_in=1000, tokens_out=100, cache_read=600, cache_write=0, cost=D(cost))
    ledger.call(first, "probe", tokens_in=1000, tokens_out=90, cost=D("0.01"))
    found = audit_costs(audit)
    cutting, judging, idle = found.bills
    assert [line.purpose for line in judging.lines] == ["verify", "probe"] and not idle.lines
    verify = judging.lines[0].sums
    assert (verify.calls, verify.tokens_in, verify.tokens_out, verify.cost) == (2, 2000, 200, D("0.03"))
    assert verify.hit_rate == pytest.approx(0.6)
    assert (judging.total.calls, judging.total.cost) == (3, D("0.04"))
    assert (cutting.total.cost, found.total.cost, found.total.exact) == (D("0.001"), D("0.041"), D("0.041"))
    assert found.ratio == pytest.approx(0.041 / 0.05)


def test_what_the_vendor_did_not_report_is_not_zero(audit: Audit) -> None:
    _, first, second = seats(audit)
    ledger.call(first, tokens_in=1000, tokens_out=100, cost=D("0.01"))
    ledger.call(first, tokens_in=500, tokens_out=50, cache_read=100, cost=D("0.01"))
    ledger.call(second, cost=None)
    _, judging, other = audit_costs(audit).bills
    assert judging.total.hit_rate == pytest.approx(0.2)  # of the calls that reported it
    assert judging.total.cache_write is None
    assert (other.total.tokens_in, other.total.hit_rate, other.total.exact) == (None, None, None)
    assert (other.total.cost, other.total.unpriced) == (0, 1)
    assert audit_costs(audit).total.exact is None and audit_costs(audit).ratio is None


def test_failed_attempts_are_counted_by_kind_and_need_no_price(audit: Audit) -> None:
    _, first, _ = seats(audit)
    for outcome in ("rate_limit", "rate_limit", "timeout"):
        ledger.call(first, outcome=outcome, finish="", model_answered="", latency_ms=60_000)
    ledger.call(first, outcome="network", finish="", at_most=D("0.03"))
    ledger.call(first, tokens_in=10, tokens_out=1, cost=D("0.001"), latency_ms=200)
    bill = audit_costs(audit).bills[1]
    assert bill.total.failures == {"rate_limit": 2, "timeout": 1, "network": 1} and bill.total.failed == 4
    assert (bill.total.answered, bill.total.unpriced, bill.total.possibly) == (1, 0, D("0.03"))
    assert (bill.lines[0].latency.mean, bill.lines[0].latency.p95) == (200, 200)  # of what was answered


def test_latency_is_the_mean_and_the_95th_percentile(audit: Audit) -> None:
    _, first, _ = seats(audit)
    for number in range(1, 101):
        ledger.call(first, latency_ms=number * 10)
    latency = audit_costs(audit).bills[1].lines[0].latency
    assert (latency.mean, latency.p95) == (505, 950)


def test_the_estimate_stands_beside_the_bill(audit: Audit) -> None:
    extractor, first, _ = seats(audit)
    ledger.call(extractor, "extract", tokens_in=300, tokens_out=30, cost=D("0.001"))
    ledger.call(first, tokens_in=1000, tokens_out=100, cost=D("0.05"))
    cutting, judging, other = audit_costs(audit).bills
    assert judging.expected is not None and judging.expected.tokens_in == 9000 and judging.expected.learned == 40
    assert judging.ratio == pytest.approx(2.5)
    assert cutting.expected is not None and cutting.expected.cost is None and cutting.ratio is None
    assert other.expected is None and other.ratio is None


@pytest.mark.parametrize(
    ("answers", "kinds", "surprising"),
    [
        (["claude-x"], ["same"], False),
        (["claude-x-2026-01-01"], ["dated"], False),
        (["anthropic/claude-x"], ["same"], False),
        (["claude-y"], ["other"], True),
        (["claude-x-2026-01-01", "claude-x-2026-06-01"], ["dated", "dated"], True),  # it changed meanwhile
        (["claude-xl"], ["other"], True),
    ],
)
def test_who_answered_is_compared_with_who_was_asked(
    audit: Audit, answers: list[str], kinds: list[str], surprising: bool
) -> None:
    second = seats(audit)[2]
    for answer in answers:
        ledger.call(second, model_answered=answer)
    ledger.call(second, outcome="timeout", model_answered="")
    bill = audit_costs(audit).bills[2]
    assert [row.kind for row in bill.models] == kinds and bill.surprising is surprising


def test_nothing_called_yet(audit: Audit) -> None:
    found = audit_costs(audit)
    assert (found.total.calls, found.total.exact, found.total.hit_rate) == (0, 0, None)
    assert found.reused.answers == 0 and len(found.bills) == 3


def judged(audit: Audit, call: Call | None, *claims: Claim) -> None:
    for claim in claims:
        Verdict.objects.create(claim=claim, member=audit.panel[0], label="SUPPORTED", grounded=True, call=call)


def test_answers_that_were_paid_for_before_are_counted_with_what_they_saved(audit: Audit, project: Project) -> None:
    one, two, three = audit.dataset.samples.all()
    earlier = make_audit(audit.dataset)
    paid = ledger.call(earlier.panel[0], cost=D("0.02"))
    unknown = ledger.call(earlier.panel[0], cost=None)
    judged(audit, paid, *cut(audit, one, ["One.", "Two."]))  # both claims in one call
    judged(audit, unknown, *cut(audit, two, ["One."]))
    own = ledger.call(audit.panel[0], cost=D("0.03"))
    judged(audit, own, *cut(audit, three, ["Three."]))
    found = reused(audit)
    assert (found.answers, found.saved, found.unpriced) == (2, D("0.02"), 1)


def test_a_like_sample_of_the_same_audit_is_found_again_too(audit: Audit) -> None:
    one, two, three = audit.dataset.samples.all()
    own = ledger.call(audit.panel[0], cost=D("0.03"))
    for sample in (one, two, three):
        judged(audit, own, *cut(audit, sample, ["The same."]))
    assert (reused(audit).answers, reused(audit).saved) == (2, D("0.06"))


def test_extractions_are_found_again_too(audit: Audit) -> None:
    one, two, _ = audit.dataset.samples.all()
    earlier = make_audit(audit.dataset)
    paid = ledger.call(earlier.members.get(role="extractor"), "extract", cost=D("0.01"))
    cut(audit, one, [], call=paid)
    ledger.cut(audit, two, 2, tokens_in=10, per_claim=1, cost=D("0.01"))
    assert (reused(audit).answers, reused(audit).saved) == (1, D("0.01"))


def test_how_a_budget_stands(project: Project) -> None:
    audit = make_audit(make_dataset(project), budget=D(2))
    assert budget_of(make_audit(audit.dataset)) is None
    budgeting.spend(audit, D("0.50"))
    Batch.objects.create(audit=audit, member=audit.panel[0], tag="0" * 32, at_most=D("0.25"))
    audit.refresh_from_db()
    budget = budget_of(audit)
    assert budget is not None
    assert (budget.spent, budget.held, budget.left) == (D("0.50"), D("0.25"), D("1.25"))
    assert (budget.share, budget.reach) == ("25.00", "37.50")
    Audit.objects.filter(pk=audit.pk).update(spent=D("2.10"))  # a vendor billed more than a call could cost
    audit.refresh_from_db()
    over = budget_of(audit)
    assert over is not None and (over.left, over.share, over.reach) == (0, "100.00", "100.00")


def test_totals_of_a_project(audit: Audit, project: Project) -> None:
    other = make_audit(audit.dataset, name="November")
    ledger.call(audit.panel[0], tokens_in=100, tokens_out=10, cost=D("0.10"))
    ledger.call(audit.panel[1], cost=None)
    ledger.call(other.panel[0], tokens_in=50, tokens_out=5, cost=D("0.30"))
    ledger.call(other.panel[0], outcome="timeout", finish="")
    elsewhere = make_audit(make_dataset(Project.objects.create(name="Other", slug="other")))
    ledger.call(elsewhere.panel[0], cost=D(9))
    found = project_costs(project)
    assert [(row.audit.name, row.total.cost, row.total.exact) for row in found.audits] == [
        ("November", D("0.30"), D("0.30")),
        ("October", D("0.10"), None),
    ]
    by_judge = dict(found.judges)
    first = by_judge[audit.panel[0].name]
    assert (first.calls, first.failed, first.tokens_in, first.cost) == (3, 1, 150, D("0.40"))
    assert by_judge[audit.panel[1].name].exact is None
    assert found.total.cost == D("0.40") and found.total.unpriced == 1
    assert found.judges[0][0] == audit.panel[0].name  # the dearest first


def test_the_ledger_as_rows_holds_every_column(audit: Audit) -> None:
    known = {"pk", "id", "audit", "audit_id", "member", "member_id", "batch", "cost", "at_most"}
    own = {field.name for field in Call._meta.fields} - known
    assert own <= set(ledger_columns())
    call = ledger.call(audit.panel[1], cost=D("0.00000012"), tokens_in=None, message="数据", reply="=1+1")
    (row,) = ledger_rows(audit)
    said = dict(zip(ledger_columns(), row, strict=True))
    assert said["cost_usd"] == "0.00000012" and said["tokens_in"] is None and said["message"] == "数据"
    assert said["judge_model"] == "claude-x" and said["created"] == call.created.isoformat()
