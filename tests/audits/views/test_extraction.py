"""The page on the extraction of an audit: numbers, answers to look at, pages of them, both languages."""

from typing import Any

import pytest
from django.urls import reverse

from audits.models import Audit, Project
from tests.audits.factory import cut, make_audit, make_dataset, make_sample
from tests.pages import Page


def page_of(browser: Any, audit: Audit, **options: Any) -> Page:
    return Page(browser.get(reverse("audit_extraction", args=[audit.project.slug, audit.pk]), **options))


@pytest.fixture
def audit(project: Project) -> Audit:
    dataset = make_dataset(project, samples=4)
    audit = make_audit(dataset, status=Audit.Status.REVIEWING)
    one, two, three, four = dataset.samples.all()
    cut(audit, one, ["The fee is 2 %.", "It is paid yearly."], no_claims={"2": "question", "3": "transition"})
    cut(audit, two, ["The fee is 2 %."], no_claims={"3": "other"}, unaccounted=[2], asked_again=True)
    cut(audit, three, no_claims={"1": "refusal", "2": "refusal", "3": "transition"}, is_refusal=True)
    cut(audit, four, status="failed", failure="Sentences 1-2: <b>cut</b>")
    return audit


def test_the_numbers_and_the_answers_to_look_at(signed_in: Any, analyst: Any, audit: Audit) -> None:
    page = page_of(signed_in(analyst), audit)
    assert "88.9 % of 9 sentences" in page.text  # 8 of 9 accounted for
    assert "Claims per answer 1.0 median 1 · 3 claims" in page.text
    assert "1 of 3 sentences passed over" in page.text
    assert "Sentences 1-2: <b>cut</b>" in page.text and "<b>cut</b>" not in page.source
    assert page.links["q-4"] == reverse("audit_sample", args=[audit.project.slug, audit.pk, _pk(audit, "q-4")])
    assert "q-2" in page.links and "q-1" not in page.links and "q-3" not in page.links
    assert page.text.index("q-4") < page.text.index("q-2")


def _pk(audit: Audit, external_id: str) -> int:
    return audit.dataset.samples.get(external_id=external_id).pk


def test_every_page_of_the_audit_links_to_it(signed_in: Any, manager: Any, audit: Audit) -> None:
    browser = signed_in(manager)
    for name in ("audit", "audit_claims", "audit_extraction"):
        links = Page(browser.get(reverse(name, args=[audit.project.slug, audit.pk]))).links
        assert links["Extraction"] == reverse("audit_extraction", args=[audit.project.slug, audit.pk])


def test_nothing_cut_yet_says_so(signed_in: Any, analyst: Any, project: Project) -> None:
    waiting = make_audit(make_dataset(project))
    page = page_of(signed_in(analyst), waiting)
    assert "No answer is cut into claims yet" in page.text and "The first numbers stand here" in page.text
    Audit.objects.filter(pk=waiting.pk).update(status=Audit.Status.CANCELLED)
    assert "ended before the first answer was cut" in page_of(signed_in(analyst), waiting).text


def test_what_still_waits_is_said(signed_in: Any, analyst: Any, project: Project) -> None:
    audit = make_audit(make_dataset(project, samples=2))
    cut(audit, audit.dataset.samples.all()[0], ["One."], no_claims={"2": "other", "3": "other"})
    page = page_of(signed_in(analyst), audit)
    assert "1 sample is not cut into claims yet" in page.text
    assert "Every answer that was cut accounts for all its sentences." in page.text


def test_an_audit_of_failures_alone_has_no_shares(signed_in: Any, analyst: Any, project: Project) -> None:
    audit = make_audit(make_dataset(project, samples=1), status=Audit.Status.REVIEWING)
    cut(audit, audit.dataset.samples.get(), status="failed", failure="No.")
    page = page_of(signed_in(analyst), audit)
    assert "No answer could be cut." in page.text and "not cut No." in page.text


def test_many_answers_come_in_pages(signed_in: Any, analyst: Any, project: Project) -> None:
    dataset = make_dataset(project, samples=0)
    for position in range(60):
        make_sample(dataset, position)
    audit = make_audit(dataset)
    for sample in dataset.samples.all():
        cut(audit, sample, unaccounted=[1, 2, 3])
    browser = signed_in(analyst)
    first, second = page_of(browser, audit), page_of(browser, audit, data={"page": "2"})
    assert "Page 1 of 2" in first.text and first.links["Next"] == "?page=2"
    assert "q-51" in second.links and "q-1" not in second.links and second.links["Previous"] == "?page=1"
    assert page_of(browser, audit, data={"page": "99"}).status == 200
