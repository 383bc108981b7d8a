"""PASS, FAIL, INSUFFICIENT: never PASS out of missing data."""

import pytest

from audits.stats.acceptance import decide
from audits.stats.audited import AuditedClaim, estimate


def audit(supported=(900, 250, 0), disputed=(100, 100, 20), answers=250):
    rows = []
    for name, (claims, drawn, wrong) in (("supported", supported), ("disputed", disputed)):
        for number in range(claims):
            is_drawn = number < drawn
            rows.append(AuditedClaim(len(rows) % answers, name, number < wrong if is_drawn else None, is_drawn))
    return estimate(rows)


def test_pass_when_the_upper_limit_is_at_most_the_threshold():
    result = decide(audit(), 0.05, 0.95, "traffic")
    assert (result.decision, result.reasons) == ("PASS", ())
    assert result.low < 0.02 < result.high <= 0.05
    exactly = decide(audit(), result.high, 0.95, "traffic")
    assert exactly.decision == "PASS"


def test_fail_when_the_lower_limit_is_above():
    result = decide(audit(supported=(900, 250, 40)), 0.05, 0.95, "traffic")
    assert (result.decision, result.reasons) == ("FAIL", ())
    assert result.low > 0.05


def test_insufficient_when_the_threshold_lies_between():
    result = decide(audit(), 0.02, 0.95, "traffic")
    assert (result.decision, result.reasons) == ("INSUFFICIENT", ("threshold_inside_limits",))


def test_the_scope_is_part_of_the_rule():
    everything = audit(supported=(900, 900, 20), disputed=(100, 100, 20))  # the rate is known: 4 %
    assert decide(everything, 0.045, 0.95, "dataset").decision == "PASS"
    assert decide(everything, 0.045, 0.95, "traffic").decision == "INSUFFICIENT"


@pytest.mark.parametrize(
    ("estimate_", "code"),
    [
        (audit(supported=(900, 0, 0)), "supported_not_checked"),
        (estimate([]), "no_claims"),
        (audit(disputed=(100, 0, 0)), "disputed_open"),
        (audit(answers=20), "few_answers"),
    ],
)
def test_missing_evidence_blocks_whatever_the_threshold(estimate_, code):
    for threshold in (0.0, 0.05, 1.0):
        result = decide(estimate_, threshold, 0.95, "traffic")
        assert result.decision == "INSUFFICIENT"
        assert code in result.reasons


def test_blocking_by_the_caller_is_printed_and_wins():
    result = decide(audit(), 0.05, 0.95, "traffic", ["rule_changed", "rule_changed"])
    assert (result.decision, result.reasons) == ("INSUFFICIENT", ("rule_changed",))
    assert result.high is not None  # the bound itself stays true and is shown


def test_more_looks_ask_for_more():
    one, four = (decide(audit(), 0.05, 0.95, "traffic", looks=looks) for looks in (1, 4))
    assert four.high > one.high
    assert four.level == pytest.approx(1 - 0.05 / 4)


@pytest.mark.parametrize(
    "arguments", [{"threshold": 5}, {"threshold": 0.05, "looks": 0}, {"threshold": 0.1, "scope": "x"}]
)
def test_nonsense_is_refused(arguments):
    with pytest.raises(ValueError):
        decide(audit(), **arguments)


@pytest.mark.parametrize(("wrong", "claims"), [(7, 25), (14, 50), (21, 75), (29, 100), (203, 700)])
def test_a_rate_that_is_exactly_the_threshold_passes(wrong, claims):
    """Every claim labelled, so both limits are the rate. 25 * (7 / 25) is more than 7 in floating point."""
    rows = [AuditedClaim(n % 40, "supported", n < wrong, True) for n in range(claims)]
    found = estimate(rows)
    assert found.dataset_limits == (found.rate, found.rate) == (wrong / claims, wrong / claims)
    assert decide(found, wrong / claims, scope="dataset").decision == "PASS"
    assert decide(found, (wrong - 1) / claims, scope="dataset").decision == "FAIL"


@pytest.mark.parametrize(
    ("population", "drawn", "wrong", "highest"), [(100, 27, 5, 32), (100, 48, 5, 17), (200, 27, 5, 67)]
)
def test_an_upper_limit_that_is_exactly_the_threshold_passes(population, drawn, wrong, highest):
    """The hypergeometric limit is a whole number of claims: theta + W (u - p) must not end a digit above it."""
    rows = [AuditedClaim(n % 40, "supported", n < wrong if n < drawn else None, n < drawn) for n in range(population)]
    found = estimate(rows)
    assert found.dataset_limits is not None and found.dataset_limits[1] == highest / population
    assert decide(found, highest / population, scope="dataset").decision == "PASS"
