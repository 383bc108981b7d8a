"""How far an audit is, what it cost and how long it takes, read from the ledger."""

import datetime
from decimal import Decimal
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from audits.labels import Unscored
from audits.models import Audit, Call, Extraction, Judging, PanelMember, Project, Verdict
from audits.progress import progress
from tests.audits.factory import S, U, cut, judged_audit, make_audit, make_dataset, speak

NOW = datetime.datetime(2026, 3, 1, 12, 0, tzinfo=datetime.UTC)


def call(member: PanelMember, outcome: str = "ok", cost: str | None = "0.01") -> Call:
    return Call.objects.create(
        audit=member.audit,
        member=member,
        purpose="verify",
        request_hash="h",
        prompt_version="v",
        prompt_hash="p",
        outcome=outcome,
        cost=None if cost is None else Decimal(cost),
    )


def test_nothing_done_yet(project: Project) -> None:
    state = progress(make_audit(make_dataset(project)))
    assert (state.samples, state.extracted, state.extraction_failed, state.claims, state.waiting) == (3, 0, 0, 0, 3)
    assert state.fraction == 0 and state.seconds_left is None and state.running
    assert state.cost == 0 and state.failures == 0
    extractor, first, second = state.members
    assert (extractor.role, extractor.done, extractor.total) == ("extractor", 0, 3)
    assert (first.letter, second.letter) == ("A", "B")
    assert first.total is None  # claims are still cut: nobody knows how many there will be


def test_fraction_is_over_members_times_samples(project: Project) -> None:
    audit = make_audit(make_dataset(project))
    one, two, _ = audit.dataset.samples.all()
    claims = cut(audit, one, ["One.", "Two."])
    cut(audit, two, status=Extraction.Status.FAILED)
    for claim in claims:
        speak(claim, S, None)
    Judging.objects.filter(audit=audit, member__position=0).update(status=Judging.Status.DONE)
    state = progress(audit)
    # 9 units: two samples cut, the failed one owes no judge anything (2), the other is judged by one judge (1): 5.
    assert state.fraction == pytest.approx(5 / 9)
    assert (state.extracted, state.extraction_failed, state.waiting) == (1, 1, 1)
    assert [member.done for member in state.members] == [2, 2, 0]


def test_finished(project: Project) -> None:
    state = progress(judged_audit(project))
    assert state.fraction == 1 and not state.running and state.seconds_left is None
    assert [(member.done, member.total) for member in state.members] == [(3, 3), (6, 6), (6, 6)]
    assert [member.unscored for member in state.members] == [0, 0, 1]


def test_cost_is_summed_per_member_and_unknown_is_never_zero(project: Project) -> None:
    audit = make_audit(make_dataset(project))
    first, second = audit.panel
    call(first, cost="0.25")
    call(first, cost="0.50")
    call(first, outcome="rate_limit", cost=None)  # failed before an answer: not billed, costs stay known
    state = progress(audit)
    assert state.cost == Decimal("0.75") and state.failures == 1
    assert (state.members[1].calls, state.members[1].failures) == (3, 1)
    call(second, cost=None)
    state = progress(audit)
    assert state.cost is None and state.known_cost == Decimal("0.75")
    assert state.members[1].cost_known and not state.members[2].cost_known


def test_a_stopped_judge_is_named_with_its_message(project: Project) -> None:
    audit = make_audit(make_dataset(project))
    PanelMember.objects.filter(audit=audit, role="judge", position=1).update(
        stopped_fault="auth", stopped_message="The key was refused."
    )
    (stopped,) = progress(audit).stopped
    assert (stopped.letter, stopped.stopped_fault, stopped.stopped_message) == ("B", "auth", "The key was refused.")


def test_time_left_from_the_pace_of_verdicts(project: Project) -> None:
    audit = make_audit(make_dataset(project))
    one, *_ = audit.dataset.samples.all()
    claims = cut(audit, one, ["One.", "Two.", "Three.", "Four.", "Five."])
    for claim in claims:
        speak(claim, S, U)
    for seconds, claim in zip((10, 8, 6, 4, 2), claims, strict=True):
        Verdict.objects.filter(claim=claim).update(created=NOW - datetime.timedelta(seconds=seconds))
    with time_machine.travel(NOW, tick=False):
        state = progress(audit)
    # Five claims per sample: 15 expected of each of 2 judges, 5 are there: 20 to come. 10 came in 10 s: 20 s.
    assert state.seconds_left == pytest.approx(20)


def test_no_pace_no_time_left(project: Project) -> None:
    audit = make_audit(make_dataset(project))
    claims = cut(audit, audit.dataset.samples.all()[0], ["One.", "Two.", "Three.", "Four.", "Five.", "Six."])
    for claim in claims:
        speak(claim, S, U)
    assert progress(audit).seconds_left is not None
    Audit.objects.filter(pk=audit.pk).update(status=Audit.Status.PAUSED)
    audit.refresh_from_db()
    assert progress(audit).seconds_left is None and not progress(audit).running
    Audit.objects.filter(pk=audit.pk).update(status=Audit.Status.JUDGING)
    audit.refresh_from_db()
    Verdict.objects.all().update(created=timezone.now() - datetime.timedelta(hours=1))
    assert progress(audit).seconds_left is None


def test_few_queries_whatever_the_size(project: Project, django_assert_max_num_queries: Any) -> None:
    audit = make_audit(make_dataset(project, samples=6))
    for sample in audit.dataset.samples.all():
        for claim in cut(audit, sample, ["One.", "Two."]):
            speak(claim, S, Unscored.REFUSED)
    with django_assert_max_num_queries(11):
        progress(audit)
