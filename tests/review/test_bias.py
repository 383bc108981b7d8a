"""The bias report of made-up audits: what it counts, what it leaves out, what it says and never says."""

from dataclasses import replace
from typing import Any

import pytest

from audits.models import Audit, Claim, Probe, Project, Sample
from audits.results import result
from audits.stats.bias import Finding
from audits.stats.estimate import Estimate, undefined
from review.bias import Kind, Measure, Standing, _standing, bias_report, measures
from review.bias.words import effect_text, p_text, sentence, size_text
from review.outcomes import audited, outcomes
from tests.review.factory import C, S, U, make_audit, settle_all

pytestmark = pytest.mark.django_db
REPEAT, REORDER, SPECIFIC, VAGUE = Probe.Kind.REPEAT, Probe.Kind.REORDER, Probe.Kind.SPECIFIC, Probe.Kind.VAGUE
PAIRS = [(S, S)] * 40 + [(U, U)] * 20 + [(S, U)] * 12 + [(U, S)] * 4


def probe(claim: Claim, seat: int, kind: str, label: str, order: tuple[int, ...] = (0, 1), text: str = "") -> None:
    """One answered probe of a judge by its seat."""
    member = claim.audit.panel.get(position=seat)
    given: dict[str, Any] = {"label": label} if label else {"unscored": "refused"}
    Probe.objects.create(
        audit=claim.audit,
        claim=claim,
        member=member,
        kind=kind,
        status="done",
        text=text,
        context_order=list(order),
        **given,
    )


def expert_says(audit: Audit, expert: Any, label: str = U) -> None:
    settle_all(audit, expert, label=label)


# Who lets hallucinations pass


def test_the_leniency_gap_is_weighted_and_its_kind_is_said(project: Project, expert: Any) -> None:
    audit = make_audit(project, PAIRS, spot_check=30)
    expert_says(audit, expert)  # everything is made up
    found = bias_report(audit)
    assert (found.reviewed, found.open, found.undrawn) == (46, 0, 0)
    (pair,) = found.pairs
    # 76 claims, all hallucinated; judge A alone lets 12 pass, judge B alone 4.
    assert (pair.measure.kind, pair.measure.who, pair.generators) == (Kind.LENIENCY, "AB", ("loanbot-7b",))
    assert pair.measure.finding.estimate.value == pytest.approx(8 / 76)
    assert pair.measure.finding.p == pytest.approx(0.0768, abs=1e-4)  # 2 P(X <= 4 | 16, 1/2)


def test_open_disputes_hold_back_all_that_needs_the_truth(project: Project, expert: Any) -> None:
    audit = make_audit(project, PAIRS, spot_check=30)
    settle_all(audit, expert, label=U, leave=5)
    found = bias_report(audit)
    assert found.open + found.undrawn == 5 and found.open > 0
    for judge in found.judges:
        assert judge.length.finding.estimate.reason == judge.vagueness.finding.estimate.reason == "disputed_open"
        assert {third.wrong.reason for third in judge.thirds} == {"disputed_open"}
    assert found.pairs[0].measure.finding.estimate.reason == "disputed_open"
    assert {one.standing for one in measures(found)} == {Standing.UNDEFINED} and found.tests == 0


def test_before_any_review_nothing_is_claimed(project: Project) -> None:
    found = bias_report(make_audit(project, [(S, S)] * 3))
    assert {one.standing for one in measures(found)} == {Standing.UNDEFINED}
    assert found.judges[0].length.finding.estimate.reason == "stratum_not_checked"


def test_vague_claims_are_held_against_specific_ones(project: Project, expert: Any) -> None:
    # Of 40 disputed and hallucinated claims, judge A lets 15 of 20 vague and 5 of 20 specific ones pass.
    pairs = [(S, U)] * 15 + [(U, S)] * 5 + [(S, U)] * 5 + [(U, S)] * 15
    audit = make_audit(project, pairs, vague=range(20))
    expert_says(audit, expert)
    first, second = bias_report(audit).judges
    assert (first.vague.value, first.specific.value) == pytest.approx((0.75, 0.25))
    assert first.vagueness.finding.estimate.value == pytest.approx(0.5)
    assert second.vagueness.finding.estimate.value == pytest.approx(-0.5)
    assert first.vagueness.standing is Standing.TOLD and first.vagueness.finding.p < first.vagueness.adjusted < 0.05
    assert sentence(first.vagueness).startswith("Judge A lets vague hallucinated claims pass more often")
    assert sentence(second.vagueness).startswith("Judge B lets vague hallucinated claims pass less often")


# Two generators


def test_two_generators_are_held_apart(project: Project, expert: Any) -> None:
    audit = make_audit(project, [(S, U)] * 15 + [(S, S)] * 15 + [(S, S)] * 30)
    Sample.objects.filter(dataset=audit.dataset, position__lt=30).update(generator="gpt-4o")
    Sample.objects.filter(dataset=audit.dataset, position__gte=30).update(generator="loanbot-7b")
    (pair,) = bias_report(audit).pairs  # judge A is openai's
    assert (pair.measure.kind, pair.one, pair.others) == (Kind.OWN, ("gpt-4o",), ("loanbot-7b",))
    assert pair.first.letter == "A" and pair.measure.finding.estimate.value == pytest.approx(0.5)
    assert pair.measure.standing is Standing.TOLD
    assert "kinder to answers of its own family" in sentence(pair.measure)


def test_both_families_and_a_third_generator_make_two_measures(project: Project) -> None:
    audit = make_audit(project, [(S, U)] * 20 + [(U, S)] * 20 + [(S, S)] * 20)
    for name, first in (("gpt-4o", 0), ("claude-3", 20), ("loanbot-7b", 40)):
        Sample.objects.filter(dataset=audit.dataset, position__range=(first, first + 19)).update(generator=name)
    one, two = bias_report(audit).pairs
    assert (one.measure.who, one.one, one.others) == ("AB", ("gpt-4o",), ("loanbot-7b",))
    assert (two.measure.who, two.one, two.others) == ("BA", ("claude-3",), ("loanbot-7b",))
    assert one.measure.finding.estimate.value == two.measure.finding.estimate.value == 1.0


def test_generators_of_no_family_are_still_compared(project: Project) -> None:
    audit = make_audit(project, [(S, S)] * 40)
    Sample.objects.filter(dataset=audit.dataset, position__lt=12).update(generator="otherbot")
    (pair,) = bias_report(audit).pairs
    assert (pair.measure.kind, pair.one, pair.others) == (Kind.GENERATORS, ("loanbot-7b",), ("otherbot",))
    assert pair.measure.finding.estimate.low < 0 < pair.measure.finding.estimate.high  # never a point


# Order of contexts


def test_flips_beyond_noise_and_the_pull_of_the_first_context(project: Project) -> None:
    audit = make_audit(project, [(S, S)] * 40)
    for number, claim in enumerate(audit.claims.order_by("pk")):
        order = (0, 1) if number % 2 else (1, 0)
        early, late = S, U if number < 20 else S  # half of the claims fail with the first context late
        same, other = (early, late) if order[0] == 0 else (late, early)
        probe(claim, 0, REPEAT, same, order)
        probe(claim, 0, REORDER, other, order[::-1])
        probe(claim, 1, REPEAT, S)
        probe(claim, 1, REORDER, "" if number else S)  # a single label
    first, second = bias_report(audit).judges
    assert (first.repeat.flips, first.reorder.flips) == (10, 10)
    assert first.excess.finding.estimate.value == 0.0  # as many flips either way: the direction tells more
    assert first.early.finding.estimate.value == pytest.approx(20 / 40) and first.early.standing is Standing.TOLD
    assert "first context of the file comes early" in sentence(first.early)
    assert (second.repeat.n, second.reorder.n, second.reorder.unscored) == (40, 1, 39)
    assert second.excess.finding.estimate.n == 1


def test_a_judge_that_flips_more_in_another_order_is_told(project: Project) -> None:
    audit = make_audit(project, [(S, S)] * 40)
    for number, claim in enumerate(audit.claims.order_by("pk")):
        probe(claim, 0, REPEAT, S)
        probe(claim, 0, REORDER, C if number < 15 else S, (1, 0))
    (first, second) = bias_report(audit).judges
    assert first.excess.finding.estimate.value == pytest.approx(15 / 40) and first.excess.standing is Standing.TOLD
    assert second.excess.finding.estimate.reason == "not_judged_again"


# Planted claims


def plant(audit: Audit, said: dict[int, tuple[str, str, str, str]]) -> None:
    """Claim number -> labels of A and B on the specific variant, then on the vague one."""
    audit.planted = len(said)
    audit.save()
    claims = list(audit.claims.order_by("pk"))
    for number, labels in said.items():
        for at, label in enumerate(labels):
            probe(claims[number], at % 2, SPECIFIC if at < 2 else VAGUE, label, text=f"False {number}.")


def test_planted_claims_are_counted_by_judge_and_by_both(project: Project) -> None:
    audit = make_audit(project, [(S, S)] * 60)
    plant(audit, {n: (C, U, S if n < 6 else C, S if n < 3 else U) for n in range(19)} | {19: ("", C, C, C)})
    found = bias_report(audit).planted
    assert (found.asked, found.claims, found.variants) == (20, 20, 40)
    first, second = found.judges
    assert (first.vague.value, first.vague.n, first.specific.value, first.specific.n) == (0.3, 20, 0.0, 19)
    assert first.specific.high == pytest.approx(1 - 0.025 ** (1 / 19))  # Clopper-Pearson
    assert (first.unscored, second.unscored, first.owed) == (1, 0, 0)
    assert first.vague_more.finding.estimate.value == pytest.approx(6 / 19)
    assert first.vague_more.finding.p == pytest.approx(2 / 2**6)
    specific, vague, every = found.by_all
    assert (specific.value, vague.value, every.value) == pytest.approx((0.0, 3 / 20, 3 / 39))


def test_planted_claims_change_no_number(project: Project, expert: Any) -> None:
    audit = make_audit(project, PAIRS, spot_check=30)
    expert_says(audit, expert)
    before = (result(audit), audited(outcomes(audit), 0.95), findings(audit))
    plant(audit, {n: (S, S, S, S) for n in range(20)})
    assert (result(audit), audited(outcomes(audit), 0.95), findings(audit)) == before
    assert bias_report(audit).planted.by_all[2].value == 1.0


def findings(audit: Audit) -> list[Finding]:
    """All but what planted claims say themselves."""
    return [one.finding for one in measures(bias_report(audit)) if one.kind is not Kind.PLANTED]


# Words


def measure(
    kind: Kind, value: float | None, low: float = 0.0, high: float = 0.0, seen: float | None = 0.1
) -> Measure:
    estimate = undefined("same_length") if value is None else Estimate(value, low, high, 50, 0.95)
    return Measure(kind, "A" if kind is not Kind.LENIENCY else "AB", Finding(estimate, 0.5, seen))


@pytest.mark.parametrize(
    ("one", "p", "standing"),
    [
        (measure(Kind.LENGTH, 0.9, 0.2, 1.6), 0.03, Standing.TOLD),
        (measure(Kind.LENGTH, 0.9, 0.2, 1.6), 0.07, Standing.UNCLEAR),  # after adjusting
        (measure(Kind.LENGTH, 0.1, -0.2, 0.4), 0.5, Standing.SMALL),  # within ln 1.5
        (measure(Kind.EXCESS, 0.0, -0.02, 0.03), 1.0, Standing.SMALL),
        (measure(Kind.EXCESS, 0.0, -0.04, 0.03), 1.0, Standing.UNCLEAR),
        (measure(Kind.LENGTH, None), None, Standing.UNDEFINED),
    ],
)
def test_what_a_measure_comes_to(one: Measure, p: float | None, standing: Standing) -> None:
    assert _standing(one, p) is standing


def test_sentences_say_what_would_not_have_been_seen() -> None:
    unclear = replace(measure(Kind.VAGUENESS, 0.1, -0.3, 0.5, seen=0.42), standing=Standing.UNCLEAR)
    assert sentence(unclear) == (
        "Judge A: not enough data to tell. Effects below this would mostly not be seen: 42.0 percentage points."
    )
    blind = replace(measure(Kind.LENIENCY, 0.1, -0.3, 0.5, seen=None), standing=Standing.UNCLEAR)
    assert sentence(blind).startswith("Judges A and B: not enough data to tell. With so few claims no effect")
    small = replace(measure(Kind.EXCESS, 0.0, -0.02, 0.01), standing=Standing.SMALL)
    assert "small one only: 2.0 percentage points" in sentence(small)
    assert sentence(measure(Kind.LENGTH, None)) == (
        "Judge A: undefined, because all answers have equally many claims."
    )
    assert effect_text(Kind.LENGTH, -0.405465) == "a factor of 1.50 in the odds per standard deviation"
    assert (size_text(Kind.LENGTH, 0.405465), size_text(Kind.EARLY, -0.123)) == ("odds × 1.50", "12.3 points")
    assert (p_text(None), p_text(0.0004), p_text(0.0461)) == ("–", "< 0.001", "0.046")


def test_p_values_of_the_page_are_adjusted_together(project: Project, expert: Any) -> None:
    audit = make_audit(project, PAIRS, spot_check=30, vague=range(0, 76, 2))
    expert_says(audit, expert)
    found = bias_report(audit)
    tested = [one for one in measures(found) if one.finding.p is not None]
    assert found.tests == len(tested) > 1
    smallest = min(tested, key=lambda one: one.finding.p or 0)
    assert smallest.adjusted == pytest.approx(min(1.0, smallest.finding.p * len(tested)))
    assert all(one.adjusted >= one.finding.p for one in tested)


def test_where_experts_find_nothing_wrong_it_is_said(project: Project, expert: Any) -> None:
    audit = make_audit(project, [(S, S)] * 30, spot_check=30)
    expert_says(audit, expert, label=S)
    first, _ = bias_report(audit).judges
    assert first.length.finding.estimate.reason == "same_length"
    assert first.vagueness.finding.estimate.reason == "no_vague_hallucinated"
    assert bias_report(audit).pairs[0].measure.finding.estimate.reason == "none_hallucinated"
