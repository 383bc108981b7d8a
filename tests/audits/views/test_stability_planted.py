"""Planted claims on the stability page: each variant with what every judge said, and nowhere among the flips."""

from typing import Any

import pytest
from django.urls import reverse

from audits.models import Audit, Probe, Project
from audits.views import stability
from tests.audits.factory import judged_audit
from tests.pages import Page

pytestmark = pytest.mark.django_db
SPECIFIC, VAGUE = Probe.Kind.SPECIFIC, Probe.Kind.VAGUE


@pytest.fixture
def audit(project: Project) -> Audit:
    """The first claim in two variants; the second judge refused one and is still asked about the other."""
    audit = judged_audit(project, planted=1)
    claim = audit.claims.order_by("pk")[0]
    first, second = audit.panel
    for member, kind, said in (
        (first, SPECIFIC, {"label": "CONTRADICTED", "status": "done"}),
        (second, SPECIFIC, {"unscored": "refused", "status": "done"}),
        (first, VAGUE, {"label": "SUPPORTED", "status": "done"}),
        (second, VAGUE, {}),
    ):
        text = "The fee is <b>7</b> %." if kind == SPECIFIC else "It does not seem so."
        Probe.objects.create(
            audit=audit, claim=claim, member=member, kind=kind, text=text, context_order=[0, 1], **said
        )
    return audit


def url(audit: Audit) -> str:
    return reverse("audit_stability", args=[audit.project.slug, audit.pk])


def test_each_variant_stands_with_what_the_judges_said(signed_in: Any, analyst: Any, audit: Audit) -> None:
    response = signed_in(analyst).get(url(audit))
    page = Page(response)
    assert "Not measured" in page.text  # nothing was asked again
    assert (
        "The fee is <b>7</b> %. from the claim The fee is 2 %. made false: another number, date or name Contradicted"
        in page.text
    )
    assert "from the claim The fee is 2 %. made false in vague words Supported not asked yet" in page.text
    assert "&lt;b&gt;7" in response.content.decode() and "Labels that changed" not in page.text


def test_an_audit_without_them_shows_no_list(signed_in: Any, analyst: Any, project: Project) -> None:
    assert "Planted claims" not in Page(signed_in(analyst).get(url(judged_audit(project)))).text


def test_the_list_has_pages_of_its_own(
    signed_in: Any, analyst: Any, audit: Audit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stability, "PAGE", 1)
    browser = signed_in(analyst)
    first, second = (Page(browser.get(url(audit), {"planted": number})).text for number in (1, 2))
    assert "The fee is" in first.split("Planted claims")[-1] and "It does not seem so." not in first
    assert "It does not seem so." in second and "made false: another number" not in second


def test_experts_do_not_see_them(signed_in: Any, expert: Any, audit: Audit) -> None:
    page = signed_in(expert).get(url(audit))
    assert page.status_code == 403 and b"does not seem so" not in page.content


def test_the_page_fetches_itself_while_planted_claims_are_asked(signed_in: Any, analyst: Any, audit: Audit) -> None:
    Audit.objects.filter(pk=audit.pk).update(status=Audit.Status.JUDGING)
    assert b'hx-trigger="every 6s"' in signed_in(analyst).get(url(audit)).content
