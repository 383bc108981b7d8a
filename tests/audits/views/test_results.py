"""The page of one audit: what is shown while it is judged, and what when it is done."""

import datetime
import re
from decimal import Decimal
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from audits.models import Audit, Extraction, Membership, PanelMember, Project
from tests.audits.factory import C, S, U, cut, judged_audit, make_audit, make_dataset, speak

PART = {"hx-request": "true"}


def url_of(audit: Audit) -> str:
    return reverse("audit", args=[audit.project.slug, audit.pk])


def part(browser: Any, audit: Audit, name: str) -> Any:
    return browser.get(url_of(audit), headers=PART | {"hx-target": name})


@pytest.fixture
def running(project: Project) -> Audit:
    audit = make_audit(make_dataset(project))
    first, second = cut(audit, audit.dataset.samples.all()[0], ["One.", "Two."])
    speak(first, C, C)
    speak(second, S, None)
    return audit


def test_a_finished_audit_shows_rate_interval_n_coverage_and_bounds(
    signed_in: Any, analyst: Any, project: Project
) -> None:
    html = signed_in(analyst).get(url_of(judged_audit(project))).content.decode()
    assert "50.0 %" in html and "n = 4" in html  # two of the four decided
    assert "Hallucination rate, provisional" in html  # two claims are disputed
    assert "66.7 %" in html and "4 of 6 claims decided" in html  # coverage
    assert "33.3 %" in html  # the lower bound, two of six
    assert "not audited" in html
    assert "every 2s" not in html and "every 6s" not in html  # nothing polls any more


def test_a_rate_without_open_claims_is_not_called_provisional(signed_in: Any, analyst: Any, project: Project) -> None:
    audit = make_audit(make_dataset(project, samples=2), status=Audit.Status.REVIEWING)
    for sample in audit.dataset.samples.all():
        (claim,) = cut(audit, sample, ["One."])
        speak(claim, S, S)
    html = signed_in(analyst).get(url_of(audit)).content.decode()
    assert "Hallucination rate" in html and "provisional" not in html


def test_while_judging_the_progress_polls_and_the_rate_is_provisional(
    signed_in: Any, analyst: Any, running: Audit
) -> None:
    html = signed_in(analyst).get(url_of(running)).content.decode()
    assert 'hx-trigger="every 2s"' in html and "Hallucination rate, provisional" in html
    assert "2 samples are not cut into claims yet" in html
    assert reverse("audit_pause", args=[running.project.slug, running.pk]) in html


def test_a_poll_answers_the_progress_alone_and_computes_no_result(
    signed_in: Any, analyst: Any, running: Audit, monkeypatch: Any
) -> None:
    def refuse(_audit: Audit) -> None:
        raise AssertionError("a poll for progress must not pay for the result")

    monkeypatch.setattr("audits.views.results.result", refuse)
    answer = part(signed_in(analyst), running, "audit-progress")
    html = answer.content.decode()
    assert html.count('id="audit-progress"') == 1 and 'id="audit-result"' not in html and "<html" not in html
    assert "every 2s" in html and "HX-Trigger" not in answer.headers


def test_polling_ends_with_the_judging(signed_in: Any, analyst: Any, running: Audit) -> None:
    browser = signed_in(analyst)
    running.advance(Audit.Status.JUDGING, Audit.Status.REVIEWING)
    answer = part(browser, running, "audit-progress")
    html = answer.content.decode()
    assert "every 2s" not in html and answer.headers["HX-Trigger"] == "audit-settled"
    assert 'id="audit-head"' in html and "hx-swap-oob" in html  # the status and the buttons change too
    html = part(browser, running, "audit-result").content.decode()
    assert "every" not in "".join(re.findall(r'hx-trigger="([^"]*)"', html))


def test_an_unknown_part_gets_the_whole_page(signed_in: Any, analyst: Any, running: Audit) -> None:
    answer = part(signed_in(analyst), running, "something-else")
    assert "<html" in answer.content.decode() and "HX-Target" in answer.headers["Vary"]


def test_a_stopped_judge_is_shown_with_its_message_and_what_to_do(
    signed_in: Any, analyst: Any, running: Audit
) -> None:
    PanelMember.objects.filter(audit=running, role="judge", position=1).update(
        stopped_fault="auth", stopped_message="<b>401</b> key refused"
    )
    html = part(signed_in(analyst), running, "audit-progress").content.decode()
    assert "anthropic:claude-x has stopped" in html and "Correct the key" in html
    assert "&lt;b&gt;401&lt;/b&gt;" in html  # a vendor's words are text
    assert reverse("audit_resume", args=[running.project.slug, running.pk]) in html


def test_cost_so_far_beside_the_expected_and_unknown_is_said(signed_in: Any, analyst: Any, running: Audit) -> None:
    Audit.objects.filter(pk=running.pk).update(expected_cost=Decimal("12.5"))
    browser = signed_in(analyst)
    assert "expected about USD 12.50" in part(browser, running, "audit-progress").content.decode()
    Audit.objects.filter(pk=running.pk).update(expected_cost=None)
    assert "expected: unknown" in part(browser, running, "audit-progress").content.decode()


def test_an_audit_that_no_worker_takes_up_says_so(signed_in: Any, analyst: Any, running: Audit) -> None:
    browser = signed_in(analyst)
    assert "No worker" not in part(browser, running, "audit-progress").content.decode()
    Audit.objects.filter(pk=running.pk).update(created=timezone.now() - datetime.timedelta(minutes=1))
    # Without a call, but with claims: all answers were found again, and a worker is at it.
    assert "No worker" not in part(browser, running, "audit-progress").content.decode()
    running.extractions.update(status=Extraction.Status.PENDING)
    assert "No worker has taken this audit up" in part(browser, running, "audit-progress").content.decode()


def test_failed_samples_can_be_tried_again(signed_in: Any, analyst: Any, project: Project) -> None:
    audit = make_audit(make_dataset(project), status=Audit.Status.REVIEWING)
    for sample in audit.dataset.samples.all():
        cut(audit, sample, status=Extraction.Status.FAILED)
    html = signed_in(analyst).get(url_of(audit)).content.decode()
    assert "The claims of 3 samples could not be cut" in html
    assert reverse("audit_retry", args=[audit.project.slug, audit.pk]) in html


def test_no_claims_is_undefined_not_zero(signed_in: Any, analyst: Any, project: Project) -> None:
    audit = make_audit(make_dataset(project), status=Audit.Status.REVIEWING)
    html = signed_in(analyst).get(url_of(audit)).content.decode()
    assert "Nothing was judged" in html
    for sample in audit.dataset.samples.all():
        cut(audit, sample)
    html = signed_in(analyst).get(url_of(audit)).content.decode()
    assert "The hallucination rate is undefined." in html and "headline__main" not in html


@pytest.mark.parametrize(
    ("stopped_by", "fault", "words"),
    [
        ("", "", "This audit is paused. Resume it"),
        ("", "auth", "paused because a member of its panel has stopped"),
        ("budget", "", "paused because its budget is used up. Raise the budget"),
    ],
)
@pytest.mark.parametrize("some_cut", [False, True])
def test_a_pause_before_the_first_claim_says_why_and_what_to_do(
    signed_in: Any, analyst: Any, project: Project, stopped_by: str, fault: str, words: str, some_cut: bool
) -> None:
    audit = make_audit(make_dataset(project), status=Audit.Status.PAUSED, stopped_by=stopped_by, budget=Decimal(1))
    PanelMember.objects.filter(audit=audit, role="extractor").update(stopped_fault=fault, stopped_message="401")
    if some_cut:
        cut(audit, audit.dataset.samples.all()[0])
    for html in (
        signed_in(analyst).get(url_of(audit)).content.decode(),
        part(signed_in(analyst), audit, "audit-result").content.decode(),
    ):
        assert "Nothing is judged yet" in html and words in html
        assert "Nothing was judged" not in html and "audit ended" not in html and "rate is undefined" not in html


def test_answers_that_were_never_cut_are_not_said_to_make_no_claim(
    signed_in: Any, analyst: Any, project: Project
) -> None:
    audit = make_audit(make_dataset(project), status=Audit.Status.CANCELLED)
    cut(audit, audit.dataset.samples.all()[0])
    html = signed_in(analyst).get(url_of(audit)).content.decode()
    assert "Not every answer was cut into claims" in html and "No answer of this audit" not in html


def test_counted_apart(signed_in: Any, analyst: Any, project: Project) -> None:
    html = signed_in(analyst).get(url_of(judged_audit(project))).content.decode()
    assert "the judge refused 1" in html and "Refusals" in html and "Samples without claims" in html


def test_the_specimen_is_named(signed_in: Any, analyst: Any, project: Project) -> None:
    audit = make_audit(make_dataset(project), panel=["offline:rules", "offline:vector"])
    assert "Specimen" in signed_in(analyst).get(url_of(audit)).content.decode()
    assert "Specimen" not in signed_in(analyst).get(url_of(judged_audit(project))).content.decode()


def test_worst_answers_link_to_their_samples(signed_in: Any, analyst: Any, project: Project) -> None:
    audit = judged_audit(project)
    second = audit.dataset.samples.all()[1]
    html = signed_in(analyst).get(url_of(audit)).content.decode()
    assert reverse("audit_sample", args=[project.slug, audit.pk, second.pk]) in html


def test_an_expert_never_sees_verdicts_and_is_told_why(signed_in: Any, expert: Any, project: Project) -> None:
    audit = judged_audit(project)
    sample = audit.dataset.samples.first()
    args = [project.slug, audit.pk]
    pages = [
        url_of(audit),
        reverse("audit_claims", args=args),
        reverse("audit_sample", args=[*args, sample.pk]),
        reverse("audit_export", args=[*args, "claims", "csv"]),
    ]
    for page in pages:
        answer = signed_in(expert).get(page)
        assert answer.status_code == 403
        assert "hidden from experts" in answer.content.decode()


def test_who_is_expert_and_analyst_is_warned(signed_in: Any, analyst: Any, project: Project) -> None:
    audit = judged_audit(project)
    assert "an expert in this project too" not in signed_in(analyst).get(url_of(audit)).content.decode()
    Membership.objects.create(user=analyst, project=project, role="expert")
    assert "an expert in this project too" in signed_in(analyst).get(url_of(audit)).content.decode()


def test_strangers_and_other_projects(
    signed_in: Any, stranger: Any, analyst: Any, person: Any, project: Project
) -> None:
    audit = judged_audit(project)
    assert signed_in(stranger).get(url_of(audit)).status_code == 404
    assert signed_in(stranger).get(reverse("audit", args=["elsewhere", audit.pk])).status_code == 404
    assert signed_in(analyst).post(url_of(audit)).status_code == 405


def test_few_queries_whatever_the_size(
    signed_in: Any, analyst: Any, project: Project, django_assert_max_num_queries: Any
) -> None:
    audit = make_audit(make_dataset(project, samples=8), status=Audit.Status.REVIEWING)
    for sample in audit.dataset.samples.all():
        for claim in cut(audit, sample, ["One.", "Two."]):
            speak(claim, U, C)
    browser = signed_in(analyst)
    with django_assert_max_num_queries(30):
        browser.get(url_of(audit))
