"""What is taken, and what is known without asking the database again."""

import uuid

import pytest

from audits import pipeline
from audits.labels import Label
from audits.models import Audit, Judging, Project, Verdict
from tests.audits.factory import cut, make_audit, make_dataset

pytestmark = pytest.mark.django_db


@pytest.fixture
def audit(project: Project) -> Audit:
    audit = make_audit(make_dataset(project, samples=1))
    cut(audit, audit.dataset.samples.get(), ["The fee is 2 %.", "费用是百分之二。", "It is paid yearly."])
    return audit


def test_only_claims_without_a_verdict_are_asked(audit: Audit) -> None:
    judge, _ = audit.panel
    first, *rest = audit.claims.all()
    Verdict.objects.create(claim=first, member=judge, label=Label.SUPPORTED)
    questions = pipeline.take(audit, judge, 9, uuid.uuid4())
    assert [question.claims for question in questions] == [(claim.pk,) for claim in rest]
    assert [question.task.claims[0].text for question in questions] == ["费用是百分之二。", "It is paid yearly."]
    assert questions[0].left is questions[1].left and questions[0].left == {claim.pk for claim in rest}


def test_what_two_workers_ended_between_them_is_closed_when_it_is_taken(audit: Audit) -> None:
    judge, other = audit.panel
    for claim in audit.claims.all():  # as if two transactions stored them, neither of which saw the other's
        Verdict.objects.create(claim=claim, member=judge, label=Label.SUPPORTED)
    assert pipeline.take(audit, judge, 9, uuid.uuid4()) == []
    row = Judging.objects.get(member=judge)
    assert (row.status, row.lease) == (Judging.Status.DONE, None)
    assert Judging.objects.get(member=other).status == Judging.Status.OWED
