"""Prices and limits of a judge: entered, shown again, and frozen on the panel with what was left empty filled in."""

from decimal import Decimal
from typing import Any

import pytest
from django.urls import reverse

from audits import pipeline
from audits.models import Audit, Judge, Project
from tests.audits.factory import make_dataset, make_judge

D = Decimal
pytestmark = pytest.mark.django_db
NEW = {"vendor": "anthropic", "model": "claude-x", "concurrency": "4", "price_in": "3", "price_out": "15"}
MORE = {"price_cache_read": "0", "price_cache_write": "4.5", "rpm": "50", "tpm": "40000", "context_tokens": "200000"}


def add(browser: Any, project: Project, **fields: Any) -> Any:
    return browser.post(reverse("judge_new", args=[project.slug]), NEW | fields)


def started(project: Project, judge: Judge) -> Audit:
    other = make_judge("openai", "gpt-x", price="2")
    return pipeline.start_audit(
        project=project, dataset=make_dataset(project), user=None, name="A", extractor=other, judges=[other, judge],
        threshold=D("0.02"),
    )  # fmt: skip


def test_all_is_stored_and_shown_again(signed_in: Any, analyst: Any, project: Project) -> None:
    browser = signed_in(analyst)
    add(browser, project, **MORE)
    judge = Judge.objects.get(project=project)
    assert (judge.price_cache_read, judge.price_cache_write) == (0, D("4.5"))  # 0 is a price
    assert (judge.rpm, judge.tpm, judge.context_tokens) == (50, 40_000, 200_000)
    form = browser.get(reverse("judge_edit", args=[project.slug, judge.pk])).context["form"]
    assert [form[name].value() for name in MORE] == ["0", "4.5", 50, 40_000, 200_000]
    html = browser.get(reverse("judges", args=[project.slug])).content.decode()
    assert "50 requests per minute" in html and "40,000 tokens per minute" in html


def test_left_empty_they_are_unknown_and_no_limit(signed_in: Any, analyst: Any, project: Project) -> None:
    add(signed_in(analyst), project)
    judge = Judge.objects.get(project=project)
    assert [getattr(judge, name) for name in MORE] == [None] * 5


@pytest.mark.parametrize(
    "wrong", [{"rpm": "0"}, {"tpm": "-5"}, {"context_tokens": "100"}, {"price_cache_read": "-1"}, {"rpm": "9" * 12}]
)
def test_what_cannot_be_is_refused(signed_in: Any, analyst: Any, project: Project, wrong: dict[str, str]) -> None:
    page = add(signed_in(analyst), project, **wrong)
    assert page.status_code == 422 and list(page.context["form"].errors) == list(wrong)
    assert not Judge.objects.filter(project=project).exists()


def test_a_seat_has_every_price_and_limit(signed_in: Any, analyst: Any, project: Project) -> None:
    browser = signed_in(analyst)
    add(browser, project, rpm="50", tpm="40000", context_tokens="200000")
    audit = started(project, Judge.objects.get(project=project))
    first, second = audit.panel
    assert (second.price_in, second.price_out) == (3, 15)
    assert (second.price_cache_read, second.price_cache_write) == (D("0.3"), D("3.75"))  # as Anthropic documents
    assert (second.rpm, second.tpm, second.context_tokens) == (50, 40_000, 200_000)
    assert (first.price_cache_read, first.price_cache_write) == (2, 2)  # as other input


def test_a_seat_keeps_its_prices(signed_in: Any, analyst: Any, project: Project) -> None:
    browser = signed_in(analyst)
    add(browser, project, **MORE)
    judge = Judge.objects.get(project=project)
    audit = started(project, judge)
    browser.post(reverse("judge_edit", args=[project.slug, judge.pk]), NEW | {"price_in": "30"})
    judge.refresh_from_db()
    seat = audit.panel[1]
    assert judge.price_in == 30 and judge.price_cache_write is None
    assert (seat.price_in, seat.price_cache_read, seat.price_cache_write) == (3, 0, D("4.5"))


def test_a_price_that_is_unknown_stays_so_on_the_seat(project: Project) -> None:
    seat = started(project, make_judge("anthropic", "new", price=None)).panel[1]
    assert (seat.price_in, seat.price_cache_read, seat.prices.known) == (None, None, False)
