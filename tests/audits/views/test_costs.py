"""The pages about money: the bill, the ledger with its filter and its file, raising a budget, a project's totals."""

import csv
import io
from decimal import Decimal
from typing import Any

import pytest
from django.urls import reverse

from audits.models import Audit, Project
from audits.pipeline import budgeting
from audits.views import costs
from tests.audits.factory import make_audit, make_dataset
from tests.audits.pipeline import ledger

D = Decimal
pytestmark = pytest.mark.django_db
HTMX = {"hx-request": "true", "hx-target": "ledger-list"}


@pytest.fixture
def audit(project: Project) -> Audit:
    return make_audit(make_dataset(project), budget=D(5))


@pytest.fixture
def browser(signed_in: Any, analyst: Any) -> Any:
    return signed_in(analyst)


def url(name: str, audit: Audit) -> str:
    return reverse(name, args=[audit.project.slug, audit.pk])


def page(browser: Any, audit: Audit, **query: Any) -> str:
    answer = browser.get(url("audit_costs", audit), query)
    assert answer.status_code == 200
    return str(answer.content.decode())


def spent_up(audit: Audit) -> None:
    budgeting.spend(audit, D("4.97"))
    budgeting.stop_for_budget(audit)


def test_an_audit_without_calls_says_so(browser: Any, audit: Audit) -> None:
    html = page(browser, audit)
    assert "No calls yet" in html and "Download as CSV" not in html and "Estimate and bill" not in html


def test_the_bill_of_each_judge(browser: Any, audit: Audit) -> None:
    first, second = audit.panel
    ledger.call(first, tokens_in=12_345, tokens_out=100, cache_read=6_000, cost=D("1.25"), latency_ms=2340)
    ledger.call(first, outcome="rate_limit", finish="", message="Slow down.")
    ledger.call(second, cost=None)
    html = page(browser, audit)
    assert "12,345" in html and "49 %" in html and "6,000 read" in html and "2.3 s" in html
    assert "too many requests 1" in html and "Slow down." in html
    assert "at least USD 1.25" in html and "1 answered call has no known cost" in html
    assert "not reported" in html and "unknown" in html


def test_another_model_than_asked_is_warned_of(browser: Any, audit: Audit) -> None:
    ledger.call(audit.panel[1], model_answered="claude-z")
    html = page(browser, audit)
    assert "The model that answered is not the one that was asked" in html
    assert "asked claude-x, answered claude-z: 1 calls" in html


def test_the_budget_is_drawn_and_can_be_changed_while_it_matters(browser: Any, audit: Audit) -> None:
    budgeting.spend(audit, D("1.25"))
    html = page(browser, audit)
    assert "USD 1.25 spent, USD 0.00 held, USD 3.75 left" in html and 'width="25.00%"' in html
    assert url("audit_budget", audit) in html
    audit.advance("judging", "cancelled")
    assert url("audit_budget", audit) not in page(browser, audit)
    assert "Budget ·" not in page(browser, make_audit(audit.dataset))


def test_the_ledger_is_filtered_by_judge_purpose_and_outcome(browser: Any, audit: Audit) -> None:
    first, second = audit.panel
    extractor = audit.members.get(role="extractor")
    made = {
        "cut": ledger.call(extractor, "extract", vendor_request_id="cut"),
        "ok": ledger.call(first),
        "late": ledger.call(first, outcome="timeout", finish=""),
        "other": ledger.call(second, outcome="server", finish=""),
    }

    def shown(**query: str) -> set[str]:
        rows = browser.get(url("audit_costs", audit), query, headers=HTMX).context["ledger"].rows
        return {name for name, call in made.items() if call in rows}

    assert shown() == set(made)
    assert shown(judge="judge-0") == {"ok", "late"} and shown(judge="extractor-0") == {"cut"}
    assert shown(outcome="failed") == {"late", "other"} and shown(outcome="timeout") == {"late"}
    assert shown(purpose="extract") == {"cut"} and shown(judge="judge-1", outcome="ok") == set()
    assert shown(judge="nobody", outcome="strange") == set(made)
    empty = browser.get(url("audit_costs", audit), {"outcome": "auth"}).content.decode()
    assert "No call passes this filter" in empty


def test_a_page_of_the_ledger_is_answered_without_the_bill(
    browser: Any, audit: Audit, django_assert_max_num_queries: Any
) -> None:
    ledger.call(audit.panel[0])
    with django_assert_max_num_queries(10):
        part = browser.get(url("audit_costs", audit), headers=HTMX)
    html = part.content.decode()
    assert 'id="ledger-list"' in html and "<html" not in html and "By judge" not in html


def test_pages_of_the_ledger_lead_to_each_other(browser: Any, audit: Audit, monkeypatch: Any) -> None:
    monkeypatch.setattr(costs, "PAGE", 2)
    calls = [ledger.call(audit.panel[0], outcome="ok") for _ in range(5)]

    def walk(query: str) -> Any:
        return browser.get(f"{url('audit_costs', audit)}?{query}", headers=HTMX).context["ledger"]

    first = walk("outcome=ok")
    assert first.rows == [calls[4], calls[3]] and not first.newer and "outcome=ok" in first.older
    second = walk(first.older)
    third = walk(second.older)
    assert second.rows == [calls[2], calls[1]] and third.rows == [calls[0]]
    assert not third.older and first.count == 5 and not first.more
    assert walk(third.newer).rows == second.rows and walk(walk(third.newer).newer).rows == first.rows
    assert not walk(second.newer).newer
    assert walk("before=x&after=-1").rows == first.rows


def test_a_large_ledger_is_not_counted_to_its_end(browser: Any, audit: Audit, monkeypatch: Any) -> None:
    monkeypatch.setattr(costs, "COUNTED", 3)
    for _ in range(4):
        ledger.call(audit.panel[0])
    assert "more than 3 calls" in page(browser, audit)


def test_the_ledger_as_a_file_is_complete_and_harmless(browser: Any, audit: Audit) -> None:
    ledger.call(audit.panel[0], cost=D("0.0042"), message="=HYPERLINK(1)", reply="+SUM(1)")
    ledger.call(audit.panel[1], outcome="refused", message="余额不足", finish="")
    answer = browser.get(url("audit_ledger", audit))
    raw = b"".join(answer.streaming_content)
    assert raw.startswith(b"\xef\xbb\xbf") and answer["Content-Type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(raw.decode("utf-8-sig"))))
    assert [row["outcome"] for row in rows] == ["ok", "refused"]
    assert (rows[0]["message"], rows[0]["reply"], rows[0]["cost_usd"]) == ("'=HYPERLINK(1)", "'+SUM(1)", "0.00420000")
    assert rows[1]["message"] == "余额不足" and rows[1]["cost_usd"] == ""


def test_the_ledger_holds_verdicts_and_is_hidden_from_experts(signed_in: Any, expert: Any, audit: Audit) -> None:
    for name in ("audit_costs", "audit_ledger"):
        assert signed_in(expert).get(url(name, audit)).status_code == 403


def raised(browser: Any, audit: Audit, budget: str) -> str:
    return str(browser.post(url("audit_budget", audit), {"budget": budget}, follow=True).content.decode())


def test_an_audit_that_its_budget_stopped_asks_for_more(browser: Any, audit: Audit) -> None:
    spent_up(audit)
    html = browser.get(url("audit", audit)).content.decode()
    assert "Paused: the budget of USD 5.00 is used up (USD 4.97 spent). Raise it to go on." in html
    assert url("audit_resume", audit) not in html  # it would only stop again
    assert "The budget is now USD 8.00." in raised(browser, audit, "8")
    audit.refresh_from_db()
    assert (audit.status, audit.stopped_by, audit.budget) == ("judging", "", 8)
    assert "Nothing was changed" in raised(browser, audit, "8")


def test_in_chinese_too(signed_in: Any, analyst: Any, audit: Audit) -> None:
    spent_up(audit)
    ledger.call(audit.panel[0], outcome="timeout", finish="")
    browser = signed_in(analyst)
    for name in ("audit", "audit_costs"):
        answer = browser.get(url(name, audit), headers={"accept-language": "zh-hans"})
        assert answer.status_code == 200 and '<html lang="zh-Hans">' in answer.content.decode()


@pytest.mark.parametrize(
    ("budget", "said"),
    [
        ("4.90", "USD 4.97 are spent or held for calls on their way"),
        ("0", "greater than or equal to 0.01"),
        ("", "required"),
        ("abc", "Enter a number"),
    ],
)
def test_a_budget_that_cannot_be_is_refused_with_the_reason(
    browser: Any, audit: Audit, budget: str, said: str
) -> None:
    spent_up(audit)
    assert said in raised(browser, audit, budget)
    audit.refresh_from_db()
    assert (audit.status, audit.budget) == ("paused", 5)


def test_no_budget_where_there_was_none_or_all_is_over(browser: Any, audit: Audit) -> None:
    assert "runs without a budget" in raised(browser, make_audit(audit.dataset), "8")
    audit.advance("judging", "reviewing")
    assert "makes no calls any more" in raised(browser, audit, "8")


def test_the_project_page_adds_up(browser: Any, audit: Audit, project: Project) -> None:
    address = reverse("project_costs", args=[project.slug])
    ledger.call(audit.panel[0], tokens_in=10, tokens_out=1, cost=D("1.25"))
    html = browser.get(address).content.decode()
    assert "USD 1.25" in html and "budget USD 5.00" in html and url("audit_costs", audit) in html
    assert address in browser.get(reverse("project", args=[project.slug])).content.decode()


def test_a_project_without_audits_says_so(browser: Any, project: Project) -> None:
    assert "No audit yet" in browser.get(reverse("project_costs", args=[project.slug])).content.decode()


def test_an_expert_gets_no_link_to_costs(signed_in: Any, expert: Any, project: Project) -> None:
    html = signed_in(expert).get(reverse("project", args=[project.slug])).content.decode()
    assert reverse("project_costs", args=[project.slug]) not in html
