"""The rate per answer against a worked example, and at its edges."""

from audits.stats.audited import AuditedClaim, estimate
from audits.stats.macro import macro

# The example of the reference implementation: answers, strata (S, C, U, disputed), truth, seen by an expert.
ANSWERS = [0, 0, 0, 1, 1, 2, 2, 2, 2, 3, 4, 4, 4, 5, 5, 5, 6, 7, 7, 7]
STRATA = [0, 0, 3, 0, 0, 1, 2, 0, 3, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 3]
TRUTH = [0, 0, 1, 0, 0, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]
SEEN = [1, 0, 1, 0, 1, 1, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 1]
NAMES = ("supported", "contradicted", "unverified", "disputed")


def example() -> list[AuditedClaim]:
    return [
        AuditedClaim(answer, NAMES[stratum], bool(truth) if seen else None, bool(seen) and stratum != 3)
        for answer, stratum, truth, seen in zip(ANSWERS, STRATA, TRUTH, SEEN, strict=True)
    ]


def test_the_worked_example() -> None:
    found = macro(example(), confidence=0.90, min_answers=2).traffic  # 5 % in each tail
    assert found.value is not None and found.low is not None and found.high is not None
    assert abs(found.value - 0.260417) < 1e-6
    assert abs(found.low - 0.044305) < 1e-6
    assert abs(found.high - 0.72497) < 1e-6
    assert found.n == 8


def test_few_answers_say_nothing_of_the_traffic() -> None:
    found = macro(example())
    assert (found.traffic.low, found.traffic.reason) == (None, "few_answers")
    assert found.dataset.low is not None and found.dataset.low <= 0.260417


def test_without_claims_there_is_no_rate() -> None:
    assert macro([]).dataset.reason == "no_claims"


def test_answers_of_one_claim_have_the_rate_of_their_claims() -> None:
    rows = [AuditedClaim(n, "supported", n % 9 == 0 if n < 60 else None, n < 60) for n in range(120)]
    per_answer, per_claim = macro(rows).dataset, estimate(rows).dataset
    assert per_answer.value == per_claim.value
    assert per_answer.high is not None and per_claim.high is not None and per_answer.high >= per_claim.high


def test_a_long_answer_counts_once() -> None:
    rows = [AuditedClaim("long", "disputed", True, False)] * 9 + [AuditedClaim("short", "disputed", False, False)]
    assert macro(rows).dataset.value == 0.5
    assert estimate(rows).dataset.value == 0.9


def test_what_nobody_checked_is_open() -> None:
    rows = [AuditedClaim(n, "supported", None, False) for n in range(40)]
    found = macro(rows)
    assert (found.dataset.value, found.dataset.low, found.dataset.high) == (0.0, 0.0, 1.0)
    assert (found.traffic.low, found.traffic.high) == (0.0, 1.0)


def test_half_reviewed_disputes_are_no_random_sample() -> None:
    rows = [AuditedClaim(n, "disputed", False if n < 20 else None, False) for n in range(40)]
    found = macro(rows).dataset
    assert (found.low, found.high) == (0.0, 0.5)


def test_a_claim_that_was_given_up_counts_against_the_system_in_both_limits() -> None:
    """Four answers of one claim each, all disputed: two hallucinated, one supported, one that nobody could decide."""
    truths = (True, True, False, None)
    rows = [AuditedClaim(n, "disputed", truth, False, given_up=truth is None) for n, truth in enumerate(truths)]
    found = macro(rows).dataset
    assert (found.low, found.high) == (0.5, 0.75)
    assert found.value == 2 / 3  # of what experts decided


def test_the_limits_of_drawn_claims_are_those_of_the_two_imputations() -> None:
    def rows(word: bool | None) -> list[AuditedClaim]:
        truths = [n < 4 for n in range(56)] + [word] * 4 + [None] * 60
        return [
            AuditedClaim(n // 2, "supported", truth, n < 60, given_up=word is None and 56 <= n < 60)
            for n, truth in enumerate(truths)
        ]

    found, best, worst = macro(rows(None)), macro(rows(False)), macro(rows(True))
    assert (found.dataset.low, found.dataset.high) == (best.dataset.low, worst.dataset.high)
    assert found.dataset.value == 4 / 56
    assert found.traffic.low is not None and best.traffic.low is not None and found.traffic.low <= best.traffic.low
    assert found.traffic.high is not None and worst.traffic.high is not None
    assert found.traffic.high >= worst.traffic.high
