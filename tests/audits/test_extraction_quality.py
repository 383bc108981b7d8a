"""How well answers were cut: sentences accounted for, claims per answer, and the answers to look at."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from audits.extraction_quality import answers_to_see, extraction_quality
from audits.models import Audit, Claim, Extraction, Project
from tests.audits.factory import cut, make_audit, make_dataset


@pytest.fixture
def audit(project: Project) -> Audit:
    """Seven answers of three sentences each: three with claims, a refusal, one without, one failed, one waiting."""
    audit = make_audit(make_dataset(project, samples=7))
    one, two, three, four, five, six, _ = audit.dataset.samples.all()
    cut(audit, one, ["A.", "B."], no_claims={"2": "question", "3": "opinion"})
    cut(audit, two, ["A."] * 7, unaccounted=[3], no_claims={"2": "because"}, parts=2, asked_again=True)
    cut(audit, three, ["A."], unaccounted=[2, 3], asked_again=True, notes=["Asked again in vain. 500"])
    cut(audit, four, no_claims={"1": "refusal", "2": "refusal", "3": "transition"}, is_refusal=True)
    cut(audit, five, no_claims={"1": "question", "2": "question", "3": "question"}, parts=3)
    cut(audit, six, status="failed", failure="It broke.", parts=9, asked_again=True, unaccounted=[1])
    return audit


def test_samples_by_what_became_of_them(audit: Audit) -> None:
    found = extraction_quality(audit)
    assert (found.samples, found.done, found.failed, found.waiting) == (7, 5, 1, 1)
    assert (found.refusals, found.without_claims) == (1, 1)
    assert (found.several_calls, found.asked_again, found.flagged) == (2, 2, 2)


def test_every_sentence_of_what_was_cut_is_in_one_share(audit: Audit) -> None:
    found = extraction_quality(audit)
    assert (found.sentences, found.unaccounted) == (15, 3)
    assert {share.kind: share.sentences for share in found.shares} == {
        "claims": 3, "question": 4, "opinion": 1, "refusal": 2, "transition": 1, "other": 1, "": 3,
    }  # fmt: skip
    assert sum(share.fraction for share in found.shares) == pytest.approx(1)
    assert found.coverage == pytest.approx(12 / 15)


def test_claims_per_answer(audit: Audit) -> None:
    Claim.objects.filter(audit=audit, text="B.").update(vague=True, ambiguous=True)
    Claim.objects.filter(audit=audit, position=6).update(flags=["injection"])
    found = extraction_quality(audit)
    assert (found.claims, found.vague, found.ambiguous, found.vague_share) == (10, 1, 1, 0.1)
    assert (found.mean, found.median) == (2.0, 1.0)  # of 2, 7, 1, 0, 0
    assert [(step.low, step.high, step.answers) for step in found.steps] == [
        (0, 0, 2), (1, 1, 1), (2, 2, 1), (3, 3, 0), (4, 4, 0), (5, 5, 0), (6, 10, 1),
    ]  # fmt: skip
    assert sum(step.fraction for step in found.steps) == pytest.approx(1)


def test_nothing_cut_yet_is_undefined(project: Project) -> None:
    found = extraction_quality(make_audit(make_dataset(project)))
    assert (found.samples, found.waiting, found.done, found.claims) == (3, 3, 0, 0)
    assert (found.coverage, found.mean, found.median, found.vague_share) == (None, None, None, None)
    assert (found.shares, found.steps) == ((), ())


def test_other_audits_do_not_count(audit: Audit, project: Project) -> None:
    before = extraction_quality(audit)
    other = make_audit(make_dataset(project, samples=2))
    cut(other, other.dataset.samples.all()[0], ["A."], unaccounted=[2])
    assert extraction_quality(audit) == before
    assert extraction_quality(other).claims == 1
    assert [row.passed_over for row in answers_to_see(other)] == [1]  # type: ignore[attr-defined]


def test_failed_answers_come_first_and_no_long_text_is_loaded(audit: Audit) -> None:
    with CaptureQueriesContext(
        connection,
    ) as seen:
        rows: list[Any] = list(answers_to_see(audit))
        told = [(row.sample.external_id, row.status, row.passed_over, row.total, row.failure) for row in rows]
    assert told == [
        ("q-6", "failed", 1, 3, "It broke."),
        ("q-2", "done", 1, 3, ""),
        ("q-3", "done", 2, 3, ""),
    ]
    assert len(seen) == 1
    assert "contexts" not in seen[0]["sql"] and '"answer"' not in seen[0]["sql"]


def test_the_number_of_queries_does_not_grow(audit: Audit) -> None:
    with CaptureQueriesContext(connection) as seen:
        extraction_quality(audit)
    assert len(seen) <= 6
    Extraction.objects.filter(audit=audit).update(no_claims={})
    assert extraction_quality(audit).shares[0].sentences == 3
