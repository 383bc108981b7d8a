"""The numbers of one audit by the judges alone: counts, coverage, bounds, agreement, the worst answers."""

from typing import Any

import pytest

from audits.labels import Unscored
from audits.models import Claim, Project
from audits.results import result
from tests.audits.factory import C, S, U, cut, judged_audit, make_audit, make_dataset, speak


def test_counts_of_a_finished_audit(project: Project) -> None:
    found = result(judged_audit(project))
    # Six claims: SS, SS, CC, UU agree; S/U and S/refused are disputed, the latter unscored too.
    assert (found.supported, found.contradicted, found.unverified) == (2, 1, 1)
    assert (found.disputed, found.pending, found.unscored, found.total) == (2, 0, 1, 6)
    assert found.unscored_reasons == {"refused": 1}
    assert found.decided == 4 and found.open == 2 and found.provisional


def test_rate_stands_on_decided_claims_and_bounds_on_all(project: Project) -> None:
    found = result(judged_audit(project))
    assert found.rate.value == 2 / 4 and found.rate.n == 4  # C and U of four decided
    assert found.faithfulness.value == 2 / 4
    assert found.coverage == 4 / 6
    assert found.bounds is not None
    assert found.bounds.low == 2 / 6 and found.bounds.high == 4 / 6  # both open claims supported, both hallucinated
    assert found.answers == 2


def test_sentences_that_the_extractor_passed_over_are_counted(project: Project) -> None:
    audit = make_audit(make_dataset(project, samples=2))
    one, two = audit.dataset.samples.all()
    cut(audit, one, ["The fee is 2 %."], unaccounted=[2, 3])
    cut(audit, two, ["The fee is 2 %."])
    assert result(audit).samples_passed_over == 1


def test_samples_by_what_became_of_them(project: Project) -> None:
    audit = make_audit(make_dataset(project, samples=5))
    one, two, three, four, _waiting = audit.dataset.samples.all()
    cut(audit, one, ["The fee is 2 %."])
    cut(audit, two, is_refusal=True)
    cut(audit, three)
    cut(audit, four, status="failed")
    found = result(audit)
    assert (found.samples, found.answers, found.refusals) == (5, 1, 1)
    assert (found.samples_without_claims, found.samples_failed, found.samples_waiting) == (2, 1, 1)


def test_agreement_counts_only_claims_that_both_judges_labelled(project: Project) -> None:
    found = result(judged_audit(project))
    assert found.agreement is not None
    assert found.agreement.n == 5 and found.agreement.excluded == 1
    assert found.agreement.table == ((2, 0, 1), (0, 1, 0), (0, 0, 1))
    assert found.disagreement_rate == pytest.approx(1 / 5)


def test_a_claim_that_one_judge_has_not_seen_is_pending_and_open(project: Project) -> None:
    audit = make_audit(make_dataset(project, samples=1))
    first, second = cut(audit, audit.dataset.samples.get(), ["One.", "Two."])
    speak(first, S, S)
    speak(second, S, None)
    found = result(audit)
    assert (found.supported, found.pending, found.disputed, found.unscored) == (1, 1, 0, 0)
    assert found.coverage == 1 / 2 and found.provisional
    assert found.agreement is not None and found.agreement.n == 1 and found.agreement.excluded == 0


def test_an_ungrounded_agreement_is_disputed_but_no_disagreement(project: Project) -> None:
    audit = make_audit(make_dataset(project, samples=1))
    (claim,) = cut(audit, audit.dataset.samples.get(), ["One."])
    speak(claim, S, S, quote="nowhere to be found")
    found = result(audit)
    assert found.disputed == 1 and found.disagreement_rate == 0


def test_nothing_yet_is_undefined_and_says_why(project: Project) -> None:
    found = result(make_audit(make_dataset(project)))
    assert found.rate.value is None and found.rate.reason == "no_claims"
    assert found.coverage is None and found.bounds is None and found.disagreement_rate is None
    assert found.worst == () and found.provisional


def test_complete_and_undisputed_is_not_provisional(project: Project) -> None:
    audit = make_audit(make_dataset(project, samples=2))
    for sample in audit.dataset.samples.all():
        (claim,) = cut(audit, sample, ["One."])
        speak(claim, S, S)
    assert not result(audit).provisional


def test_vague_supported_claims_are_counted_apart(project: Project) -> None:
    audit = judged_audit(project)
    Claim.objects.filter(audit=audit).update(vague=True)
    assert result(audit).vague_supported == 2


def test_flagged_samples_by_flag(project: Project) -> None:
    audit = judged_audit(project)
    one, two, _ = audit.dataset.samples.all()
    for sample, flags in ((one, ["no_context"]), (two, ["no_context", "no_question"])):
        sample.flags = flags
        sample.save(update_fields=["flags"])
    assert result(audit).flagged == {"no_context": 2, "no_question": 1}


def test_worst_answers_first_and_none_that_is_all_supported(project: Project) -> None:
    audit = make_audit(make_dataset(project, samples=4))
    labels = [[(S, S)], [(S, C), (U, U)], [(C, C), (U, U)], [(S, U)]]
    for sample, said in zip(audit.dataset.samples.all(), labels, strict=True):
        for claim, pair in zip(cut(audit, sample, [str(n) for n in range(len(said))]), said, strict=True):
            speak(claim, *pair)
    worst = [(row.sample.external_id, row.hallucinated, row.disputed, row.claims) for row in result(audit).worst]
    assert worst == [("q-3", 2, 0, 2), ("q-2", 1, 1, 2), ("q-4", 0, 1, 1)]


def test_a_panel_of_one_has_no_agreement(project: Project) -> None:
    audit = make_audit(make_dataset(project, samples=1), panel=["deepseek:deepseek-v4"])
    assert result(audit).agreement is None and result(audit).disagreement_rate is None


def test_few_queries_whatever_the_size_and_no_contexts(project: Project, django_assert_num_queries: Any) -> None:
    audit = make_audit(make_dataset(project, samples=8))
    for sample in audit.dataset.samples.all():
        for claim in cut(audit, sample, ["One.", "Two."]):
            speak(claim, U, Unscored.REFUSED)
    with django_assert_num_queries(6) as queries:
        result(audit)
    assert not any('"contexts"' in query["sql"] for query in queries.captured_queries)
