"""The audited figures of a small audit by hand, when they are shown, and to whom."""

import math
from typing import Any

import pytest
from django.urls import reverse

from audits.models import Audit, Extraction, Project, Sample
from audits.stats.hypergeometric import lower_count, upper_count
from audits.stats.proportions import clopper_pearson, wilson
from review.estimates import report
from review.spotcheck import open_review
from tests.review.factory import MIXED, C, S, U, make_audit, settle_all

pytestmark = pytest.mark.django_db
PART = {"hx-request": "true", "hx-target": "audit-estimate"}


def url_of(audit: Audit, name: str = "review_estimate") -> str:
    return reverse(name, args=(audit.project.slug, audit.pk))


def bare_answer(audit: Audit, position: int, **fields: Any) -> None:
    """One more answer, without claims."""
    place = {"position": position, "line": position + 2, "external_id": f"x{position}"}
    sample = Sample.objects.create(dataset=audit.dataset, question="?", answer="I do not know.", **place)
    Extraction.objects.create(audit=audit, sample=sample, **{"status": Extraction.Status.DONE, **fields})


@pytest.fixture
def whole(project: Project, expert: Any) -> Audit:
    """Forty answers of one claim each, all seen by an expert who says what judge A said: 20 S, 8 C, 8 U, 4 disputed
    that A called supported."""
    audit = make_audit(
        project, [(S, S)] * 20 + [(C, C)] * 8 + [(U, U)] * 8 + [(S, C)] * 4, spot_check=36, scope="traffic"
    )
    settle_all(audit, expert)
    return audit


def test_a_census_is_known_and_the_traffic_is_not(whole: Audit) -> None:
    figures = report(whole).figures
    assert figures is not None
    assert (figures.rate.dataset.value, figures.rate.dataset.low, figures.rate.dataset.high) == (0.4, 0.4, 0.4)
    assert figures.rate.traffic.low is not None and figures.rate.traffic.low < 0.4
    assert figures.macro.dataset.value == pytest.approx(0.4)  # one claim an answer: both rates are the same
    assert figures.macro.dataset.n == 40
    assert (figures.spot_checked, figures.disputes_reviewed, figures.given_up) == (36, 4, 0)
    assert [(s.name, s.claims, s.checked, s.hallucinated) for s in figures.strata] == [
        ("supported", 20, 20, 0),
        ("contradicted", 8, 8, 8),
        ("unverified", 8, 8, 8),
        ("disputed", 4, 4, 0),
    ]
    assert figures.any_high == pytest.approx(0.4)  # one claim an answer


def test_a_spot_check_is_corrected_by_hand(project: Project, expert: Any) -> None:
    """60 agreed supported claims, 30 of them drawn, and all of the drawn called unverified by the expert; 20 disputed
    called so, too: the judges' rate is 0, the corrected one 1."""
    audit = make_audit(project, [(S, S)] * 60 + [(S, C)] * 20, per_answer=2, spot_check=30, scope="dataset")
    settle_all(audit, expert, U)
    found = report(audit)
    assert found.judged.rate.value == 0.0 and found.judged.coverage == 0.75
    figures = found.figures
    assert figures is not None and figures.headline is figures.rate.dataset
    low = min(lower_count(30, 30, 60, 0.025) / 60, clopper_pearson(30, 30, 0.025)[0])
    assert upper_count(30, 30, 60, 0.025) == 60
    assert figures.headline.value == 1.0 and figures.headline.high == 1.0
    assert figures.headline.low == pytest.approx(1 - 0.75 * (1 - low))
    each = min(lower_count(30, 30, 60, 0.05) / 60, clopper_pearson(30, 30, 0.05)[0])
    limits = figures.limits["dataset"]
    assert limits is not None and limits[0] == pytest.approx(1 - 0.75 * (1 - each))
    assert figures.any_high is None  # two claims an answer times an upper limit of 1
    assert figures.acceptance.decision == "FAIL"


def test_a_long_answer_counts_once_in_the_rate_per_answer(project: Project, expert: Any) -> None:
    """Disputes alone beside one checked claim: the last answer has a single claim, the only one that is supported."""
    audit = make_audit(project, [(U, C)] * 4 + [(S, S)], per_answer=4, spot_check=1, scope="dataset")
    settle_all(audit, expert)
    figures = report(audit).figures
    assert figures is not None
    assert (figures.rate.dataset.value, figures.macro.dataset.value) == (0.8, 0.5)


def test_what_has_no_claims_is_counted_apart(whole: Audit) -> None:
    for position in (100, 101):
        bare_answer(whole, position, is_refusal=True)
    bare_answer(whole, 102)
    bare_answer(whole, 103, status=Extraction.Status.FAILED)
    found = report(whole)
    apart = found.apart
    assert (apart.samples, apart.cut, apart.without_claims, apart.refusals, apart.failed) == (44, 43, 3, 2, 1)
    assert apart.refusal_rate.value == 2 / 43
    assert (apart.refusal_rate.low, apart.refusal_rate.high) == wilson(2, 43, 0.025)
    assert found.figures is not None and found.figures.rate.answers == 40
    assert found.figures.acceptance.reasons == ("samples_failed",)  # shown, and no decision follows


def test_nothing_is_shown_while_a_label_is_missing(
    project: Project, expert: Any, analyst: Any, signed_in: Any
) -> None:
    audit = make_audit(project, MIXED, spot_check=20)
    settle_all(audit, expert, U, leave=1)
    assert report(audit).figures is None
    browser = signed_in(analyst)
    for headers in ({}, PART):
        html = browser.get(url_of(audit), headers=headers).content.decode()
        assert "judges' verdict, not audited" in html and "is-audited" not in html
        assert "One-sided" not in html and "What experts found in each group" not in html
        assert "disputed claims: 4 of 5" in html
    agreement = browser.get(url_of(audit, "agreement")).content.decode()
    assert "Seen by experts" in agreement and "Share hallucinated" not in agreement
    certificate = browser.get(url_of(audit, "certificate")).content.decode()
    assert "Limits that decide" not in certificate and "estimate__value" not in certificate


def test_nothing_is_shown_between_looks(project: Project, expert: Any, manager: Any) -> None:
    from review.looks import extend

    audit = make_audit(project, [(S, S)] * 60, spot_check=20, looks=2, threshold="0.05")
    settle_all(audit, expert)
    figures = report(audit).figures
    assert figures is not None and figures.acceptance.level == 0.975  # its half of the error
    assert extend(audit.review_plan, manager, 10) == 10
    assert report(audit).figures is None


def test_without_a_spot_check_of_what_the_judges_support_there_is_no_corrected_rate(
    project: Project, expert: Any, analyst: Any, signed_in: Any
) -> None:
    audit = make_audit(project, [(S, S)] * 40 + [(S, C)] * 4, spot_check=0)
    settle_all(audit, expert)
    found = report(audit)
    assert found.complete and found.figures is None
    html = signed_in(analyst).get(url_of(audit)).content.decode()
    assert "there is no corrected rate and nothing can pass" in html
    offer = signed_in(analyst).get(url_of(audit, "certificate")).content.decode()
    assert "INSUFFICIENT" in offer.upper() and "estimate__value" not in offer


def test_the_page_says_what_each_figure_estimates(whole: Audit, analyst: Any, signed_in: Any) -> None:
    browser = signed_in(analyst)
    html = browser.get(url_of(whole)).content.decode()
    assert "<html" in html and "in the traffic that these 40 answers were drawn from at random" in html
    for words in ("Per claim, these answers", "Per answer, the traffic", "Design effect", "a bound, not an estimate"):
        assert words in html
    assert "Share hallucinated" in browser.get(url_of(whole, "agreement")).content.decode()
    assert "Dashed line: threshold 2 %" in html
    part = browser.get(url_of(whole), headers=PART).content.decode()
    assert "<html" not in part and 'id="audit-estimate"' in part and "is-audited" in part


def test_the_result_page_loads_the_figures_and_links_to_them(whole: Audit, analyst: Any, signed_in: Any) -> None:
    browser = signed_in(analyst)
    html = browser.get(url_of(whole, "audit")).content.decode()
    assert f'hx-get="{url_of(whole)}"' in html and f'<a href="{url_of(whole)}">' in html
    assert "Hallucination rate, provisional: the judges' verdict" in html
    Audit.objects.filter(pk=whole.pk).update(status=Audit.Status.CANCELLED)
    assert url_of(whole) not in browser.get(url_of(whole, "audit")).content.decode()


def test_who_may_not_see_verdicts_sees_no_figures(whole: Audit, expert: Any, stranger: Any, signed_in: Any) -> None:
    answer = signed_in(expert).get(url_of(whole))
    assert answer.status_code == 403 and "hidden from experts" in answer.content.decode()
    assert signed_in(stranger).get(url_of(whole)).status_code == 404


def test_the_number_of_queries_does_not_grow(
    project: Project, expert: Any, analyst: Any, signed_in: Any, django_assert_max_num_queries: Any
) -> None:
    audit = make_audit(project, MIXED * 4, spot_check=60)
    open_review(audit)
    settle_all(audit, expert)
    browser = signed_in(analyst)
    with django_assert_max_num_queries(40):
        assert browser.get(url_of(audit), headers=PART).status_code == 200


def test_the_limits_hold_for_any_look(whole: Audit) -> None:
    figures = report(whole).figures
    assert figures is not None
    for scope, limits in figures.limits.items():
        assert limits is not None and math.isclose(limits[0], figures.rate.limits(scope, 0.95)[0])  # type: ignore[index]
