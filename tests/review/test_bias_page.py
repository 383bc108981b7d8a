"""The page of the bias report: what stands on it, who may see it, and two words that never do."""

from typing import Any

import pytest
from django.urls import reverse

from audits.models import Audit, Probe, Project
from tests.pages import Page
from tests.review.factory import C, S, U, make_audit, settle_all
from tests.review.test_bias import plant, probe

pytestmark = pytest.mark.django_db


@pytest.fixture
def audit(project: Project, expert: Any) -> Audit:
    """Reviewed, with probes and planted claims."""
    pairs = [(S, S)] * 30 + [(U, U)] * 10 + [(S, U)] * 10
    audit = make_audit(project, pairs, vague=range(20), probe_percent=10, spot_check=60)
    settle_all(audit, expert, label=U)
    for claim in audit.claims.order_by("pk")[:6]:
        probe(claim, 0, Probe.Kind.REPEAT, S)
        probe(claim, 0, Probe.Kind.REORDER, U, (1, 0))
    plant(audit, {n: (C, U, S, S) for n in range(12)})
    return audit


def address(audit: Audit) -> str:
    return reverse("bias", args=[audit.project.slug, audit.pk])


def test_every_measure_stands_with_its_interval_and_what_it_could_see(
    signed_in: Any, analyst: Any, audit: Audit
) -> None:
    page = Page(signed_in(analyst).get(address(audit)))
    for title in ("Length", "Order of the contexts", "Own family", "Vague words", "Planted claims"):
        assert title in page.text
    assert "Judge A: undefined, because all answers have equally many claims." in page.text
    assert "All answers are of one generator, loanbot-7b." in page.text
    assert "Judges A and B: not enough data to tell." in page.text or "Judge A lets hallucinated" in page.text
    assert (
        "12 claims that all judges call supported were made false by rule (12 were asked for), in 24 variants"
        in page.text
    )
    assert "Judge A falls for vague planted claims more often than for specific ones" in page.text
    assert "100 % (73.5 to 100, n = 12)" in page.text  # Clopper-Pearson: 0.025^(1/12)
    assert "no bias" not in page.text.lower() and "unbiased" not in page.text.lower()


def test_what_was_not_asked_for_is_said(signed_in: Any, manager: Any, project: Project) -> None:
    page = Page(signed_in(manager).get(address(make_audit(project, [(S, S), (S, U)]))))
    assert "Not measured No probes were asked for." in page.text and "No claims were planted" in page.text
    assert "Disputed claims without 1" in page.text and "disputed claims are still open" in page.text
    assert "no bias" not in page.text.lower()


def test_who_may_see_it(signed_in: Any, analyst: Any, manager: Any, expert: Any, stranger: Any, audit: Audit) -> None:
    assert signed_in(analyst).get(address(audit)).status_code == 200
    assert signed_in(manager).get(address(audit)).status_code == 200
    hidden = signed_in(expert).get(address(audit))
    assert hidden.status_code == 403 and b"Judge A" not in hidden.content
    assert signed_in(stranger).get(address(audit)).status_code == 404
    assert signed_in(analyst).post(address(audit)).status_code == 405


def test_names_of_generators_are_only_text(signed_in: Any, analyst: Any, audit: Audit) -> None:
    samples = audit.dataset.samples.order_by("pk")
    audit.dataset.samples.filter(pk__in=samples[:25].values("pk")).update(generator="<b>evil</b>")
    content = signed_in(analyst).get(address(audit)).content.decode()
    assert "<b>evil</b>" not in content and "&lt;b&gt;evil" in content


def test_it_is_read_in_few_queries_whatever_the_size(
    signed_in: Any, analyst: Any, project: Project, expert: Any, django_assert_max_num_queries: Any
) -> None:
    audit = make_audit(project, [(S, S), (U, U), (S, U)] * 40, per_answer=4)
    settle_all(audit, expert, label=U)
    browser = signed_in(analyst)
    with django_assert_max_num_queries(40):
        assert browser.get(address(audit)).status_code == 200
