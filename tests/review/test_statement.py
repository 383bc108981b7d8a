"""What a certificate says: plain, rounded to the cautious side, and free of contradictions."""

import json
from dataclasses import replace
from datetime import datetime

import pytest

from audits.stats.acceptance import decide
from audits.stats.estimate import undefined
from review.statement import ReviewerFact, RuleFact, SamplesFact, StatementError, build, canonical, fraction
from tests.review.certificates import MOMENT, STRATA, D, S, facts


def test_the_whole_audit_stands_in_it():
    statement = build(facts())
    assert statement["schema_version"] == 2
    assert statement["result"]["decision"] == "PASS"
    assert statement["result"]["reasons"] == []
    assert statement["rule"] == {
        "threshold": 0.05,
        "confidence": 0.95,
        "scope": "traffic",
        "looks": 1,
        "spot_check": 340,
        "set_at": "2026-10-30T09:15:00Z",
    }
    judged, outcome = statement["judged"], statement["outcome"]
    assert (
        judged["supported"] + judged["contradicted"] + judged["unverified"] + judged["disputed"] == judged["claims"]
    )
    assert (judged["claims"], judged["disputed"], judged["coverage"]) == (5000, 400, 0.92)
    assert (outcome["disputed"], outcome["coverage"]) == (0, 1.0)
    assert statement["samples"]["refusals"] == 80
    assert [s["stratum"] for s in statement["spot_check"]] == list(STRATA)
    assert statement["spot_check"][4] == {
        "stratum": "disputed",
        "claims": 400,
        "checked": 400,
        "hallucinated": 46,
        "owed": 0,
        "given_up": 0,
        "random": False,
        "share": {"value": 0.115, "low": 0.115, "high": 0.115, "n": 400, "confidence": 0.95, "reason": ""},
    }
    assert statement["agreement"][0]["between"] == ["judge:1", "judge:2"]
    assert sum(map(sum, statement["agreement"][0]["table"])) == 5000
    assert statement["overrides"][0]["reason"] == "No third vendor is approved by the client."
    assert statement["evidence"]["total"] == 2
    assert statement["evidence"]["listed"][1] == {
        "claim": "分行于1950年开业。",
        "label": "SUPPORTED",
        "sample": "q-18",
        "context": 2,
        "start": 0,
        "end": 9,
        "text": "开业于1950年😀",
    }
    assert statement["seeds"]["spot_check"] == "9223372036854775819"  # a string: JSON readers would lose digits
    assert statement["limits"][-1] == "other_traffic"


def test_it_is_plain_json_and_stays_the_same_when_read_back():
    statement = build(facts())
    again = json.loads(json.dumps(statement))
    assert again == statement
    assert canonical(again) == canonical(statement)


def test_canonical_form_is_that_of_rfc_8785():
    # RFC 8785: names sorted, no white space, numbers as ECMAScript writes them, text as UTF-8
    assert canonical({"b": 1e-05, "a": [1.0, 0.05, None], "文": "有据"}) == (
        '{"a":[1,0.05,null],"b":0.00001,"文":"有据"}'.encode()
    )


def test_limits_are_rounded_outwards():
    assert fraction(0.0123456789) == 0.012346
    found = facts()
    result = build(found)["result"]
    assert result["one_sided"]["high"] >= found.acceptance.high
    assert result["one_sided"]["high"] - found.acceptance.high < 1e-6
    assert result["one_sided"]["low"] <= found.acceptance.low
    for scope in ("dataset", "traffic"):
        assert result[scope]["low"] <= getattr(found.estimate, scope).low
        assert result[scope]["high"] >= getattr(found.estimate, scope).high


def test_a_limit_just_above_the_threshold_never_reads_as_below():
    found = facts()
    threshold = found.acceptance.high - 1e-9
    taken = decide(found.estimate, threshold, 0.95, "traffic")
    assert taken.decision == "INSUFFICIENT"
    statement = build(replace(found, rule=replace(found.rule, threshold=threshold), acceptance=taken))
    assert statement["result"]["one_sided"]["high"] > statement["rule"]["threshold"]


def test_undefined_numbers_are_null_with_a_reason():
    found = facts()
    first = replace(found.agreement[0].agreement, kappa=undefined("one_label", 7))
    statement = build(replace(found, agreement=[replace(found.agreement[0], agreement=first)]))
    kappa = statement["agreement"][0]["kappa"]
    assert (kappa["value"], kappa["low"], kappa["high"], kappa["reason"]) == (None, None, None, "one_label")


def test_no_claims_at_all():
    found = facts(strata={}, answers=0)
    statement = build(found)
    assert statement["result"]["decision"] == "INSUFFICIENT"
    assert statement["result"]["reasons"] == ["no_claims"]
    assert statement["result"]["rate"] is None
    assert statement["outcome"]["bounds"] is None


def test_open_claims_show_bounds():
    statement = build(facts(strata={"supported": (S, 90, 30, 0), "disputed": (D, 10, 4, 1)}, answers=50))
    assert statement["outcome"]["disputed"] == 6
    assert statement["outcome"]["bounds"] == {"low": 0.01, "high": 0.07}
    assert statement["result"]["reasons"] == ["disputed_open"]


def test_half_a_surrogate_pair_does_not_stop_the_signature():
    statement = build(facts(project="a\ud83db", system="\ud83d\ude00"))
    assert statement["project"] == "a\ufffdb"
    assert statement["system"] == "😀"


@pytest.mark.parametrize(
    "change",
    [
        {"samples": SamplesFact(10, 3, 3, 0)},
        {"rule": RuleFact(0.1, 0.95, "traffic", MOMENT)},
        {"rule": RuleFact(0.05, 0.95, "dataset", MOMENT)},
        {"issued_at": datetime(2026, 11, 30)},
        {"reviewers": [ReviewerFact("x", 2**60)]},
        {"evidence_total": 1},
    ],
)
def test_contradictions_are_refused(change):
    with pytest.raises(StatementError):
        build(facts(**change))


def test_counts_that_do_not_add_up_are_refused():
    found = facts()
    with pytest.raises(StatementError, match="add up"):
        build(replace(found, before=replace(found.before, supported=1)))
    with pytest.raises(StatementError, match="same claims"):
        build(replace(found, estimate=facts(strata={"supported": (S, 9, 9, 0)}, answers=9).estimate))


def test_what_has_no_canonical_form_is_refused():
    for value in (float("nan"), 2**70, {1: 2}, object()):
        with pytest.raises(StatementError, match="canonical"):
            canonical({"x": value})


def test_what_stands_beside_the_result_is_in_it_and_nothing_twice():
    found = facts()
    statement = build(found)
    assert statement["client"] == "Example Bank · 示例银行"
    assert statement["dataset"]["period"] == {"from": "2026-10-01", "to": "2026-10-31"}
    assert statement["judges"][0]["refused"] == ["temperature"]
    assert statement["event_log"]["sequence"] == 1204
    assert statement["macro"]["traffic"]["n"] == 1000
    with pytest.raises(StatementError, match="told twice: result"):
        build(replace(found, background={"result": {}}))
