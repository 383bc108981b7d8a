"""The parts of a claim that people cut anew: beside every count, and no business of any judge."""

import uuid
from typing import Any

import pytest
from django.utils import timezone

from audits import pipeline
from audits.costs import audit_costs, project_costs
from audits.export import claim_records, claim_table
from audits.export_samples import sample_records
from audits.extraction_quality import extraction_quality
from audits.headless import summary
from audits.labels import Decision, Label
from audits.models import Audit, Call, Claim, Extraction, Judging, Probe, Project, Verdict
from audits.pipeline.experience import _of_extractions
from audits.pipeline.probing import draw_probes
from audits.pipeline.recording import settle_all
from audits.pipeline.recutting import recut
from audits.progress import progress
from audits.results import result
from tests.audits.factory import ANSWER, cut, judged_audit, make_audit, make_dataset, speak

pytestmark = pytest.mark.django_db


def test_parts_stand_behind_all_claims_at_their_own_place(project: Project) -> None:
    audit = make_audit(make_dataset(project, samples=1))
    first, _ = cut(audit, audit.dataset.samples.get(), [ANSWER, "It is paid yearly."])
    Claim.objects.filter(pk=first.pk).update(end=len(ANSWER), flags=[{"kind": "hidden"}], vague=True)
    first.refresh_from_db()
    parts = recut(first, ["it is paid  yearly", "The fee is small."])
    again = recut(first, ["The fee is 2 %."])
    stored = list(Claim.every.filter(recut_of=first).order_by("position"))
    assert stored == [*parts, *again]
    assert [part.position for part in stored] == [2, 3, 4]
    yearly = ANSWER.index("It is paid")
    assert [(part.start, part.end) for part in stored] == [
        (yearly, yearly + len("It is paid yearly")),
        (0, len(ANSWER)),  # stands nowhere: the place of the claim
        (0, len("The fee is 2 %.")),
    ]
    for part in stored:
        assert (part.decision, part.vague, part.sentence, part.flags) == ("", False, 1, [{"kind": "hidden"}])
    assert list(audit.claims.all()) == [first, *Claim.objects.filter(position=1)]


def numbers(audit: Audit) -> dict[str, Any]:
    """All that is said of an audit, on pages, in files and in the shell."""
    return {
        "result": result(audit),
        "progress": progress(audit),
        "summary": summary(audit),
        "claims": list(claim_records(audit)),
        "claim rows": [list(row) for row in claim_table(audit)[1]],
        "samples": list(sample_records(audit)),
        "extraction": extraction_quality(audit),
        "costs": audit_costs(audit),
        "project": project_costs(audit.project),
    }


def test_no_number_of_the_audit_changes(project: Project) -> None:
    audit = judged_audit(project)
    before = numbers(audit)
    for claim in list(audit.claims.all()):
        recut(claim, ["One part.", "Another part."])
    assert Claim.every.filter(audit=audit).count() == 18
    assert numbers(audit) == before


@pytest.fixture
def halfway(project: Project) -> Audit:
    """One judge has spoken on both claims, one of which was cut anew; the other judge owes the sample."""
    audit = make_audit(make_dataset(project, samples=2), probe_percent=100)
    claims = cut(audit, audit.dataset.samples.first(), ["The fee is 2 %.", "It is paid yearly."])
    for claim in claims:
        speak(claim, Label.SUPPORTED, None)
    recut(claims[0], ["The fee.", "Two per cent."])
    return audit


def test_no_judge_is_asked_about_a_part_when_judging_goes_on(halfway: Audit) -> None:
    asked = [q for member in halfway.panel for q in pipeline.take(halfway, member, 9, uuid.uuid4())]
    whole = set(halfway.claims.values_list("pk", flat=True))
    assert {pk for question in asked for pk in question.claims} == whole
    assert {claim.text for question in asked for claim in question.task.claims} == {
        "The fee is 2 %.", "It is paid yearly.",
    }  # fmt: skip


def test_a_judging_ends_without_the_parts(halfway: Audit) -> None:
    first, second = halfway.panel
    for claim in halfway.claims.all():
        Verdict.objects.create(claim=claim, member=second, label=Label.SUPPORTED, grounded=True)
    assert pipeline.take(halfway, second, 9, uuid.uuid4()) == []
    assert pipeline.take(halfway, first, 9, uuid.uuid4()) == []
    assert not Judging.objects.filter(status=Judging.Status.OWED).exists()
    settle_all(halfway)
    assert set(halfway.claims.values_list("decision", flat=True)) == {Decision.SUPPORTED}
    assert set(Claim.every.filter(recut_of__isnull=False).values_list("decision", flat=True)) == {""}
    assert set(Probe.objects.values_list("claim", flat=True)) <= set(halfway.claims.values_list("pk", flat=True))
    draw_probes(halfway, list(Claim.every.values_list("pk", flat=True)))
    assert not Probe.objects.filter(claim__recut_of__isnull=False).exists()


def test_an_audit_with_parts_ends_its_judging(project: Project, analyst: Any) -> None:
    """A failed answer is tried again after a claim of another one was cut: the parts keep nothing open."""
    audit = judged_audit(project)
    recut(audit.claims.first(), ["One.", "Two."])
    failed = Extraction.objects.filter(audit=audit).last()
    Extraction.objects.filter(pk=failed.pk).update(status=Extraction.Status.FAILED)
    Judging.objects.filter(audit=audit).update(status=Judging.Status.DONE)
    assert pipeline.retry_failed(audit, analyst)
    audit.refresh_from_db()
    assert pipeline.conclude(audit) is False, "the failed answer is owed"
    Extraction.objects.filter(pk=failed.pk).update(status=Extraction.Status.DONE)
    assert pipeline.conclude(audit) is True
    assert audit.status == Audit.Status.REVIEWING


def test_what_is_learnt_of_an_extractor_leaves_the_parts_out(project: Project) -> None:
    audit = judged_audit(project)
    call = Call.objects.create(
        audit=audit, member=audit.members.first(), purpose="extract", request_hash="1", prompt_version="v",
        prompt_hash="h", outcome="ok", tokens_in=10, tokens_out=10, created=timezone.now(),
    )  # fmt: skip
    Extraction.objects.filter(pk=audit.extractions.first().pk).update(call=call)
    before = _of_extractions({call.pk: call})
    recut(audit.claims.first(), ["One.", "Two."])
    assert vars(_of_extractions({call.pk: call})) == vars(before)
