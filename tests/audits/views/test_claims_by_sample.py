"""The list of claims, filtered by what their samples brought from the file; and that part of a sample's page."""

import datetime
from typing import Any

import pytest
from django.urls import reverse

from audits.models import Audit, GivenLabel, Project, Sample
from tests.audits.factory import S, U, cut, make_audit, make_dataset, make_sample, speak

ATTACK = '<script>alert("1")</script>'


@pytest.fixture
def audit(project: Project) -> Audit:
    """Three samples with one claim each: "One.", "Two.", "Three."."""
    dataset = make_dataset(project, samples=0, columns=["zone", "city", "question"])
    told: list[dict[str, Any]] = [
        {"tags": ["refunds", 'a"b,%'], "metadata": {"city": "Berlin", "zone": 7, "a.b['c']": "x", ATTACK: ATTACK}},
        {"tags": ["refunds"], "metadata": {"city": "北京", "zone": 70}},
        {"metadata": {"city": "Berlin"}},
    ]
    samples = [make_sample(dataset, position, **fields) for position, fields in enumerate(told)]
    audit = make_audit(dataset)
    for sample, text, label in zip(samples, ("One.", "Two.", "Three."), (S, S, U), strict=True):
        for claim in cut(audit, sample, [text]):
            speak(claim, label, label)
    return audit


def url_of(audit: Audit) -> str:
    return reverse("audit_claims", args=[audit.project.slug, audit.pk])


def texts(browser: Any, audit: Audit, **query: str) -> list[str]:
    return [claim.text for claim, _ in browser.get(url_of(audit), query).context["rows"]]


def test_claims_by_tag(signed_in: Any, analyst: Any, audit: Audit) -> None:
    browser = signed_in(analyst)
    assert texts(browser, audit, tag="refunds") == ["One.", "Two."]
    assert texts(browser, audit, tag='a"b,%') == ["One."]
    assert texts(browser, audit, tag="refunds", q="two") == ["Two."]


def test_claims_by_another_column(signed_in: Any, analyst: Any, audit: Audit) -> None:
    browser = signed_in(analyst)
    assert texts(browser, audit, column="city", value="=Berlin") == ["One.", "Three."]
    assert texts(browser, audit, column="city", value="=北京") == ["Two."]
    assert texts(browser, audit, column="zone", value="=7") == ["One."]
    assert texts(browser, audit, column="zone", value="-") == ["Three."]
    assert texts(browser, audit, column="a.b['c']", value="=x") == ["One."]
    assert texts(browser, audit, column="city", value="=Berlin", tag="refunds") == ["One."]
    assert texts(browser, audit, column="city", value="=Berlin", decision="UNVERIFIED") == ["Three."]


def test_what_is_on_no_list_is_no_filter(signed_in: Any, analyst: Any, audit: Audit) -> None:
    browser = signed_in(analyst)
    queries: list[dict[str, str]] = [
        {"tag": "evil"},
        {"column": "city"},
        {"column": "city", "value": "=Rome"},
        {"column": "evil", "value": "=Berlin"},
        {"value": "=Berlin"},
        {"tag": "x' OR 1=1 --", "column": "') IS NOT NULL --", "value": "="},
    ]
    for query in queries:
        page = browser.get(url_of(audit), query)
        assert len(page.context["rows"]) == 3 and page.context["chips"] == []


def test_a_condition_is_a_chip_that_can_be_taken_away(signed_in: Any, analyst: Any, audit: Audit) -> None:
    query = {"q": "o", "tag": "refunds", "column": "city", "value": "=Berlin", "page": "1"}
    page = signed_in(analyst).get(url_of(audit), query)
    chips = [(chip.name, chip.value, rest) for chip, rest in page.context["chips"]]
    assert chips == [
        ("Tag", "refunds", "q=o&column=city&value=%3DBerlin"),
        ("city", "Berlin", "q=o&tag=refunds"),
    ]
    html = page.content.decode()
    assert f'href="{url_of(audit)}?q=o&amp;tag=refunds"' in html and "city: Berlin" in html
    assert "1 to 1 of 1 claims" in html  # counts of what is listed; no rate is computed of a part


def test_nothing_found_can_be_undone(signed_in: Any, analyst: Any, audit: Audit) -> None:
    page = signed_in(analyst).get(url_of(audit), {"tag": "refunds", "column": "zone", "value": "-"})
    html = page.content.decode()
    assert "No claim passes this filter" in html and "zone: has none" in html and 'href="?' not in html


def test_pages_keep_the_condition(signed_in: Any, analyst: Any, project: Project) -> None:
    audit = make_audit(make_dataset(project, samples=1))
    sample = audit.dataset.samples.get()
    Sample.objects.filter(pk=sample.pk).update(tags=["fees"], metadata={"city": "Berlin"})
    cut(audit, sample, [f"Claim {number}." for number in range(60)])
    browser = signed_in(analyst)
    query = {"tag": "fees", "column": "city", "value": "=Berlin"}
    html = browser.get(url_of(audit), query).content.decode()
    assert "?tag=fees&amp;column=city&amp;value=%3DBerlin&amp;page=2" in html
    assert len(texts(browser, audit, **query, page="2")) == 10


def test_a_dataset_without_tags_and_columns_offers_no_such_filter(
    signed_in: Any, analyst: Any, project: Project
) -> None:
    page = signed_in(analyst).get(url_of(make_audit(make_dataset(project))))
    assert list(page.context["filter"].told.fields) == ["q", "flag"]
    assert "filter_" not in page.content.decode() and "claims-value" not in page.content.decode()


def test_htmx_gets_the_values_of_the_chosen_column_beside_the_list(
    signed_in: Any, analyst: Any, audit: Audit
) -> None:
    part = {"hx-request": "true", "hx-target": "claims-list"}
    browser = signed_in(analyst)
    html = browser.get(url_of(audit), {"column": "city"}, headers=part).content.decode()
    assert 'id="claims-value" hx-swap-oob="true">' in html and '<option value="=北京">北京</option>' in html
    html = browser.get(url_of(audit), {"column": ""}, headers=part).content.decode()
    assert 'id="claims-value" hx-swap-oob="true" hidden></div>' in html
    html = browser.get(url_of(audit), {"column": "city"}).content.decode()
    assert html.count('id="claims-value"') == 1 and "hx-swap-oob" not in html


def sample_page(browser: Any, audit: Audit, number: int) -> str:
    sample = audit.dataset.samples.all()[number]
    answer = browser.get(reverse("audit_sample", args=[audit.project.slug, audit.pk, sample.pk]))
    return str(answer.content.decode())


def test_a_sample_shows_what_came_from_the_file_folded(signed_in: Any, manager: Any, audit: Audit) -> None:
    written = datetime.datetime(2026, 10, 3, 8, 5, tzinfo=datetime.UTC)
    told = {"reference": "The right answer.", "generator": "zeta-7b", "timestamp": written}
    audit.dataset.samples.filter(position=0).update(**told)
    html = sample_page(signed_in(manager), audit, 0)
    (folded,) = [part.split("</details>\n")[0] for part in html.split('<details class="more" id="from-file">')[1:]]
    for word in ("The right answer.", "zeta-7b", "2026-10-03 08:05 UTC", "refunds", "city", "Berlin"):
        assert word in folded
    assert folded.index(">zone<") < folded.index(">city<") < folded.index(">a.b[")  # as in the file
    assert ATTACK not in html and "&lt;script&gt;" in folded
    assert "open" not in folded.split(">")[0]


def test_a_sample_without_any_of_it_has_no_such_part(signed_in: Any, analyst: Any, project: Project) -> None:
    audit = make_audit(make_dataset(project))
    assert "from-file" not in sample_page(signed_in(analyst), audit, 0)


def test_human_labels_are_on_neither_page(signed_in: Any, analyst: Any, audit: Audit) -> None:
    GivenLabel.objects.create(
        sample=audit.dataset.samples.all()[0], position=0, word="label-canary", label="SUPPORTED"
    )
    browser = signed_in(analyst)
    assert "label-canary" not in sample_page(browser, audit, 0) + browser.get(url_of(audit)).content.decode()


def test_an_expert_sees_neither_page(signed_in: Any, expert: Any, audit: Audit) -> None:
    browser = signed_in(expert)
    assert "Berlin" not in sample_page(browser, audit, 0)
    answer = browser.get(url_of(audit))
    assert answer.status_code == 403 and "refunds" not in answer.content.decode()
