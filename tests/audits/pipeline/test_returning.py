"""Judges that stopped for a while return by themselves when it is time, and only then, and only where they may."""

import datetime
from typing import Any

import pytest
import time_machine
from django.urls import reverse
from django.utils import timezone

from audits import pipeline
from audits.judges.base import RETRY_LATER, STOP_JUDGE, Fault, JudgeError
from audits.limits import LimitState
from audits.models import Audit, Event, PanelMember, Project
from audits.pipeline.returning import RETURNS, return_of
from audits.tasks import sweep
from tests.audits import road
from tests.vendor_server.server import VendorServer

pytestmark = pytest.mark.django_db
NOW = datetime.datetime(2026, 3, 1, 12, 0, tzinfo=datetime.UTC)
HOUR = datetime.timedelta(hours=1)


@pytest.fixture
def audit(project: Project, vendor_server: VendorServer) -> Audit:
    return road.start(road.make_dataset(project))


def judge_of(audit: Audit) -> PanelMember:
    return audit.members.get(vendor="anthropic")


def stop(audit: Audit, fault: Fault = Fault.RATE_LIMIT, retry_after: float | None = 3600) -> PanelMember:
    assert pipeline.stop_member(audit, judge_of(audit), JudgeError(fault, "Wait.", retry_after=retry_after))
    return judge_of(audit)


def later(audit: Audit) -> None:
    """As if the time of every return had come."""
    audit.members.exclude(resumes_at=None).update(resumes_at=timezone.now() - datetime.timedelta(seconds=1))


def test_an_audit_waits_out_a_long_pause_and_goes_on_by_itself(audit: Audit, vendor_server: VendorServer) -> None:
    vendor_server.rules({"vendor": "anthropic", "status": 429, "retry_after": "3600", "times": 1})
    road.work_off(audit)
    assert (audit.status, audit.stopped_by) == (Audit.Status.PAUSED, "judges")
    assert judge_of(audit).resumes_at > timezone.now() + HOUR * 0.9
    asked = len(vendor_server.requests)
    sweep()
    road.work_off(audit)
    assert audit.status == Audit.Status.PAUSED and len(vendor_server.requests) == asked  # it is not time yet
    later(audit)
    sweep()
    audit.refresh_from_db()
    assert (audit.status, audit.stopped_by) == (Audit.Status.JUDGING, "")
    returned = judge_of(audit)
    assert (returned.stopped_fault, returned.stopped_message, returned.resumes_at) == ("", "", None)
    road.work_off(audit)
    assert audit.status == Audit.Status.REVIEWING
    assert {claim.verdicts.count() for claim in audit.claims.all()} == {2}
    assert Event.objects.get(kind="judge_returned").data == {"judges": [returned.name]}


def test_a_judge_returns_while_the_other_one_still_works(audit: Audit) -> None:
    stop(audit)
    later(audit)
    assert pipeline.return_judges() == 1
    assert pipeline.return_judges() == 0
    audit.refresh_from_db()
    assert audit.status == Audit.Status.JUDGING and not judge_of(audit).stopped_fault


def test_what_a_person_or_the_budget_paused_stays_paused(audit: Audit) -> None:
    stop(audit)
    later(audit)
    pipeline.pause(audit, None)
    assert pipeline.return_judges() == 0
    assert judge_of(audit).stopped_fault
    Audit.objects.filter(pk=audit.pk).update(stopped_by="budget")
    assert pipeline.return_judges() == 0
    assert pipeline.resume(audit, None)
    resumed = judge_of(audit)
    assert (resumed.stopped_fault, resumed.resumes_at) == ("", None)


def test_audits_of_the_command_line_are_left_to_it(project: Project, vendor_server: VendorServer) -> None:
    audit = road.start(road.make_dataset(project), headless=True)
    stop(audit)
    later(audit)
    assert pipeline.return_judges() == 0


def test_one_judge_that_returns_does_not_free_the_other(audit: Audit) -> None:
    other = audit.members.get(vendor="openai", role="judge")
    pipeline.stop_member(audit, other, JudgeError(Fault.AUTH, "No."))
    stop(audit)
    later(audit)
    assert pipeline.return_judges() == 1
    other.refresh_from_db()
    assert other.stopped_fault == "auth"


@pytest.mark.parametrize("fault", sorted(STOP_JUDGE))
def test_what_waiting_does_not_mend_has_no_return(audit: Audit, fault: Fault) -> None:
    assert stop(audit, fault, retry_after=5).resumes_at is None


@pytest.mark.parametrize("fault", sorted(RETRY_LATER))
@time_machine.travel(NOW, tick=False)
def test_a_pause_is_as_long_as_the_vendor_asks_up_to_a_day(audit: Audit, fault: Fault) -> None:
    member = judge_of(audit)
    assert return_of(audit, member, JudgeError(fault, "x", retry_after=7200)) == NOW + 2 * HOUR
    assert return_of(audit, member, JudgeError(fault, "x", retry_after=1e9)) == NOW + 24 * HOUR


@time_machine.travel(NOW, tick=False)
def test_a_vendor_that_stays_away_is_asked_less_and_less_until_a_person_has_to_look(audit: Audit) -> None:
    pauses = []
    for _ in range(RETURNS + 1):
        member = stop(audit, Fault.SERVER, None)
        pauses.append(member.resumes_at and (member.resumes_at - NOW).total_seconds() / 60)
        later(audit)
        pipeline.return_judges()
    assert pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60, 60, None]


def test_an_answer_in_between_makes_the_pauses_short_again(audit: Audit, vendor_server: VendorServer) -> None:
    stop(audit, Fault.NETWORK, None)
    later(audit)
    pipeline.return_judges()
    road.work_off(audit)
    error = JudgeError(Fault.NETWORK, "x")
    assert return_of(audit, judge_of(audit), error) < timezone.now() + datetime.timedelta(minutes=1.5)


def test_what_limits_note_does_not_touch_a_stop(audit: Audit) -> None:
    stale = judge_of(audit)
    resumes_at = stop(audit).resumes_at
    pipeline.note_limits(stale, LimitState(1, 8, 0, "rate_limit", None))
    assert judge_of(audit).resumes_at == resumes_at


def test_the_page_tells_the_moment_and_refreshes_when_it_has_come(
    audit: Audit, project: Project, signed_in: Any, analyst: Any
) -> None:
    stop(audit)
    stop_other = audit.members.filter(vendor="openai")
    stop_other.update(stopped_fault="auth", stopped_message="No.")
    assert pipeline.conclude(audit)
    browser, url = signed_in(analyst), reverse("audit", args=[project.slug, audit.pk])
    when = timezone.localtime(judge_of(audit).resumes_at).strftime("%H:%M")
    html = browser.get(url).content.decode()
    assert html.count("goes on by itself") == 2 and when in html  # at the judge, and beside the progress
    assert "every 20s" in html and "?was=paused" in html
    poll = {"hx-request": "true", "hx-target": "audit-progress"}
    assert "HX-Refresh" not in browser.get(f"{url}?was=paused", headers=poll)
    later(audit)
    pipeline.return_judges()
    assert browser.get(f"{url}?was=paused", headers=poll)["HX-Refresh"] == "true"
    pipeline.pause(audit, None)
    assert "goes on by itself" not in browser.get(url).content.decode()


def test_a_judge_that_returns_and_a_pause_at_the_same_time_leave_nothing_asleep(audit: Audit) -> None:
    audit.members.update(stopped_fault="server", resumes_at=timezone.now())
    assert pipeline.return_judges() == 3  # between looking and pausing …
    assert not pipeline.conclude(audit)  # … which looks again
    audit.refresh_from_db()
    assert audit.status == Audit.Status.JUDGING
